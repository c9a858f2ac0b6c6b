"""Override: a person confirms, retracts, pins or unpins a claim, each with a reason, each as an event."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

from heedful.claims.claim import HISTORY, LIVE, UNREVIEWED, Claim, ClaimStatus
from heedful.claims.decide import Because
from heedful.claims.lifecycle import REJECTED, REVOKED
from heedful.claims.projections.experience import is_tested
from heedful.kernel.ids import ClaimId, PrincipalId, RecordId
from heedful.ledger.belief_events import ClaimConfirmed, ClaimPinned
from heedful.ledger.events import ClaimTransitioned
from heedful.policy.decide import may
from heedful.ports.store import Writing
from heedful.service.belief.approve_claim import approval_answer, approve_claim, has_live_evidence
from heedful.service.belief.claim_history import changed_by, confirmers, ended_by, histories, proposals
from heedful.service.belief.follow import dependants
from heedful.service.belief.given_back import give_back
from heedful.service.belief.overriding import (
    claim_for,
    require_authority,
    require_confirmable,
    require_override,
    require_rule_right,
    speaks_for_it,
)
from heedful.service.requests import reason_text
from heedful.service.session import Session
from heedful.service.sight import seen_of

_RETRACTABLE = LIVE | {ClaimStatus.QUARANTINED}


@dataclass(frozen=True, slots=True)
class Overridden:
    """What a person's override did.

    Attributes:
        status: where the claim stands now.
        changed: False: it was so already, and nothing was written.
        record_id: of the person's words; None: there are none beside the reason.
        correction_id: the claim that is right from now on; None: it was no correction.
        waits: True: the correction waits for another person's approval, and nothing else changed.
        needs_review: claims that rested on it and are to be looked at again, of those that this person may see.
        standing_again: claims that hold again, as the correction that had ended them was taken back.
    """

    claim_id: ClaimId
    status: ClaimStatus
    changed: bool
    record_id: RecordId | None = None
    correction_id: ClaimId | None = None
    waits: bool = False
    needs_review: tuple[ClaimId, ...] = ()
    standing_again: tuple[ClaimId, ...] = ()


def confirm(session: Session, claim_id: str, *, reason: str) -> Overridden:
    """What it did: the claim is confirmed by who may speak for its subject, and what others say no longer outweighs it.

    One that waits for review is approved by it too, as far as one approval goes: their own statement is not.

    Raises:
        NotFoundError: `item_not_found`.
        ForbiddenError: `override_not_yours`, `confirmation_not_yours`.
        ConflictError: `claim_over`.
        InvalidInputError: see `reason_text`.
    """
    noted = reason_text(reason)

    def work(writing: Writing) -> Overridden:
        claim = claim_for(session, writing, claim_id, LIVE, "confirmed")
        require_confirmable(session, claim)
        if session.principal in claim.confirmed_by and _said_so(writing, claim, session.principal):
            return Overridden(claim.claim_id, claim.status, changed=False)
        session.append(writing, [ClaimConfirmed(claim.claim_id, session.principal, noted, None)])
        _approve(session, writing, claim, noted)
        return _answer(writing, claim)

    return session.store.write(work)


def retract(session: Session, claim_id: str, *, reason: str) -> Overridden:
    """What it did: the claim is taken back, as if it never held, and what rests on it is looked at again.

    Where it was a correction, what it had taken from others is theirs again.

    Raises:
        NotFoundError: `item_not_found`.
        ForbiddenError: `override_not_yours`, `claim_system`, `claim_operator`.
        ConflictError: `claim_over`.
        InvalidInputError: see `reason_text`.
    """
    noted = reason_text(reason)

    def work(writing: Writing) -> Overridden:
        claim = claim_for(session, writing, claim_id, _RETRACTABLE | HISTORY, "retracted")
        is_correction = _is_correction(writing, claim)
        if not is_correction or ended_by(claim) is not None:
            # A correction of what is past is history at once; what others ended is over.
            claim_for(session, writing, claim_id, _RETRACTABLE, "retracted")
        require_override(session, claim)
        require_rule_right(session, writing, claim)
        require_authority(session, claim)
        how = REJECTED if claim.status in UNREVIEWED else REVOKED
        why = f"{how}retracted: {noted}"
        path = [claim.status, *([ClaimStatus.QUARANTINED] if claim.status in HISTORY else []), ClaimStatus.REVOKED]
        session.append(
            writing, [ClaimTransitioned(claim.claim_id, *pair, session.principal, why) for pair in pairwise(path)]
        )
        back = give_back(session, writing, [claim]) if is_correction else ()
        done = _answer(writing, claim, reexamined(session, writing, claim.claim_id))
        return replace(done, standing_again=tuple(each.claim_id for each in seen_of(session, writing, back)))

    return session.store.write(work)


def pin(session: Session, claim_id: str, *, reason: str) -> Overridden:
    """What it did: the claim is kept as it is; no collection archives it, and no conflict wears it down.

    Raises:
        NotFoundError: `item_not_found`.
        ForbiddenError: `principal_may_not`.
        ConflictError: `claim_over`.
        InvalidInputError: see `reason_text`.
    """
    return _pinned(session, claim_id, reason, pinned=True)


def unpin(session: Session, claim_id: str, *, reason: str) -> Overridden:
    """What it did: the claim is weighed and collected like any other again; see `pin`."""
    return _pinned(session, claim_id, reason, pinned=False)


def reexamined(session: Session, writing: Writing, claim_id: ClaimId) -> tuple[ClaimId, ...]:
    """The claims that rest on this one, over any steps, and wait to be looked at again, as far as the session sees."""
    return tuple(each.claim_id for each in seen_of(session, writing, dependants(writing, [claim_id])))


def _said_so(writing: Writing, claim: Claim, who: PrincipalId) -> bool:
    """True where they confirmed it in so many words: what another record of theirs does goes with that record."""
    return None in confirmers(histories(writing, [claim])[claim.claim_id]).get(who, ())


def _is_correction(writing: Writing, claim: Claim) -> bool:
    """True where it put right what it replaces by who may: with nobody's approval, as that is an end of its own.

    Words that are told of the same start, such as "Actually it's Lyon", put right what they end, too.
    """
    if _ended_from_the_start(writing, claim):
        return True
    made = proposals(writing, [claim]).get(claim.claim_id)
    if made is None or not made.replaces:
        return False
    is_cut = any(each.claim_id in made.replaces for each in changed_by(writing, [claim.claim_id]))
    return is_cut or any(ended_by(each) == claim.claim_id for each in writing.claims_by_ids(made.replaces))


def _ended_from_the_start(writing: Writing, claim: Claim) -> bool:
    """True where it ended what holds since the same instant, and nobody approved that."""
    met = writing.conflicts_of([claim.claim_id], only_open=False)
    others = [each.standing_id for each in met if each.because == Because.SAME_START and not claim.approvals]
    return bool(others) and any(ended_by(each) == claim.claim_id for each in writing.claims_by_ids(others))


def _pinned(session: Session, claim_id: str, reason: str, *, pinned: bool) -> Overridden:
    session.require("approve")
    noted = reason_text(reason)

    def work(writing: Writing) -> Overridden:
        claim = claim_for(session, writing, claim_id, LIVE, "pinned")
        if claim.pinned is pinned:
            return Overridden(claim.claim_id, claim.status, changed=False)
        session.append(writing, [ClaimPinned(claim.claim_id, pinned, session.principal, noted)])
        return _answer(writing, claim)

    return session.store.write(work)


def _approve(session: Session, writing: Writing, claim: Claim, reason: str) -> None:
    """The approval that a confirmation is, where it counts for one; none for what is active, or the person's own."""
    counts = speaks_for_it(session, claim) or may(session.registry.policy, session.principal, "approve").allowed
    is_ready = is_tested(claim.form, claim.scope, claim.valid_from_us) and has_live_evidence(writing, claim)
    if claim.status not in UNREVIEWED or not counts or not is_ready:
        return
    answer = approval_answer(session, claim)
    confirmed = writing.claim(claim.claim_id)
    if answer.refused is None and confirmed is not None:
        approve_claim(session, writing, confirmed, reason)


def _answer(writing: Writing, claim: Claim, needs_review: tuple[ClaimId, ...] = ()) -> Overridden:
    now = writing.claim(claim.claim_id)
    assert now is not None
    return replace(Overridden(claim.claim_id, now.status, changed=True), needs_review=needs_review)
