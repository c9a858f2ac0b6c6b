"""Scores: how well a visible row matches, and two named ways to order what matches."""

from __future__ import annotations

import heapq
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, Protocol, TypeVar

from heedful.bridges.vocabulary import Vocabulary
from heedful.claims.claim import Claim
from heedful.kernel.ids import ClaimId, RecordId
from heedful.kernel.ladder import Tier
from heedful.kernel.times import US_A_DAY
from heedful.observations.record import Record, SourceGrade
from heedful.observations.text import cut_by_accident
from heedful.recall.candidate import Candidate, ClaimCandidate, Scored, corroborations, travels_by_channel
from heedful.recall.request import Scorer
from heedful.recall.select import contradicted_claims

SCORE_PLACES = 6
# So few hits are sorted faster than the best of them are looked for.
SORTED_MAX = 512

# BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009, section 3.5) with k1 as there. A row
# tells only whether it has a term, so a long row that has it often looks like one that has it once: b is low, and
# length beyond four times the average costs no more.
BM25_K1 = 1.2
BM25_B = 0.3
LENGTH_RATIO_MAX = 4.0
# Our own addition: a rare identifier is to outweigh a whole sentence of common words.
IDF_POWER = 1.5
# A constant, not the average of the rows at hand: an average over rows that the requester may not see would tell.
AVERAGE_TOKENS = 64.0


class MatchedRow(Protocol):
    """What ranking reads of a hit (the store's SearchHit is one)."""

    @property
    def position(self) -> int:
        """Of the event that brought the row."""
        ...

    @property
    def item_id(self) -> str:
        """Of the claim or record."""
        ...

    @property
    def terms(self) -> tuple[str, ...]:
        """The terms that it has."""
        ...

    @property
    def token_count(self) -> int:
        """How many tokens it has."""
        ...


Row = TypeVar("Row", bound=MatchedRow)
RowOut_co = TypeVar("RowOut_co", bound=MatchedRow, covariant=True)


class MatchedRows(Protocol[RowOut_co]):
    """What ranking reads of a search (the store's SearchResult is one); all counted over visible rows alone."""

    @property
    def hits(self) -> Sequence[RowOut_co]:
        """Rows that have at least one term."""
        ...

    @property
    def visible_count(self) -> int:
        """Visible rows that pass the filter."""
        ...

    @property
    def term_counts(self) -> Mapping[str, int]:
        """Term to how many of those have it."""
        ...


class RankedHit(NamedTuple, Generic[Row]):
    """A hit with its place.

    Attributes:
        relevance: 0 to 1; the best hit has 1.
        coverage: 0 to 1, the share of what the query asks (by the weight of its terms) that the row answers.
    """

    hit: Row
    relevance: float
    coverage: float


@dataclass(frozen=True, slots=True)
class LinearWeights:
    """Weights of the linear score; to be calibrated by task (seed 002).

    Relevance has most, so that a rare identifier outweighs freshness, importance and source together.

    Attributes:
        conflict_penalty: taken off where another candidate contradicts.
        half_life_days: recency is 1 at the instant asked for, 0.5 this long before it.
    """

    relevance: float = 0.7
    recency: float = 0.1
    importance: float = 0.1
    source: float = 0.1
    conflict_penalty: float = 0.2
    half_life_days: float = 30.0


@dataclass(frozen=True, slots=True)
class TieredWeights:
    """Constants of the tiered score, as seed 004 has them."""

    corroboration_bonus: float = 0.05
    corroborations_max: int = 3


@dataclass(frozen=True, slots=True)
class Scoring:
    """Which scorer orders, with its weights."""

    scorer: Scorer = "linear"
    linear: LinearWeights = field(default_factory=LinearWeights)
    tiered: TieredWeights = field(default_factory=TieredWeights)


