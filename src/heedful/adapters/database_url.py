"""Database URL: is it one, and which part of it may be shown. Its password is in no message, whatever was typed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from heedful.kernel.errors import InvalidInputError

CHARACTERS_MAX = 4_096
DEFAULT_PORT = "5432"
_HOST = r"(?:[A-Za-z0-9._-]{1,255}|\[[0-9A-Fa-f:.%]{2,100}\])(?::[0-9]{1,5})?"
# libpq's form, but with no `@`, `/` or `?` that is not written in percent: in a password each moves the host.
_URL = re.compile(
    r"postgres(?:ql)?://"
    r"(?:[^\s:@/?]*(?::[^\s@/?]*)?@)?"
    rf"(?P<hosts>(?:{_HOST}(?:,{_HOST}){{0,15}})?)"
    r"(?:/(?P<name>[^\s@/?]*))?"
    r"(?:\?(?P<options>[^\s?]*))?"
)
_OPTION = re.compile(r"(?P<name>[a-z_]+)=(?P<value>.*)")
_SHOWN_PLACE = re.compile(r"[A-Za-z0-9._:,/-]{1,255}")
_PERCENT = re.compile(r"%([0-9A-Fa-f]{2})?")
_PERCENT_BYTES = re.compile(rb"%([0-9A-Fa-f]{2})")


@dataclass(frozen=True, slots=True)
class DatabaseUrl:
    """A database of PostgreSQL.

    Attributes:
        text: as it was given; it may hold a password.
        place: what may be shown of it: its host and port, or the folder of its socket.
    """

    text: str = field(repr=False)
    place: str


def read_database_url(text: str) -> DatabaseUrl:
    """The URL, checked in form alone: nothing is connected to.

    Raises:
        InvalidInputError: `database_malformed`.
    """
    match = _URL.fullmatch(text) if len(text) <= CHARACTERS_MAX and text.isprintable() else None
    if match is None or any(each[1] is None for each in _PERCENT.finditer(text)) or not _is_text(text):
        raise database_malformed()
    options = {}
    for part in filter(None, (match["options"] or "").split("&")):
        option = _OPTION.fullmatch(part)
        if option is None:
            raise database_malformed()
        options[option["name"]] = _unquoted(option["value"])
    return DatabaseUrl(text, _place(match["hosts"], options))


def database_malformed() -> InvalidInputError:
    """The error of a text that is no such URL. It shows nothing of it."""
    return InvalidInputError(
        "database_malformed",
        "the database is not of the form postgresql://USER:PASSWORD@HOST:PORT/NAME",
        next_step="write it so, with %40 for @, %2F for /, %3F for ? and %25 for % in a user or password",
        details={"field": "database"},
    )


def _place(hosts: str, options: dict[str, str]) -> str:
    host = hosts or options.get("host") or options.get("hostaddr") or "this machine"
    if hosts and (":" in hosts or hosts.startswith("[")):
        return hosts
    port = options.get("port", DEFAULT_PORT)
    place = f"{host}:{port}"
    if not _SHOWN_PLACE.fullmatch(place):
        return host if host == "this machine" else "the host of its URL"
    return place


def _is_text(text: str) -> bool:
    """False where percent stands for what is no UTF-8, or NUL: the driver would show it in the error that it raises."""
    try:
        return "\0" not in _PERCENT_BYTES.sub(lambda match: bytes([int(match[1], 16)]), text.encode()).decode()
    except UnicodeError:
        return False


def _unquoted(text: str) -> str:
    """With `%2F` and the like as the characters that they stand for; only those of ASCII matter here."""
    return _PERCENT.sub(lambda match: chr(int(match[1], 16)), text)
