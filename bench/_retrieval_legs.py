"""The legs of retrieval and the ways to fuse them, over texts in memory: what a store would answer, without one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from _retrieval_cases import Question
from numpy.typing import NDArray

from heedful.observations.text import query_terms, search_tokens
from heedful.ports.embedder import Embedder
from heedful.ports.rows import NearHit, SearchHit, SearchResult
from heedful.recall.fuse import Leg, fuse
from heedful.recall.score import rank_hits
from heedful.service.recalling.candidates import NEAR_MAX

LIMIT = 24
RRF_K = 60


@dataclass(frozen=True, slots=True)
class Found:
    """What both legs found for one question; rows are at their place in its texts, from 1."""

    question: Question
    terms: tuple[str, ...]
    result: SearchResult
    near: tuple[NearHit, ...]


Rule = Callable[[Found], Sequence[int]]
"""Found -> positions, best first."""


class Legs:
    """Both legs for questions; every text is cut and embedded once."""

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder = embedder
        self._tokens: dict[str, tuple[str, ...]] = {}
        self._passages: dict[str, NDArray[np.float64]] = {}
        self._questions: dict[str, NDArray[np.float64]] = {}

    def found(self, question: Question) -> Found:
        """What both legs find for the question."""
        terms = query_terms(question.text)
        hits = []
        for place, text in enumerate(question.texts, 1):
            tokens = self._tokens.get(text)
            if tokens is None:
                tokens = self._tokens[text] = search_tokens(text)
            kinds = set(tokens)
            has = tuple(term for term in terms if term in kinds)
            if has:
                hits.append(SearchHit(place, "record", str(place), has, len(tokens)))
        counts = Counter(term for hit in hits for term in hit.terms)
        result = SearchResult(tuple(reversed(hits)), len(question.texts), dict(counts))
        return Found(question, terms, result, self._near(question))

    def best_similarity(self, asked: str, texts: Iterable[str]) -> float:
        """The similarity of the nearest of these texts."""
        asked_unit = self._units([asked], self._questions, "query")[asked]
        units = self._units(list(texts), self._passages, "passage")
        return max(float(unit @ asked_unit) for unit in units.values())

    def _near(self, question: Question) -> tuple[NearHit, ...]:
        if self._embedder is None:
            return ()
        asked = self._units([question.text], self._questions, "query")[question.text]
        units = self._units(question.texts, self._passages, "passage")
        ranked = sorted(
            ((float(units[text] @ asked), place) for place, text in enumerate(question.texts, 1)), reverse=True
        )
        return tuple(NearHit(place, "record", str(place), 0, similarity) for similarity, place in ranked[:NEAR_MAX])

    def _units(
        self, texts: Sequence[str], known: dict[str, NDArray[np.float64]], purpose: str
    ) -> dict[str, NDArray[np.float64]]:
        assert self._embedder is not None
        new = [text for text in dict.fromkeys(texts) if text not in known]
        vectors = self._embedder.embed(new, purpose="query" if purpose == "query" else "passage") if new else ()
        for text, components in zip(new, vectors, strict=True):
            values = np.frombuffer(components, dtype=np.int8).astype(np.float64)
            length = float(np.linalg.norm(values))
            known[text] = values / length if length else values
        return {text: known[text] for text in texts}


def text_alone(found: Found) -> Sequence[int]:
    """The text leg as it ranks by itself."""
    return [one.hit.position for one in rank_hits(found.result, found.terms)]


def vectors_alone(found: Found) -> Sequence[int]:
    """The vector leg by itself."""
    return [hit.position for hit in found.near if hit.similarity > 0]


def as_shipped(leg: Leg) -> Rule:
    """Rule of recall.fuse."""
    return lambda found: [
        hit.position for hit in fuse(found.result, found.near, found.terms, leg, limit=len(found.question.texts))
    ]


def weighted(leg: Leg, weight: float) -> Rule:
    """Rule of recall.fuse with another weight."""
    return as_shipped(replace(leg, weight=weight))


def without_identifiers(leg: Leg) -> Rule:
    """Rule of recall.fuse, where an identifier is a word like any other."""

    def rule(found: Found) -> Sequence[int]:
        scores = {one.hit.position: (1 - leg.weight) * one.relevance for one in rank_hits(found.result, found.terms)}
        for hit in found.near:
            if hit.position in scores or hit.similarity >= leg.floor:
                share = (hit.similarity - leg.low) / (leg.high - leg.low)
                scores[hit.position] = scores.get(hit.position, 0.0) + leg.weight * min(1.0, max(0.0, share))
        return _by_score(scores)

    return rule


def larger(leg: Leg, weight: float) -> Rule:
    """The larger of the text leg's relevance and `weight` times the vector leg's."""

    def rule(found: Found) -> Sequence[int]:
        scores = {one.hit.position: one.relevance for one in rank_hits(found.result, found.terms)}
        for hit in found.near:
            if hit.position in scores or hit.similarity >= leg.floor:
                share = weight * min(1.0, max(0.0, (hit.similarity - leg.low) / (leg.high - leg.low)))
                scores[hit.position] = max(scores.get(hit.position, 0.0), share)
        return _by_score(scores)

    return rule


def by_ranks(leg: Leg, weight: float) -> Rule:
    """Reciprocal ranks (Cormack, Clarke and Buettcher, SIGIR 2009), the vector leg with this weight."""

    def rule(found: Found) -> Sequence[int]:
        scores = {place: (1 - weight) / (RRF_K + rank) for rank, place in enumerate(text_alone(found)[:LIMIT], 1)}
        near = [hit.position for hit in found.near if hit.similarity >= leg.floor or hit.position in scores]
        for rank, place in enumerate(near[:LIMIT], 1):
            scores[place] = scores.get(place, 0.0) + weight / (RRF_K + rank)
        return _by_score(scores)

    return rule


def _by_score(scores: dict[int, float]) -> list[int]:
    return sorted(scores, key=lambda place: (-scores[place], -place))
