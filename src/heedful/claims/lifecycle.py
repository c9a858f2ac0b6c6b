"""The one table of legal moves of a claim, and what an approval needs.

observed -> proposed -> evidence-verified -> policy-reviewed -> active -> expired | superseded | revoked
any --(source corrected, consent withdrawn, evidence gone)--> quarantined -> active | revoked
proposed, evidence-verified, policy-reviewed -> superseded (who said it says that it is over), and back (not so)
active, expired, superseded -> archived (collection, retention, a person), and back (a person)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from heedful.claims.claim import Claim, ClaimStatus
from heedful.kernel.errors import ConflictError
from heedful.kernel.ids import PrincipalId
from heedful.kernel.ladder import Classification

Mover = Literal["service", "approver", "withdrawer"]
"""Who may make a move: Heedful itself by a fixed rule, a person who may approve, a person who may withdraw."""

_S = ClaimStatus
_ONWARD: dict[tuple[ClaimStatus, ClaimStatus], Mover] = {
    (_S.PROPOSED, _S.EVIDENCE_VERIFIED): "service",
    (_S.EVIDENCE_VERIFIED, _S.POLICY_REVIEWED): "approver",
    (_S.POLICY_REVIEWED, _S.ACTIVE): "approver",
    **{(status, _S.SUPERSEDED): "service" for status in (_S.PROPOSED, _S.EVIDENCE_VERIFIED, _S.POLICY_REVIEWED)},
    **{(_S.SUPERSEDED, status): "service" for status in (_S.PROPOSED, _S.EVIDENCE_VERIFIED, _S.POLICY_REVIEWED)},
    (_S.ACTIVE, _S.EXPIRED): "service",
    (_S.ACTIVE, _S.SUPERSEDED): "approver",
    **{(status, _S.ARCHIVED): "service" for status in (_S.ACTIVE, _S.EXPIRED, _S.SUPERSEDED)},
    **{(_S.ARCHIVED, status): "approver" for status in (_S.ACTIVE, _S.EXPIRED, _S.SUPERSEDED)},
    (_S.QUARANTINED, _S.ACTIVE): "approver",
}
_ENDED = (_S.EXPIRED, _S.SUPERSEDED, _S.REVOKED, _S.ARCHIVED)
_LIVE = tuple(status for status in _S if status not in _ENDED)

TRANSITIONS: dict[tuple[ClaimStatus, ClaimStatus], Mover] = {
    **_ONWARD,
    **{(status, _S.REVOKED): "withdrawer" for status in _LIVE},
    **{(status, _S.QUARANTINED): "service" for status in _S if status not in (_S.REVOKED, _S.QUARANTINED)},
}
"""Every legal (from, to) with who may make it; what is not here does not happen."""

REJECTED = "rejected: "
"""How the reason of a proposal begins that was never believed; a revoked claim that once held has `revoked: `."""
REVOKED = "revoked: "

CORRECTED = "corrected by "
"""How the reason begins of what a correction ended; the correction's id follows."""
MERGED = "merged into claim "
"""How the reason begins of what said the same as another claim, whose id follows."""
ANSWERED = "answered, "
"""How the reason begins of what a person's answer ended."""
WORN_OUT = "it lost "
"""How the reason begins of what is archived as it lost so many conflicts."""
GROUND_CHANGED = "its ground changed: "
"""How the reason of a quarantine begins, of a claim that was believed and rests on what stands no longer."""
GROUND_RETURNED = "what it rests on stands again"
"""The reason with which it comes back by itself, its approvals with it."""

CONSENT_WITHDRAWN = "consent to its use was withdrawn"
"""The reason of a record that went with a consent, and of a claim that was believed and lost its evidence so."""
CONSENT_WITHDRAWN_EARLY = "consent to its use was withdrawn before it was approved"
CONSENT_GIVEN = "consent to its use was given again"
"""The reason with which both come back by themselves, the claim's approvals with it."""

STANDS_AGAIN = "what had ended it was withdrawn"
"""The reason with which a claim comes back by itself that another one had ended, its approvals with it."""

APART_AGAIN = "the answer that ended it was about another subject"
"""The reason with which a claim comes back by itself as a merge is undone, its approvals with it."""

POLICY_ACTOR = PrincipalId("policy:auto-approve")
SERVICE_ACTOR = PrincipalId("service:heedful")


def is_changing(claim: Claim) -> bool:
    """True where it is known to be out of date, as what it rests on changed, and what holds instead is not known."""
    return claim.status is ClaimStatus.QUARANTINED and claim.status_reason.startswith(GROUND_CHANGED)


def require_legal(claim: Claim, to_status: ClaimStatus) -> Mover:
    """Who may move the claim there.

    Raises:
        ConflictError: `transition_illegal` where it can't go there from where it stands.
    """
    mover = TRANSITIONS.get((claim.status, to_status))
    if mover is None:
        onward = sorted(to.value for (from_status, to) in TRANSITIONS if from_status is claim.status)
        raise ConflictError(
            "transition_illegal",
            f"claim {claim.claim_id} is {claim.status}; it can't become {to_status}",
            next_step=f"from here it can become: {', '.join(onward) or 'nothing'}",
            details={"claim_id": claim.claim_id, "status": claim.status.value},
        )
    return mover


@dataclass(frozen=True, slots=True)
class ApprovalAnswer:
    """What one more approval would do.

    Attributes:
        refused: why it does not count, or None.
        complete: True: with it the claim has all that it needs.
        solo: True: it counts only because one person runs this store; the ledger says so.
    """

    refused: str | None
    complete: bool
    solo: bool


def weigh_approval(claim: Claim, actor: PrincipalId, *, kind_risk: str, solo: bool) -> ApprovalAnswer:
    """Whether this person's approval counts, and whether it is the last that is needed.

    High risk (the kind's, or a restricted claim) takes two people, neither of them the proposer; else one who is not
    the proposer. In the solo profile one person may do all of it, and each such use is marked.
    """
    needed = 2 if kind_risk == "high" or claim.classification is Classification.RESTRICTED else 1
    if solo:
        return ApprovalAnswer(None, complete=True, solo=needed > 1 or actor == claim.proposed_by)
    if actor == claim.proposed_by:
        return ApprovalAnswer("own-proposal", complete=False, solo=False)
    if actor in claim.approvals:
        return ApprovalAnswer("already-approved", complete=False, solo=False)
    return ApprovalAnswer(None, complete=len(claim.approvals) + 1 >= needed, solo=False)
