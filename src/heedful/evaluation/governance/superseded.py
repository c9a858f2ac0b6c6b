"""Superseded: exact values of a project that are not to be used any more, because somebody said so or took access back.

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
    "window": re.compile(
        r"\b[a-z]+-only\b|\b(?:through|until) \w+day(?: at)? \d{1,2}:\d{2}\b|"
        r"只读|(?:到|至)(?:周|星期)[一二三四五六日天]",
        re.IGNORECASE,
    ),
}
_OF_BEFORE = re.compile(
    r"\b(?:old(?:er)?|earlier|previous|prior|former|original|initial|exploratory|interim|retired|provisional)\b"
    r"([^.;]{0,60})|(?:旧的?|以前的|原来的|之前的)([^。；]{0,30})",
    re.IGNORECASE,
)
_HOLDS_NOW = re.compile(
    r"\b(now|again|current(ly)?|approved|official|active|latest|still|targets?)\b|现在|目前|最新", re.IGNORECASE
)
_NO_MORE = re.compile(
    r"\b(stale|obsolete|outdated|retired|historical|history|no longer|disappear)\b|"
    r"\b(do not|don't|never|stop|not be) (use|using|reviv|quot|surfac|recirculat|restat|repeat|reintroduc|bring|"
    r"brought)\w*|作废|过时|不再|不要再用|别再用",
    re.IGNORECASE,
)
_GIVES = re.compile(r"\b(approved|granted|temporary|allowed)\b|批准|临时", re.IGNORECASE)
_TAKES_BACK = re.compile(
    r"\b(access|window|permission\w*)\b.*\b(revoked|expired|ended|closed|withdrawn|no longer active)\b|"
    r"\b(revok(ing|ed)|withdr[ae]w\w*)\b.*\b(access|window|permission\w*)\b|撤销|收回",
    re.IGNORECASE,
)
GAP = "…"
"""What stands for a value that was taken out of a sentence."""
_WORDS_LEFT = 7
"""So many words beside the value make a sentence one that tells something else as well."""


@dataclass(slots=True)
class Superseded:
    """What was replaced of one project, as far as it is told."""

    values: set[str] = field(default_factory=set)
    _given: set[str] = field(default_factory=set)

    def hear(self, sentence: str) -> bool:
        """True where the sentence changed what holds no more."""
        before = set(self.values)
        if sentence.endswith(("?", "？")):
            return False
        if _TAKES_BACK.search(sentence):
            self.values |= self._given
        elif _GIVES.search(sentence):
            given = set(values_of("window", sentence))
            self._given |= given
            self.values -= given
        if _NO_MORE.search(sentence):
            self.values |= _old_in(sentence)
        elif _HOLDS_NOW.search(sentence):
            self.values -= _every(sentence) - _given_in(sentence) - _called_old_in(sentence)
        return self.values != before

    def left_of(self, sentence: str) -> str | None:
        """The sentence without the values that were replaced; None where it told little else."""
        if not self.values:
            return sentence
        gone, left = False, sentence
        for pattern in _KINDS.values():
            for match in reversed(list(pattern.finditer(left))):
                if _plain(match.group()) in self.values:
                    gone, left = True, left[: match.start()] + GAP + left[match.end() :]
        if not gone:
            return sentence
        tells = len(left.split()) > _WORDS_LEFT or any(pattern.search(left) for pattern in _KINDS.values())
        return left if tells else None


def values_of(kind: str, text: str) -> list[str]:
    """The exact values of that kind in a text, in one spelling: dates without their years."""
    return [_plain(match.group()) for match in _KINDS[kind].finditer(text)]


def _old_in(sentence: str) -> set[str]:
    return _called_old_in(sentence) or (
        set() if _HOLDS_NOW.search(sentence) else _every(sentence) - _given_in(sentence)
    )


def _called_old_in(sentence: str) -> set[str]:
    parts = (part for match in _OF_BEFORE.finditer(sentence) for part in match.groups() if part)
    return {value for part in parts for value in _every(part) - _given_in(part)}


def _every(text: str) -> set[str]:
    return {value for kind in _KINDS for value in values_of(kind, text)}


def _given_in(text: str) -> set[str]:
    return set(values_of("window", text))


def _plain(value: str) -> str:
    return re.sub(r", (19|20)\d\d$", "", " ".join(value.lower().replace(".", "").split()))
