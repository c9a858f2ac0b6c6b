"""Redaction: secrets are cut out of a text before anything of it is written, and what was cut is named, not kept.

A secret becomes `[redacted:<detector>]`. UUIDs, SHA-256 digests, git hashes and our own ids are left as they are:
nothing here judges by entropy. Choice and figures: docs/adr/0003-choose-the-secret-detectors.md.
"""

from __future__ import annotations

import bisect
import itertools
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from heedful.kernel.frozen import quickly_made
from heedful.observations.assignments import find_assignments, is_secret_value, may_hold_assignment, strength_of
from heedful.observations.detectors import Cut, find_tokens, may_hold_token
from heedful.observations.made import aws_pairs
from heedful.observations.record import Redaction
from heedful.observations.screen import SECRET, Screen

KEY_BLOCK_CHARACTERS_MAX = 65_536
"""A last line belongs to the first line of a private key only if it stands within this many characters of it."""

_PLACEHOLDER = re.compile(r"\[redacted:[a-z-]{1,32}\]")
_URL_PASSWORD = re.compile(r"://[^\s/?#@:\"'<>`]{0,256}:(?P<password>[^\s/?\"'<>`]{1,512})@(?!sha\d+:)(?=[\w\[%-])")
_URL_PLACEHOLDER = re.compile(
    r"\$|\{|%[({s]|\*{2}|\.{3}|x{3,}$|(?:pass(?:word|wd)?|pwd|secret|token|pw)$", re.IGNORECASE
)
_AUTHORIZATION = re.compile(
    r"(?:authorization\\{0,7}[\"']?\s{0,4}[:=,]\s{0,4}\\{0,7}[\"']?(?P<scheme>bearer|basic|token|apikey)\s{1,4}"
    r"(?P<given>[A-Za-z0-9._~+/=:-]{6,4096})|bearer\s{1,4}(?P<bearer>[A-Za-z0-9._~+/=-]{16,4096}))",
    re.IGNORECASE,
)
_CURL_USER = re.compile(r"\s(?:-u|--user)[\s=]{1,2}[\"']?[^\s:\"'$]{1,64}:(?P<password>[^\s\"'$]{4,256})")
_KEY_LINE = re.compile(
    r"-----(?P<edge>BEGIN|END) [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----"
    r"|---- (?P<ssh2>BEGIN|END) SSH2 ENCRYPTED PRIVATE KEY ----"
)
_KEY_RUN = re.compile(r"[A-Za-z0-9+/=]{24}")
_KEY_BODY = re.compile(r"(?:[A-Za-z0-9+/=]{6,}|[\s\"',+>#*]|\\+[nr]|[A-Z][A-Za-z-]{1,20}: [^\r\n\\]{0,80})*")
_PUTTY = re.compile(
    r"Private-Lines: \d{1,4}"
    r"(?P<body>(?:(?:\s|\\[nr]){1,4}[A-Za-z0-9+/=]{40,80})*(?:\s|\\[nr]){1,4}[A-Za-z0-9+/=]{1,80})"
)


