"""Overriding: who may put a claim right, confirm or take it back, and what is said where they may not."""

from __future__ import annotations

from heedful.claims.claim import RULE_FORMS, Claim, ClaimStatus
from heedful.kernel.errors import ConflictError, ForbiddenError
from heedful.kernel.ladder import Tier
from heedful.observations.record import Channel
from heedful.observations.speaking import is_own_word
from heedful.policy.decide import is_agent, may
from heedful.policy.speaks import speaks_for
from heedful.ports.store import Reading
from heedful.service.session import Session
from heedful.service.sight import not_found, seen_claim

_PEOPLE = frozenset({"user", "person"})


def claim_for(session: Session, reading: Reading, claim_id: str, statuses: frozenset[ClaimStatus], what: str) -> Claim:
    """The claim, which the session sees and which stands where that can be done with it; `what` says it in words.

    Raises:
        NotFoundError: `item_not_found`.
        ConflictError: `claim_over`.
    """
    claim = seen_claim(session, reading, claim_id)
    if claim is None:
        raise not_found(claim_id)
    if claim.status not in statuses:
        raise ConflictError(
            "claim_over",
            f"claim {claim.claim_id} is {claim.status}; it can't be {what}",
            next_step="`heedful why` tells how it ended; what holds now is a claim of its own",
            details={"claim_id": claim.claim_id, "status": claim.status.value},
        )
    return claim


def require_override(session: Session, claim: Claim) -> None:
    """Nothing, where the session speaks for the claim's subject or policy lets it approve.

    Raises:
        ForbiddenError: `override_not_yours`.
    """
    policy = session.registry.policy
    is_person = session.channel is not Channel.AGENT and not is_agent(policy, session.principal)
    if is_person and (speaks_for_it(session, claim) or may(policy, session.principal, "approve").allowed):
        return
    raise ForbiddenError(
        "override_not_yours",
        f"{session.principal} may not put this right: it neither speaks for the claim's subject, through a person's "
        "door, nor may it approve",
        next_step="have the subject or a reviewer do it; or remember what you know, which is weighed with the claim",
        details={"claim_id": claim.claim_id, "principal": session.principal},
    )


def require_authority(session: Session, claim: Claim) -> None:
    """Nothing, where the claim's authority may be set aside by this session.

    Raises:
        ForbiddenError: `claim_system` for a SYSTEM claim, `claim_operator` for an OPERATOR's where policy does not let
            the principal promote.
    """
    details: dict[str, object] = {"claim_id": claim.claim_id}
    if claim.tier is Tier.SYSTEM:
        raise ForbiddenError(
            "claim_system",
            f"claim {claim.claim_id} is the system's own configuration; nobody corrects or retracts it here",
            next_step="change the configuration that states it, and remember that as the system",
            details=details,
        )
    if claim.tier is Tier.OPERATOR and not may(session.registry.policy, session.principal, "promote").allowed:
        raise ForbiddenError(
            "claim_operator",
            f"claim {claim.claim_id} is an operator's; it leaves only with the confirmation of one who may promote",
            next_step="ask an owner or operator to do it, or remember what you know: they will be asked",
            details=details,
        )


def require_confirmable(session: Session, claim: Claim) -> None:
    """Nothing, where the session's confirmation counts: of a person, only they or who speaks for them can give it.

    Raises:
        ForbiddenError: `override_not_yours`, `confirmation_not_yours`.
    """
    require_override(session, claim)
    of_person = claim.subject.partition(":")[0] in _PEOPLE
    if of_person and not speaks_for_it(session, claim) and not session.registry.policy.solo:
        raise ForbiddenError(
            "confirmation_not_yours",
            f"claim {claim.claim_id} is about a person, and {session.principal} does not speak for them",
            next_step="have them confirm it, name who speaks for them in policy.yaml (`speaks_for`), or approve it: "
            "`heedful review approve`",
            details={"claim_id": claim.claim_id},
        )


def require_rule_right(session: Session, reading: Reading, claim: Claim) -> None:
    """Nothing, where the claim is no rule, or is the subject's own word, or the session may approve rules.

    Raises:
        ForbiddenError: `override_not_yours`.
    """
    policy = session.registry.policy
    if claim.form not in RULE_FORMS or may(policy, session.principal, "approve").allowed:
        return
    stored = reading.records_by_ids(claim.evidence)
    if stored and all(is_own_word(policy, each.record, claim.subject) for each in stored):
        return
    raise ForbiddenError(
        "override_not_yours",
        f"claim {claim.claim_id} is a rule that others stated; its subject alone does not change it",
        next_step="ask a reviewer",
        details={"claim_id": claim.claim_id, "principal": session.principal},
    )


def speaks_for_it(session: Session, claim: Claim) -> bool:
    """True where the principal speaks for the claim's subject."""
    return speaks_for(session.registry.policy, session.principal, claim.subject)
