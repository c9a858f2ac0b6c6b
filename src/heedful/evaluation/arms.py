"""Arms that hand out texts: none, BM25, vectors, always-visible, oracle. What Heedful's own do is in asking.py."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache

from heedful.evaluation.plan import places_of
from heedful.kernel.errors import UnsupportedError
from heedful.kernel.vectors import cosine, squared
from heedful.observations.text import query_terms, search_tokens
from heedful.ports.embedder import Embedder

VISIBLE_LINES_MAX, VISIBLE_BYTES_MAX = 200, 25_000
"""Of the arm that keeps everything in view: the limits of InMind's probe (seed 001)."""
BM25_K1, BM25_B = 1.2, 0.75
"""The usual constants (Robertson and Zaragoza, 2009)."""
TEXTS_CACHED = 65_536


class TextMemory:
    """Texts in the order in which they were told, as a memory without claims, scopes or bridges keeps them."""

    def __init__(self, texts: Sequence[str], embedder: Embedder | None) -> None:
        """A memory of these texts; `index` works out what an arm needs of them."""
        self._texts = tuple(texts)
        self._embedder = embedder
        self._frequencies: list[Counter[str]] = []
        self._vectors: list[tuple[bytes, int]] = []

    def text(self, place: int) -> str:
        """The text at that place."""
        return self._texts[place]

    def index(self, arm: str) -> None:
        """What this arm needs of the texts is there, so that it costs no question anything.

        Raises:
            UnsupportedError: `arm_needs_embedder`.
            UnavailableError: `embedder_unavailable`.
        """
        if arm == "bm25" and not self._frequencies:
            self._frequencies = [_frequencies(text) for text in self._texts]
        if places_of(arm) is not None and not self._vectors:
            made = self._embedder_for_vectors().embed(self._texts, purpose="passage")
            self._vectors = [(each, squared(each)) for each in made]

    def serve(self, arm: str, question: str, *, target: int, places_max: int) -> tuple[int, ...]:
        """The places of the texts that this arm hands out for the question, best first.

        `target` is the memory's own place, which the oracle alone looks at. It indexes first, where that was not done.

        Raises:
            UnsupportedError: `arm_needs_embedder`.
            UnavailableError: `embedder_unavailable`.
        """
        self.index(arm)
        count = places_of(arm)
        if count is not None:
            return self._nearest(question, count)
        serving: dict[str, Callable[[], tuple[int, ...]]] = {
            "none": lambda: (),
            "oracle": lambda: (target,),
            "bm25": lambda: self._by_words(question, places_max),
            "always-visible": self._newest,
        }
        return serving[arm]()

    def _by_words(self, question: str, count: int) -> tuple[int, ...]:
        """BM25; a text without any word of the question is not handed out."""
        lengths = [sum(each.values()) for each in self._frequencies]
        average = sum(lengths) / max(1, len(lengths)) or 1.0
        scores = [0.0] * len(self._texts)
        for term in query_terms(question):
            holding = [place for place, each in enumerate(self._frequencies) if term in each]
            idf = math.log(1 + (len(self._texts) - len(holding) + 0.5) / (len(holding) + 0.5))
            for place in holding:
                frequency = self._frequencies[place][term]
                norm = BM25_K1 * (1 - BM25_B + BM25_B * lengths[place] / average)
                scores[place] += idf * frequency * (BM25_K1 + 1) / (frequency + norm)
        found = [place for place, score in enumerate(scores) if score > 0]
        return tuple(sorted(found, key=lambda place: (-scores[place], -place))[:count])

    def _nearest(self, question: str, count: int) -> tuple[int, ...]:
        (asked,) = self._embedder_for_vectors().embed([question], purpose="query")
        similarity = [cosine(_product(asked, each), squared(asked), size) for each, size in self._vectors]
        return tuple(sorted(range(len(similarity)), key=lambda place: (-similarity[place], -place))[:count])

    def _embedder_for_vectors(self) -> Embedder:
        if self._embedder is None:
            raise UnsupportedError(
                "arm_needs_embedder",
                "the arm of vectors has no model to make any",
                next_step="give --embedder ngrams, or --embedder local",
                details={"field": "arm"},
            )
        return self._embedder

    def _newest(self) -> tuple[int, ...]:
        found: list[int] = []
        lines = size = 0
        for place in range(len(self._texts) - 1, -1, -1):
            lines += self._texts[place].count("\n") + 1
            size += len(self._texts[place].encode("utf-8", "surrogatepass")) + 1
            if lines > VISIBLE_LINES_MAX or size > VISIBLE_BYTES_MAX:
                break
            found.append(place)
        return tuple(found)


@lru_cache(maxsize=TEXTS_CACHED)
def _frequencies(text: str) -> Counter[str]:
    return Counter(search_tokens(text))


def _product(left: bytes, right: bytes) -> int:
    import numpy as np  # noqa: PLC0415  # slow to load, and most commands need none

    return int(np.frombuffer(left, np.int8).astype(np.int32) @ np.frombuffer(right, np.int8).astype(np.int32))
