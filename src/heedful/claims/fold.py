"""Fold: ledger events -> claims. Pure, so that refolding gives the same claims, byte for byte."""

from __future__ import annotations

from dataclasses import replace

from heedful.claims.claim import HISTORY, Claim, ClaimStatus, Form, Visibility
from heedful.claims.lifecycle import APART_AGAIN, CONSENT_GIVEN, GROUND_RETURNED, STANDS_AGAIN, TRANSITIONS
from heedful.kernel.errors import FaultError
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
from heedful.ledger.events import ClaimApproved, ClaimProposed, ClaimTransitioned

_BACK_BY_ITSELF = frozenset({GROUND_RETURNED, STANDS_AGAIN, APART_AGAIN, CONSENT_GIVEN})


def propose(event: ClaimProposed, *, position: int, recorded_at_us: int) -> Claim:
    """The claim as it was proposed, known from the moment that the ledger recorded it."""
    return Claim(
        claim_id=event.claim_id,
        position=position,
        form=Form(event.form),
        kind=event.kind,
        subject=event.subject,
        property=event.property,
        value=event.value,
        statement=event.statement,
        scope=event.scope,
        classification=event.classification,
        consent=event.consent,
        tier=event.tier,
        confidence=event.confidence,
        visibility=Visibility(event.visibility),
        applies_to=event.applies_to,
        not_for=event.not_for,
        valid_from_us=event.valid_from_us,
        valid_to_us=event.valid_to_us,
        known_from_us=recorded_at_us,
        evidence=event.evidence,
        proposed_by=event.proposed_by,
        registry_revision=event.registry_revision,
        status=ClaimStatus.PROPOSED,
        status_reason="proposed",
        approvals=(),
        tier_at_write=event.tier,
        rests_on=event.rests_on,
    )


def ledger_inconsistent(message: str, item_id: str) -> FaultError:
    """The error of an event that earlier ones do not allow; `item_id` is of the claim or record that it speaks of."""
    return FaultError(
        "ledger_inconsistent",
        message,
        next_step="run `heedful verify`; where it finds nothing, report this with the release that wrote the event",
        details={"id": item_id},
    )


def transition(claim: Claim, event: ClaimTransitioned, *, recorded_at_us: int) -> Claim:
    """The claim after the move. Quarantine takes its approvals away: coming back needs a new review.

    But where it comes back by itself, as what it rests on stands again, what ended it was withdrawn, or a consent was
    given again: then it has those that it had. An active one that is superseded or expires has held until then, which
    it is known by.

    Raises:
        FaultError: `ledger_inconsistent` where the event starts elsewhere, or the move is not in the table.
    """
    if claim.status != event.from_status:
        raise ledger_inconsistent(
            f"claim {claim.claim_id} is {claim.status}, the ledger moves it from {event.from_status}",
            claim.claim_id,
        )
    status = ClaimStatus(event.to_status)
    if (claim.status, status) not in TRANSITIONS:
        raise ledger_inconsistent(
            f"the ledger moves claim {claim.claim_id} from {event.from_status} to {status}; no rule allows that",
            claim.claim_id,
        )
    moved = replace(claim, status=status, status_reason=event.reason)
    if status is ClaimStatus.ACTIVE:
        moved = replace(moved, ended_us=None)
    elif claim.status is ClaimStatus.ACTIVE and status in HISTORY:
        moved = replace(moved, ended_us=recorded_at_us)
    if status is ClaimStatus.QUARANTINED:
        return replace(moved, approvals=(), approvals_before=claim.approvals)
    if claim.approvals_before:
        given = claim.approvals_before if event.reason in _BACK_BY_ITSELF else claim.approvals
        return replace(moved, approvals=given, approvals_before=())
    return moved


def approve(claim: Claim, event: ClaimApproved) -> Claim:
    """The claim with one approval more."""
    return replace(claim, approvals=(*claim.approvals, event.actor))


def believe(claim: Claim, event: BeliefEvent) -> Claim:
    """The claim as it stands after the event.

    Raises:
        FaultError: `ledger_inconsistent` where it is promoted from a tier that it does not have, or a conflict of it
            ends of which nothing told.
    """
    match event:
        case ClaimCorroborated():
            evidence = tuple(dict.fromkeys((*claim.evidence, event.record_id)))
            return replace(claim, evidence=evidence, tier=event.tier)
        case ClaimPromoted():
            return _promoted(claim, event)
        case ClaimWeighed():
            return replace(claim, confidence=event.confidence, conflicts_lost=event.conflicts_lost)
        case ClaimConfirmed():
            return replace(claim, confirmed_by=tuple(dict.fromkeys((*claim.confirmed_by, event.actor))))
        case ClaimUnconfirmed():
            return replace(claim, confirmed_by=tuple(each for each in claim.confirmed_by if each != event.confirmed_by))
        case ClaimPinned():
            return replace(claim, pinned=event.pinned)
        case ClaimBounded():
            return replace(claim, valid_from_us=event.valid_from_us, valid_to_us=event.valid_to_us)
        case ConflictDetected():
            return replace(claim, conflicts_open=claim.conflicts_open + 1)
        case ConflictResolved():
            return _without_conflict(claim)


def _promoted(claim: Claim, event: ClaimPromoted) -> Claim:
    if claim.tier is not event.from_tier:
        raise ledger_inconsistent(
            f"claim {claim.claim_id} has tier {claim.tier}, the ledger promotes it from {event.from_tier}",
            claim.claim_id,
        )
    return replace(claim, tier=event.to_tier)


def _without_conflict(claim: Claim) -> Claim:
    if not claim.conflicts_open:
        raise ledger_inconsistent(
            f"claim {claim.claim_id} has no open conflict, and the ledger ends one", claim.claim_id
        )
    return replace(claim, conflicts_open=claim.conflicts_open - 1)
