"""Candidates: what retrieval found and loaded, before and after it is scored."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from heedful.claims.authority import independent_origins
from heedful.claims.claim import RULE_FORMS, Claim
from heedful.kernel.ids import RecordId
from heedful.kernel.ladder import Tier
from heedful.observations.record import Record, SourceGrade

UNTRUSTED_GRADES = frozenset({SourceGrade.TOOL, SourceGrade.DOCUMENT, SourceGrade.AGENT, SourceGrade.SUMMARY})
"""Sources that nobody vouches for: together they may fill a result, each alone only a part of it."""
COPY_CHARACTERS = 200
"""Texts that begin alike for so long, but for numbers and signs, count as told by one source."""
_SITE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://(?:[^/?#@]*@)?([^/?#:]+)")
_NO_LETTERS = re.compile(r"[\W\d_]+")


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
    """One name for where a record comes from: its document (of a page, its site), else its run, else its principal."""
    if record.grade is SourceGrade.DOCUMENT and record.source_ref is not None:
        site = _SITE.match(record.source_ref)
        return f"document:{record.source_ref}" if site is None else f"site:{site[1].casefold()}"
    if record.run_id is not None:
        return f"run:{record.run_id}"
    return f"principal:{record.principal}"


def untrusted_sources(candidate: Candidate, grounds: Mapping[RecordId, Record]) -> tuple[str, ...]:
    """The sources whose share is bounded, the one that brought it first; none where a person vouches.

    That is for their own words, and for a reviewed claim. A claim that nobody has reviewed counts for the source of its
    first evidence at hand, else for its proposer. What is told in the same words, but for numbers, is of one source.
    """
    if isinstance(candidate, RecordCandidate):
        return _sources(candidate.record, candidate.record.content)
    return claim_sources(candidate.claim, grounds)


def claim_sources(claim: Claim, grounds: Mapping[RecordId, Record]) -> tuple[str, ...]:
    """The same of a claim."""
    if claim.is_reviewed:
        return ()
    record = next((grounds[each] for each in claim.evidence if each in grounds), None)
    if record is None:
        return (f"principal:{claim.proposed_by}", *_told_alike(claim.statement))
    return _sources(record, claim.statement)


def _sources(record: Record, text: str | None) -> tuple[str, ...]:
    return (record_source(record), *_told_alike(text)) if record.grade in UNTRUSTED_GRADES else ()


def _told_alike(text: str | None) -> tuple[str, ...]:
    letters = _NO_LETTERS.sub(" ", (text or "")[: 2 * COPY_CHARACTERS].casefold())[:COPY_CHARACTERS].strip()
    return (f"words:{letters}",) if letters else ()


def corroborations(claim: Claim, grounds: Mapping[RecordId, Record]) -> int:
    """How many further independent sources a claim has, from 0.

    As authority counts them: copies and derivations count for nothing, nor does what is made from what is not at hand.
    """
    at_hand = [grounds[record_id] for record_id in claim.evidence if record_id in grounds]
    return max(0, independent_origins(at_hand, grounds) - 1)
