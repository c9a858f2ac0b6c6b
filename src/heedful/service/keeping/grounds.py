"""Grounds: what a claim says that it rests on, as far as its proposer sees it and it can carry a claim."""

from __future__ import annotations

from dataclasses import replace

from heedful.claims.claim import Claim, ClaimStatus
from heedful.kernel.errors import ConflictError, InvalidInputError
from heedful.kernel.ids import ClaimId
from heedful.ledger.events import ClaimProposed
from heedful.ports.store import Reading
from heedful.service.session import Session
from heedful.service.sight import denied_to, is_within_sight, not_found, seen_claim

GROUNDS_MAX = 16
"""Claims that one rests on."""


def with_grounds(session: Session, proposal: ClaimProposed) -> ClaimProposed:
    """The proposal, as strictly classified as the strictest of its grounds, and of no more authority than the least.

    A claim can rest on what is there before it alone, so grounds never go in a circle.

    Raises:
        InvalidInputError: `grounds_too_many`.
        NotFoundError: `item_not_found`, also for what the session may not see.
        ConflictError: `ground_not_active`, `ground_replaced`, `ground_not_shared`.
    """
    if not proposal.rests_on:
        return proposal
    if len(proposal.rests_on) > GROUNDS_MAX:
        raise InvalidInputError(
            "grounds_too_many",
            f"the claim rests on {len(proposal.rests_on)} others; at most {GROUNDS_MAX} are allowed",
            next_step="name those alone without which it would not be so",
            details={"field": "rests_on", "limit": GROUNDS_MAX},
        )
    with session.store.read() as reading:
        grounds = [_ground(session, reading, proposal, claim_id) for claim_id in dict.fromkeys(proposal.rests_on)]
    strictest = max((each.classification for each in grounds), key=lambda each: each.rank)
    least = min(each.tier for each in grounds)
    return replace(
        proposal,
        classification=max(strictest, proposal.classification, key=lambda each: each.rank),
        tier=min(proposal.tier, least),
        rests_on=tuple(each.claim_id for each in grounds),
    )


def _ground(session: Session, reading: Reading, proposal: ClaimProposed, claim_id: ClaimId) -> Claim:
    claim = seen_claim(session, reading, claim_id)
    if claim is None:
        raise not_found(claim_id)
    if claim.status is not ClaimStatus.ACTIVE:
        raise ConflictError(
            "ground_not_active",
            f"claim {claim.claim_id} is {claim.status}; a claim rests on what is held to be so",
            next_step="have it approved first, or rest on what holds instead",
            details={"field": "rests_on", "claim_id": claim.claim_id},
        )
    if claim.claim_id in proposal.replaces:
        raise ConflictError(
            "ground_replaced",
            f"the claim rests on claim {claim.claim_id}, which it replaces",
            next_step="rest on something else, or replace something else",
            details={"field": "rests_on", "claim_id": claim.claim_id},
        )
    is_wider = is_within_sight(session, claim.scope, proposal.scope)
    unseen = denied_to(session, reading, claim.evidence, (claim.kind,))
    if not is_wider or not unseen <= denied_to(session, reading, (), (proposal.kind,)):
        # Else whoever sees this claim and not that one would learn from its end that something had changed there.
        raise ConflictError(
            "ground_not_shared",
            f"claim {claim.claim_id} is not seen by everybody who would see what rests on it",
            next_step="say it in a scope that has all of that claim's, of a kind that is kept as close",
            details={"field": "rests_on", "claim_id": claim.claim_id},
        )
    return claim
