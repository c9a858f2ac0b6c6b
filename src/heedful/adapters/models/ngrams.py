"""Hashed n-grams: what two texts share in words and in pieces of words. Lexical, not semantic: it knows no meaning.

It finds a slip of the pen or an inflection that the text search misses, for next to nothing: no model, no I/O. Words
are cut, folded and stemmed as for the text search; each distinct one counts once, however often it stands there, with
its n-grams. Scripts without spaces give characters and pairs of characters. A feature is one of DIMENSIONS places and
a sign, both from a hash in whole numbers, alike on every machine.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from heedful.kernel.kept import keeper
from heedful.kernel.vectors import levels
from heedful.observations.text import is_function_word, words_and_runs
from heedful.ports.embedder import PASSAGE_CHARACTERS_MAX, CutText, Purpose

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

VERSION = 1
"""Goes up with whatever changes a vector; words are cut in observations.text and observations.stems."""
DIMENSIONS = 384

# Places of a feature, measured by bench/retrieval_quality.py and flat around these. Several small ones instead of one
# large one: two features that meet in a place by chance then make a text look like another only a little.
WORD_PLACES = 2
IDENTIFIER_PLACES = 3
PAIR_PLACES = 5
PAIR_WEIGHT = 2
GRAM_LENGTHS = (3, 4)

TEXTS_AT_ONCE = 64
"""Texts whose vectors are made together: of more, the numbers no longer lie in the fast memory of a core."""
TOKENS_CACHED = 32_768
"""So many tokens are remembered with the places of their features."""

_MULTIPLIER = 0x9E3779B97F4A7C15  # 2^64 divided by the golden ratio (Knuth, volume 3, section 6.4)
_WRAP = (1 << 64) - 1
_SLOTS = 2 * DIMENSIONS
_LEVELS = levels(DIMENSIONS)
_SLOT_BITS = 32  # of the 64, the upper ones are mixed best
_SLOT_BYTES = 2
_RUN_END = "\n"
_PAIR_SHIFT = 21  # a character has at most 21 bits


class NgramEmbedder:
    """See Embedder. Immediate; may be used from several threads."""

    model = f"ngrams-{VERSION}/{DIMENSIONS}"
    dimensions = DIMENSIONS
    is_immediate = True

    def __init__(self) -> None:
        """An embedder that has seen nothing yet."""
        self._features = _Features()
        keeper(self)

    def forget_texts(self) -> None:
        """See Keeper.forget_texts."""
        self._features.clear()

    def embed(self, texts: Sequence[str], *, purpose: Purpose) -> tuple[bytes, ...]:  # noqa: ARG002  (one way for both)
        """One vector a text; see Embedder. Of each, PASSAGE_CHARACTERS_MAX characters are read."""
        if len(texts) == 1:
            return (self._vector(texts[0]),)
        vectors: list[bytes] = []
        for start in range(0, len(texts), TEXTS_AT_ONCE):
            vectors += self._vectors(texts[start : start + TEXTS_AT_ONCE])
        return tuple(vectors)

    def _vector(self, text: str) -> bytes:
        import numpy as np  # noqa: PLC0415  # a tenth of a second that a command without recall never pays

        words, runs = _words_and_runs(text)
        slots = np.frombuffer(b"".join(map(self._features.__getitem__, set(words))), dtype="<u2")
        counts = np.bincount(slots, minlength=_SLOTS)
        if runs:
            counts += _dense_counts(runs)
        values = counts[0::2] - counts[1::2]
        largest = int(np.abs(values).max())
        if largest == 0:
            return bytes(DIMENSIONS)
        # As kernel.vectors.quantise does it, all at once.
        return np.rint(values / largest * _LEVELS).astype(np.int8).tobytes()

    def _vectors(self, texts: Sequence[str]) -> list[bytes]:
        # The same for many: most of what one vector costs is the calls, and not the numbers.
        import numpy as np  # noqa: PLC0415  # as above

        cut = [_words_and_runs(text) for text in texts]
        features = [b"".join(map(self._features.__getitem__, set(words))) for words, _ in cut]
        lengths = np.fromiter((len(each) // _SLOT_BYTES for each in features), dtype=np.intp, count=len(texts))
        slots = np.frombuffer(b"".join(features), dtype="<u2").astype(np.intp)
        slots += np.repeat(np.arange(len(texts), dtype=np.intp) * _SLOTS, lengths)
        counts = np.bincount(slots, minlength=len(texts) * _SLOTS).reshape(len(texts), _SLOTS)
        for number, (_, runs) in enumerate(cut):
            if runs:
                counts[number] += _dense_counts(runs)
        values = counts[:, 0::2] - counts[:, 1::2]
        largest = np.abs(values).max(axis=1, keepdims=True)
        largest[largest == 0] = 1  # a text without features: its vector is all zeros
        quantised = np.rint(values / largest * _LEVELS).astype(np.int8)
        return [row.tobytes() for row in quantised]


def _words_and_runs(text: str) -> tuple[Sequence[str], Sequence[str]]:
    if isinstance(text, CutText):
        return text.words, ()
    return words_and_runs(text[:PASSAGE_CHARACTERS_MAX])


class _Features(dict[str, bytes]):
    """Tokens with the slots of their features; when it is full it starts anew."""

    def __missing__(self, token: str) -> bytes:
        if len(self) >= TOKENS_CACHED:
            self.clear()
        slots = self[token] = _slots_of(token)
        return slots


def _slots_of(token: str) -> bytes:
    if is_function_word(token):
        return b""
    if not token.isalnum():
        return b"".join(_slot(f"{place}{token}") for place in range(IDENTIFIER_PLACES))
    framed = f"^{token}$"
    grams = [
        _slot(framed[start : start + length]) for length in GRAM_LENGTHS for start in range(len(framed) - length + 1)
    ]
    return b"".join([*(_slot(f"{place}{token}") for place in range(WORD_PLACES)), *grams])


def _slot(feature: str) -> bytes:
    """The feature's place, times two, and one more where its sign is minus."""
    mixed = zlib.crc32(feature.encode("utf-8", "surrogatepass")) * _MULTIPLIER & _WRAP
    return ((mixed >> _SLOT_BITS) * _SLOTS >> _SLOT_BITS).to_bytes(_SLOT_BYTES, "little")


