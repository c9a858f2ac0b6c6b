"""Named: which things a request names, of those that states are about. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from heedful.kernel.kept import keeps_texts

NAME_CHARACTERS_MIN = 2
"""A shorter name, or one without a letter, counts only right after the word for its type: `pull request 41`, `#41`."""
NAMES_KEPT = 4_096
_DRAWN = "[bcdfghjklmnpqrstvwxz2456789]"
"""What Kubernetes draws names from (k8s.io/apimachinery/pkg/util/rand), so that they spell no words."""
_HASHES = rf"(?:-(?:{_DRAWN}{{6,10}}|\d{{8,10}})-{_DRAWN}{{5}}|-(?=[a-z]*\d){_DRAWN}{{5}})"
HASHES = re.compile(f"{_HASHES}$")
"""Pods are named after what they belong to: web-7f9c6d5b4-x2k9p is of web, as is web-x2k9p; web-store and web-https are
things of their own."""
_BEFORE, _AFTER = r"(?<![A-Za-z0-9_.-])", r"(?![A-Za-z0-9_-]|\.[A-Za-z0-9])"


@dataclass(frozen=True, slots=True)
class SubjectName:
    """The parts of `type:space/name@environment`.

    Attributes:
        space: what the name is of, such as a namespace or a repository's owner; empty where the subject says none.
        environment: empty where the subject says none.
        names: what people and commands call it, the longest first.
    """

    type: str
    space: str
    environment: str
    names: tuple[str, ...]


@keeps_texts(NAMES_KEPT)
def subject_name(subject: str) -> SubjectName:
    """The parts of the subject of a state."""
    sort, _, rest = subject.partition(":")
    name, _, environment = rest.rpartition("@") if "@" in rest else (rest, "", "")
    space, _, last = name.rpartition("/")
    names = dict.fromkeys(each for each in (name, last, HASHES.sub("", last)) if each)
    return SubjectName(sort, space, environment, tuple(sorted(names, key=len, reverse=True)))


def name_in(subject: str, text: str) -> str:
    """The name by which the text names the subject, as a whole word; empty where it does not."""
    parts = subject_name(subject)
    return next((name for name in parts.names if _pattern(parts.type, name).search(text)), "")


def stands_in(name: str, text: str) -> bool:
    """True where the text has the name, or that of a pod of it, as a whole word, whatever it may be the name of."""
    return _as_written(name).search(text) is not None


@keeps_texts(NAMES_KEPT)
def _as_written(name: str) -> re.Pattern[str]:
    return re.compile(f"{_BEFORE}{re.escape(name)}{_HASHES}?{_AFTER}", re.IGNORECASE)


@keeps_texts(NAMES_KEPT)
def _pattern(sort: str, name: str) -> re.Pattern[str]:
    word = re.escape(name)
    if len(name) >= NAME_CHARACTERS_MIN and any(each.isalpha() for each in name):
        return re.compile(f"{_BEFORE}{word}{_AFTER}", re.IGNORECASE)
    words = [each for each in re.split(r"[^A-Za-z0-9]+", sort) if each]
    called = [r"\s+".join(map(re.escape, words)), *(words[-1:]), "".join(each[0] for each in words)]
    before = "|".join(each for each in called if each) or "(?!)"
    return re.compile(rf"(?:#|{_BEFORE}(?:{before})\s+#?){word}{_AFTER}", re.IGNORECASE)
