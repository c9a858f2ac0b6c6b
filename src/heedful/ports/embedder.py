"""Embedder: a text -> a vector of whole numbers, by a model that has a name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

Purpose = Literal["passage", "query"]
"""Some models read what is kept and what is asked in two ways."""

PASSAGE_CHARACTERS_MAX = 1_600
"""A row has the vector of its text's first so many characters: models read some 512 tokens, and no more."""


class CutText(str):
    """A text that brings its words, for an embedder that goes by words: they need not be cut a second time.

    It is ASCII, and of at most PASSAGE_CHARACTERS_MAX characters. Any embedder may read it as the plain text that it
    is; its vector is that of the plain text.

    Attributes:
        words: what `observations.text.search_tokens` gives for it.
    """

    __slots__ = ("words",)
    words: tuple[str, ...]


class Embedder(Protocol):
    """One model. The same text, purpose and model give the same bytes, whatever else is in the call."""

    @property
    def model(self) -> str:
        """Its identity: name, version and dimensions, as `ngrams-1/384`. Vectors of two identities never compare."""
        ...

    @property
    def dimensions(self) -> int:
        """How many components a vector has, 1 to kernel.vectors.DIMENSIONS_MAX."""
        ...

    @property
    def is_immediate(self) -> bool:
        """True where it is cheap, deterministic and without I/O: then vectors are made in the write's own transaction.

        So answers never depend on when a vector came. Others are made after the write, in bounded batches.
        """
        ...

    def embed(self, texts: Sequence[str], *, purpose: Purpose) -> tuple[bytes, ...]:
        """One vector a text, in order, each as kernel.vectors.quantise gives it; all zero where a text has none.

        Any text is taken: empty, with NUL, with half of a surrogate pair. An immediate one raises nothing.

        Raises:
            UnavailableError: `embedder_unavailable` where the model, its package or its endpoint cannot be reached, or
                what it answered is not a vector for each text.
        """
        ...
