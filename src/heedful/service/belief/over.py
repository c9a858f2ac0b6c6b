"""Over: claims that an approved end supersedes, and those that stand again when the words of an end are withdrawn."""

from __future__ import annotations

from collections.abc import Sequence

from heedful.claims.claim import LIVE, UNREVIEWED, Claim, ClaimStatus, Form
from heedful.claims.lifecycle import SERVICE_ACTOR
from heedful.claims.said import denied_in
from heedful.kernel.ids import ClaimId, RecordId
from heedful.kernel.intervals import Interval
from heedful.kernel.ladder import Classification
from heedful.ledger.belief_events import ClaimBounded
from heedful.ledger.events import ClaimProposed, ClaimTransitioned, Event
from heedful.ports.store import Chain, Reading, StoredRecord, Visible, Writing
from heedful.service.project import event_of
from heedful.service.session import Session
from heedful.service.sight import seen_claim, seen_with

TAKE_BACK_EVENTS_MAX = 20_000
"""Ledger events after the record that are looked at: what it ended stands in the ledger right behind it, or behind the
batch that it came with."""
FOLLOWED_MAX = 1_000
"""States of one subject, the newest, among which is looked for one that follows."""


_BY_WORDS = "over, by what record "


def replaced(session: Session, writing: Writing, claim: Claim, reason: str) -> list[Event]:
    """The ends of the claims that this one says are over and that still stand, where whoever sees those sees this.

    What it denies held until it was said, whenever that is approved, and it is so from then on; a value in its place is
    placed by its own time.
    """
    (sealed,) = writing.events(Chain.LEDGER, after=claim.position - 1, limit=1)
    proposed = event_of(sealed)
    assert isinstance(proposed, ClaimProposed)
    found = [seen_claim(session, writing, each) for each in proposed.replaces]
    # What the person wrote stands in the events of this one, and goes with it.
    noted = f"replaced by {claim.claim_id}"
    said_us = _said_us(writing, claim) if claim.value is False or denied_in(claim.value) is not None else None
    events: list[Event] = []
    for each in found:
        if each is None or each.status not in LIVE or not seen_with(session, writing, each, claim):
            continue
        if said_us is not None and each.status is ClaimStatus.ACTIVE and holds_beyond(each, said_us):
            events.append(ClaimBounded(each.claim_id, each.valid_from_us, said_us, session.principal, noted, None))
        events.append(ClaimTransitioned(each.claim_id, each.status, ClaimStatus.SUPERSEDED, session.principal, noted))
    if events and said_us is not None and claim.valid_from_us is None and holds_beyond(claim, said_us):
        events.append(ClaimBounded(claim.claim_id, said_us, claim.valid_to_us, session.principal, reason, None))
    return events


def _said_us(reading: Reading, claim: Claim) -> int | None:
    """When what it rests on was said, the first of it; None where that is not known, or is a clock's that is ahead."""
    stored = reading.record(claim.evidence[0])
    if stored is None or stored.record.occurred.precision == "unknown":
        return None
    return min(stored.record.occurred.at_us, stored.recorded_at_us)


def holds_beyond(claim: Claim, at_us: int) -> bool:
    """True where it holds before and after the instant."""
    begins = claim.valid_from_us is None or claim.valid_from_us < at_us
    return begins and (claim.valid_to_us is None or at_us < claim.valid_to_us)


def ended_by_words(record_id: RecordId) -> str:
    """The reason of a claim's end that words of this record brought, with nobody's approval."""
    return f"{_BY_WORDS}{record_id} says"


def standing_again(writing: Writing, stored: StoredRecord) -> tuple[tuple[Claim, ClaimTransitioned], ...]:
    """The claims that the record's words alone ended, each with the move back to where it stood, in ledger order.

    One that was active is quarantined: others may have said otherwise since, so a person brings it back.
    """
    reason = ended_by_words(stored.record.record_id)
    ended: dict[ClaimId, ClaimStatus] = {}
    for sealed in writing.events(Chain.LEDGER, after=stored.position, limit=TAKE_BACK_EVENTS_MAX):
        if sealed.envelope.type != "claim.transitioned" or sealed.payload is None:
            continue
        event = event_of(sealed)
        if isinstance(event, ClaimTransitioned) and event.reason == reason:
            ended[event.claim_id] = ClaimStatus(event.from_status)
    found = writing.claims_by_ids(list(ended)) if ended else ()
    return tuple(
        (
            claim,
            _move_back(claim, ended[claim.claim_id], stored),
        )
        for claim in found
        if claim.status is ClaimStatus.SUPERSEDED
        and claim.status_reason == reason
        and not _is_followed(writing, claim, stored)
    )


