"""Named: which things a request names, of those that states are about. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

NAME_CHARACTERS_MIN = 2
"""A shorter name, or one without a letter, counts only right after the word for its type: `pull request 41`, `#41`."""
NAMES_KEPT = 4_096
HASHES = re.compile(r"(?:-[a-z0-9]{6,10})?-[a-z0-9]{5}$")
"""Pods are named after what they belong to: web-7f9c6d5b4-x2k9p is of web."""
_BEFORE, _AFTER = r"(?<![A-Za-z0-9_.-])", r"(?![A-Za-z0-9_-]|\.[A-Za-z0-9])"


@dataclass(frozen=True, slots=True)
class SubjectName:
    """The parts of `type:space/name@environment`.

    Attributes:
        environment: empty where the subject says none.
        names: what people and commands call it, the longest first.
    """

    type: str
    environment: str
    names: tuple[str, ...]


@lru_cache(maxsize=NAMES_KEPT)
def subject_name(subject: str) -> SubjectName:
    """The parts of the subject of a state."""
    sort, _, rest = subject.partition(":")
    name, _, environment = rest.rpartition("@") if "@" in rest else (rest, "", "")
    last = name.rpartition("/")[2]
    names = dict.fromkeys(each for each in (name, last, HASHES.sub("", last)) if each)
    return SubjectName(sort, environment, tuple(sorted(names, key=len, reverse=True)))


def name_in(subject: str, text: str) -> str:
    """The name by which the text names the subject, as a whole word; empty where it does not."""
    parts = subject_name(subject)
    return next((name for name in parts.names if _pattern(parts.type, name).search(text)), "")


@lru_cache(maxsize=NAMES_KEPT)
def _pattern(sort: str, name: str) -> re.Pattern[str]:
    word = re.escape(name)
    if len(name) >= NAME_CHARACTERS_MIN and any(each.isalpha() for each in name):
        return re.compile(f"{_BEFORE}{word}{_AFTER}", re.IGNORECASE)
    words = [each for each in re.split(r"[^A-Za-z0-9]+", sort) if each]
    called = [r"\s+".join(map(re.escape, words)), *(words[-1:]), "".join(each[0] for each in words)]
    before = "|".join(each for each in called if each) or "(?!)"
    return re.compile(rf"(?:#|{_BEFORE}(?:{before})\s+#?){word}{_AFTER}", re.IGNORECASE)
