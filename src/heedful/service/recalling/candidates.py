"""Candidates: what the words and the vector of a question find among the visible rows, fused and loaded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from heedful.claims.claim import HISTORY, Claim, ClaimStatus
from heedful.claims.lifecycle import is_changing
from heedful.claims.merge import NO_JOINS, Joins
from heedful.kernel.ids import ClaimId, RecordId
from heedful.observations.record import Record
from heedful.ports.rows import NearHit, SearchResult
from heedful.ports.store import AttributeFilter, Reading, SearchFilter, StoredRecord, Visible
from heedful.recall.candidate import Candidate, ClaimCandidate, RecordCandidate
from heedful.recall.fuse import FusedHit, fuse, leg_of
from heedful.recall.request import MemoryRequest
from heedful.recall.select import is_crowded, thinned
from heedful.recall.visible import require_visible
from heedful.service.dated import dated_terms
from heedful.service.merging.found import as_said, asked_for, other_names
from heedful.service.merging.joined import joins_in
from heedful.service.recalling.vectors import AskedVector
from heedful.service.session import Session
from heedful.service.sight import kinds_on

MATCHES_MAX = 2_000
"""Matching rows that are ranked, those whose terms weigh most; more are counted but not ranked."""
NEAR_MAX = 24
"""Rows near the question that are ranked; twice as many found nothing more (docs/retrieval.md)."""
CANDIDATES_MAX = 24
"""Ranked rows that are loaded and scored."""
CROWDED_MAX = 160
"""And so many where untrusted sources crowd those: others may stand behind them. From those then, as before, the best
CANDIDATES_MAX of many sources go on, and of what stands behind them what may fill a packet."""
_HELD = (ClaimStatus.ACTIVE, ClaimStatus.EXPIRED)
_HELD_THEN = (*_HELD, ClaimStatus.SUPERSEDED)


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What retrieval found.

    Attributes:
        candidates: best first.
        grounds: the records that the claims among them, and those beside them, rest on and that are evidence now.
        degraded: what was not searched, each in words.
        changing: claims that have words of the question and are known to be out of date; they answer nothing.
        joins: which subjects are one for whoever asks.
    """

    candidates: tuple[Candidate, ...]
    grounds: Mapping[RecordId, Record]
    degraded: tuple[str, ...]
    changing: tuple[ClaimCandidate, ...] = ()
    joins: Joins = NO_JOINS


def retrieve(
    session: Session,
    reading: Reading,
    visible: Visible,
    request: MemoryRequest,
    asked: AskedVector,
    *,
    beside: Sequence[Claim],
) -> Retrieved:
    """At most CANDIDATES_MAX visible rows for the request, each looked at once more whether it may be seen.

    `beside` are the claims that reach the packet by another way: what they rest on is read along with the rest.

    Raises:
        FaultError: `invisible_row` where the store breaks its promise.
    """
    terms = dated_terms(request.features.text, request.as_of_us, session.zone)
    search_filter = SearchFilter(
        item="record" if request.record_types or request.attributes else None,
        record_types=request.record_types,
        attributes=tuple(AttributeFilter(name, values) for name, values in request.attributes),
        valid_at_us=request.as_of_us,
        unreviewed=session.registry.policy.unreviewed == "advisory",
    )
    joins = joins_in(reading, visible)
    names = other_names(joins, request.features.text)
    result = SearchResult((), 0, {})
    if terms:
        result = reading.search(visible, asked_for(terms, names), search_filter, limit=MATCHES_MAX)
        result = as_said(result, terms, names) if names else result
    near: tuple[NearHit, ...] = ()
    if asked.model is not None and asked.components is not None:
        near = reading.nearest(visible, asked.model, asked.components, search_filter, limit=NEAR_MAX)
    hits = fuse(result, near, terms, leg_of(asked.model), limit=CANDIDATES_MAX)
    candidates, grounds = _loaded(reading, hits, request, beside)
    if len(hits) == CANDIDATES_MAX and is_crowded(candidates, grounds, session.source_share_max):
        if near and asked.model is not None and asked.components is not None:
            near = reading.nearest(visible, asked.model, asked.components, search_filter, limit=CROWDED_MAX)
        hits = fuse(result, near, terms, leg_of(asked.model), limit=CROWDED_MAX)
        candidates, grounds = _loaded(reading, hits, request, beside)
        candidates = thinned(candidates, grounds, session.source_share_max, limit=CANDIDATES_MAX)
    kinds = _kinds_near(reading, candidates) if visible.denied_kinds else {}
    require_visible(candidates, visible.scopes, visible.clearance, visible.denied_kinds, kinds)
    changing = tuple(each for each in candidates if isinstance(each, ClaimCandidate) and is_changing(each.claim))
    answering = tuple(each for each in candidates if each not in changing) if changing else candidates
    return Retrieved(answering, grounds, asked.degraded, changing, joins)


