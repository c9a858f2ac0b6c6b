"""Withdraw: what goes with a record that is evidence no more: what was made from it, and the claims on all of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from heedful.claims.authority import independent_origins, tier_by_lineage
from heedful.claims.claim import Claim, ClaimStatus
from heedful.claims.lifecycle import SERVICE_ACTOR
from heedful.kernel.errors import ConflictError
from heedful.kernel.ids import ClaimId, RecordId
from heedful.kernel.ladder import Tier
from heedful.ledger.belief_events import ClaimPromoted
from heedful.ledger.events import ClaimTransitioned, Event, RecordConfirmed, RecordWithdrawn
from heedful.observations.record import Record, RecordStatus
from heedful.ports.store import Reading, StoredRecord, Writing
from heedful.service.belief.claim_history import proposals
from heedful.service.belief.origins import origins_read
from heedful.service.belief.over import bounds_given_back, standing_again, standing_again_of_all
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
    _weigh_all(session, writing, _claims_on(writing, gone), gone, done)
    for each in done.records:
        back = standing_again(writing, each)
        for claim, move in back:
            done.events += [*bounds_given_back(writing, each, claim), move]
            waits = move.to_status == ClaimStatus.QUARANTINED
            (done.quarantined if waits else done.standing_again).append(claim)
    return done


def withdrawal_of(
    session: Session, writing: Writing, stored: Sequence[StoredRecord], ended: Collection[ClaimId], reason: str
) -> Withdrawal:
    """What the withdrawal of all of these records does, and of these claims, whoever else says the same.

    Nothing is written yet. Records that are withdrawn already are left as they are.
    """
    done = Withdrawal(records=[each for each in stored if not each.is_withdrawn])
    gone = {each.record.record_id for each in stored}
    done.events += [RecordWithdrawn(each.record.record_id, session.principal, reason) for each in done.records]
    claims = _claims_on(writing, gone)
    for claim in claims:
        if claim.claim_id in ended:
            _quarantine(claim, done)
    _weigh_all(session, writing, [each for each in claims if each.claim_id not in ended], gone, done)
    by_id = {each.record.record_id: each for each in stored}
    for claim, move, record_id in standing_again_of_all(writing, stored):
        if claim.claim_id not in ended:
            done.events += [*bounds_given_back(writing, by_id[record_id], claim), move]
            done.standing_again.append(claim)
    return done


def confirmed_with(writing: Writing, stored: StoredRecord) -> list[RecordConfirmed]:
    """The confirmations of records that had only gone with this one, as it is evidence again; over any steps."""
    events: list[RecordConfirmed] = []
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
            if each.record.record_id not in found and not each.is_withdrawn:
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
    live = (
        each
        for each in writing.claims_on_any(list(record_ids))
        if each.status not in (ClaimStatus.REVOKED, ClaimStatus.QUARANTINED)
    )
    return sorted(live, key=lambda claim: (claim.position, claim.claim_id))


@dataclass(frozen=True, slots=True)
class _Rest:
    """What a claim has left: records that stand still, and what it was made of."""

    standing: list[Record]
    made_of: set[RecordId]


def _left(reading: Reading, claims: list[Claim], gone: set[RecordId]) -> dict[ClaimId, list[Record]]:
    """Claim -> its evidence that stands, of what does not go; one statement."""
    wanted = [each for claim in claims for each in claim.evidence if each not in gone]
    stored = reading.records_by_ids(list(dict.fromkeys(wanted))) if wanted else ()
    standing = {each.record.record_id: each.record for each in stored if each.is_evidence}
    return {claim.claim_id: [standing[each] for each in claim.evidence if each in standing] for claim in claims}


def _weigh_all(session: Session, writing: Writing, claims: list[Claim], gone: set[RecordId], done: Withdrawal) -> None:
    made = proposals(writing, claims) if claims else {}
    left = _left(writing, claims, gone)
    for claim in claims:
        _weigh(session, writing, claim, _Rest(left[claim.claim_id], set(made[claim.claim_id].evidence)), done)


def _quarantine(claim: Claim, done: Withdrawal) -> None:
    reason = "its evidence was withdrawn"
    done.events.append(ClaimTransitioned(claim.claim_id, claim.status, ClaimStatus.QUARANTINED, SERVICE_ACTOR, reason))
    done.quarantined.append(claim)
    done.unfounded.append(claim)


def _weigh(session: Session, writing: Writing, claim: Claim, rest: _Rest, done: Withdrawal) -> None:
    """It is quarantined; but what another source said as well falls back to what that is worth alone."""
    if not _is_carried(claim, rest):
        _quarantine(claim, done)
        return
    done.fallen.append(claim)
    if claim.tier is Tier.CORROBORATED and not _is_corroborated(session, writing, claim, rest):
        reason = "a record that corroborated it was withdrawn"
        done.events.append(ClaimPromoted(claim.claim_id, claim.tier, Tier.UNVERIFIED, SERVICE_ACTOR, reason))
    elif claim.tier >= Tier.OPERATOR and claim.tier is claim.tier_at_write:
        tier = _tier_left(session, writing, claim, rest)
        reason = "the record that it had its authority from was withdrawn"
        if tier < claim.tier:
            done.events.append(ClaimPromoted(claim.claim_id, claim.tier, tier, SERVICE_ACTOR, reason))


def _is_carried(claim: Claim, rest: _Rest) -> bool:
    """True where a record that stands says what the claim says by itself: it corroborated it, or was corroborated.

    A claim that was made of several records together rests on all of them.
    """
    standing = {each.record_id for each in rest.standing}
    corroborating = set(claim.evidence) - rest.made_of
    return bool(standing & corroborating) or bool(standing and corroborating and rest.made_of <= standing)


def _tier_left(session: Session, writing: Writing, claim: Claim, rest: _Rest) -> Tier:
    """The authority of the evidence that is left: the most that one of the records has, or that two agree to."""
    lineage = origins_read(session, writing, claim, rest.standing)
    agreed = Tier.CORROBORATED if independent_origins(rest.standing, lineage) > 1 else Tier.UNVERIFIED
    return max(agreed, *(tier_by_lineage(each, lineage) for each in rest.standing))


def _is_corroborated(session: Session, writing: Writing, claim: Claim, rest: _Rest) -> bool:
    """True where two records of what is left are of independent origins still."""
    return independent_origins(rest.standing, origins_read(session, writing, claim, rest.standing)) > 1


def _all_stand(reading: Reading, stored: StoredRecord, standing: set[RecordId]) -> bool:
    origins = [each for each in stored.record.derived_from if each not in standing]
    found = reading.records_by_ids(origins) if origins else ()
    return len(found) == len(origins) and all(each.is_evidence for each in found)
