"""Consolidate: what two independent records tell becomes one claim that rests on both; once is no lasting fact.

So does what its own subject says again in another session: that is their confirmation, and no second origin.

Nothing is decided by likeness, and nobody's sight matters: only claims of one label are compared, and what they rest on
is followed as far as everybody sees it who sees them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from heedful.claims import fold
from heedful.claims.authority import corroborated_tier, corroborates
from heedful.claims.claim import Claim, ClaimStatus, Form
from heedful.claims.compare import are_equal, lane_of, says_only_that
from heedful.claims.layers import Layer, layer_of_claim
from heedful.claims.lifecycle import MERGED, POLICY_ACTOR, SERVICE_ACTOR
from heedful.kernel.ids import RecordId
from heedful.ledger.belief_events import BeliefEvent, ClaimConfirmed, ClaimCorroborated
from heedful.ledger.events import ClaimTransitioned, Event
from heedful.observations.instructions import ONE_OFF
from heedful.observations.record import Record
from heedful.observations.speaking import is_own_word
from heedful.ports.store import Reading, Writing
from heedful.service.belief.believe import weigh
from heedful.service.belief.origins import origins_read
from heedful.service.belief.weigh import Newcomer
from heedful.service.keeping.auto_approve import auto_approved
from heedful.service.session import Session
from heedful.service.sight import denied_to

ALIKE_MAX = 100
"""Claims of one subject, property, scope and classification, the newest, that are compared."""
_FORMS = frozenset({Form.FACT, Form.PREFERENCE})
_S = ClaimStatus
_BY_POLICY = (_S.EVIDENCE_VERIFIED, _S.POLICY_REVIEWED, _S.ACTIVE)


class Consolidation(NamedTuple):
    """A claim that several records tell.

    Attributes:
        claim: the first of those that tell it.
        records: that one's evidence.
        told: the other claims that tell it, each with the record by which it does so.
        confirms: True: these are the subject's own words again; False: they are of independent origins.
    """

    claim: Claim
    records: tuple[Record, ...]
    told: tuple[tuple[Claim, Record], ...]
    confirms: bool


def consolidation_of(session: Session, reading: Reading, claim: Claim) -> Consolidation | None:
    """What else tells the same as this claim, which waits; None where no independent record does."""
    if not _may_be_one(claim):
        return None
    alike = reading.claims_alike(
        claim.scope,
        claim.classification,
        claim.subject,
        claim.property,
        statuses=(_S.EVIDENCE_VERIFIED,),
        limit=ALIKE_MAX,
    )
    same = [each for each in reversed(alike) if _may_be_one(each) and _says_the_same(session, each, claim)]
    if len(same) < 2:  # once
        return None
    ids = dict.fromkeys(each for one in same for each in one.evidence)
    known = {each.record.record_id: each.record for each in reading.records_by_ids(list(ids)) if each.is_evidence}
    lasting = [(each, records) for each in same if (records := _records(each, known))]
    for at, (first, records) in enumerate(lasting[:-1]):
        unseen = denied_to(session, reading, first.evidence)
        level = [(each, own) for each, own in lasting[at + 1 :] if denied_to(session, reading, each.evidence) == unseen]
        if told := _independent(session, reading, first, records, level):
            return Consolidation(first, records, told, confirms=False)
        if told := _said_again(session, first, records, level):
            return Consolidation(first, records, told, confirms=True)
    return None


def consolidated(session: Session, writing: Writing, found: Consolidation) -> tuple[Claim, tuple[Event, ...]]:
    """The claim as it is then, and the events by which it rests on all of the records; approved where policy lets it.

    The other claims are merged into it.
    """
    claim, events = found.claim, list[Event]()
    grounds = [each.tier for each in writing.claims_by_ids(claim.rests_on)]
    for other, record in found.told:
        reason = f"{'its subject says it again' if found.confirms else 'an independent record tells the same'}, claim "
        event: BeliefEvent
        if found.confirms:
            event = ClaimConfirmed(claim.claim_id, record.principal, reason + other.claim_id, other.claim_id)
        else:
            tier = corroborated_tier(claim.tier, grounds)
            event = ClaimCorroborated(claim.claim_id, record.record_id, tier, SERVICE_ACTOR, reason + other.claim_id)
        claim = fold.believe(claim, event)
        merged = f"{MERGED}{claim.claim_id}, which says the same"
        moved = ClaimTransitioned(other.claim_id, other.status, _S.SUPERSEDED, SERVICE_ACTOR, merged)
        events += [event, moved]
    everything = (*found.records, *(record for _, record in found.told))
    if all(auto_approved(claim, record, session.registry) for record in everything):
        status, approved = _approved(session, writing, claim)
        return replace(claim, status=status), (*events, *approved)
    return claim, tuple(events)


def _approved(session: Session, writing: Writing, claim: Claim) -> tuple[ClaimStatus, tuple[Event, ...]]:
    """Where it stands after policy approved it, and the events; it is weighed like any that becomes active."""
    reason = "low risk, first-party, told by independent records"
    steps: list[Event] = [
        ClaimTransitioned(claim.claim_id, before, after, POLICY_ACTOR, reason) for before, after in pairwise(_BY_POLICY)
    ]
    reviewed = replace(claim, status=_S.POLICY_REVIEWED)
    met = weigh(session, writing, Newcomer(reviewed, unseen=denied_to(session, writing, claim.evidence)))
    if met is None:
        return _S.ACTIVE, tuple(steps)
    return met.stands_as(_S.POLICY_REVIEWED), (*(steps if met.activates else steps[:-1]), *met.events)


def _may_be_one(claim: Claim) -> bool:
    """True for a fact or preference that waits, and that nobody has begun to decide on."""
    waits = claim.status is _S.EVIDENCE_VERIFIED and not claim.approvals and not claim.conflicts_open
    return waits and claim.form in _FORMS and layer_of_claim(claim) is Layer.SEMANTIC


def _says_the_same(session: Session, left: Claim, right: Claim) -> bool:
    """By normalised values; of claims that merely say that their statement holds, by the statement."""
    kind = session.registry.vocabulary.kinds.get(right.kind)
    comparator = "text" if kind is None else kind.comparator
    is_same = are_equal(left.value, right.value, comparator)
    if says_only_that(right.value, comparator):
        is_same = is_same and are_equal(left.statement, right.statement, "text")
    one_label = (left.kind, left.consent, lane_of(left.form)) == (right.kind, right.consent, lane_of(right.form))
    return is_same and one_label and left.valid.overlaps(right.valid)


def _records(claim: Claim, known: dict[RecordId, Record]) -> tuple[Record, ...]:
    """The claim's evidence; none where some of it is gone, or was said for once only."""
    found = [known[each] for each in claim.evidence if each in known]
    is_whole = len(found) == len(claim.evidence)
    return tuple(found) if is_whole and not any(ONE_OFF in each.flags for each in found) else ()


