"""Place states: a new state among those before, whatever the order in which they came; nothing is overwritten."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from heedful.claims.claim import UNREVIEWED, Claim, ClaimStatus
from heedful.claims.fold import propose
from heedful.claims.lifecycle import SERVICE_ACTOR
from heedful.claims.projections.timeline import Sighting, in_order, start_of
from heedful.kernel.ids import RecordId
from heedful.kernel.ladder import Classification, Tier
from heedful.ledger.events import ClaimProposed, ClaimTransitioned, Event
from heedful.observations.record import Record
from heedful.ports.store import Chain, Writing
from heedful.service.belief.over import ended_by_words
from heedful.service.keeping.keep import Prepared
from heedful.service.keeping.states import sightings_of
from heedful.service.session import Session
from heedful.service.sight import denied_to, visible_in

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
    own_label = _Label(proposed.classification, unseen)
    peers = _Peers(session, writing, proposed, own)
    ordered = peers.in_order_for(own_label)
    later = ordered[ordered.index(own) + 1 :]
    before = [claim for claim in peers.before(own_label) if claim.tier < Tier.OPERATOR]
    ends = tuple(claim for claim in before if claim.status in UNREVIEWED and not claim.approvals)
    if later:
        return _Place(_closed(proposed, own, later), ends, later[0].claim.evidence[-1])
    approved = [
        claim.claim_id
        for claim in before
        if (claim.status is ClaimStatus.ACTIVE or claim.approvals) and own_label.shows(peers.label_of(claim))
    ]
    return _Place(replace(proposed, replaces=(*proposed.replaces, *approved)), ends, None)


@dataclass(frozen=True, slots=True)
class _Label:
    """Who sees a state: by its classification, and to whom policy denies what it rests on."""

    classification: Classification
    unseen: frozenset[str]

    def shows(self, other: _Label) -> bool:
        """True where whoever sees what has this label sees what has the other."""
        return self.classification.at_least(other.classification) and other.unseen <= self.unseen


class _Peers:
    """The states among which a new one finds its place, for each label by what all see who see that label.

    A run's clock that went back is not believed, and a limit takes the newest: both would let a hidden state move one
    that is seen.
    """

    def __init__(self, session: Session, writing: Writing, proposed: ClaimProposed, own: Sighting) -> None:
        self._session = session
        self._writing = writing
        self._proposed = proposed
        self._own = own
        self._labels: dict[str, _Label] = {}
        self._whole = self._read(session.clearance)
        self._is_cut = len(self._whole) >= PEERS_MAX

    def label_of(self, claim: Claim) -> _Label:
        """Who sees the claim; read once."""
        if claim.claim_id not in self._labels:
            unseen = denied_to(self._session, self._writing, claim.evidence)
            self._labels[claim.claim_id] = _Label(claim.classification, unseen)
        return self._labels[claim.claim_id]

    def in_order_for(self, label: _Label) -> tuple[Sighting, ...]:
        """The new one, and those that all see who see what has this label; the oldest first."""
        found = self._read(label.classification) if self._is_cut else self._whole
        counted = [claim for claim in found if self._counts(claim) and label.shows(self.label_of(claim))]
        return in_order([*sightings_of(self._writing, counted), self._own])

    def before(self, own: _Label) -> list[Claim]:
        """Those before the new one that nobody sees who does not see it as well, in ledger order."""
        wide = self._whole
        if self._is_cut:
            each_rank = (self._read(rank) for rank in Classification if self._session.clearance.at_least(rank))
            wide = tuple({claim.claim_id: claim for found in each_rank for claim in found}.values())
        labels = {label for claim in wide if self._counts(claim) and (label := self.label_of(claim)).shows(own)}
        found: list[Claim] = []
        for label in labels:
            ordered = self.in_order_for(label)
            earlier = (each.claim for each in ordered[: ordered.index(self._own)])
            found += [claim for claim in earlier if self.label_of(claim) == label]
        return sorted(found, key=lambda claim: claim.position)

    def _read(self, clearance: Classification) -> tuple[Claim, ...]:
        visible = replace(visible_in(self._session, (self._proposed.scope,)), clearance=clearance)
        return self._writing.claims_about(visible, self._proposed.subject, limit=PEERS_MAX)

    def _counts(self, claim: Claim) -> bool:
        is_it = (claim.property, claim.form) == (self._proposed.property, self._proposed.form)
        return is_it and claim.status not in DEAD


def _closed(proposed: ClaimProposed, own: Sighting, later: Sequence[Sighting]) -> ClaimProposed:
    start_us = start_of(own)
    # By a clock that went back within a run it ended before it began: then it held for an instant.
    until_us = max(start_us + 1, min(start_of(each) for each in later))
    if proposed.valid_to_us is not None:
        until_us = min(until_us, proposed.valid_to_us)
    return replace(proposed, valid_from_us=start_us, valid_to_us=until_us)


def _ended(claim: Claim | ClaimProposed, status: ClaimStatus, record_id: RecordId) -> ClaimTransitioned:
    return ClaimTransitioned(claim.claim_id, status, ClaimStatus.SUPERSEDED, SERVICE_ACTOR, ended_by_words(record_id))