# How far a source is to be trusted by itself, 0 to 1: our own judgement, in the order of design section 4.
GRADE_TRUST = {
    SourceGrade.SYSTEM: 1.0,
    SourceGrade.OPERATOR: 0.9,
    SourceGrade.USER: 0.8,
    SourceGrade.TOOL: 0.6,
    SourceGrade.DOCUMENT: 0.5,
    SourceGrade.AGENT: 0.4,
    SourceGrade.SUMMARY: 0.3,
}
_GRADE_TIER = {SourceGrade.SYSTEM: Tier.SYSTEM, SourceGrade.OPERATOR: Tier.OPERATOR}
RISK_IMPORTANCE = {"low": 0.3, "medium": 0.6, "high": 1.0}
_IMPORTANCE_UNKNOWN = 0.5


def rank_hits(
    result: MatchedRows[Row], terms: Iterable[str], *, limit: int | None = None, also: Collection[int] = ()
) -> tuple[RankedHit[Row], ...]:
    """The best `limit` hits by relevance (None: all), best first; equal ones newest first, then by id.

    Behind them, those of the others whose positions are in `also`, in no order.

    BM25 over the presence of terms: sum of idf(t) ** IDF_POWER * (k1 + 1) / (1 + k1 * (1 - b + b * length / average)),
    with idf(t) = ln(1 + (N - n + 0.5) / (n + 0.5)), N and n counted over visible rows only. `terms` are all that were
    asked for: one that no visible row has lowers everybody's coverage, and nobody's place; but for what Chinese was
    `cut_by_accident`, which lowers nothing.
    """
    weights = term_weights(terms, result.visible_count, result.term_counts)
    factors: dict[int, float] = {}
    matched: dict[tuple[str, ...], int] = {}
    raw: list[tuple[float, int, str, int]] = []
    for index, hit in enumerate(result.hits):
        # Few sets of terms and few lengths make up most hits, and this runs over all of them.
        total = matched.get(hit.terms)
        if total is None:
            total = matched[hit.terms] = sum([weights.get(term, 0) for term in set(hit.terms)])
        factor = factors.get(hit.token_count)
        if factor is None:
            factor = factors[hit.token_count] = _length_factor(hit.token_count)
        raw.append((-total * factor, -hit.position, hit.item_id, index))
    if limit is None or limit >= len(raw):
        raw.sort()
    else:
        best_rows = heapq.nsmallest(limit, raw) if len(raw) > SORTED_MAX else sorted(raw)[:limit]
        raw = best_rows + [row for row in raw if -row[1] in also and row > best_rows[-1]] if also else best_rows
    best = -raw[0][0] if raw else 0.0
    nothing = cut_by_accident(weights, {term for term, count in result.term_counts.items() if count})
    possible = sum(weight for term, weight in weights.items() if term not in nothing) * _length_factor(0)
    if best <= 0.0:
        return tuple([RankedHit(result.hits[index], 0.0, 0.0) for _, _, _, index in raw])
    return tuple(
        [
            RankedHit(result.hits[index], min(1.0, -score / best), min(1.0, -score / possible))
            for score, _, _, index in raw
        ]
    )


def term_weights(terms: Iterable[str], visible_count: int, term_counts: Mapping[str, int]) -> dict[str, int]:
    """Term -> its weight, in millionths: the rarer among the visible rows, the more it says.

    A store that must leave some matching rows out keeps those whose terms weigh most.
    """
    return {term: _weight(visible_count, term_counts.get(term, 0)) for term in terms}


