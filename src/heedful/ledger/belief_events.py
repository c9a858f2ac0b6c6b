"""What becomes of a claim after it was proposed, besides its status: authority, confidence, bounds, conflicts."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.kernel.ids import ClaimId, ConflictId, PrincipalId, RecordId
from heedful.kernel.ladder import Tier


@dataclass(frozen=True, slots=True)
class ClaimCorroborated:
    """An independent source said the same: its record is evidence of the claim too; `tier` is what it has by that."""

    claim_id: ClaimId
    record_id: RecordId
    tier: Tier
    actor: PrincipalId
    reason: str


@dataclass(frozen=True, slots=True)
class ClaimPromoted:
    """The claim has another authority from now on, which may be less: somebody whom policy allows said so."""

    claim_id: ClaimId
    from_tier: Tier
    to_tier: Tier
    actor: PrincipalId
    reason: str


@dataclass(frozen=True, slots=True)
class ClaimWeighed:
    """The claim has this confidence from now on, and has lost so many conflicts: by the claim `by`, if by one."""

    claim_id: ClaimId
    confidence: float
    conflicts_lost: int
    actor: PrincipalId
    reason: str
    by: ClaimId | None


@dataclass(frozen=True, slots=True)
class ClaimConfirmed:
    """Its subject, or who may speak for it, said that the claim is so: by the claim `by`, where that says the same."""

    claim_id: ClaimId
    actor: PrincipalId
    reason: str
    by: ClaimId | None


@dataclass(frozen=True, slots=True)
class ClaimUnconfirmed:
    """The confirmation of the claim by `confirmed_by` counts no more: taken back, or its words were withdrawn."""

    claim_id: ClaimId
    confirmed_by: PrincipalId
    actor: PrincipalId
    reason: str


@dataclass(frozen=True, slots=True)
class ClaimPinned:
    """A person wants the claim kept: no collection archives it, and no conflict wears it down. False: no longer."""

    claim_id: ClaimId
    pinned: bool
    actor: PrincipalId
    reason: str


@dataclass(frozen=True, slots=True)
class ClaimBounded:
    """When the claim holds in the world was put right; UTC microseconds, half open, None is open.

    `by`: the other claim that was the cause, if one was.
    """

    claim_id: ClaimId
    valid_from_us: int | None
    valid_to_us: int | None
    actor: PrincipalId
    reason: str
    by: ClaimId | None


@dataclass(frozen=True, slots=True)
class ConflictDetected:
    """Two claims say different things of one subject, property, scope and time.

    `standing_id` was there first. `outcome` is `supersede`, `flag` or `ask`; `because` is the rule that gave it, and
    `question` what a person is asked, or None.
    """

    conflict_id: ConflictId
    standing_id: ClaimId
    newcomer_id: ClaimId
    outcome: str
    because: str
    question: str | None


@dataclass(frozen=True, slots=True)
class ConflictResolved:
    """How a conflict ended: `a_wins` (the standing claim), `b_wins` (the newcomer), `both_demoted`, `merged`."""

    conflict_id: ConflictId
    resolution: str
    actor: PrincipalId
    reason: str


BeliefEvent = (
    ClaimCorroborated
    | ClaimPromoted
    | ClaimWeighed
    | ClaimConfirmed
    | ClaimUnconfirmed
    | ClaimPinned
    | ClaimBounded
    | ConflictDetected
    | ConflictResolved
)
