"""Project: one ledger event -> the change of the views, in the event's own transaction; and the refold of all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import assert_never

from heedful.claims import fold
from heedful.claims.claim import UNREVIEWED, Claim, ClaimStatus
from heedful.kernel.errors import FaultError
from heedful.kernel.ids import RecordId
from heedful.kernel.ladder import Classification
from heedful.ledger import events
from heedful.ledger.events import Event
from heedful.ledger.registry import decode_payload
from heedful.observations.record import Record, RecordStatus
from heedful.observations.text import search_tokens
from heedful.ports.store import Chain, SearchRow, StoredRecord, StoredVerdict, Writing

TextOf = Callable[[Record], str | None]

# An expired one is found by whoever asks of a time when it held; its validity keeps it out of every later answer.
_SEARCHABLE = (UNREVIEWED - {ClaimStatus.PROPOSED}) | {ClaimStatus.ACTIVE, ClaimStatus.EXPIRED}


def project(  # noqa: C901  # one case an event
    writing: Writing, event: Event, position: int, recorded_at_us: int, text_of: TextOf
) -> None:
    """The views are changed as the event says; `text_of` gives a record's text, from the blob store if it lies there.

    Raises:
        FaultError: `ledger_inconsistent` where the event speaks of something that no earlier event brought.
    """
    match event:
        case events.RecordAdmitted(record=record, reasons=reasons):
            reason = ", ".join(reasons)
            _put_record(writing, StoredRecord(record, RecordStatus.ADMITTED, position, recorded_at_us, reason), text_of)
        case events.RecordPending(record=record, reasons=reasons):
            reason = ", ".join(reasons)
            _put_record(writing, StoredRecord(record, RecordStatus.PENDING, position, recorded_at_us, reason), text_of)
        case events.RecordConfirmed(record_id=record_id, reason=reason):
            _move_record(writing, record_id, RecordStatus.ADMITTED, reason, text_of)
        case events.RecordWithdrawn(record_id=record_id, reason=reason):
            _move_record(writing, record_id, RecordStatus.WITHDRAWN, reason, text_of)
        case events.ClaimProposed():
            _put_claim(writing, fold.propose(event, position=position, recorded_at_us=recorded_at_us))
        case events.ClaimTransitioned():
            _put_claim(writing, fold.transition(_claim(writing, event), event))
        case events.ClaimApproved():
            _put_claim(writing, fold.approve(_claim(writing, event), event))
        case events.RegistryAdopted(revision=revision, body_json=body_json):
            writing.put_registry_body(revision, body_json)
        case events.RegistryModeSet(target_type=target_type, target_id=target_id, mode=mode):
            writing.put_mode(target_type, target_id, mode)
        case events.VerdictJudged(verdict_id=verdict_id, verdict_json=verdict_json):
            writing.put_verdict(StoredVerdict(verdict_id, position, verdict_json))
        case events.TenantCreated() | events.RecordRefused() | events.OutcomeReported() | events.ImportFinished():
            pass  # these change no view: they are read from the ledger itself
        case _:
            assert_never(event)


def refold(writing: Writing, text_of: TextOf, progress: Callable[[int], None]) -> int:
    """How many events were folded: the views are dropped and made anew from the ledger, in this transaction.

    `progress` is told the position after each event.
    """
    writing.clear_views()
    position = 0
    for sealed in writing.events(Chain.LEDGER):
        envelope = sealed.envelope
        if sealed.payload is None:
            raise FaultError(
                "payload_missing",
                f"the payload of event {envelope.position} is not there",
                next_step="run `heedful verify`",
                details={"position": envelope.position},
            )
        event = decode_payload(envelope.type, envelope.version, sealed.payload)
        assert not isinstance(event, events.PacketAssembled), "packets are never in the ledger"
        project(writing, event, envelope.position, envelope.recorded_at_us, text_of)
        position = envelope.position
        progress(position)
    writing.set_checkpoint(position)
    return position


def _put_record(writing: Writing, stored: StoredRecord, text_of: TextOf) -> None:
    writing.put_record(stored)
    if stored.status is RecordStatus.ADMITTED:
        _put_record_search_row(writing, stored.record, stored.position, text_of(stored.record))


def _move_record(writing: Writing, record_id: RecordId, status: RecordStatus, reason: str, text_of: TextOf) -> None:
    stored = writing.record(record_id)
    if stored is None:
        raise FaultError("ledger_inconsistent", f"no event brought record {record_id}")
    _put_record(writing, replace(stored, status=status, status_reason=reason), text_of)
    if status is not RecordStatus.ADMITTED:
        writing.delete_search_row(stored.position)


def _put_record_search_row(writing: Writing, record: Record, position: int, text: str | None) -> None:
    if text is None:
        return  # bytes are kept, and are not searched
    writing.put_search_row(
        SearchRow(
            position=position,
            item="record",
            item_id=record.record_id,
            scope=record.scope,
            classification=record.classification,
            record_type=record.type,
            unreviewed=False,
            valid_from_us=None,
            valid_to_us=None,
            tokens=search_tokens(text),
        ),
        record.attributes,
    )


def _claim(writing: Writing, event: events.ClaimTransitioned | events.ClaimApproved) -> Claim:
    claim = writing.claim(event.claim_id)
    if claim is None:
        raise FaultError("ledger_inconsistent", f"no event brought claim {event.claim_id}")
    return claim


def _put_claim(writing: Writing, claim: Claim) -> None:
    writing.put_claim(claim)
    if claim.status not in _SEARCHABLE:
        writing.delete_search_row(claim.position)
        return
    writing.put_search_row(
        SearchRow(
            position=claim.position,
            item="claim",
            item_id=claim.claim_id,
            scope=claim.scope,
            classification=Classification(claim.classification),
            record_type="",
            unreviewed=claim.status in UNREVIEWED,
            valid_from_us=claim.valid_from_us,
            valid_to_us=claim.valid_to_us,
            tokens=search_tokens(f"{claim.statement}\n{claim.subject} {claim.kind} {claim.property} {claim.value}"),
        ),
        (),
    )
