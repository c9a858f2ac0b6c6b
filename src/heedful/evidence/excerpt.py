"""Excerpt: the exact piece of a source text around what was asked for."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from heedful.evidence.graphemes import cut_back, cut_on
from heedful.observations.stems import STEM_CHARACTERS_MIN, stem
from heedful.observations.text import QUERY_TERMS_MAX, TOKEN_CHARACTERS_MAX

# Named limits; a packet of 1,200 tokens then holds at least six full excerpts of plain text.
EXCERPT_CHARACTERS_MAX = 600
OCCURRENCES_MAX = 8
# Beyond this much text, forms that differ only in width or composition are not looked for (it would be slow).
FOLDED_CHARACTERS_MAX = 20_000

_INK = re.compile(r"\S")
_SENTENCE_START = re.compile(r"\n|(?<=[.!?])\s+|(?<=[。！？；])\s*")
# What ends a sentence or a line, and how many characters of it stay with it.
_SENTENCE_ENDS = (
    ("\n", 0),
    *((mark + " ", 1) for mark in ".!?"),
    *((mark, 1) for mark in "。！？；"),
)


class Excerpt(NamedTuple):
    """An exact substring of its source: `source[start_character:end_character]`.

    Attributes:
        cut_before, cut_after: True where the source has more on that side than white space.
    """

    text: str
    start_character: int
    end_character: int
    cut_before: bool
    cut_after: bool


def excerpt(source: str, terms: Sequence[str], *, characters_max: int = EXCERPT_CHARACTERS_MAX) -> Excerpt:
    """At most `characters_max` characters of the source, around the place with most of the terms.

    Cut at the ends of sentences or lines where they lie near enough, else at a space, and never inside a grapheme
    cluster or a surrogate pair; a single cluster longer than the limit leaves an empty excerpt. Without a term that
    is found, the beginning.
    """
    if len(source) <= characters_max:
        return Excerpt(source, 0, len(source), cut_before=False, cut_after=False)
    spans = _found(source, terms)
    first, last = _densest(spans, characters_max) if spans else (0, 0)
    start = _start(source, first, max(0, characters_max - (last - first)) // 2)
    end = _end(source, start, max(start, last), start + characters_max)
    text = source[start:end]
    return Excerpt(
        text,
        start,
        end,
        cut_before=_INK.search(source, 0, start) is not None,
        cut_after=_INK.search(source, end) is not None,
    )


def _found(source: str, terms: Sequence[str]) -> list[tuple[int, int, int]]:
    """Where terms stand, (start, end, which term), in order."""
    wanted = [term for term in dict.fromkeys(terms) if term][:QUERY_TERMS_MAX]
    lowered = source.lower()
    if len(lowered) != len(source):  # a letter such as İ lowers to two
        lowered = source
    spans = _occurrences(lowered, wanted, None)
    if not spans and not source.isascii():
        folded, places = _folded(source[:FOLDED_CHARACTERS_MAX])
        spans = _occurrences(folded, wanted, places)
    return sorted(spans)


def _occurrences(text: str, terms: Sequence[str], places: Sequence[int] | None) -> list[tuple[int, int, int]]:
    spans: list[tuple[int, int, int]] = []
    for number, term in enumerate(terms):
        # A stem without its last character begins every word that it stands for.
        start = term[:-1] if len(term) >= STEM_CHARACTERS_MIN and term.isascii() and term.isalpha() else term
        at, count = text.find(start), 0
        while at >= 0 and count < OCCURRENCES_MAX:
            end = _word_end(text, at, at + len(start), term)
            if end is not None:
                spans.append((at, end, number) if places is None else (places[at], places[end - 1] + 1, number))
                count += 1
            at = text.find(start, at + len(start) if end is None else end)
    return spans


def _word_end(text: str, start: int, end: int, term: str) -> int | None:
    """Where the word that starts there ends, if it is the term or one of its inflections; else None."""
    if not term.isascii():
        return end
    if start > 0 and _is_word(text[start - 1]):
        return None
    last = end
    while last < len(text) and last - start < TOKEN_CHARACTERS_MAX and _is_word(text[last]):
        last += 1
    word = text[start:last]
    return last if word == term or stem(word) == term else None


def _is_word(character: str) -> bool:
    return character.isascii() and character.isalnum()


def _folded(source: str) -> tuple[str, list[int]]:
    """The text as search words are written (NFKC, lower case), and for each of its characters where it came from."""
    parts: list[str] = []
    places: list[int] = []
    for index, character in enumerate(source):
        part = unicodedata.normalize("NFKC", character).lower()
        parts.append(part)
        places.extend([index] * len(part))
    return "".join(parts), places


def _densest(spans: Sequence[tuple[int, int, int]], width: int) -> tuple[int, int]:
    """Start and end of the stretch, at most `width` long, that has most different terms; the first of equals."""
    best, best_count = (spans[0][0], min(spans[0][1], spans[0][0] + width)), 0
    for index, (start, _, _) in enumerate(spans):
        inside = []
        for span in spans[index:]:
            if span[0] >= start + width:
                break
            if span[1] <= start + width:
                inside.append(span)
        count = len({number for _, _, number in inside})
        if count > best_count:
            # Further repetitions of terms that are already there add nothing: end at the first place with all.
            best, best_count = (start, _first_end(inside)), count
    return best


def _first_end(inside: Sequence[tuple[int, int, int]]) -> int:
    firsts: dict[int, int] = {}
    for _, end, number in inside:
        firsts.setdefault(number, end)
    return max(firsts.values())


def _start(source: str, first: int, slack: int) -> int:
    """The first sentence start within `slack` before `first`; else the first word start there; else a plain cut."""
    floor = first - slack
    if floor <= 0:
        return 0
    begins = _SENTENCE_START.search(source, floor, first)
    if begins is not None:
        return cut_on(source, begins.end())
    space = source.find(" ", floor, first)
    return cut_on(source, space + 1 if space >= 0 else floor)


def _end(source: str, start: int, last: int, ceiling: int) -> int:
    """The last sentence end between `last` and `ceiling`; else the last space there; else a plain cut."""
    if ceiling >= len(source):
        return len(source)
    at = max(source.rfind(mark, last, ceiling) + kept for mark, kept in _SENTENCE_ENDS)
    if at > max(start, last):
        return cut_back(source, at, start)
    space = source.rfind(" ", last, ceiling)
    return cut_back(source, space if space > start else ceiling, start)