_Told = tuple[tuple[Claim, Record], ...]


def _independent(
    session: Session,
    reading: Reading,
    first: Claim,
    records: Sequence[Record],
    others: Sequence[tuple[Claim, tuple[Record, ...]]],
) -> _Told:
    """Those of the others that have a record of another origin than all that counted before, with the first such."""
    everything = [*records, *(record for _, own in others for record in own)]
    lineage = origins_read(session, reading, first, everything)
    counted = list(records)
    told: list[tuple[Claim, Record]] = []
    for claim, own in others:
        fresh = next((record for record in own if corroborates(record, counted, lineage)), None)
        if fresh is not None:
            told.append((claim, fresh))
            counted.append(fresh)
    return tuple(told)


def _said_again(
    session: Session, first: Claim, records: Sequence[Record], others: Sequence[tuple[Claim, tuple[Record, ...]]]
) -> _Told:
    """Those of the others by which the first one's subject says it again, in a session in which they had not."""
    policy, subject = session.registry.policy, first.subject
    if not all(is_own_word(policy, record, subject) and record.run_id is not None for record in records):
        return ()
    sessions = {record.run_id for record in records}
    told: list[tuple[Claim, Record]] = []
    for claim, own in others:
        again = all(is_own_word(policy, record, subject) for record in own)
        fresh = {record.run_id for record in own}
        if again and None not in fresh and fresh.isdisjoint(sessions):
            told.append((claim, own[0]))
            sessions |= fresh
    return tuple(told)
