"""What happens to a permit: the part of the closed set in events.py that is about those."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.kernel.ids import PermitId, PrincipalId, Revision, VerdictId


@dataclass(frozen=True, slots=True)
class PermitIssued:
    """An execute may go ahead once, until `expires_at_us`. The signed token is not here: nobody makes it of this.

    `circumstances` is what the verdict rested on, a line each, sorted; `judged_at_position` the visible position that
    it was judged at.
    """

    permit_id: PermitId
    verdict_id: VerdictId
    principal: PrincipalId
    action_digest: str
    registry_revision: Revision
    judged_at_position: int
    circumstances: tuple[str, ...]
    expires_at_us: int


@dataclass(frozen=True, slots=True)
class PermitRedeemed:
    """A permit was used, once and for all, for the action that was judged."""

    permit_id: PermitId
    verdict_id: VerdictId
    principal: PrincipalId
    action_digest: str


@dataclass(frozen=True, slots=True)
class RedemptionRefused:
    """Somebody tried to use a permit, and it did not count; `action_digest` is of what they were about to do.

    Without ids where the token is none of this tenant's: then nothing that it says is kept. `changes` says what was no
    longer as it was judged.
    """

    permit_id: PermitId | None
    verdict_id: VerdictId | None
    principal: PrincipalId
    action_digest: str
    reason: str
    changes: tuple[str, ...]
