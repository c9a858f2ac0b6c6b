"""Promote: somebody whom policy allows gives a claim an operator's or the system's authority, or takes it back."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.claims.authority import least_tier
from heedful.claims.claim import LIVE, Claim
from heedful.kernel.errors import ConflictError, ForbiddenError, InvalidInputError
from heedful.kernel.ids import ClaimId
from heedful.kernel.ladder import Tier
from heedful.ledger.belief_events import ClaimPromoted
from heedful.observations.names import shown
from heedful.ports.store import Reading, Writing
from heedful.service.belief.overriding import claim_for
from heedful.service.requests import reason_text
from heedful.service.session import Session
from heedful.service.sight import seen_claim


@dataclass(frozen=True, slots=True)
class Promoted:
    """What authority a claim had and has."""

    claim_id: ClaimId
    from_tier: str
    to_tier: str


def promote(session: Session, claim_id: str, tier: str, *, reason: str) -> Promoted:
    """What it did: the claim has that authority from now on; less than before takes back what was given.

    Raises:
        ForbiddenError: `principal_may_not`; `promotion_refused` for one's own proposal, unless one person runs the
            store, and above what the claim rests on.
        NotFoundError: `item_not_found`.
        ConflictError: `claim_over`, `tier_unchanged`.
        InvalidInputError: `tier_not_given`; see `reason_text`.
    """
    session.require("promote")
    to_tier = _tier(tier)
    noted = reason_text(reason)

    def work(writing: Writing) -> Promoted:
        claim = claim_for(session, writing, claim_id, LIVE, "promoted")
        if claim.tier is to_tier:
            raise ConflictError(
                "tier_unchanged",
                f"claim {claim.claim_id} is {to_tier.name} already",
                next_step="nothing is to be done",
                details={"claim_id": claim.claim_id},
            )
        if to_tier > claim.tier:
            _require_right(session, writing, claim, to_tier)
        session.append(writing, [ClaimPromoted(claim.claim_id, claim.tier, to_tier, session.principal, noted)])
        return Promoted(claim.claim_id, claim.tier.name, to_tier.name)

    return session.store.write(work)


def _tier(name: str) -> Tier:
    given = {each.name: each for each in (Tier.UNVERIFIED, Tier.OPERATOR, Tier.SYSTEM)}
    found = given.get(name.upper())
    if found is None:
        raise InvalidInputError(
            "tier_not_given",
            f"nobody gives a claim the authority {shown(name, 64)!r}",
            next_step="give OPERATOR or SYSTEM, or UNVERIFIED to take it back; CORROBORATED comes of a second, "
            "independent source alone",
            details={"field": "tier"},
        )
    return found


def _require_right(session: Session, reading: Reading, claim: Claim, to_tier: Tier) -> None:
    policy = session.registry.policy
    why = None
    if claim.proposed_by == session.principal and not policy.solo:
        why = "it is one's own proposal; another person has to promote it"
    grounds = [seen_claim(session, reading, each) for each in claim.rests_on]
    if least_tier(Tier.UNVERIFIED if each is None else each.tier for each in grounds) < to_tier:
        why = "it rests on a claim with less authority; nothing has more than what it rests on"
    if why is not None:
        raise ForbiddenError(
            "promotion_refused",
            f"claim {claim.claim_id} is not promoted: {why}",
            next_step="ask another owner or operator, or promote what it rests on first",
            details={"claim_id": claim.claim_id, "tier": to_tier.name},
        )
