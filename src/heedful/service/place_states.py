"""Place states: a new state among those before, whatever the order in which they came; nothing is overwritten."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from heedful.claims.claim import UNREVIEWED, Claim, ClaimStatus
from heedful.claims.fold import propose
from heedful.claims.lifecycle import SERVICE_ACTOR
from heedful.claims.projections.timeline import Sighting, in_order, start_of
from heedful.kernel.ids import RecordId
from heedful.kernel.ladder import Tier
from heedful.ledger.events import ClaimProposed, ClaimTransitioned, Event
from heedful.observations.record import Record
from heedful.ports.store import Chain, Writing
from heedful.service.keep import Prepared
from heedful.service.over import ended_by_words
from heedful.service.session import Session
from heedful.service.sight import denied_to, visible_in
from heedful.service.states import sightings_of

PEERS_MAX = 1_000
"""States of one subject, the newest that were kept, among which a new one finds its place."""
DEAD = frozenset({ClaimStatus.REVOKED, ClaimStatus.QUARANTINED})
"""What was taken back, or has lost its evidence, tells no state."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a new state stands.

    Attributes:
        proposed: the state, closed where the next one begins, with the approved ones that it would replace.
        ends: those before it that nobody has approved and that it ends.
        next_record: what the next one rests on; None: it is the newest.
    """

    proposed: ClaimProposed
    ends: tuple[Claim, ...]
    next_record: RecordId | None


def with_states(session: Session, writing: Writing, prepared: Prepared) -> Prepared:
    """The same, with each of its states in its place among those of the same subject, property and scope.

    A newer one ends what nobody has approved, and asks to replace what somebody has; a late one ends at once, where the
    next one begins. None ends what somebody sees who does not see it, nor is it ended by such a one.
    """
    record = prepared.record
    if record is None or prepared.outcome != "admitted" or not prepared.states:
        return prepared
    unseen = denied_to(session, writing, (), [note.kind for note in prepared.claims])
    events: list[Event] = []
    moves: list[Event] = []
    late: set[str] = set()
    for event in prepared.events:
        if not isinstance(event, ClaimProposed) or event.claim_id not in prepared.states:
            events.append(event)
            continue
        place = _place(session, writing, event, record, unseen)
        events.append(place.proposed)
        moves += [_ended(claim, claim.status, record.record_id) for claim in place.ends]
        if place.next_record is not None:
            late.add(event.claim_id)
            moves.append(_ended(event, ClaimStatus.EVIDENCE_VERIFIED, place.next_record))
    notes = tuple(
        replace(note, status=ClaimStatus.SUPERSEDED) if note.claim_id in late else note for note in prepared.claims
    )
    return replace(prepared, events=(*events, *moves), claims=notes)


def _place(
    session: Session, writing: Writing, proposed: ClaimProposed, record: Record, unseen: frozenset[str]
) -> _Place:
    position = writing.head(Chain.LEDGER).position + 1
    own = Sighting(
        propose(proposed, position=position, recorded_at_us=record.occurred.at_us),
        record.run_id,
        record.sequence,
        record.occurred.at_us,
    )
    peers = sightings_of(writing, _peers(session, writing, proposed))
    ordered = in_order([*peers, own])
    at = ordered.index(own)
    unseen_of = {each.claim.claim_id: denied_to(session, writing, each.claim.evidence) for each in peers}

    def is_seen_with_own(claim: Claim) -> bool:
        """Whoever sees the new state sees that one."""
        return proposed.classification.at_least(claim.classification) and unseen_of[claim.claim_id] <= unseen

    def sees_own(claim: Claim) -> bool:
        """Whoever sees that one sees the new state."""
        return claim.classification.at_least(proposed.classification) and unseen <= unseen_of[claim.claim_id]

    later = [each for each in ordered[at + 1 :] if is_seen_with_own(each.claim)]
    before = [each.claim for each in ordered[:at] if each.claim.tier < Tier.OPERATOR and sees_own(each.claim)]
    ends = tuple(claim for claim in before if claim.status in UNREVIEWED and not claim.approvals)
    if later:
        return _Place(_closed(proposed, own, later), ends, later[0].claim.evidence[-1])
    approved = [
        claim.claim_id
        for claim in before
        if (claim.status is ClaimStatus.ACTIVE or claim.approvals) and is_seen_with_own(claim)
    ]
    return _Place(replace(proposed, replaces=(*proposed.replaces, *approved)), ends, None)


def _peers(session: Session, writing: Writing, proposed: ClaimProposed) -> list[Claim]:
    found = writing.claims_about(visible_in(session, (proposed.scope,)), proposed.subject, limit=PEERS_MAX)
    return [
        claim
        for claim in found
        if claim.property == proposed.property and claim.form == proposed.form and claim.status not in DEAD
    ]


def _closed(proposed: ClaimProposed, own: Sighting, later: Sequence[Sighting]) -> ClaimProposed:
    start_us = start_of(own)
    # By a clock that went back within a run it ended before it began: then it held for an instant.
    until_us = max(start_us + 1, min(start_of(each) for each in later))
    if proposed.valid_to_us is not None:
        until_us = min(until_us, proposed.valid_to_us)
    return replace(proposed, valid_from_us=start_us, valid_to_us=until_us)


def _ended(claim: Claim | ClaimProposed, status: ClaimStatus, record_id: RecordId) -> ClaimTransitioned:
    return ClaimTransitioned(claim.claim_id, status, ClaimStatus.SUPERSEDED, SERVICE_ACTOR, ended_by_words(record_id))
