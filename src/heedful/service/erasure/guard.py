"""Guard: nothing that is made while its source is erased is written after it."""

from __future__ import annotations

from collections.abc import Iterable

from heedful.kernel.errors import ConflictError
from heedful.ledger.belief_events import ClaimCorroborated
from heedful.ledger.events import (
    AnyEvent,
    BridgeProposed,
    ClaimProposed,
    RecordAdmitted,
    RecordPending,
)
from heedful.ledger.workflow_events import WorkflowProposed
from heedful.ports.store import Reading
from heedful.service.erasure.barred import consents_needed


def require_unerased(reading: Reading, events: Iterable[AnyEvent]) -> None:
    """Nothing, where none of what these events are made from was erased; no statement where they need nothing else.

    Raises:
        ConflictError: `source_erased`, `consent_withdrawn`.
    """
    needed: dict[str, None] = {}
    leaned: dict[str, None] = {}
    brought: set[str] = set()
    for event in events:
        needed |= dict.fromkeys(consents_needed(event))
        if isinstance(event, RecordAdmitted | RecordPending):
            brought.add(event.record.record_id)
            leaned |= dict.fromkeys(event.record.derived_from)
        elif isinstance(event, ClaimProposed | WorkflowProposed):
            leaned |= dict.fromkeys(event.evidence)
        elif isinstance(event, ClaimCorroborated):
            leaned[event.record_id] = None
        elif isinstance(event, BridgeProposed):
            leaned[event.claim_id] = None
    asked = [each for each in leaned if each not in brought]
    gone = reading.erased_among([*asked, *needed]) if asked or needed else {}
    if not needed.keys().isdisjoint(gone):
        raise ConflictError(
            "consent_withdrawn",
            "a consent that this needs was withdrawn while it was made, so it is not kept",
            next_step="leave it out, or ask whoever withdrew it",
        )
    if gone:
        raise ConflictError(
            "source_erased",
            "what this was made from was erased while it was made, so it is not kept",
            next_step="make it again from what is there now",
        )