def standing_again_of_all(
    writing: Writing, stored: Sequence[StoredRecord]
) -> tuple[tuple[Claim, ClaimTransitioned, RecordId], ...]:
    """As `standing_again`, of many records in one walk over the ledger, each with the record that had ended it."""
    by_reason = {ended_by_words(each.record.record_id): each for each in stored}
    if not stored:
        return ()
    ended: dict[ClaimId, tuple[ClaimStatus, str]] = {}
    first = min(each.position for each in stored)
    for sealed in writing.events_of("claim.transitioned", after=first, holding=_BY_WORDS):
        event = event_of(sealed) if sealed.payload is not None else None
        if isinstance(event, ClaimTransitioned) and event.reason in by_reason:
            ended[event.claim_id] = (ClaimStatus(event.from_status), event.reason)
    back = []
    for claim in writing.claims_by_ids(list(ended)) if ended else ():
        status, reason = ended[claim.claim_id]
        record = by_reason[reason]
        is_ended = claim.status is ClaimStatus.SUPERSEDED and claim.status_reason == reason
        if is_ended and not _is_followed(writing, claim, record):
            back.append((claim, _move_back(claim, status, record), record.record.record_id))
    return tuple(back)


def _move_back(claim: Claim, status: ClaimStatus, stored: StoredRecord) -> ClaimTransitioned:
    to_status = status if status in UNREVIEWED else ClaimStatus.QUARANTINED
    reason = f"record {stored.record.record_id}, by which it was over, was withdrawn"
    return ClaimTransitioned(claim.claim_id, claim.status, to_status, SERVICE_ACTOR, reason)


def bounds_given_back(writing: Writing, stored: StoredRecord, claim: Claim) -> tuple[ClaimBounded, ...]:
    """The validity that the claim had before words of this record ended it; nothing where they left it as it was.

    Found among the TAKE_BACK_EVENTS_MAX ledger events before the record, and else as it was proposed.
    """
    record_id = stored.record.record_id
    if claim.valid_to_us != stored.record.occurred.at_us:
        return ()
    (proposed,) = (event_of(each) for each in writing.events(Chain.LEDGER, after=claim.position - 1, limit=1))
    assert isinstance(proposed, ClaimProposed)
    bounds = Interval(proposed.valid_from_us, proposed.valid_to_us)
    first = max(claim.position, stored.position - TAKE_BACK_EVENTS_MAX)
    for sealed in writing.events(Chain.LEDGER, after=first, limit=stored.position - first):
        if sealed.envelope.type == "claim.bounded" and sealed.payload is not None:
            event = event_of(sealed)
            if isinstance(event, ClaimBounded) and event.claim_id == claim.claim_id:
                bounds = Interval(event.valid_from_us, event.valid_to_us)
    if bounds == claim.valid:
        return ()
    reason = f"record {record_id}, by which it was over, was withdrawn"
    return (ClaimBounded(claim.claim_id, bounds.start_us, bounds.end_us, SERVICE_ACTOR, reason, None),)


def _is_followed(writing: Writing, claim: Claim, stored: StoredRecord) -> bool:
    """True for a state of which another one, not of the withdrawn record, stands: that one is what holds now."""
    if claim.form is not Form.STATE:
        return False
    about = writing.claims_about(Visible((claim.scope,), Classification.RESTRICTED), claim.subject, limit=FOLLOWED_MAX)
    return any(
        each.property == claim.property
        and each.form is claim.form
        and each.status in LIVE
        and stored.record.record_id not in each.evidence
        for each in about
    )
