"""Approve a claim: a person's approval, and where it is the last that is needed, what the claim then meets."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from heedful.claims import fold
from heedful.claims.claim import TO_ACTIVE, Claim, ClaimStatus
from heedful.claims.lifecycle import ApprovalAnswer, require_legal, weigh_approval
from heedful.claims.projections.experience import is_tested
from heedful.kernel.errors import ConflictError, ForbiddenError
from heedful.kernel.ids import PrincipalId
from heedful.ledger.events import ClaimApproved, ClaimTransitioned
from heedful.ports.store import Reading, Writing
from heedful.service.belief.activation import activation
from heedful.service.belief.over import replaced
from heedful.service.belief.weighed import ASIDE
from heedful.service.session import Session

WAITING = (*TO_ACTIVE[:-1], ClaimStatus.QUARANTINED)


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What a decision did.

    Attributes:
        status: where the item stands now.
        approvals_missing: True: it counts, and another person's is needed.
        document: of an approved proposal: YAML for the registry's files.
        quarantined: claims that lost their evidence by it, or what they rest on, of those that this person may see.
        conflicts: questions that wait for a person by an approval; the claim waits with them where it is not active.
        standing_again: claims that only a withdrawn record's words had ended, of those that this person may see.
        withdrawn_with: records that were made from the withdrawn one and went with it, as far as this person sees them.
        fell_back: claims that keep other evidence, and have less authority now, as far as this person sees them.
    """

    item: Literal["claim", "record", "verdict", "proposal"]
    item_id: str
    status: str
    approvals_missing: bool
    solo: bool
    quarantined: tuple[str, ...]
    document: str | None = None
    standing_again: tuple[str, ...] = ()
    withdrawn_with: tuple[str, ...] = ()
    fell_back: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()


def approve_claim(session: Session, writing: Writing, claim: Claim, reason: str) -> Reviewed:
    """What the approval did, appended; with the last that is needed, the claim is weighed against what stands.

    Raises:
        ForbiddenError: `approval_refused`.
        ConflictError: `transition_illegal`, `evidence_gone`, `premise_untested`.
    """
    if claim.status not in WAITING:
        require_legal(claim, ClaimStatus.ACTIVE)
    require_live_evidence(writing, claim)
    require_tested(claim)
    answer = approval_answer(session, claim)
    if answer.refused is not None:
        raise ForbiddenError(
            "approval_refused",
            f"this approval does not count: {answer.refused}",
            next_step="another person has to approve",
            details={"claim_id": claim.claim_id, "why": answer.refused},
        )
    noted = f"{reason} (solo)" if answer.solo else reason
    approved = ClaimApproved(claim.claim_id, session.principal, noted)
    if not answer.complete:
        session.append(writing, [approved])
        return Reviewed("claim", claim.claim_id, claim.status, approvals_missing=True, solo=answer.solo, quarantined=())
    ended = replaced(session, writing, claim, noted)
    moves = _to_active(session, claim, noted)
    events, found = activation(session, writing, fold.approve(claim, approved), moves, ended=ended)
    session.append(writing, [approved, *events])
    return Reviewed(
        "claim",
        claim.claim_id,
        ClaimStatus.ACTIVE if found is None else found.stands_as(claim.status),
        approvals_missing=False,
        solo=answer.solo,
        quarantined=(),
        conflicts=() if found is None else found.asks,
    )


def _to_active(session: Session, claim: Claim, reason: str) -> list[ClaimTransitioned]:
    if claim.status in ASIDE:
        return [step(claim, claim.status, ClaimStatus.ACTIVE, session.principal, reason)]
    steps = TO_ACTIVE[TO_ACTIVE.index(claim.status) :]
    return [step(claim, *pair, session.principal, reason) for pair in pairwise(steps)]


def has_live_evidence(reading: Reading, claim: Claim) -> bool:
    """True where at least one record that the claim rests on is evidence now."""
    return any(each.is_evidence for each in reading.records_by_ids(claim.evidence))


def require_live_evidence(reading: Reading, claim: Claim) -> None:
    """Nothing, where at least one record that the claim rests on is evidence now.

    Raises:
        ConflictError: `evidence_gone`.
    """
    if not has_live_evidence(reading, claim):
        raise ConflictError(
            "evidence_gone",
            f"claim {claim.claim_id} rests on no record that is evidence now",
            next_step="confirm its record first: `heedful review approve RECORD`",
            details={"claim_id": claim.claim_id, "evidence": list(claim.evidence)},
        )


def approval_answer(session: Session, claim: Claim) -> ApprovalAnswer:
    """What this person's approval would do, by the risk of the claim's kind."""
    kind = session.registry.vocabulary.kinds.get(claim.kind)
    risk = "low" if kind is None else kind.risk
    return weigh_approval(claim, session.principal, kind_risk=risk, solo=session.registry.policy.solo)


def step(
    claim: Claim, from_status: ClaimStatus, to_status: ClaimStatus, actor: PrincipalId, reason: str
) -> ClaimTransitioned:
    """The move of the claim."""
    return ClaimTransitioned(claim.claim_id, from_status, to_status, actor, reason)


def require_tested(claim: Claim) -> None:
    """Nothing, where the claim may be believed as far as that goes.

    Raises:
        ConflictError: `premise_untested` for a premise that does not say where and since when it was tested.
    """
    if not is_tested(claim.form, claim.scope, claim.valid_from_us):
        raise ConflictError(
            "premise_untested",
            f"premise {claim.claim_id} does not say where and since when it was tested",
            next_step="remember it again with a scope and `--since`, then approve that",
            details={"claim_id": claim.claim_id},
        )
