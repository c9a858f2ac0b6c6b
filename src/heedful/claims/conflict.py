"""Conflict: a row for every two claims that say different things, with how it ended."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from heedful.kernel.ids import ClaimId, ConflictId, PrincipalId
from heedful.ledger.belief_events import ConflictDetected, ConflictResolved


class Outcome(StrEnum):
    """What a conflict leads to. Two claims that may both be so coexist, and are none."""

    SUPERSEDE = "supersede"
    FLAG = "flag"
    ASK = "ask"


class Resolution(StrEnum):
    """How a conflict ended (seed 004); `merged` only where the normalised values are equal."""

    A_WINS = "a_wins"
    B_WINS = "b_wins"
    BOTH_DEMOTED = "both_demoted"
    MERGED = "merged"


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two claims that say different things of one subject, property, scope and time.

    Attributes:
        position: of the ledger event that told of it.
        standing_id, newcomer_id: claims a and b of the resolution; the standing one was there first.
        because: the rule that gave the outcome.
        question: what a person is asked; None: nothing.
        resolution: None: it is open.
        resolved_by, resolved_at_us, reason: who ended it, when and why; None while it is open.
    """

    conflict_id: ConflictId
    position: int
    detected_at_us: int
    standing_id: ClaimId
    newcomer_id: ClaimId
    outcome: Outcome
    because: str
    question: str | None
    resolution: Resolution | None = None
    resolved_by: PrincipalId | None = None
    resolved_at_us: int | None = None
    reason: str | None = None

    @property
    def is_open(self) -> bool:
        """True until it is resolved."""
        return self.resolution is None


def detected(event: ConflictDetected, *, position: int, recorded_at_us: int) -> Conflict:
    """The conflict as it was detected, open."""
    return Conflict(
        conflict_id=event.conflict_id,
        position=position,
        detected_at_us=recorded_at_us,
        standing_id=event.standing_id,
        newcomer_id=event.newcomer_id,
        outcome=Outcome(event.outcome),
        because=event.because,
        question=event.question,
    )


def resolved(conflict: Conflict, event: ConflictResolved, *, recorded_at_us: int) -> Conflict:
    """The same, ended."""
    return replace(
        conflict,
        resolution=Resolution(event.resolution),
        resolved_by=event.actor,
        resolved_at_us=recorded_at_us,
        reason=event.reason,
    )
