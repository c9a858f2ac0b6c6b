"""Audit: does the chain hold, are the views what the ledger says, and why is something known."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import msgspec

from heedful.claims.claim import Claim
from heedful.kernel.ids import EventId, VerdictId
from heedful.kernel.times import format_time
from heedful.ledger.events import ClaimApproved, ClaimProposed, ClaimTransitioned, OutcomeReported, PacketAssembled
from heedful.ledger.registry import decode_payload
from heedful.ledger.seal import SealedEvent
from heedful.ledger.verify import Verification, verify_chain
from heedful.policy.decide import may
from heedful.ports.store import Chain, Reading, StoredRecord, Writing
from heedful.service.project import refold
from heedful.service.session import Session
from heedful.service.sight import not_found, seen_claim, seen_record

HISTORY_EVENTS_MAX = 100_000
"""Ledger events that are walked for the history of one item; `history_cut` says that there were more."""


@dataclass(frozen=True, slots=True)
class Audit:
    """What `verify` found.

    Attributes:
        views: `equal` (a refold gives them byte for byte), `different`, or `unchecked`.
    """

    ledger: Verification
    access: Verification
    views: Literal["equal", "different", "unchecked"]

    @property
    def holds(self) -> bool:
        """True where nothing is broken."""
        return self.ledger.broken is None and self.access.broken is None and self.views != "different"


@dataclass(frozen=True, slots=True)
class Step:
    """One ledger event in the history of an item."""

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


def verify(session: Session, *, views: bool, progress: Callable[[int], None]) -> Audit:
    """Whether both chains hold from their first event on; with `views`, whether a refold gives the live views.

    `progress` is told the position after each ledger event.
    """
    session.require("audit")
    session.access.flush()
    tenant_id = session.store.tenant.tenant_id
    with session.store.read() as reading:
        head = reading.head(Chain.LEDGER)

        def walked() -> Iterator[SealedEvent]:
            for sealed in reading.events(Chain.LEDGER):
                progress(sealed.envelope.position)
                yield sealed

        ledger = verify_chain(walked(), tenant_id=tenant_id, expected_head=head, ends_there=True)
        access = verify_chain(
            reading.events(Chain.ACCESS),
            tenant_id=tenant_id,
            expected_head=reading.head(Chain.ACCESS),
            ends_there=True,
        )
    compared: Literal["equal", "different", "unchecked"] = "unchecked"
    if views and ledger.broken is None:
        compared = "equal" if _refold_is_equal(session) else "different"
    return Audit(ledger, access, compared)


class _Compared(Exception):  # noqa: N818  # it carries an answer out of a transaction that must not be kept
    def __init__(self, *, equal: bool) -> None:
        super().__init__()
        self.equal = equal


def _refold_is_equal(session: Session) -> bool:
    def compare(writing: Writing) -> bool:
        live = _views_digest(writing)
        refold(writing, progress=lambda _position: None)
        raise _Compared(equal=live == _views_digest(writing))

    try:
        return session.store.write(compare)
    except _Compared as compared:
        return compared.equal


def _views_digest(reading: Reading) -> str:
    digest = hashlib.sha256()
    for row in reading.dump_views():
        digest.update(row + b"\n")
    return digest.hexdigest()


def why(session: Session, item_id: str) -> Why:
    """Why the claim, record, packet or verdict of this id is there, from the ledger.

    Raises:
        NotFoundError: `item_not_found`, also for what the session may not see.
    """
    session.require("recall")
    session.access.flush()
    with session.store.read() as reading:
        claim = seen_claim(session, reading, item_id)
        if claim is not None:
            return _why_claim(session, reading, claim)
        stored = seen_record(session, reading, item_id)
        if stored is not None:
            return _why_record(session, reading, stored)
        verdict = reading.verdict(VerdictId(item_id))
        found = msgspec.json.decode(verdict.verdict_json) if verdict is not None else {}
        if verdict is not None and _answered_to(session, found.get("principal")):
            return _why_answer(session, reading, "verdict", item_id, found, position=verdict.position)
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


def _why_claim(session: Session, reading: Reading, claim: Claim) -> Why:
    records = _records(session, reading, claim.evidence)
    steps, cut = _claim_steps(reading, claim)
    return Why("claim", claim.claim_id, msgspec.to_builtins(claim), steps, (), records, cut)


def _why_record(session: Session, reading: Reading, stored: StoredRecord) -> Why:
    resting = [seen_claim(session, reading, each.claim_id) for each in reading.claims_on(stored.record.record_id)]
    step = Step(
        stored.position,
        format_time(stored.recorded_at_us),
        f"record.{stored.status}",
        stored.record.principal,
        stored.status_reason,
    )
    return Why(
        "record",
        stored.record.record_id,
        msgspec.to_builtins(stored),
        (step,),
        tuple(each for each in resting if each is not None),
        _records(session, reading, stored.record.derived_from),
        history_cut=False,
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
    evidence = tuple(dict.fromkeys(record_id for claim in claims for record_id in claim.evidence))
    steps: tuple[Step, ...] = ()
    if position is not None:
        steps = _outcome_steps(reading, item_id, position)
    return Why(item, item_id, found, steps, claims, _records(session, reading, evidence), history_cut=False)


def _claim_ids(found: dict[str, object]) -> tuple[str, ...]:
    """The claims that a packet's items or a verdict's rulings name, in their order."""
    items = found.get("items")
    rulings = found.get("rulings")
    in_items = [str(each["item_id"]) for each in _entries(items) if each.get("item") == "claim"]
    in_rulings = [str(each["claim_id"]) for each in _entries(rulings) if each.get("claim_id")]
    return tuple(dict.fromkeys(in_items + in_rulings))


def _entries(value: object) -> list[dict[str, object]]:
    return value if isinstance(value, list) else []


def _records(session: Session, reading: Reading, record_ids: tuple[str, ...]) -> tuple[StoredRecord, ...]:
    return tuple(filter(None, (seen_record(session, reading, record_id) for record_id in record_ids)))


def _claim_steps(reading: Reading, claim: Claim) -> tuple[tuple[Step, ...], bool]:
    steps: list[Step] = []
    walked = 0
    for sealed in reading.events(Chain.LEDGER, after=claim.position - 1, limit=HISTORY_EVENTS_MAX):
        walked += 1
        envelope = sealed.envelope
        if not envelope.type.startswith("claim.") or sealed.payload is None:
            continue
        event = decode_payload(envelope.type, envelope.version, sealed.payload)
        assert isinstance(event, ClaimProposed | ClaimTransitioned | ClaimApproved)
        if event.claim_id == claim.claim_id:
            steps.append(_step(envelope.position, envelope.recorded_at_us, envelope.type, event))
    return tuple(steps), walked == HISTORY_EVENTS_MAX


def _step(
    position: int, recorded_at_us: int, event_type: str, event: ClaimProposed | ClaimTransitioned | ClaimApproved
) -> Step:
    at = format_time(recorded_at_us)
    match event:
        case ClaimProposed():
            return Step(position, at, event_type, event.proposed_by, event.statement)
        case ClaimTransitioned():
            text = f"{event.from_status} -> {event.to_status}: {event.reason}"
            return Step(position, at, event_type, event.actor, text)
        case ClaimApproved():
            return Step(position, at, event_type, event.actor, event.reason)


def _outcome_steps(reading: Reading, verdict_id: str, position: int) -> tuple[Step, ...]:
    steps = []
    for sealed in reading.events(Chain.LEDGER, after=position, limit=HISTORY_EVENTS_MAX):
        envelope = sealed.envelope
        if envelope.type != "outcome.reported" or sealed.payload is None:
            continue
        event = decode_payload(envelope.type, envelope.version, sealed.payload)
        if isinstance(event, OutcomeReported) and event.verdict_id == verdict_id:
            at = format_time(envelope.recorded_at_us)
            steps.append(Step(envelope.position, at, envelope.type, "", f"{event.status} ({event.record_id})"))
    return tuple(steps)