def score_candidates(
    candidates: Sequence[Candidate],
    scoring: Scoring,
    *,
    as_of_us: int,
    vocabulary: Vocabulary,
    grounds: Mapping[RecordId, Record],
    disputed: Collection[ClaimId] = (),
) -> tuple[Scored, ...]:
    """Candidates in order: SYSTEM and OPERATOR rules first whatever their score, then by score, best first.

    Equal ones newest first, then by id. `grounds` are the records at hand that claims rest on, `disputed` the claims
    with an open conflict, which is a contradiction as well.
    linear (seed 002): a * Rel + b * Rec + g * Imp + d * Src - Penalty.
    tiered (seed 004): similarity * tier / 4 * confidence * freshness + min(corroborations, 3) * 0.05, where freshness
    is 1 / (1 + days since last use) and similarity is the relevance.
    """
    claims = [candidate.claim for candidate in candidates if isinstance(candidate, ClaimCandidate)]
    contradicted = contradicted_claims(claims, vocabulary).union(disputed)
    scored: list[Scored] = []
    for candidate in candidates:
        differs = bool(contradicted) and candidate.item_id in contradicted
        if scoring.scorer == "linear":
            score = linear_score(candidate, scoring.linear, as_of_us, vocabulary, differs)
        else:
            score = tiered_score(candidate, scoring.tiered, as_of_us, grounds)
        scored.append(Scored(candidate, round(score, SCORE_PLACES), differs))
    scored.sort(key=_order)
    return tuple(scored)


def linear_score(
    candidate: Candidate,
    weights: LinearWeights,
    as_of_us: int,
    vocabulary: Vocabulary,
    contradicted: bool,  # noqa: FBT001  (one of five parts, named at its only call)
) -> float:
    """The linear score (seed 002): relevance, recency, importance and source, less a penalty for contradiction."""
    if isinstance(candidate, ClaimCandidate):
        claim = candidate.claim
        learned_us, importance = claim.known_from_us, _importance(claim, vocabulary)
        source = claim.tier / Tier.SYSTEM * claim.confidence
    else:
        record = candidate.record
        learned_us, importance = record.occurred.at_us, record.expected_utility
        source = GRADE_TRUST[record.grade] * record.confidence
    # Beyond a thousand half-lives the power is 0 anyway, and would raise.
    recency = math.pow(0.5, min(_days(learned_us, as_of_us) / weights.half_life_days, 1000.0))
    return (
        weights.relevance * candidate.relevance
        + weights.recency * recency
        + weights.importance * importance
        + weights.source * source
        - (weights.conflict_penalty if contradicted else 0.0)
    )


def tiered_score(
    candidate: Candidate, weights: TieredWeights, as_of_us: int, grounds: Mapping[RecordId, Record]
) -> float:
    """The tiered score (seed 004): the tier is part of the score, and corroboration adds a little."""
    if isinstance(candidate, ClaimCandidate):
        tier, confidence = candidate.claim.tier, candidate.claim.confidence
        corroborated = min(corroborations(candidate.claim, grounds), weights.corroborations_max)
    else:
        tier = _GRADE_TIER.get(candidate.record.grade, Tier.UNVERIFIED)
        confidence, corroborated = candidate.record.confidence, 0
    freshness = 1.0 / (1.0 + _days(candidate.last_used_us, as_of_us))
    prior = tier / Tier.SYSTEM
    return candidate.relevance * prior * confidence * freshness + corroborated * weights.corroboration_bonus


def _order(scored: Scored) -> tuple[int, float, int, str]:
    candidate = scored.candidate
    by_channel = isinstance(candidate, ClaimCandidate) and travels_by_channel(candidate.claim)
    return (0 if by_channel else 1, -scored.score, -candidate.position, candidate.item_id)


def _weight(visible_count: int, having: int) -> int:
    """In millionths: sums of whole numbers do not depend on the order in which terms come."""
    idf = math.log1p((max(visible_count, having) - having + 0.5) / (having + 0.5))
    return round(math.pow(idf, IDF_POWER) * 1_000_000)


def _length_factor(token_count: int) -> float:
    ratio = min(token_count / AVERAGE_TOKENS, LENGTH_RATIO_MAX)
    return (BM25_K1 + 1.0) / (1.0 + BM25_K1 * (1.0 - BM25_B + BM25_B * ratio))


def _days(from_us: int, to_us: int) -> float:
    return max(0, to_us - from_us) / US_A_DAY


def _importance(claim: Claim, vocabulary: Vocabulary) -> float:
    kind = vocabulary.kinds.get(claim.kind)
    return _IMPORTANCE_UNKNOWN if kind is None else RISK_IMPORTANCE.get(kind.risk, _IMPORTANCE_UNKNOWN)