def _dense_counts(runs: Sequence[str]) -> NDArray[np.intp]:
    """How often each slot is filled by the distinct characters, and pairs of neighbours in one run."""
    import numpy as np  # noqa: PLC0415  # as above

    joined = _RUN_END.join(runs).encode("utf-32-le", "surrogatepass")
    codes = np.frombuffer(joined, dtype="<u4").astype(np.uint64)
    inside = codes != ord(_RUN_END)
    pairs = (codes[:-1] << np.uint64(_PAIR_SHIFT)) + codes[1:]
    features = np.concatenate((codes[inside], pairs[inside[:-1] & inside[1:]]))
    features.sort()
    is_new = np.ones(len(features), dtype=np.bool_)
    np.not_equal(features[1:], features[:-1], out=is_new[1:])
    features = features[is_new]
    singles = int(np.searchsorted(features, np.uint64(1 << _PAIR_SHIFT)))
    rounds = [_mixed(features * np.uint64(_MULTIPLIER))]
    for _ in range(1, PAIR_PLACES):
        rounds.append(_mixed(rounds[-1][singles if len(rounds) == 1 else 0 :]))
    slots = np.concatenate(rounds) >> np.uint64(_SLOT_BITS)
    slots = (slots * np.uint64(_SLOTS) >> np.uint64(_SLOT_BITS)).astype(np.intp)
    counts = PAIR_WEIGHT * np.bincount(slots[singles:], minlength=_SLOTS)
    counts += np.bincount(slots[:singles], minlength=_SLOTS)
    return counts


def _mixed(features: NDArray[np.uint64]) -> NDArray[np.uint64]:
    import numpy as np  # noqa: PLC0415  # as above

    return (features ^ (features >> np.uint64(_SLOT_BITS))) * np.uint64(_MULTIPLIER)
