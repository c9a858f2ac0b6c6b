"""Withdraw: what goes with a record that is evidence no more: what was made from it, and the claims on all of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from heedful.claims.authority import independent_origins, tier_by_lineage
from heedful.claims.claim import Claim, ClaimStatus
from heedful.claims.lifecycle import SERVICE_ACTOR
from heedful.kernel.errors import ConflictError
from heedful.kernel.ids import ClaimId, RecordId
from heedful.kernel.ladder import Tier
from heedful.ledger.belief_events import ClaimPromoted
from heedful.ledger.events import ClaimProposed, ClaimTransitioned, Event, RecordConfirmed, RecordWithdrawn
from heedful.observations.record import RecordStatus
from heedful.ports.store import Chain, Reading, StoredRecord, Writing
from heedful.service.belief.origins import origins_read
from heedful.service.belief.over import bounds_given_back, standing_again
from heedful.service.project import event_of
from heedful.service.session import Session

WITHDRAWN_MAX = 2_000
"""Records that go with one, over any number of summaries and copies; where more would, it is refused."""
MADE_FROM_WITHDRAWN = "what it was made from was withdrawn"
MADE_FROM_CONFIRMED = "what it was made from is evidence again"


@dataclass(slots=True)
class Withdrawal:
    """What a withdrawal does, as events in order, and to what.

    Attributes:
        records: those that go, the one that was asked for first.
        quarantined: claims that lose their evidence.
        fallen: claims that keep some, and lose the authority that the withdrawn gave them.
        standing_again: claims that only the words of what goes had ended.
        unfounded: of the quarantined those that have no evidence any more.
    """

    events: list[Event] = field(default_factory=list)
    records: list[StoredRecord] = field(default_factory=list)
    quarantined: list[Claim] = field(default_factory=list)
    fallen: list[Claim] = field(default_factory=list)
    standing_again: list[Claim] = field(default_factory=list)
    unfounded: list[Claim] = field(default_factory=list)


def withdrawal(session: Session, writing: Writing, stored: StoredRecord, reason: str) -> Withdrawal:
    """What the withdrawal of this record does; nothing is written yet.

    Raises:
        ConflictError: `withdrawal_too_wide`.
    """
    done = Withdrawal(records=_with_what_was_made(writing, stored))
    gone = {each.record.record_id for each in done.records}
    done.events.append(RecordWithdrawn(stored.record.record_id, session.principal, reason))
    done.events += [
        RecordWithdrawn(each.record.record_id, SERVICE_ACTOR, MADE_FROM_WITHDRAWN) for each in done.records[1:]
    ]
    for claim in _claims_on(writing, gone):
        _weigh(session, writing, claim, gone, done)
    for each in done.records:
        back = standing_again(writing, each)
        for claim, move in back:
            done.events += [*bounds_given_back(writing, each, claim), move]
            waits = move.to_status == ClaimStatus.QUARANTINED
            (done.quarantined if waits else done.standing_again).append(claim)
    return done


def confirmed_with(writing: Writing, stored: StoredRecord) -> list[Event]:
    """The confirmations of records that had only gone with this one, as it is evidence again; over any steps."""
    events: list[Event] = []
    standing = {stored.record.record_id}
    asked = [stored.record.record_id]
    while asked and len(standing) < WITHDRAWN_MAX:
        for each in writing.records_from(asked.pop()):
            record_id = each.record.record_id
            went_along = each.status is RecordStatus.WITHDRAWN and each.status_reason == MADE_FROM_WITHDRAWN
            if went_along and record_id not in standing and _all_stand(writing, each, standing):
                standing.add(record_id)
                asked.append(record_id)
                events.append(RecordConfirmed(record_id, SERVICE_ACTOR, MADE_FROM_CONFIRMED))
    return events


def _with_what_was_made(writing: Writing, stored: StoredRecord) -> list[StoredRecord]:
    found = {stored.record.record_id: stored}
    asked = [stored.record.record_id]
    while asked:
        for each in writing.records_from(asked.pop(0)):
            if each.record.record_id not in found and each.status is not RecordStatus.WITHDRAWN:
                found[each.record.record_id] = each
                asked.append(each.record.record_id)
        if len(found) > WITHDRAWN_MAX:
            raise ConflictError(
                "withdrawal_too_wide",
                f"more than {WITHDRAWN_MAX} records were made from this one, and would be withdrawn with it",
                next_step="withdraw the summaries and copies that most were made from first",
                details={"id": stored.record.record_id, "limit": WITHDRAWN_MAX},
            )
    return list(found.values())


def _claims_on(writing: Writing, record_ids: Iterable[RecordId]) -> list[Claim]:
    found: dict[ClaimId, Claim] = {}
    for record_id in record_ids:
        found |= {each.claim_id: each for each in writing.claims_on(record_id)}
    live = (each for each in found.values() if each.status not in (ClaimStatus.REVOKED, ClaimStatus.QUARANTINED))
    return sorted(live, key=lambda claim: (claim.position, claim.claim_id))


def _weigh(session: Session, writing: Writing, claim: Claim, gone: set[RecordId], done: Withdrawal) -> None:
    """It is quarantined; but what another source said as well falls back to what that is worth alone."""
    left = [each for each in claim.evidence if each not in gone]
    if not _is_carried(writing, claim, left):
        reason = "its evidence was withdrawn"
        done.events.append(
            ClaimTransitioned(claim.claim_id, claim.status, ClaimStatus.QUARANTINED, SERVICE_ACTOR, reason)
        )
        done.quarantined.append(claim)
        done.unfounded.append(claim)
        return
    done.fallen.append(claim)
    if claim.tier is Tier.CORROBORATED and not _is_corroborated(session, writing, claim, left):
        reason = "a record that corroborated it was withdrawn"
        done.events.append(ClaimPromoted(claim.claim_id, claim.tier, Tier.UNVERIFIED, SERVICE_ACTOR, reason))
    elif claim.tier >= Tier.OPERATOR and claim.tier is claim.tier_at_write:
        tier = _tier_left(session, writing, claim, left)
        reason = "the record that it had its authority from was withdrawn"
        if tier < claim.tier:
            done.events.append(ClaimPromoted(claim.claim_id, claim.tier, tier, SERVICE_ACTOR, reason))


def _is_carried(writing: Writing, claim: Claim, left: list[RecordId]) -> bool:
    """True where a record that stands says what the claim says by itself: it corroborated it, or was corroborated.

    A claim that was made of several records together rests on all of them.
    """
    stored = writing.records_by_ids(left) if left else ()
    standing = {each.record.record_id for each in stored if each.status is RecordStatus.ADMITTED}
    if not standing:
        return False
    made_of = _made_of(writing, claim)
    corroborating = set(claim.evidence) - made_of
    return bool(standing & corroborating) or (bool(corroborating) and made_of <= standing)


def _tier_left(session: Session, writing: Writing, claim: Claim, left: list[RecordId]) -> Tier:
    """The authority of the evidence that is left: the most that one of the records has, or that two agree to."""
    standing = [each.record for each in writing.records_by_ids(left) if each.status is RecordStatus.ADMITTED]
    lineage = origins_read(session, writing, claim, standing)
    agreed = Tier.CORROBORATED if independent_origins(standing, lineage) > 1 else Tier.UNVERIFIED
    return max(agreed, *(tier_by_lineage(each, lineage) for each in standing))


def _is_corroborated(session: Session, writing: Writing, claim: Claim, left: list[RecordId]) -> bool:
    """True where two records of what is left are of independent origins still."""
    standing = [each.record for each in writing.records_by_ids(left) if each.status is RecordStatus.ADMITTED]
    return independent_origins(standing, origins_read(session, writing, claim, standing)) > 1


def _made_of(reading: Reading, claim: Claim) -> set[RecordId]:
    (sealed,) = reading.events(Chain.LEDGER, after=claim.position - 1, limit=1)
    proposed = event_of(sealed)
    assert isinstance(proposed, ClaimProposed)
    return set(proposed.evidence)


def _all_stand(reading: Reading, stored: StoredRecord, standing: set[RecordId]) -> bool:
    origins = [each for each in stored.record.derived_from if each not in standing]
    found = reading.records_by_ids(origins) if origins else ()
    return len(found) == len(origins) and all(each.status is RecordStatus.ADMITTED for each in found)
