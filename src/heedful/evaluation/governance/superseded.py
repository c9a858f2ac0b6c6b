"""Superseded: the exact values of a project that later words replaced, so that nobody is handed what holds no more.

A project has one target date, one budget and one highest discount; a label or a figure goes when somebody says so.
What was replaced stays in the store, as history that nobody of the episode is granted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_MONTH = (
    "January|February|March|April|May|June|July|August|September|October|November|December|"
    "Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
)
_KINDS: Mapping[str, re.Pattern[str]] = {
    "date": re.compile(rf"\b(?:{_MONTH})\.? \d{{1,2}}\b(?:, (?:19|20)\d\d)?|\d{{1,2}}月\d{{1,2}}[日号]"),
    "money": re.compile(
        r"\b\d[\d,.]*\d ?(?:USD|EUR|GBP|dollars|euros)\b|[$€£¥] ?\d[\d,.]*\d|\d[\d,.]*\s?万?元", re.IGNORECASE
    ),
    "share": re.compile(r"\b\d+(?:\.\d+)? ?%"),
    "label": re.compile(r"\b[a-z]+(?:-[a-z]+)*-\d+\b"),
}
_SLOTS: Mapping[str, re.Pattern[str]] = {
    "date": re.compile(
        r"\b(target\w*|launch\w*|go-live|deadline|moves?|shifts?|slips?|pushes)\b|目标|上线|截止", re.IGNORECASE
    ),
    "money": re.compile(r"\bbudget\w*|预算", re.IGNORECASE),
    "share": re.compile(r"\b(discount\w*|cap|capped|maximum|ceiling)\b|折扣", re.IGNORECASE),
}
"""What there is one of: its kind of value, and the words that name it."""
_HOLDS_NOW = re.compile(
    r"\b(now|again|current(ly)?|approved|official|active|latest|remains?|still|targets?|moves?|shifts?|slips?|pushes|revised)"
    r"\b|现在|目前|最新|改为|调整为|改到|推迟到",
    re.IGNORECASE,
)
_CHANGES = re.compile(r"\b(mov|shift|slip|push|chang|revis|dropp?|rais|reschedul|go)\w*\b|改|调整|推迟", re.IGNORECASE)
_FROM = re.compile(r"\bfrom\b(.*?)\bto\b|从(.*?)(?:改|调整|推迟|移)", re.IGNORECASE)
_REPLACES = re.compile(
    r"\b(?:supersed(?:es|ing)|replac(?:es|ing)|overwrit\w+|instead of|in place of|rather than)\b([^.;]*)|"
    r"(?:取代|代替)([^。；]*)",
    re.IGNORECASE,
)
_OF_BEFORE = re.compile(
    r"\b(?:old(?:er)?|earlier|previous|prior|former|original|initial|exploratory|interim|retired|provisional)\b"
    r"([^.;]{0,60})|(?:旧的?|以前的|原来的|之前的)([^。；]{0,30})",
    re.IGNORECASE,
)
_NO_MORE = re.compile(
    r"\b(stale|obsolete|superseded|outdated|retired|historical|history|no longer|disappear)\b|"
    r"\b(do not|don't|never|stop|not be) (use|reviv|quot|surfac|recirculat|restat|repeat|reintroduc|bring|brought)\w*|"
    r"作废|过时|不再",
    re.IGNORECASE,
)
GAP = "…"
"""What stands for a value that was taken out of a sentence."""


@dataclass(slots=True)
class Superseded:
    """What was replaced of one project, as far as it is told."""

    values: set[str] = field(default_factory=set)
    _told: dict[str, set[str]] = field(default_factory=dict)
    _now: dict[str, str] = field(default_factory=dict)

    def hear(self, sentence: str) -> bool:
        """True where the sentence replaced something."""
        before = set(self.values)
        replaced = self._replaced_in(sentence)
        self.values |= replaced
        for kind, named in _SLOTS.items():
            left = [value for value in values_of(kind, sentence) if value not in replaced]
            if not left or not named.search(sentence):
                continue
            told = self._told.setdefault(kind, set())
            told |= {*left, *(value for value in replaced if values_of(kind, value))}
            if len(set(left)) == 1 and _HOLDS_NOW.search(sentence) and not sentence.endswith(("?", "？")):
                self._now[kind] = left[0]
                self.values |= told - {left[0]}
                self.values.discard(left[0])
        return self.values != before

    def left_of(self, sentence: str) -> str | None:
        """The sentence without the values that were replaced; None where it told no other exact value."""
        if not self.values:
            return sentence
        gone, left = False, sentence
        for pattern in _KINDS.values():
            for match in reversed(list(pattern.finditer(left))):
                if _plain(match.group()) in self.values:
                    gone, left = True, left[: match.start()] + GAP + left[match.end() :]
        if not gone:
            return sentence
        return left if any(pattern.search(left) for pattern in _KINDS.values()) else None

    def _replaced_in(self, sentence: str) -> set[str]:
        found: set[str] = set()
        if _CHANGES.search(sentence):
            found |= _all_in(_FROM, sentence)
        found |= _all_in(_REPLACES, sentence)
        of_before = _all_in(_OF_BEFORE, sentence)
        if _NO_MORE.search(sentence):
            found |= of_before or (set() if _HOLDS_NOW.search(sentence) else _every(sentence))
        else:
            # The first figure that is told may be called old before there is another.
            found |= {value for value in of_before if self._now.get(_kind_of(value), value) != value}
        return found


def values_of(kind: str, text: str) -> list[str]:
    """The exact values of that kind in a text, in one spelling: dates without their years."""
    return [_plain(match.group()) for match in _KINDS[kind].finditer(text)]


def _every(text: str) -> set[str]:
    return {value for kind in _KINDS for value in values_of(kind, text)}


def _all_in(pattern: re.Pattern[str], sentence: str) -> set[str]:
    return {value for match in pattern.finditer(sentence) for part in match.groups() if part for value in _every(part)}


def _kind_of(value: str) -> str:
    return next(kind for kind in _KINDS if values_of(kind, value) or values_of(kind, value.title()))


def _plain(value: str) -> str:
    return re.sub(r", (19|20)\d\d$", "", " ".join(value.lower().replace(".", "").split()))
