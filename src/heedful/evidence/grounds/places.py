"""Which of several environments, regions or other things of one sort a question asks about."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from heedful.evidence.grounds.event import FoundEvent
from heedful.observations.text import search_tokens

SAME_PLACE = (
    ("production", "prod", "live", "prd", "生产", "线上", "正式", "现网"),
    ("staging", "stage", "stg", "preprod", "pre", "uat", "预发", "预生产", "灰度"),
    ("development", "dev", "开发"),
    ("test", "testing", "qa", "sandbox", "测试", "沙箱", "沙盒"),
)
"""Words for one sort of environment each."""
NAMES_MAX = 256
"""Things of one sort that the question's words are compared with, the first by name."""
JOINED_CHARACTERS_MIN = 5
"""A name of so many letters is found without its signs too: `onprem` in `on-prem`."""
_WORD = re.compile(r"[a-z]+|\d+")
_SIGNS = re.compile(r"[\s_.-]+")


def asked_places(question: str, events: Sequence[FoundEvent]) -> Mapping[str, frozenset[str]]:
    """Type of subject -> those of its ids that the question names, where there are others that it does not.

    Environments are a type of their own (`=place`), by the words for them.
    """
    asked: dict[str, frozenset[str]] = {}
    ids: dict[str, set[str]] = {}
    for event in events:
        for sort, name in event.subjects:
            ids.setdefault(sort, set()).add(name)
    words = frozenset(search_tokens(question))
    for sort, listed in ids.items():
        names = set(sorted(listed)[:NAMES_MAX])
        shared = Counter(token for name in names for token in frozenset(search_tokens(name)))
        found = {name for name in names if _named_in(name, shared, question, words)}
        if found and found != names:
            asked[sort] = frozenset(found)
    places = places_in([question])
    if places:
        asked["=place"] = places
    return asked


def place_score(event: FoundEvent, asked: Mapping[str, frozenset[str]]) -> tuple[bool, bool]:
    """(is of what the question names, is of another of the same sort)."""
    here = there = False
    for sort, names in asked.items():
        own = places_in(name for _, name in event.subjects) if sort == "=place" else _ids(event, sort)
        if own & names:
            here = True
        elif own:
            there = True
    return here, there


def places_in(texts: Iterable[str]) -> frozenset[str]:
    """The sorts of environments that these texts name."""
    found: set[str] = set()
    for text in texts:
        folded = text.casefold()
        words = frozenset(_WORD.findall(folded))
        for names in SAME_PLACE:
            if any(name in words if name.isascii() else name in folded for name in names):
                found.add(names[0])
    return frozenset(found)


def _ids(event: FoundEvent, sort: str) -> frozenset[str]:
    return frozenset(name for each, name in event.subjects if each == sort)


def _named_in(name: str, shared: Mapping[str, int], question: str, words: frozenset[str]) -> bool:
    """True where the question has the name, or the part of it that tells it from the others of its sort."""
    folded, joined = name.casefold(), _SIGNS.sub("", name.casefold())
    if len(folded) > 1 and folded in question.casefold():
        return True
    if len(joined) >= JOINED_CHARACTERS_MIN and joined in _SIGNS.sub("", question.casefold()):
        return True
    return any(shared[token] == 1 for token in frozenset(search_tokens(name)) & words)
