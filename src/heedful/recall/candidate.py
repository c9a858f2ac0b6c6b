"""Candidates: what retrieval found and loaded, before and after it is scored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from heedful.claims.authority import independent_origins
from heedful.claims.claim import RULE_FORMS, Claim
from heedful.kernel.ids import RecordId
from heedful.kernel.ladder import Tier
from heedful.observations.record import Record, SourceGrade

UNTRUSTED_GRADES = frozenset({SourceGrade.TOOL, SourceGrade.DOCUMENT, SourceGrade.AGENT, SourceGrade.SUMMARY})
"""Sources that nobody vouches for: together they may fill a result, each alone only a part of it."""


class ClaimCandidate(NamedTuple):
    """A visible claim that has some of the terms.

    Attributes:
        position: of the event that brought it; orders equal scores, the newest first.
        relevance: 0 to 1, relative to the best hit of the same search.
        coverage: 0 to 1, the share of what was asked that it has; comparable between searches.
        terms: those that it has.
        last_used_us: UTC microseconds; where no use is known, when it was learned.
    """

    claim: Claim
    position: int
    relevance: float
    coverage: float
    terms: tuple[str, ...]
    last_used_us: int

    @property
    def item_id(self) -> str:
        """The claim's id."""
        return self.claim.claim_id


class RecordCandidate(NamedTuple):
    """A visible record that has some of the terms. The fields are as in ClaimCandidate."""

    record: Record
    position: int
    relevance: float
    coverage: float
    terms: tuple[str, ...]
    last_used_us: int

    @property
    def item_id(self) -> str:
        """The record's id."""
        return self.record.record_id


Candidate = ClaimCandidate | RecordCandidate


class Scored(NamedTuple):
    """A candidate with its place.

    Attributes:
        score: by the scorer that was asked for, rounded to 6 places. It orders; it is no probability of truth.
        contradicted: another candidate says something else of the same subject and single-valued property.
    """

    candidate: Candidate
    score: float
    contradicted: bool


def is_rule(claim: Claim) -> bool:
    """True where the claim binds: a reviewed constraint or workflow that a person approved or an operator stated."""
    return claim.is_reviewed and claim.form in RULE_FORMS and (claim.tier >= Tier.OPERATOR or claim.approvals != ())


def travels_by_channel(claim: Claim) -> bool:
    """True for SYSTEM and OPERATOR rules: they stand before everything that is ordered by score."""
    return claim.tier >= Tier.OPERATOR and is_rule(claim)


def record_source(record: Record) -> str:
    """One name for where a record comes from: its document, else its run, else its principal."""
    if record.grade is SourceGrade.DOCUMENT and record.source_ref is not None:
        return f"document:{record.source_ref}"
    if record.run_id is not None:
        return f"run:{record.run_id}"
    return f"principal:{record.principal}"


def untrusted_source(candidate: Candidate, grounds: Mapping[RecordId, Record]) -> str | None:
    """The source whose share is bounded; None where a person vouches (their own words, or a reviewed claim).

    A claim that nobody has reviewed counts for the source of its first evidence at hand, else for its proposer.
    """
    if isinstance(candidate, RecordCandidate):
        return record_source(candidate.record) if candidate.record.grade in UNTRUSTED_GRADES else None
    if candidate.claim.is_reviewed:
        return None
    for record_id in candidate.claim.evidence:
        if record_id in grounds:
            return record_source(grounds[record_id])
    return f"principal:{candidate.claim.proposed_by}"


def corroborations(claim: Claim, grounds: Mapping[RecordId, Record]) -> int:
    """How many further independent sources a claim has, from 0.

    As authority counts them: copies and derivations count for nothing, nor does what is made from what is not at hand.
    """
    at_hand = [grounds[record_id] for record_id in claim.evidence if record_id in grounds]
    return max(0, independent_origins(at_hand, grounds) - 1)
