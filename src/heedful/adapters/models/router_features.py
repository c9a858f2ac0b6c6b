"""Features of a text for the router: word stems, pairs of them, pieces of words, and characters of dense scripts.

They are hashed into a fixed number of places, in whole numbers, alike on every machine. Order and repeats are nothing.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from heedful.kernel.kept import drops_texts
from heedful.observations.text import words_and_runs

VERSION = 2
"""Goes up with whatever changes a feature; weights name the version that they were trained with."""
PLACES = 1 << 12
TEXT_CHARACTERS_MAX = 4_000
"""Of a text, so many characters are read."""
PIECE_LENGTH = 4
RUN_LENGTHS_MAX = 3
"""Characters of a script without spaces: single, in pairs and in threes."""

_MULTIPLIER = 0x9E3779B97F4A7C15  # 2^64 divided by the golden ratio (Knuth, volume 3, section 6.4)
_WRAP = (1 << 64) - 1
_BITS = 64 - PLACES.bit_length() + 1
FEATURES_CACHED = 65_536


def feature_places(text: str) -> tuple[int, ...]:
    """The places of the text's features, ascending, each once; none for a text without words."""
    words, runs = words_and_runs(text[:TEXT_CHARACTERS_MAX])
    return tuple(sorted({_PLACES[feature] for feature in _features(words, runs)}))


def _features(words: list[str], runs: list[str]) -> Iterator[str]:
    before = "^"
    for word in words:
        yield "w" + word
        yield f"b{before} {word}"
        before = word
        if len(word) >= PIECE_LENGTH:
            framed = f"^{word}$"
            for start in range(len(framed) - PIECE_LENGTH + 1):
                yield "p" + framed[start : start + PIECE_LENGTH]
    for run in runs:
        framed = f"^{run}$"
        for length in range(1, RUN_LENGTHS_MAX + 1):
            for start in range(len(framed) - length + 1):
                yield "r" + framed[start : start + length]


class _Places(dict[str, int]):
    """Features with their places; when it is full it starts anew."""

    def __missing__(self, feature: str) -> int:
        if len(self) >= FEATURES_CACHED:
            self.clear()
        mixed = zlib.crc32(feature.encode("utf-8", "surrogatepass")) * _MULTIPLIER & _WRAP
        place = self[feature] = mixed >> _BITS
        return place


_PLACES = _Places()
drops_texts(_PLACES.clear)
