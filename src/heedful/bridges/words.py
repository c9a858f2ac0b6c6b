"""Text -> what phrases are looked up by: word stems for scripts with spaces, plain substrings for CJK scripts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import msgspec

from heedful.kernel.kept import keeps_texts

TEXT_CHARACTERS_MAX = 20_000
"""Of a request's text; phrases beyond it aren't looked for."""
STEMS_KEPT = 8_192
"""Words are remembered with their stems."""
GAP_WORDS_MAX = 6
"""Words that `...` in a phrase may stand for."""
GAP_CHARACTERS_MAX = 14
"""The same for CJK scripts, in characters."""

_CJK = re.compile("[\u2e80-\u2fdf\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_WORD = re.compile(r"[^\W_]+")
_GAP = "..."
_STEM_CHARACTERS_MIN = 3
_ING_CHARACTERS_MIN = 6
_ED_CHARACTERS_MIN = 5
_VOWELS = frozenset("aeiou")


class Phrase(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A phrase, ready to be looked up. There are tens of thousands, so they are made and kept compiled by msgspec.

    Attributes:
        target: what it tells: a class's or an entity's id.
        parts: stems (words) or substrings (CJK); a gap lies between two parts.
    """

    target: str
    written: str
    is_cjk: bool
    parts: tuple[tuple[str, ...], ...]


Phrases = tuple[Phrase, ...]
_decode_phrases = msgspec.json.Decoder(Phrases).decode


@dataclass(frozen=True, slots=True)
class Phrasebook:
    """Phrases by the first stem, or by the first character for CJK scripts.

    Those of a stem may still be the JSON that they were kept as: few are ever asked for. They are decoded in their
    place then; of two threads that ask at once both put an equal value there.
    """

    by_stem: dict[str, Phrases | msgspec.Raw]
    by_character: dict[str, Phrases | msgspec.Raw]

    def read_whole(self) -> None:
        """Nothing of it is JSON any more."""
        for listed in (self.by_stem, self.by_character):
            for first in listed:
                _phrases_in(listed, first)


def _phrases_in(listed: dict[str, Phrases | msgspec.Raw], first: str) -> Phrases:
    found = listed[first]
    if isinstance(found, msgspec.Raw):
        found = listed[first] = _decode_phrases(found)
    return found


@dataclass(frozen=True, slots=True)
class Wording:
    """A text, ready to look phrases up in."""

    folded: str
    stems: tuple[str, ...]
    has_cjk: bool


def fold(text: str) -> str:
    """The text without differences of case and width (NFKC, case folded)."""
    return text.casefold() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def wording(text: str) -> Wording:
    """The first TEXT_CHARACTERS_MAX characters, folded and cut into stems."""
    folded = fold(text[:TEXT_CHARACTERS_MAX])
    has_cjk = not folded.isascii() and _CJK.search(folded) is not None
    spaced = _CJK.sub(" ", folded) if has_cjk else folded
    return Wording(folded, tuple(map(stem, _WORD.findall(spaced))), has_cjk)


def written_words(words: Wording) -> list[str]:
    """The text's words as they are written (folded), one for each of its stems."""
    return _WORD.findall(_CJK.sub(" ", words.folded) if words.has_cjk else words.folded)


@keeps_texts(STEMS_KEPT)
def stem(word: str) -> str:
    """The word without plural, -ing, -ed, a last e and a doubled last consonant.

    Lighter than Porter's (1980): it only makes the forms of one verb or noun meet; it may be no word.
    """
    if len(word) <= _STEM_CHARACTERS_MIN:
        return word
    if word.endswith(("ies", "ied")):
        word = word[:-3] + "y"
    elif word.endswith("ing") and len(word) >= _ING_CHARACTERS_MIN:
        word = word[:-3]
    elif word.endswith("ed") and len(word) >= _ED_CHARACTERS_MIN:
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    word = word.removesuffix("e")
    if len(word) > _STEM_CHARACTERS_MIN and word[-1] == word[-2] and word[-1] not in _VOWELS:
        word = word[:-1]
    return word


def phrase(target: str, written: str) -> Phrase | None:
    """The phrase ready to be looked up; None where nothing of it could ever be found."""
    folded = fold(written)
    is_cjk = _CJK.search(folded) is not None
    pieces = [piece.strip() for piece in folded.split(_GAP)]
    parts = [(piece,) if is_cjk else tuple(map(stem, _WORD.findall(piece))) for piece in pieces if piece]
    kept = tuple(part for part in parts if part)
    return Phrase(target, written, is_cjk, kept) if kept else None


def phrasebook(phrases: Iterable[tuple[str, str]]) -> Phrasebook:
    """The book of these (target, phrase as written) pairs; the order given does not matter."""
    by_stem: dict[str, list[Phrase]] = {}
    by_character: dict[str, list[Phrase]] = {}
    for target, written in sorted(set(phrases)):
        found = phrase(target, written)
        if found is None:
            continue
        first = found.parts[0][0]
        if found.is_cjk:
            by_character.setdefault(first[0], []).append(found)
        else:
            by_stem.setdefault(first, []).append(found)
    return Phrasebook(
        {key: tuple(values) for key, values in by_stem.items()},
        {key: tuple(values) for key, values in by_character.items()},
    )


def find_phrases(text: Wording, book: Phrasebook) -> Iterator[Phrase]:
    """Every phrase of the book that the text has; one may come more than once."""
    stems, by_stem = text.stems, book.by_stem
    for at, word in enumerate(stems):
        if word not in by_stem:
            continue
        for candidate in _phrases_in(by_stem, word):
            if _words_at(stems, at, candidate.parts):
                yield candidate
    if text.has_cjk:
        folded, by_character = text.folded, book.by_character
        for at, character in enumerate(folded):
            if character not in by_character:
                continue
            for candidate in _phrases_in(by_character, character):
                if _characters_at(folded, at, candidate.parts):
                    yield candidate


def _words_at(stems: tuple[str, ...], at: int, parts: tuple[tuple[str, ...], ...]) -> bool:
    first = parts[0]
    if len(first) > 1 and stems[at : at + len(first)] != first:
        return False
    at += len(first)
    for part in parts[1:]:
        size = len(part)
        last = min(at + GAP_WORDS_MAX, len(stems) - size)
        place = next((start for start in range(at, last + 1) if stems[start : start + size] == part), None)
        if place is None:
            return False
        at = place + size
    return True


def _characters_at(folded: str, at: int, parts: tuple[tuple[str, ...], ...]) -> bool:
    if not folded.startswith(parts[0][0], at):
        return False
    at += len(parts[0][0])
    for (part,) in parts[1:]:
        place = folded.find(part, at, at + GAP_CHARACTERS_MAX + len(part))
        if place < 0:
            return False
        at = place + len(part)
    return True