def _loaded(
    reading: Reading, hits: Sequence[FusedHit], request: MemoryRequest, beside: Sequence[Claim]
) -> tuple[tuple[Candidate, ...], dict[RecordId, Record]]:
    """The rows that were hit, in order, and what evidence the claims among them, and `beside`, rest on."""
    claims = _claims(reading, hits, request.as_of_us)
    evidence = dict.fromkeys([each for claim in (*beside, *claims.values()) for each in claim.evidence])
    record_ids = dict.fromkeys([RecordId(hit.item_id) for hit in hits if hit.item == "record"])
    stored = {each.record.record_id: each for each in reading.records_by_ids(list(record_ids | evidence))}
    grounds = {each: stored[each].record for each in evidence if each in stored and stored[each].is_evidence}
    return tuple(_candidates(hits, claims, stored)), grounds


def _kinds_near(reading: Reading, candidates: Iterable[Candidate]) -> dict[str, frozenset[str]]:
    """Id of a candidate -> the kinds of all claims on the records that it is or rests on."""
    return {
        candidate.claim.claim_id if isinstance(candidate, ClaimCandidate) else candidate.record.record_id: kinds_on(
            reading,
            candidate.claim.evidence if isinstance(candidate, ClaimCandidate) else [candidate.record.record_id],
        )
        for candidate in candidates
    }


def reviewed_for(request: MemoryRequest) -> tuple[ClaimStatus, ...]:
    """The statuses of what is or was believed, where its validity says that it held at the instant asked for."""
    return _HELD_THEN if request.looks_back else _HELD


def as_it_stood(claim: Claim, at_us: int) -> Claim:
    """The claim as it held at that instant: before its end, one that expired or was superseded since was active.

    It holds until it ended, and `ended_us` goes on saying that it did.
    """
    if claim.status not in HISTORY or not claim.in_mind.contains(at_us):
        return claim
    return replace(claim, status=ClaimStatus.ACTIVE, valid_to_us=claim.in_mind.end_us)


def _claims(reading: Reading, hits: Sequence[FusedHit], as_of_us: int) -> dict[str, Claim]:
    """The claims among the hits, as they stood, by id."""
    found = reading.claims_by_ids([ClaimId(hit.item_id) for hit in hits if hit.item == "claim"])
    return {claim.claim_id: as_it_stood(claim, as_of_us) for claim in found}


def _candidates(
    hits: Sequence[FusedHit], claims: Mapping[str, Claim], stored: Mapping[RecordId, StoredRecord]
) -> Iterator[Candidate]:
    """Those of the hits that are there, in order."""
    for position, item, item_id, terms, relevance, coverage in hits:
        if item == "claim":
            claim = claims.get(item_id)
            if claim is not None:
                yield ClaimCandidate(claim, position, relevance, coverage, terms, claim.known_from_us)
        else:
            found = stored.get(RecordId(item_id))
            if found is not None:
                at_us = found.record.occurred.at_us
                yield RecordCandidate(found.record, position, relevance, coverage, terms, at_us)
