"""Why: what is known, and where it came from, as a walk over the ledger."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import msgspec

from heedful.claims.claim import Claim
from heedful.claims.conflict import Conflict
from heedful.claims.layers import layer_of_claim, layer_of_record
from heedful.kernel.ids import ClaimId, RecordId, VerdictId
from heedful.kernel.times import format_time
from heedful.ledger.events import (
    OutcomeReported,
    RecordAdmitted,
    RecordConfirmed,
    RecordPending,
    RecordWithdrawn,
)
from heedful.ledger.permit_events import PermitIssued, PermitRedeemed, RedemptionRefused
from heedful.policy.decide import may
from heedful.ports.store import Reading, StoredRecord
from heedful.service.acting.approve_action import approvals_of, seen_verdict, told_verdict
from heedful.service.as_known import as_known, position_known
from heedful.service.auditing.replay import Replay, replayed
from heedful.service.auditing.why_steps import Step, Walk, claim_steps
from heedful.service.erasure.there import verdict_there
from heedful.service.instants import instant
from heedful.service.recalling.answers import answered_to, packet_event, packet_told
from heedful.service.recalling.changes import currency_told
from heedful.service.session import Session
from heedful.service.sight import (
    not_found,
    seen_claim,
    seen_claims_of,
    seen_of,
    seen_record,
    seen_records_of,
    told_claim,
    told_position,
    told_record,
    visible_everywhere,
)


@dataclass(frozen=True, slots=True)
class Why:
    """Why something is known, or was answered.

    Attributes:
        found: the item itself, as JSON values.
        steps: its history, oldest first.
        claims: what it rests on, or what rests on it.
        records: the evidence.
        conflicts: of a claim, with claims that the session sees, oldest first.
        known_at: all of it is as it was known then, ISO 8601; None: as it is known now.
        replay: what came of making the packet or verdict again; None: it was not asked for.
    """

    item: Literal["claim", "record", "packet", "verdict"]
    item_id: str
    found: dict[str, object]
    steps: tuple[Step, ...]
    claims: tuple[Claim, ...]
    records: tuple[StoredRecord, ...]
    history_cut: bool
    conflicts: tuple[Conflict, ...] = ()
    known_at: str | None = None
    replay: Replay | None = None


def why(session: Session, item_id: str, *, as_of: str | None = None, replay: bool = False) -> Why:
    """Why the claim, record, packet or verdict of this id is there, from the ledger.

    `as_of`: why it was believed, or answered, as far as was known then. `replay`: a packet or verdict is made again.

    Raises:
        NotFoundError: `item_not_found`, also for what the session may not see, or what was not there then.
        ForbiddenError: `replay_not_yours`.
        InvalidInputError: `not_replayable`, and those of `instant`.
    """
    session.require("recall")
    session.access.flush()
    if as_of is None:
        with session.store.read() as reading:
            found = _found(session, reading, item_id)
    else:
        found = _found_then(session, item_id, instant(session, as_of, field="as_of"))
    if replay:
        found = replace(found, replay=replayed(session, found.item, item_id, found.found))
    return replace(
        found,
        steps=tuple(replace(step, position=told_position(session, step.position)) for step in found.steps),
        claims=tuple(told_claim(session, each) for each in found.claims),
        records=tuple(told_record(session, each) for each in found.records),
        conflicts=tuple(replace(each, position=told_position(session, each.position)) for each in found.conflicts),
    )


def _found_then(session: Session, item_id: str, known_us: int) -> Why:
    """The same as it was known at the instant; the answer of a packet is what it was, its claims are as of then."""
    with session.store.read() as reading:
        visible = visible_everywhere(session, reading)
        until = position_known(reading, known_us)
    with as_known(session, known_us, visible) as then, then.store.read() as was, session.store.read() as now:
        found = _found(then, was, item_id, ledger=now, known_us=known_us, until=until)
    return replace(found, known_at=format_time(known_us))


def _found(
    session: Session,
    reading: Reading,
    item_id: str,
    *,
    ledger: Reading | None = None,
    known_us: int | None = None,
    until: int | None = None,
) -> Why:
    """What is read from `reading`, with its history from `ledger`, which is the same where none is given."""
    events = reading if ledger is None else ledger
    claim = seen_claim(session, reading, item_id)
    if claim is not None:
        return _why_claim(session, reading, claim, events, until)
    stored = seen_record(session, reading, item_id)
    if stored is not None:
        return _why_record(session, reading, stored, events, until)
    verdict = verdict_there(reading, VerdictId(item_id))
    found = msgspec.json.decode(verdict.verdict_json) if verdict is not None else {}
    if verdict is not None and _may_see_verdict(session, reading, found):
        told = told_verdict(session, found)
        return _why_verdict(session, reading, item_id, told, verdict.position, (events, until))
    event = packet_event(events, item_id, until_us=known_us)
    if event is not None and packet_told(session, reading, event):
        shape = msgspec.json.decode(event.packet_json)
        return _why_answer(session, reading, "packet", item_id, shape)
    raise not_found(item_id, then=known_us is not None)


def _may_see_verdict(session: Session, reading: Reading, verdict: dict[str, Any]) -> bool:
    """True also for who may approve in its scope, and for auditors, where they see all that it rests on."""
    if verdict["principal"] == session.principal:
        return True
    approves = may(session.registry.policy, session.principal, "approve").allowed
    asks = approves or answered_to(session, verdict["principal"])
    return asks and seen_verdict(session, reading, verdict["verdict_id"]) is not None


def _why_claim(session: Session, reading: Reading, claim: Claim, ledger: Reading, until: int | None) -> Why:
    records = seen_records_of(session, reading, claim.evidence)

    def is_seen(claim_id: str) -> bool:
        return seen_claim(session, reading, claim_id) is not None

    steps, cut = claim_steps(ledger, claim, is_seen, until=until)
    conflicts = tuple(
        each
        for each in reading.conflicts_of([claim.claim_id], only_open=False)
        if is_seen(each.standing_id) and is_seen(each.newcomer_id)
    )
    told = {**msgspec.to_builtins(told_claim(session, claim)), "layer": layer_of_claim(claim).value}
    told |= currency_told(session, reading, claim)
    grounds = seen_claims_of(session, reading, claim.rests_on)
    return Why("claim", claim.claim_id, told, steps, grounds, records, cut, conflicts)


def _why_record(session: Session, reading: Reading, stored: StoredRecord, ledger: Reading, until: int | None) -> Why:
    resting = seen_of(session, reading, reading.claims_on(stored.record.record_id))
    steps, cut = _record_steps(ledger, stored, until)
    return Why(
        "record",
        stored.record.record_id,
        {**msgspec.to_builtins(told_record(session, stored)), "layer": layer_of_record(stored.record, None).value},
        steps,
        resting,
        seen_records_of(session, reading, stored.record.derived_from),
        history_cut=cut,
    )


def _why_answer(
    session: Session, reading: Reading, item: Literal["packet", "verdict"], item_id: str, found: dict[str, object]
) -> Why:
    claims = seen_claims_of(session, reading, _claim_ids(found))
    evidence = [record_id for claim in claims for record_id in claim.evidence]
    rulings = _entries(found.get("rulings"))
    evidence += [RecordId(str(each)) for ruling in rulings for each in _texts(ruling.get("evidence"))]
    records = seen_records_of(session, reading, list(dict.fromkeys(evidence)))
    return Why(item, item_id, found, (), claims, records, history_cut=False)


def _why_verdict(  # noqa: PLR0917  # what it is read from
    session: Session,
    reading: Reading,
    item_id: str,
    found: dict[str, object],
    position: int,
    history: tuple[Reading, int | None],
) -> Why:
    answer = _why_answer(session, reading, "verdict", item_id, found)
    later, cut = _later_steps(session, *history, found, position)
    approvals = approvals_of(session, reading, found)
    steps = (*(_approval_step(stored) for stored in reversed(approvals)), *later)
    known = {stored.record.record_id for stored in answer.records}
    records = (*answer.records, *(each for each in approvals if each.record.record_id not in known))
    return replace(answer, steps=steps, records=records, history_cut=cut)


def _approval_step(stored: StoredRecord) -> Step:
    at = format_time(stored.recorded_at_us)
    return Step(stored.position, at, "record.admitted", stored.record.principal, stored.record.content or "")


def _texts(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _claim_ids(found: dict[str, object]) -> tuple[ClaimId, ...]:
    """The claims that a packet's items or a verdict's rulings name, in their order."""
    items = found.get("items")
    rulings = found.get("rulings")
    in_items = [str(each["item_id"]) for each in _entries(items) if each.get("item") == "claim"]
    in_items += [str(note["claim_id"]) for each in _entries(items) for note in _entries(each.get("bridges"))]
    in_rulings = [str(each["claim_id"]) for each in _entries(rulings) if each.get("claim_id")]
    return tuple(map(ClaimId, dict.fromkeys(in_items + in_rulings)))


def _entries(value: object) -> list[dict[str, object]]:
    return value if isinstance(value, list) else []


def _record_steps(reading: Reading, stored: StoredRecord, until: int | None) -> tuple[tuple[Step, ...], bool]:
    steps: list[Step] = []
    record_id = stored.record.record_id
    for position, at, event in (walk := Walk(reading, stored.position, "record.", until=until)):
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
    session: Session, reading: Reading, until: int | None, found: dict[str, Any], position: int
) -> tuple[tuple[Step, ...], bool]:
    """What came of a verdict, and for its principal and auditors of its permit.

    Others may not know what stood against it later.
    """
    walk = Walk(reading, position, ("outcome.", "permit."), until=until)
    steps: list[Step] = []
    for at_position, at, event in walk:
        match event:
            case OutcomeReported() if event.verdict_id == found["verdict_id"]:
                text = f"{event.status} ({event.record_id})"
                steps.append(Step(at_position, at, "outcome.reported", _reporter(reading, event), text))
            case PermitIssued() | PermitRedeemed() | RedemptionRefused() if event.verdict_id == found["verdict_id"]:
                if answered_to(session, found["principal"]) and answered_to(session, event.principal):
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
