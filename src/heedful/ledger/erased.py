"""Erased: what the erasures of a ledger name: payloads that may be missing, and items that no event brings any more.

Pure. A fold passes over an event that has no payload any more, and over one that is about an erased item.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from heedful.kernel.errors import FaultError
from heedful.ledger import events
from heedful.ledger.belief_events import ConflictDetected, ConflictResolved
from heedful.ledger.erasure_events import ErasureRequested, ErasureStaged
from heedful.ledger.events import AnyEvent, Event
from heedful.ledger.merge_events import MergeEvent
from heedful.ledger.opened import opened
from heedful.ledger.permit_events import PermitIssued, PermitRedeemed, RedemptionRefused
from heedful.ledger.seal import SealedEvent
from heedful.ledger.workflow_events import WorkflowProposalDecided, WorkflowProposed

ERASURE_TYPES = ("erasure.requested", "erasure.staged")
"""The types of the events that name what is erased."""


@dataclass(frozen=True, slots=True)
class Erased:
    """What the erasures of one tenant name.

    Attributes:
        ledger, access: positions of events whose payload is gone.
        items: ids of records, claims, conflicts, proposals, merges and verdicts.
    """

    ledger: frozenset[int] = frozenset()
    access: frozenset[int] = frozenset()
    items: frozenset[str] = frozenset()

    def passes_over(self, sealed: SealedEvent, event: AnyEvent | None) -> bool:
        """True where nothing is to be folded of this event of the ledger; `event` is what it says, None: nothing."""
        if event is None:
            return sealed.envelope.position in self.ledger
        return bool(self.items) and not self.items.isdisjoint(about(event))


NOTHING_ERASED = Erased()


def erased_by(sealed_events: Iterable[SealedEvent]) -> Erased:
    """What these events name, of those that tell of an erasure; one that can't be read names nothing."""
    ledger: set[int] = set()
    access: set[int] = set()
    items: set[str] = set()
    for sealed in sealed_events:
        envelope = sealed.envelope
        if envelope.type not in ERASURE_TYPES or sealed.payload is None:
            continue
        try:
            event = opened(sealed)
        except FaultError:
            continue  # whoever walks the chain meets it, and tells
        if isinstance(event, ErasureRequested):
            ledger.update(event.ledger_positions)
            items.update(event.record_ids, event.claim_ids, event.conflict_ids, event.proposal_ids, event.merge_ids)
        elif isinstance(event, ErasureStaged):
            ledger.update(event.ledger_positions)
            access.update(event.access_positions)
            items.update(event.verdict_ids)
    return Erased(frozenset(ledger), frozenset(access), frozenset(items))


def about(event: AnyEvent) -> tuple[str, ...]:
    """The ids of what the event is about: with one of them erased it is passed over, and its payload goes too."""
    match event:
        case events.RecordAdmitted(record=record) | events.RecordPending(record=record):
            return (record.record_id,)
        case ConflictDetected() | ConflictResolved():
            return (event.conflict_id,)
        case events.BridgeProposed():
            return (event.proposal_id, event.claim_id)
        case events.BridgeProposalDecided() | WorkflowProposed() | WorkflowProposalDecided():
            return (event.proposal_id,)
        case events.VerdictJudged() | PermitIssued() | PermitRedeemed():
            return (event.verdict_id,)
        case RedemptionRefused():
            return () if event.verdict_id is None else (event.verdict_id,)
        case events.OutcomeReported():
            return (event.verdict_id, event.record_id)
        case _:
            return _of_one(event)


def _of_one(event: AnyEvent) -> tuple[str, ...]:
    """The record, claim or merge whose own event this is."""
    if isinstance(event, events.RecordConfirmed | events.RecordWithdrawn | events.RecordRefused):
        return (event.record_id,)
    if isinstance(event, MergeEvent):
        return (event.merge_id,)
    claim_id = getattr(event, "claim_id", None)
    return () if claim_id is None else (claim_id,)


def event_there(sealed: SealedEvent, erased: Erased) -> Event | None:
    """The event of the ledger that is to be folded; None where it is passed over.

    Raises:
        FaultError: `payload_missing` where no erasure names it; see `opened`.
    """
    if sealed.payload is None and sealed.envelope.position in erased.ledger:
        return None
    event = opened(sealed)
    assert not isinstance(event, events.PacketAssembled), "packets are never in the ledger"
    return None if erased.passes_over(sealed, event) else event
