"""Output: JSON for programs, plain sentences and tables for people. Text from outside can't control the terminal."""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from heedful.kernel.errors import HeedfulError
from heedful.observations.redact import redact, redact_json

if TYPE_CHECKING:
    from rich.console import Console

_KEPT = "\n\t"


@cache
def console(*, error: bool = False) -> Console:
    """The terminal, made when first needed: importing it costs more than a short command does."""
    from rich.console import Console  # noqa: PLC0415

    class Terminal(Console):
        def on_broken_pipe(self) -> None:
            raise  # noqa: PLE0704  # rich calls this where it caught one; `main` knows its exit code

    # Text from outside has colons of its own: `:bug:` stays what it is.
    return Terminal(stderr=error, highlight=False, soft_wrap=True, emoji=False)


def plain(text: str) -> str:
    """The text with control and bidirectional characters shown as escapes, so that none reaches the terminal."""
    return "".join(
        character
        if character in _KEPT or unicodedata.category(character) not in ("Cc", "Cf", "Cs")
        else f"\\u{{{ord(character):x}}}"
        for character in text
    )


def write_json(value: object) -> None:
    """One JSON document on standard output, sorted, UTF-8; control and bidirectional characters are escaped in it."""
    encoded = msgspec.json.format(msgspec.json.encode(value, order="sorted"), indent=1)
    if not encoded.isascii():
        encoded = "".join(map(_in_json, encoded.decode())).encode()
    sys.stdout.flush()
    sys.stdout.buffer.write(encoded + b"\n")
    sys.stdout.buffer.flush()


def _in_json(character: str) -> str:
    if character.isascii() or unicodedata.category(character) not in ("Cc", "Cf"):
        return character
    return json.dumps(character)[1:-1]


def say(text: str = "", style: str | None = None) -> None:
    """A line for people; nothing in it is markup."""
    console().print(plain(text), style=style, markup=False)


def _whole(value: object) -> object:
    """The value with halves of surrogate pairs escaped: an argument that is no UTF-8 has some."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {name: _whole(each) for name, each in value.items()}
    return [_whole(each) for each in value] if isinstance(value, list | tuple) else value


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table for people; long cells wrap."""
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    drawn = Table(title=title, title_justify="left", show_lines=False, pad_edge=False)
    for column in columns:
        # An id is copied from here, so it stays on one line.
        drawn.add_column(column, overflow="fold", no_wrap=column == "id")
    for row in rows:
        drawn.add_row(*(Text(plain(cell)) for cell in row))
    console().print(drawn)


def show_error(error: HeedfulError, *, as_json: bool) -> None:
    """The error, in JSON on standard output, or as sentences on standard error."""
    if as_json:
        write_json(redact_json("", _whole(error.to_dict())))
        return
    # Errors of times, scopes and settings quote what was typed, and are made where nothing is known of secrets.
    console(error=True).print(f"error: {plain(redact(error.message).text)} [{error.code}]", markup=False, style="red")
    if error.next_step:
        console(error=True).print(f"  next: {plain(redact(error.next_step).text)}", markup=False)
