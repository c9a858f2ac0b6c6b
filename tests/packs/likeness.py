"""Which example sentences are equal or nearly equal to a text of a case, told from both alone."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

RUN_WORDS = 6
"""Words in a row that two texts may not share; as many as a thought, more than a turn of phrase."""
RUN_CHARACTERS = 12
"""The same for Chinese, in characters."""
SHARE = 0.7
"""Content words that two texts share, of all that either has."""
CONTENT_MIN = 4
"""Texts with fewer content words are compared by equality and runs alone: `book a flight` is everybody's."""
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")
_WORD = re.compile(r"[^\W_]+")
_FUNCTION_WORDS = (
    "a about after again all also am an and any anyone are as at be because been before being but by can cant could d "
    "did didnt do does doesnt doing dont for from get go going got had has have having he help her here hers him his "
    "how i if in into is isnt it its ive im just know let lets like ll m make may me might mine more most must my need "
    "no not now of off on one only or our ours out over own please re s shall she should so some such t than that the "
    "their theirs them then there these they this those through to too up us ve very want was we were what when where "
    "which while who whom whose why will with without would you your yours"
)
_FUNCTION = frozenset(_FUNCTION_WORDS.split())
_FUNCTION_HAN = frozenset("的了是在我你他她它们和也就都很把被给这那有没不吗呢吧啊个要会能可以么什怎帮请一下")


@dataclass(frozen=True, slots=True)
class Likeness:
    """Two texts that are too much alike.

    Attributes:
        how: `equal`, `run: ...` with what they share, or `words: 0.75`.
    """

    example: str
    case: str
    how: str


def words_of(text: str) -> tuple[str, ...]:
    """The text's words without case, width and punctuation; each Chinese character is one."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("'", "").replace("\u2019", "")
    return tuple(_WORD.findall(_HAN.sub(lambda found: f" {' '.join(found[0])} ", folded)))


def content_of(words: Iterable[str]) -> frozenset[str]:
    """What is no function word; of Chinese, pairs of neighbours without a function character."""
    listed = tuple(words)
    spaced = {word for word in listed if not _HAN.match(word) and word not in _FUNCTION}
    pairs = {
        first + second
        for first, second in pairwise(listed)
        if _HAN.match(first) and _HAN.match(second) and not {first, second} & _FUNCTION_HAN
    }
    return frozenset(spaced | pairs)


def runs_of(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Every run of RUN_WORDS words, or of RUN_CHARACTERS where all of it is Chinese."""
    for at in range(len(words)):
        run = words[at : at + RUN_WORDS]
        if any(map(_HAN.match, run)):
            run = words[at : at + RUN_CHARACTERS]
            if len(run) == RUN_CHARACTERS:
                yield run
        elif len(run) == RUN_WORDS:
            yield run


class CaseTexts:
    """The texts of cases, ready to be compared with."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._whole: dict[tuple[str, ...], str] = {}
        self._runs: dict[tuple[str, ...], str] = {}
        self._content: dict[str, frozenset[str]] = {}
        self._holders: Mapping[str, set[str]] = defaultdict(set)
        for text in texts:
            words = words_of(text)
            self._whole.setdefault(words, text)
            for run in runs_of(words):
                self._runs.setdefault(run, text)
            self._content[text] = content_of(words)
            for word in self._content[text]:
                self._holders[word].add(text)

    def like(self, example: str) -> Likeness | None:
        """The text of a case that this example is too much like, the plainest reason first; None: it is like none."""
        words = words_of(example)
        if words and words in self._whole:
            return Likeness(example, self._whole[words], "equal")
        for run in runs_of(words):
            if run in self._runs:
                return Likeness(example, self._runs[run], f"run: {' '.join(run)}")
        return self._shared(example, content_of(words))

    def _shared(self, example: str, content: frozenset[str]) -> Likeness | None:
        if len(content) < CONTENT_MIN:
            return None
        shared = Counter(text for word in content for text in self._holders.get(word, ()))
        for text, count in shared.most_common():
            share = count / len(content | self._content[text])
            if len(self._content[text]) >= CONTENT_MIN and share >= SHARE:
                return Likeness(example, text, f"words: {share:.2f}")
        return None
