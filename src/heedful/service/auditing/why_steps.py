"""Why, step by step: what the ledger says happened to a claim, up to now or to an earlier moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from heedful.claims.claim import Claim
from heedful.kernel.times import format_time
from heedful.ledger.belief_events import (
    BeliefEvent,
    ClaimBounded,
    ClaimConfirmed,
    ClaimCorroborated,
    ClaimPinned,
    ClaimPromoted,
    ClaimUnconfirmed,
    ClaimWeighed,
    ConflictDetected,
    ConflictResolved,
)
from heedful.ledger.events import AnyEvent, ClaimApproved, ClaimProposed, ClaimTransitioned
from heedful.ledger.opened import opened
from heedful.ledger.registry import name_of
from heedful.ports.store import Chain, Reading

HISTORY_EVENTS_MAX = 100_000
"""Ledger events that are walked for the history of one item; `history_cut` says that there were more."""


@dataclass(frozen=True, slots=True)
class Step:
    """One ledger event in the history of an item; its position is 0 for those who may not audit."""

    position: int
    at: str
    type: str
    actor: str
    text: str


class Walk:
    """(position, time, event) of the ledger events from a position on whose type begins so, up to `until` if given.

    At most HISTORY_EVENTS_MAX are looked at; `is_cut` tells, afterwards, that there were more.
    """

    def __init__(
        self, reading: Reading, from_position: int, prefix: str | tuple[str, ...], *, until: int | None = None
    ) -> None:
        """Nothing is read yet."""
        self._reading = reading
        self._from_position = from_position
        self._prefix = prefix
        self._until = until
        self.is_cut = False

    def __iter__(self) -> Iterator[tuple[int, str, AnyEvent]]:
        """The events, in order."""
        walked = 0
        after = self._from_position - 1
        limit = HISTORY_EVENTS_MAX
        if self._until is not None:
            limit = max(0, min(limit, self._until - after))
        for sealed in self._reading.events(Chain.LEDGER, after=after, limit=limit):
            walked += 1
            envelope = sealed.envelope
            if envelope.type.startswith(self._prefix) and sealed.payload is not None:
                event = opened(sealed)
                yield envelope.position, format_time(envelope.recorded_at_us), event
        self.is_cut = walked == HISTORY_EVENTS_MAX


def claim_steps(
    reading: Reading, claim: Claim, is_seen: Callable[[str], bool], *, until: int | None = None
) -> tuple[tuple[Step, ...], bool]:
    """What happened to the claim, oldest first, and whether there is more; conflicts only with claims that are seen."""
    steps: list[Step] = []
    conflicts: set[str] = set()
    for position, at, event in (walk := Walk(reading, claim.position, ("claim.", "conflict."), until=until)):
        if isinstance(event, ConflictDetected):
            pair = {event.standing_id, event.newcomer_id}
            if claim.claim_id not in pair or not all(map(is_seen, pair - {claim.claim_id})):
                continue
            conflicts.add(event.conflict_id)
        elif isinstance(event, ConflictResolved):
            if event.conflict_id not in conflicts:
                continue
        elif getattr(event, "claim_id", None) != claim.claim_id:
            continue
        if isinstance(event, ClaimProposed):
            steps.append(Step(position, at, name_of(event)[0], event.proposed_by, event.statement))
        elif isinstance(event, ClaimTransitioned | ClaimApproved | BeliefEvent):
            actor = "" if isinstance(event, ConflictDetected) else event.actor
            steps.append(Step(position, at, name_of(event)[0], actor, _text(event)))
    return tuple(steps), walk.is_cut


def _text(event: ClaimTransitioned | ClaimApproved | BeliefEvent) -> str:
    match event:
        case ClaimTransitioned():
            return f"{event.from_status} -> {event.to_status}: {event.reason}"
        case ClaimCorroborated():
            return f"tier {int(event.tier)} by record {event.record_id}: {event.reason}"
        case ClaimPromoted():
            return f"tier {int(event.from_tier)} -> {int(event.to_tier)}: {event.reason}"
        case ClaimWeighed():
            return f"confidence {event.confidence:g}, conflicts lost {event.conflicts_lost}: {event.reason}"
        case ClaimPinned() | ClaimUnconfirmed():
            what = "pinned" if isinstance(event, ClaimPinned) else f"confirmed by {event.confirmed_by}"
            return f"{what if getattr(event, 'pinned', False) else f'not {what} any more'}: {event.reason}"
        case ClaimBounded():
            return f"holds from {_bound(event.valid_from_us)} to {_bound(event.valid_to_us)}: {event.reason}"
        case ConflictDetected():
            return f"{event.newcomer_id} against {event.standing_id}: {event.outcome}, {event.because}"
        case ConflictResolved():
            return f"{event.resolution}: {event.reason}"
        case ClaimApproved() | ClaimConfirmed():
            return event.reason


def _bound(at_us: int | None) -> str:
    return "(open)" if at_us is None else format_time(at_us)