@quickly_made
@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets.

    Attributes:
        redactions: in order; the places are those of the marks in `text`.
    """

    text: str
    redactions: tuple[Redaction, ...]


@dataclass(frozen=True, slots=True)
class RedactedBytes:
    """Bytes without their secrets; the places in `redactions` are byte offsets in `content`."""

    content: bytes
    redactions: tuple[Redaction, ...]


def redact(text: str) -> Redacted:
    """The text with every secret replaced by `[redacted:<detector>]`; the same object where there was none.

    Redacting a redacted text changes nothing. It grows by at most 32 characters for each secret cut. A mark that
    stood in the text already is kept and not named again.
    """
    if not _SCREEN.marks(text):
        return Redacted(text, ())
    return redact_marked(text)


def redact_marked(text: str) -> Redacted:
    """The same as `redact`, for a text that is known to be worth the search; see `may_hold_secret`."""
    return _redact(text, _find)


def may_hold_secret(text: str) -> bool:
    """False where `redact` would change nothing, as the pieces tell that no secret is known without.

    None of those pieces has white space in it, so a text without secrets is known by its words; see Screen.
    """
    lowered = text.lower()
    return (
        may_hold_assignment(text)
        or may_hold_token(text)
        or "://" in text
        or "curl" in lowered
        or "bearer" in lowered
        or "authorization" in lowered
        or "PRIVATE" in text
        or "Private-Lines:" in text
    )


def redact_bytes(content: bytes) -> RedactedBytes:
    """The same for bytes that are no UTF-8 text: private key blocks, tokens of a known form and URL passwords only."""
    bare = _redact(content.decode("latin-1"), _find_exact)
    if not bare.redactions:
        return RedactedBytes(content, ())
    return RedactedBytes(bare.text.encode("latin-1"), bare.redactions)


def redact_named(name: str, value: str) -> Redacted:
    """The same for the value of a named field: `password: swordfish1` is known by its name, besides by its form."""
    strength = strength_of(name)
    if strength is not None and is_secret_value(value, strength, quoted=True):
        mark = _mark(strength)
        return Redacted(mark, (Redaction(0, len(mark), strength),))
    return redact(value)


def redact_json(name: str, value: object) -> object:
    """The same for a JSON value under this name: every text in it, each by the name that it stands under."""
    if isinstance(value, str):
        return redact_named(name, value).text
    if isinstance(value, Mapping):
        return {key: redact_json(str(key), item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [redact_json(name, item) for item in value]
    return value


_SCREEN = Screen(lambda text: SECRET if may_hold_secret(text) else 0)


def _redact(text: str, find: Callable[[str], Iterator[Cut]]) -> Redacted:
    pieces: list[str] = []
    redactions: list[Redaction] = []
    done = moved = 0
    for start, end, detector in _merge(text, find(text)):
        mark = _mark(detector)
        pieces += (text[done:start], mark)
        redactions.append(Redaction(start + moved, start + moved + len(mark), detector))
        moved += len(mark) - (end - start)
        done = end
    return Redacted("".join([*pieces, text[done:]]) if pieces else text, tuple(redactions))


def _find(text: str) -> Iterator[Cut]:
    yield from _find_exact(text)
    yield from find_assignments(text)
    lowered = text.lower()
    if "bearer" in lowered or "authorization" in lowered:
        yield from _authorizations(text)
    if "curl" in lowered:
        for found in _CURL_USER.finditer(text):
            if not _URL_PLACEHOLDER.match(found["password"]):
                yield *found.span("password"), "password"


def _find_exact(text: str) -> Iterator[Cut]:
    if "PRIVATE KEY" in text or "Private-Lines: " in text:
        yield from _key_blocks(text)
    yield from find_tokens(text)
    if "AKIA" in text or "ASIA" in text:
        for start, end in aws_pairs(text):
            yield start, end, "secret"
    if "://" in text:
        for found in _URL_PASSWORD.finditer(text):
            if not _URL_PLACEHOLDER.match(found["password"]):
                yield *found.span("password"), "url-password"


def _authorizations(text: str) -> Iterator[Cut]:
    for found in _AUTHORIZATION.finditer(text):
        group = "given" if found["given"] is not None else "bearer"
        value = found[group].rstrip(".")
        has_digit = any(character.isdigit() for character in value)
        if has_digit or (found["scheme"] or "").lower() == "basic":
            yield found.start(group), found.start(group) + len(value), "authorization"


def _key_blocks(text: str) -> Iterator[Cut]:
    """Whole private keys, from first line to last; a block that breaks off goes as far as it looks like one."""
    lines = list(_KEY_LINE.finditer(text))
    for line, following in itertools.zip_longest(lines, lines[1:]):
        if (line["edge"] or line["ssh2"]) == "END":
            continue
        body = _KEY_BODY.match(text, line.end())
        stop = body.end() if body else line.end()
        if following and following.start() - line.end() <= KEY_BLOCK_CHARACTERS_MAX:
            closes = (following["edge"] or following["ssh2"]) == "END"
            stop = following.end() if closes else min(stop, following.start())
        if _KEY_RUN.search(text, line.end(), stop):
            yield line.start(), stop, "private-key"
    for found in _PUTTY.finditer(text):
        yield *found.span("body"), "private-key"


def _merge(text: str, cuts: Iterator[Cut]) -> list[Cut]:
    """The cuts in order, overlapping ones joined under the first one's name, none in a mark that stands already."""
    found = sorted(cuts, key=lambda cut: (cut[0], -cut[1]))
    if not found:
        return found
    marks = [match.span() for match in _PLACEHOLDER.finditer(text)]
    mark_ends = [end for _, end in marks]
    merged: list[Cut] = []
    for start, end, detector in found:
        nearest = bisect.bisect_right(mark_ends, start)
        if nearest < len(marks) and marks[nearest][0] < end:
            continue
        stop = _whole_character(text, end)
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], stop), merged[-1][2])
        else:
            merged.append((start, stop, detector))
    return merged


def _whole_character(text: str, end: int) -> int:
    """`end`, moved past the marks that would otherwise be left without the character that they combine with."""
    while end < len(text) and not text[end].isascii() and unicodedata.category(text[end]) in ("Mn", "Mc", "Me"):
        end += 1
    return end


def _mark(detector: str) -> str:
    return f"[redacted:{detector}]"
