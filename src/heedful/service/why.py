"""Why: what is known, and where it came from, as a walk over the ledger."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import msgspec

from heedful.claims.claim import Claim
from heedful.claims.layers import layer_of_claim, layer_of_record
from heedful.kernel.ids import EventId, VerdictId
from heedful.kernel.times import format_time
from heedful.ledger.events import (
    AnyEvent,
    ClaimApproved,
    ClaimProposed,
    ClaimTransitioned,
    OutcomeReported,
    PacketAssembled,
    RecordAdmitted,
    RecordConfirmed,
    RecordPending,
    RecordWithdrawn,
)
from heedful.ledger.permit_events import PermitIssued, PermitRedeemed, RedemptionRefused
from heedful.ledger.registry import decode_payload
from heedful.policy.decide import may
from heedful.ports.store import Chain, Reading, StoredRecord
from heedful.service.approve_action import approvals_of, seen_verdict, told_verdict
from heedful.service.session import Session
from heedful.service.sight import not_found, seen_claim, seen_of, seen_record, told_claim, told_position, told_record

HISTORY_EVENTS_MAX = 100_000
"""Ledger events that are walked for the history of one item; `history_cut` says that there were more."""


@dataclass(frozen=True, slots=True)
class Step:
    """One ledger event in the history of an item; its position is 0 for those who may not audit."""

    position: int
    at: str
    type: str
    actor: str
    text: str


@dataclass(frozen=True, slots=True)
class Why:
    """Why something is known, or was answered.

    Attributes:
        found: the item itself, as JSON values.
        steps: its history, oldest first.
        claims: what it rests on, or what rests on it.
        records: the evidence.
    """

    item: Literal["claim", "record", "packet", "verdict"]
    item_id: str
    found: dict[str, object]
    steps: tuple[Step, ...]
    claims: tuple[Claim, ...]
    records: tuple[StoredRecord, ...]
    history_cut: bool


def why(session: Session, item_id: str) -> Why:
    """Why the claim, record, packet or verdict of this id is there, from the ledger.

    Raises:
        NotFoundError: `item_not_found`, also for what the session may not see.
    """
    session.require("recall")
    session.access.flush()
    found = _found(session, item_id)
    return replace(
        found,
        steps=tuple(replace(step, position=told_position(session, step.position)) for step in found.steps),
        claims=tuple(told_claim(session, each) for each in found.claims),
        records=tuple(told_record(session, each) for each in found.records),
    )


def _found(session: Session, item_id: str) -> Why:
    with session.store.read() as reading:
        claim = seen_claim(session, reading, item_id)
        if claim is not None:
            return _why_claim(session, reading, claim)
        stored = seen_record(session, reading, item_id)
        if stored is not None:
            return _why_record(session, reading, stored)
        verdict = reading.verdict(VerdictId(item_id))
        found = msgspec.json.decode(verdict.verdict_json) if verdict is not None else {}
        if verdict is not None and _may_see_verdict(session, reading, found):
            told = told_verdict(session, found)
            return _why_answer(session, reading, "verdict", item_id, told, position=verdict.position)
        sealed = reading.event_by_id(Chain.ACCESS, EventId(item_id))
        if sealed is not None and sealed.payload is not None:
            event = decode_payload(sealed.envelope.type, sealed.envelope.version, sealed.payload)
            assert isinstance(event, PacketAssembled)
            found = msgspec.json.decode(event.packet_json)
            if _answered_to(session, event.principal):
                return _why_answer(session, reading, "packet", item_id, found, position=None)
    raise not_found(item_id)


def _answered_to(session: Session, principal: object) -> bool:
    """True where the answer was this principal's own, or an auditor asks."""
    return principal == session.principal or may(session.registry.policy, session.principal, "audit").allowed


def _may_see_verdict(session: Session, reading: Reading, verdict: dict[str, Any]) -> bool:
    """True also for who may approve in its scope: they are asked for a yes to it."""
    approves = may(session.registry.policy, session.principal, "approve").allowed
    asked = approves and seen_verdict(session, reading, verdict["verdict_id"]) is not None
    return asked or _answered_to(session, verdict["principal"])


def _why_claim(session: Session, reading: Reading, claim: Claim) -> Why:
    records = _records(session, reading, claim.evidence)
    steps, cut = _claim_steps(reading, claim)
    found = {**msgspec.to_builtins(told_claim(session, claim)), "layer": layer_of_claim(claim).value}
    return Why("claim", claim.claim_id, found, steps, (), records, cut)


def _why_record(session: Session, reading: Reading, stored: StoredRecord) -> Why:
    resting = seen_of(session, reading, reading.claims_on(stored.record.record_id))
    steps, cut = _record_steps(reading, stored)
    return Why(
        "record",
        stored.record.record_id,
        {**msgspec.to_builtins(told_record(session, stored)), "layer": layer_of_record(stored.record, None).value},
        steps,
        resting,
        _records(session, reading, stored.record.derived_from),
        history_cut=cut,
    )


def _why_answer(
    session: Session,
    reading: Reading,
    item: Literal["packet", "verdict"],
    item_id: str,
    found: dict[str, object],
    *,
    position: int | None,
) -> Why:
    claim_ids = _claim_ids(found)
    claims = tuple(filter(None, (seen_claim(session, reading, claim_id) for claim_id in claim_ids)))
    evidence: list[str] = [record_id for claim in claims for record_id in claim.evidence]
    evidence += [str(each) for ruling in _entries(found.get("rulings")) for each in _texts(ruling.get("evidence"))]
    steps: tuple[Step, ...] = ()
    cut = False
    if position is not None:
        later, cut = _later_steps(session, reading, found, position)
        approvals = approvals_of(session, reading, found)
        evidence += [stored.record.record_id for stored in approvals]
        steps = (*(_approval_step(stored) for stored in reversed(approvals)), *later)
    records = _records(session, reading, tuple(dict.fromkeys(evidence)))
    return Why(item, item_id, found, steps, claims, records, history_cut=cut)


