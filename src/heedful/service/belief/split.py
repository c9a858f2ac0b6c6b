"""Split: the events by which a claim gives up a stretch of time, and keeps what is before and after it.

Pure: ids and instants are arguments, nothing is read or written. `believe`, `correct` and late arrivals use it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

from heedful.claims.bitemporal import from_start, nothing_from, without
from heedful.claims.claim import TO_ACTIVE, Claim, ClaimStatus
from heedful.kernel.ids import ClaimId, PrincipalId
from heedful.kernel.intervals import Interval
from heedful.ledger.belief_events import ClaimBounded, ClaimConfirmed, ClaimPinned, ClaimWeighed
from heedful.ledger.events import ClaimApproved, ClaimProposed, ClaimTransitioned, Event


@dataclass(frozen=True, slots=True)
class Cut:
    """What is cut out of a claim, and by whom.

    Attributes:
        stretch: what the claim gives up.
        start_us: when the claim began, where its own validity does not say: see `from_start`.
        now_us: what ended at or before it is history.
        by: the claim for the sake of which it is cut, if one is the cause.
    """

    stretch: Interval
    start_us: int
    now_us: int
    actor: PrincipalId
    reason: str
    by: ClaimId | None = None


def split(claim: Claim, cut: Cut, rest_id: ClaimId) -> tuple[Event, ...]:
    """The events, in order, by which a claim that is or was believed gives up the stretch.

    It keeps what is before; of what is after a new claim `rest_id` is made, with the same evidence and authority. But
    where a question about it is open and what is before is over, it keeps what is after: the question is of what still
    stands. Where nothing is left before, the claim keeps what is after, and no new claim is made. What is left and over
    at `now_us` is superseded, what is not stays active. Where nothing is left it is bounded to nothing and superseded.
    No event where it gives up nothing.
    """
    whole = from_start(claim.valid, cut.start_us)
    before, after = without(whole, cut.stretch)
    if whole in (before, after):
        return ()
    if before is not None and claim.valid_from_us is None:
        before = Interval(None, before.end_us)  # nobody gave a start, and nobody has to
    kept = before or after or nothing_from(whole.start_us or 0)
    rest = after if before is not None else None
    if (
        claim.conflicts_open
        and before is not None
        and after is not None
        and _is_over(before, cut)
        and not _is_over(after, cut)
    ):
        kept, rest = after, before
    events: list[Event] = [_bounded(claim, cut, kept)]
    if claim.status is ClaimStatus.ACTIVE and (kept.is_empty or _is_over(kept, cut)):
        events.append(_moved(claim.claim_id, claim.status, ClaimStatus.SUPERSEDED, cut))
    if rest is not None:
        events += copied(claim, cut, rest_id, rest)
    return tuple(events)


def _is_over(valid: Interval, cut: Cut) -> bool:
    return valid.end_us is not None and valid.end_us <= cut.now_us


def _bounded(claim: Claim, cut: Cut, valid: Interval) -> ClaimBounded:
    return ClaimBounded(claim.claim_id, valid.start_us, valid.end_us, cut.actor, cut.reason, cut.by)


def _moved(claim_id: ClaimId, start: ClaimStatus, end: ClaimStatus, cut: Cut) -> ClaimTransitioned:
    return ClaimTransitioned(claim_id, start, end, cut.actor, cut.reason)


def copied(claim: Claim, cut: Cut, rest_id: ClaimId, valid: Interval) -> list[Event]:
    """The rest as a claim of its own, which stands where the first one stood: nothing that held for that is lost.

    Where the first one is not active, or the rest is over at `now_us`, it is superseded: history.
    """
    why = replace(cut, reason=f"what is left of claim {claim.claim_id} after a stretch that was put right")
    events: list[Event] = [_proposed(claim, rest_id, valid)]
    for start, end in pairwise(TO_ACTIVE):
        if end is ClaimStatus.ACTIVE:
            events += [ClaimApproved(rest_id, actor, why.reason) for actor in claim.approvals]
        events.append(_moved(rest_id, start, end, why))
    events += [ClaimConfirmed(rest_id, actor, why.reason, claim.claim_id) for actor in claim.confirmed_by]
    if claim.conflicts_lost:
        events.append(ClaimWeighed(rest_id, claim.confidence, claim.conflicts_lost, cut.actor, why.reason, None))
    if claim.pinned:
        events.append(ClaimPinned(rest_id, pinned=True, actor=cut.actor, reason=why.reason))
    if claim.status is not ClaimStatus.ACTIVE or _is_over(valid, cut):
        events.append(_moved(rest_id, ClaimStatus.ACTIVE, ClaimStatus.SUPERSEDED, why))
    return events


def _proposed(claim: Claim, rest_id: ClaimId, valid: Interval) -> ClaimProposed:
    return ClaimProposed(
        claim_id=rest_id,
        form=claim.form,
        kind=claim.kind,
        subject=claim.subject,
        property=claim.property,
        value=claim.value,
        statement=claim.statement,
        scope=claim.scope,
        classification=claim.classification,
        consent=claim.consent,
        tier=claim.tier,
        confidence=claim.confidence,
        visibility=claim.visibility,
        applies_to=claim.applies_to,
        not_for=claim.not_for,
        valid_from_us=valid.start_us,
        valid_to_us=valid.end_us,
        evidence=claim.evidence,
        proposed_by=claim.proposed_by,
        registry_revision=claim.registry_revision,
        told_by=None,
        replaces=(),
        rests_on=claim.rests_on,
    )
