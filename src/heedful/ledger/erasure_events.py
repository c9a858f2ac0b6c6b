"""What happens to what is to be forgotten: the part of the closed set in events.py on erasures, holds and consents."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.kernel.ids import (
    ClaimId,
    ConflictId,
    ConsentId,
    ErasureId,
    HoldId,
    MergeId,
    PrincipalId,
    ProposalId,
    RecordId,
    VerdictId,
)


@dataclass(frozen=True, slots=True)
class ErasureRequested:
    """A person had these items erased; ids alone, and nothing of what they said.

    `because` is a category, `by` what they were selected by, `selector_digest` the selection under the tenant's key.
    `held_ids` (records) and `kept_ids` (claims) are hidden and kept, as somebody holds them. `ledger_positions` are
    those of the events whose payload went with this one. `source_tags` are the places that the records came from, under
    the tenant's key: what comes from there again is refused. One erasure may have several of these.
    """

    erasure_id: ErasureId
    actor: PrincipalId
    because: str
    by: str
    selector_digest: str
    record_ids: tuple[RecordId, ...]
    claim_ids: tuple[ClaimId, ...]
    conflict_ids: tuple[ConflictId, ...]
    proposal_ids: tuple[ProposalId, ...]
    merge_ids: tuple[MergeId, ...]
    held_ids: tuple[RecordId, ...]
    kept_ids: tuple[ClaimId, ...]
    ledger_positions: tuple[int, ...]
    source_tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ErasureStaged:
    """An erasure reached a stage: `logical` (again, for what was found late), `indexes` or `scrubbed`.

    `ledger_positions` and `access_positions` are those of the events whose payload went with this one, `verdict_ids` of
    the verdicts that did. `could_not` names what the store was not let do, `backups_expire_at_us` when the last backup
    from before is to be gone, UTC microseconds; None before `scrubbed`.
    """

    erasure_id: ErasureId
    stage: str
    actor: PrincipalId
    ledger_positions: tuple[int, ...]
    access_positions: tuple[int, ...]
    verdict_ids: tuple[VerdictId, ...]
    could_not: tuple[str, ...]
    backups_expire_at_us: int | None


@dataclass(frozen=True, slots=True)
class HoldPlaced:
    """What is selected so must be kept until the hold is released, whoever would have it erased."""

    hold_id: HoldId
    actor: PrincipalId
    because: str
    by: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HoldReleased:
    """Nobody has to keep it for this hold any more; erasures that waited for it go on."""

    hold_id: HoldId
    actor: PrincipalId
    because: str


@dataclass(frozen=True, slots=True)
class ConsentWithdrawn:
    """Nothing that is selected so is used any more, or kept when it comes, until the consent is given again.

    `by` is `principal` (who brings it) or `subject` (whom it is about), `name` which.
    """

    consent_id: ConsentId
    actor: PrincipalId
    by: str
    name: str


@dataclass(frozen=True, slots=True)
class ConsentGiven:
    """The consent that had been withdrawn so is given again."""

    consent_id: ConsentId
    actor: PrincipalId
    by: str
    name: str


ErasureEvent = ErasureRequested | ErasureStaged | HoldPlaced | HoldReleased | ConsentWithdrawn | ConsentGiven
