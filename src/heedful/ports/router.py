"""Router: what a request decides and what a statement tells, by a classifier. It reads that text and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from heedful.bridges.routed import Likeness, Mattering, Routed, Told


class Router(Protocol):
    """A classifier of texts. The same text and model give the same answer, whatever was asked before."""

    @property
    def model(self) -> str:
        """Its identity: weights by their hash, and the embedder they read, such as `everyday-1a2b3c4d/ngrams`."""
        ...

    def route(self, text: str) -> Routed:
        """What this request decides; NOT_ROUTED where the text says nothing.

        Any text is taken: empty, with NUL, with half of a surrogate pair. Where its embedder gives no answer it goes by
        words alone, and `method` says so.
        """
        ...

    def tell(self, text: str) -> Told:
        """What this statement tells; NOTHING_TOLD where the text says nothing. As `route`."""
        ...

    def read_ahead(self, texts: Sequence[str]) -> None:
        """These statements will be asked for, one by one, by `tell`, which answers as it would have without this.

        Many texts at once cost less than one after another.
        """
        ...

    def likeness(self, text: str, statements: Sequence[str]) -> Likeness | None:
        """How this text is news of these statements; None where what texts mean is not known, but for their words.

        Of each by itself: what lies beside it changes nothing.
        """
        ...

    def mattering(self, model: str, components: bytes) -> Mattering | None:
        """How far statements matter for the request of this vector, which that embedder made; None where that is not
        known of its vectors.
        """
        ...
