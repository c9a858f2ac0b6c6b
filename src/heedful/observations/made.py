"""Made: values that a machine drew at random, which no path, name or version looks like; and where they stand.

What an equals sign or a colon marks as secret is told in `assignments`. Here are the places without one: a table, a
command, a tag, a pair of name and value, a block of YAML. Prose has some of these, where only a key counts.
"""

from __future__ import annotations

import re
from itertools import pairwise

MADE_CHARACTERS_MIN = 20
"""Shorter values are judged by other rules."""
_PLAINLY_LONG = 32
"""From here on a value needs no digit to be a key: of 40 random characters of base64 one in a thousand has none."""
_CHANGES_MIN = 0.3
"""Of its neighbours so many differ in sort, but for a capital before a small letter. Random base64: .48, with a
deviation of .08 at 40 characters; words in one, `likeThisName`: .2; paths, hashes: less, or no capitals."""

_AWS_CHARACTERS, _AWS_CHANGES_MIN = 40, 0.22
"""A secret access key of AWS has just so many characters, so less shows that it is one."""

_BASE64 = re.compile(r"[A-Za-z0-9+/=_-]+$", re.ASCII)
_QUOTE = r"\\{0,7}[\"'`]?"
_VALUE = r"(?P<value>[^\s\"'`,;&|<>(){}\[\]\\]{4,1024})"
_TABLE = re.compile(rf"{_QUOTE}(?:[ \t]{{1,40}}|[ \t]{{0,40}}[|,;][ \t]{{0,40}}){_QUOTE}{_VALUE}")
_TAG = re.compile(r">\s{0,8}(?P<value>[^\s<>]{4,1024})\s{0,8}</")
_PAIR = re.compile(
    rf"{_QUOTE}\s{{0,16}}[,;]?\s{{0,32}}{_QUOTE}value{_QUOTE}\s{{0,8}}[:=]\s{{0,8}}{_QUOTE}{_VALUE}", re.IGNORECASE
)
_BLOCK = re.compile(rf"{_QUOTE}[ \t]{{0,8}}:[ \t]{{1,8}}[|>][+-]?\d?[+-]?[ \t]{{0,8}}\r?\n[ \t]{{1,64}}{_VALUE}")
_AWS_PAIR = re.compile(
    r"(?:AKIA|ASIA)[A-Z0-9]{16}[\"']?[\s,;:|/]{1,4}[\"']?(?P<value>[A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])", re.ASCII
)

Place = tuple[int, int]


def is_made(value: str) -> bool:
    """True for what looks drawn at random from letters of both cases, digits and the signs of base64."""
    if len(value) < MADE_CHARACTERS_MIN or not _BASE64.match(value):
        return False
    sorts = [_sort(character) for character in value]
    if not {"a", "A"} <= {*sorts} or (len(value) < _PLAINLY_LONG and "0" not in sorts):
        return False
    changes = sum(left != right and (left, right) != ("A", "a") for left, right in pairwise(sorts))
    least = _AWS_CHANGES_MIN if len(value) == _AWS_CHARACTERS else _CHANGES_MIN
    return changes >= least * (len(value) - 1)


def beside(text: str, end: int) -> Place | None:
    """A made value in a table, a command or a list, right after a name that ends here."""
    found = _TABLE.match(text, end)
    return found.span("value") if found is not None and is_made(found["value"]) else None


def within(text: str, end: int) -> Place | None:
    """What a tag, or a block of YAML, of the name that ends here holds; the caller judges whether that is a secret."""
    found = _TAG.match(text, end) or _BLOCK.match(text, end)
    return None if found is None else found.span("value")


def paired(text: str, end: int) -> Place | None:
    """The value of `{name: NAME, value: ...}` with a digit in it, or a made one; the name ends here."""
    found = _PAIR.match(text, end)
    if found is None or not (any(map(str.isdigit, found["value"])) or is_made(found["value"])):
        return None
    return found.span("value")


def aws_pairs(text: str) -> list[Place]:
    """The secrets that stand right behind their access key ids, as in the file that AWS gives out."""
    return [found.span("value") for found in _AWS_PAIR.finditer(text)]


def _sort(character: str) -> str:
    if character.isdigit():
        return "0"
    if character.isalpha():
        return "A" if character.isupper() else "a"
    return "-"