def _approval_step(stored: StoredRecord) -> Step:
    at = format_time(stored.recorded_at_us)
    return Step(stored.position, at, "record.admitted", stored.record.principal, stored.record.content or "")


def _texts(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _claim_ids(found: dict[str, object]) -> tuple[str, ...]:
    """The claims that a packet's items or a verdict's rulings name, in their order."""
    items = found.get("items")
    rulings = found.get("rulings")
    in_items = [str(each["item_id"]) for each in _entries(items) if each.get("item") == "claim"]
    in_items += [str(note["claim_id"]) for each in _entries(items) for note in _entries(each.get("bridges"))]
    in_rulings = [str(each["claim_id"]) for each in _entries(rulings) if each.get("claim_id")]
    return tuple(dict.fromkeys(in_items + in_rulings))


def _entries(value: object) -> list[dict[str, object]]:
    return value if isinstance(value, list) else []


def _records(session: Session, reading: Reading, record_ids: tuple[str, ...]) -> tuple[StoredRecord, ...]:
    return tuple(filter(None, (seen_record(session, reading, record_id) for record_id in record_ids)))


def _claim_steps(reading: Reading, claim: Claim) -> tuple[tuple[Step, ...], bool]:
    steps: list[Step] = []
    for position, at, event in (walk := _Walk(reading, claim.position, "claim.")):
        match event:
            case ClaimProposed() if event.claim_id == claim.claim_id:
                steps.append(Step(position, at, "claim.proposed", event.proposed_by, event.statement))
            case ClaimTransitioned() if event.claim_id == claim.claim_id:
                text = f"{event.from_status} -> {event.to_status}: {event.reason}"
                steps.append(Step(position, at, "claim.transitioned", event.actor, text))
            case ClaimApproved() if event.claim_id == claim.claim_id:
                steps.append(Step(position, at, "claim.approved", event.actor, event.reason))
    return tuple(steps), walk.is_cut


def _record_steps(reading: Reading, stored: StoredRecord) -> tuple[tuple[Step, ...], bool]:
    steps: list[Step] = []
    record_id = stored.record.record_id
    for position, at, event in (walk := _Walk(reading, stored.position, "record.")):
        match event:
            case RecordAdmitted(record=record) | RecordPending(record=record) if record.record_id == record_id:
                name = "record.admitted" if isinstance(event, RecordAdmitted) else "record.pending"
                steps.append(Step(position, at, name, record.principal, ", ".join(event.reasons)))
            case RecordConfirmed(record_id=found) if found == record_id:
                steps.append(Step(position, at, "record.confirmed", event.actor, event.reason))
            case RecordWithdrawn(record_id=found) if found == record_id:
                steps.append(Step(position, at, "record.withdrawn", event.actor, event.reason))
    return tuple(steps), walk.is_cut


def _later_steps(
    session: Session, reading: Reading, found: dict[str, Any], position: int
) -> tuple[tuple[Step, ...], bool]:
    """What came of a verdict, and for its principal and auditors of its permit.

    Others may not know what stood against it later.
    """
    walk = _Walk(reading, position, ("outcome.", "permit."))
    steps: list[Step] = []
    for at_position, at, event in walk:
        match event:
            case OutcomeReported() if event.verdict_id == found["verdict_id"]:
                text = f"{event.status} ({event.record_id})"
                steps.append(Step(at_position, at, "outcome.reported", _reporter(reading, event), text))
            case PermitIssued() | PermitRedeemed() | RedemptionRefused() if event.verdict_id == found["verdict_id"]:
                if _answered_to(session, found["principal"]) and _answered_to(session, event.principal):
                    steps.append(_permit_step(at_position, at, event))
            case _:
                pass
    return tuple(steps), walk.is_cut


def _permit_step(position: int, at: str, event: PermitIssued | PermitRedeemed | RedemptionRefused) -> Step:
    match event:
        case PermitIssued():
            return Step(position, at, "permit.issued", event.principal, f"until {format_time(event.expires_at_us)}")
        case PermitRedeemed():
            return Step(position, at, "permit.redeemed", event.principal, event.permit_id)
        case RedemptionRefused():
            return Step(position, at, "permit.refused", event.principal, "; ".join((event.reason, *event.changes)))


def _reporter(reading: Reading, event: OutcomeReported) -> str:
    stored = reading.record(event.record_id)
    return "" if stored is None else stored.record.principal


class _Walk:
    """(position, time, event) of the ledger events from a position on whose type begins so.

    At most HISTORY_EVENTS_MAX are looked at; `is_cut` tells, afterwards, that there were more.
    """

    def __init__(self, reading: Reading, from_position: int, prefix: str | tuple[str, ...]) -> None:
        self._reading = reading
        self._from_position = from_position
        self._prefix = prefix
        self.is_cut = False

    def __iter__(self) -> Iterator[tuple[int, str, AnyEvent]]:
        walked = 0
        after = self._from_position - 1
        for sealed in self._reading.events(Chain.LEDGER, after=after, limit=HISTORY_EVENTS_MAX):
            walked += 1
            envelope = sealed.envelope
            if envelope.type.startswith(self._prefix) and sealed.payload is not None:
                event = decode_payload(envelope.type, envelope.version, sealed.payload)
                yield envelope.position, format_time(envelope.recorded_at_us), event
        self.is_cut = walked == HISTORY_EVENTS_MAX
