"""Project erasures: what an erasure takes is gone, from the views and from the events that brought it."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

from heedful.claims.claim import Visibility
from heedful.kernel.ids import ErasureId
from heedful.ledger.erased import ERASURE_TYPES, Erased, erased_by
from heedful.ledger.erasure_events import (
    ConsentGiven,
    ConsentWithdrawn,
    ErasureEvent,
    ErasureRequested,
    ErasureStaged,
    HoldPlaced,
    HoldReleased,
)
from heedful.observations.record import RecordStatus
from heedful.ports.erasure import Reached, Stage, StoredErasure, StoredHold
from heedful.ports.store import Chain, Reading, Writing
from heedful.service.erasure.barred import consent_key


def erased_in(reading: Reading) -> Erased:
    """What the erasures of this tenant name, from its ledger: every event of those types is read."""
    return erased_by(chain.from_iterable(reading.events_of(each) for each in ERASURE_TYPES))


def project_erasure(writing: Writing, event: ErasureEvent, position: int, recorded_at_us: int) -> None:
    """What the event takes is gone, and what it says of itself is there. Doing it again changes nothing."""
    match event:
        case ErasureRequested():
            _take(writing, event)
            writing.put_erasure(_requested(writing, event, position, recorded_at_us))
        case ErasureStaged():
            writing.delete_verdicts(event.verdict_ids)
            writing.erase_payloads(Chain.LEDGER, event.ledger_positions)
            writing.erase_payloads(Chain.ACCESS, event.access_positions)
            writing.put_erased(event.erasure_id, event.verdict_ids)
            before = writing.erasure(event.erasure_id)
            if before is not None:
                writing.put_erasure(_staged(before, event, position, recorded_at_us))
        case HoldPlaced():
            hold = StoredHold(
                event.hold_id, position, event.actor, event.because, event.by, event.names, recorded_at_us
            )
            writing.put_hold(hold)
        case HoldReleased():
            writing.delete_hold(event.hold_id)
        case ConsentWithdrawn():
            writing.put_erased(ErasureId(event.consent_id), (consent_key(event.by, event.name),))
        case ConsentGiven():
            writing.delete_erased((consent_key(event.by, event.name),))


def _take(writing: Writing, event: ErasureRequested) -> None:
    gone = frozenset((*event.record_ids, *event.held_ids))
    ended, kept = frozenset(event.claim_ids), frozenset(event.kept_ids)
    for claim in writing.claims_on_any([*event.record_ids, *event.held_ids]):
        # It was proposed with other records, so some are left.
        if claim.claim_id not in ended and claim.claim_id not in kept:
            left = tuple(each for each in claim.evidence if each not in gone)
            writing.put_claim(replace(claim, evidence=left))
    _keep(writing, event)
    writing.delete_conflicts(event.conflict_ids)
    writing.delete_claims(event.claim_ids)
    writing.delete_records(event.record_ids)
    writing.delete_proposals(event.proposal_ids)
    writing.delete_merges(event.merge_ids)
    writing.erase_payloads(Chain.LEDGER, event.ledger_positions)
    items = (*event.record_ids, *event.claim_ids, *event.conflict_ids, *event.proposal_ids, *event.merge_ids)
    writing.put_erased(event.erasure_id, (*items, *event.held_ids, *event.kept_ids, *event.source_tags))


def _keep(writing: Writing, event: ErasureRequested) -> None:
    """What a hold keeps is found by its id alone, by those who may hold or audit."""
    for stored in writing.records_by_ids(event.held_ids) if event.held_ids else ():
        writing.put_record(replace(stored, status=RecordStatus.HELD))
        writing.delete_search_row(stored.position)
    for claim in writing.claims_by_ids(event.kept_ids) if event.kept_ids else ():
        writing.put_claim(replace(claim, visibility=Visibility.HELD))
        writing.delete_search_row(claim.position)


def _requested(writing: Writing, event: ErasureRequested, position: int, at_us: int) -> StoredErasure:
    before = writing.erasure(event.erasure_id)
    if before is None:
        before = StoredErasure(
            erasure_id=event.erasure_id,
            position=position,
            actor=event.actor,
            because=event.because,
            by=event.by,
            requested_at_us=at_us,
            reached=(),
            records=0,
            claims=0,
            others=0,
            events=0,
            held_ids=(),
        )
    held = dict.fromkeys((*before.held_ids, *event.held_ids))
    return replace(
        before,
        reached=_reached(before, "logical", position, at_us),
        records=before.records + len(event.record_ids),
        claims=before.claims + len(event.claim_ids),
        others=before.others + len(event.conflict_ids) + len(event.proposal_ids) + len(event.merge_ids),
        events=before.events + len(event.ledger_positions),
        held_ids=tuple(each for each in held if each not in frozenset(event.record_ids)),
    )


def _staged(before: StoredErasure, event: ErasureStaged, position: int, at_us: int) -> StoredErasure:
    stage: Stage = "indexes" if event.stage == "indexes" else "scrubbed" if event.stage == "scrubbed" else "logical"
    # `indexes` once more only says why it is not scrubbed yet, `logical` what else went with what it took.
    is_told_again = bool(before.reached) and before.stage == stage
    return replace(
        before,
        reached=before.reached if is_told_again else _reached(before, stage, position, at_us),
        others=before.others + len(event.verdict_ids),
        events=before.events + len(event.ledger_positions) + len(event.access_positions),
        could_not=before.could_not if stage == "logical" else event.could_not,
        backups_expire_at_us=event.backups_expire_at_us or before.backups_expire_at_us,
    )


def _reached(before: StoredErasure, stage: Stage, position: int, at_us: int) -> tuple[Reached, ...]:
    """The stages with this one: of one that comes twice in a row the later stands."""
    earlier = before.reached[:-1] if before.reached and before.stage == stage else before.reached
    return (*earlier, Reached(stage, position, at_us))
