"""Caching: an embedder that makes the vector of a text once in a run, however many stores ask for it."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

from heedful.ports.embedder import Embedder, Purpose

VECTORS_MAX = 200_000
"""So many are kept; when there are more, it starts anew."""


class CachingEmbedder:
    """See Embedder: that of the embedder behind it, with its identity. May be used from several threads."""

    def __init__(self, embedder: Embedder) -> None:
        """An embedder that has seen nothing yet."""
        self._embedder = embedder
        self._lock = Lock()
        self._kept: dict[tuple[Purpose, str], bytes] = {}

    @property
    def model(self) -> str:
        """See Embedder.model."""
        return self._embedder.model

    @property
    def dimensions(self) -> int:
        """See Embedder.dimensions."""
        return self._embedder.dimensions

    @property
    def is_immediate(self) -> bool:
        """See Embedder.is_immediate."""
        return self._embedder.is_immediate

    def embed(self, texts: Sequence[str], *, purpose: Purpose) -> tuple[bytes, ...]:
        """See Embedder.embed."""
        with self._lock:
            if len(self._kept) + len(texts) > VECTORS_MAX:
                self._kept.clear()
            new = [text for text in dict.fromkeys(texts) if (purpose, text) not in self._kept]
            if new:
                vectors = self._embedder.embed(new, purpose=purpose)
                self._kept.update(((purpose, text), vector) for text, vector in zip(new, vectors, strict=True))
            return tuple(self._kept[purpose, text] for text in texts)

    def forget(self, text: str, purpose: Purpose) -> None:
        """The text is new again: who measures a request must not find it answered."""
        with self._lock:
            self._kept.pop((purpose, text), None)
