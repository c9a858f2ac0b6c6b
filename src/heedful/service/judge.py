"""Judge: a proposed tool call -> a verdict from current claims, policy and registry, recorded before the answer."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from heedful.bridges.request import RequestFeatures
from heedful.bridges.vocabulary import covers
from heedful.evidence.packet import SufficiencyLabel
from heedful.evidence.sufficiency import Found, judge_sufficiency
from heedful.gate.action import ActionRequest
from heedful.gate.judge import judge as judge_matter
from heedful.gate.requirements import Approval, Matter, Verification
from heedful.gate.verdict import Verdict
from heedful.kernel.canonical import canonical_bytes
from heedful.kernel.errors import InvalidInputError
from heedful.kernel.ids import ActionClassId, EventId, VerdictId
from heedful.kernel.ladder import Classification, Impact
from heedful.ledger.events import PacketAssembled, VerdictJudged
from heedful.ledger.registry import decode_payload
from heedful.observations.record import Channel, RecordStatus, RecordType
from heedful.policy.decide import Permission, may, may_write
from heedful.ports.store import AttributeFilter, Chain, Reading, StoredRecord, Visible, Writing
from heedful.recall.request import MemoryRequest
from heedful.service.approve_action import APPROVAL_SECONDS
from heedful.service.modes import modes_now
from heedful.service.recall import InMind, bring_to_mind, grounds_of
from heedful.service.session import Session
from heedful.service.sight import not_found, visible_for_request
from heedful.service.statements import APPROVES

VERIFIES = "verifies"
PASSED = "passed"
"""Attributes of verification records: the class that one was made for, and whether it passed."""

BEARING_MAX = 200
"""Verifications and approvals that are looked at, the newest."""
_US_A_SECOND = 1_000_000


@dataclass(frozen=True, slots=True)
class _Bearing:
    verifications: tuple[Verification, ...]
    approvals: tuple[Approval, ...]


def judge(session: Session, action: ActionRequest, *, packet_id: str | None = None) -> Verdict:
    """The verdict, durable. Nothing that the caller computed is an input; a packet only supplies citations.

    Raises:
        NotFoundError: `item_not_found` for a packet that is not this principal's.
        InvalidInputError: `scope_empty`, `arguments_malformed`.
        BusyError, UnavailableError: the store; then there is no verdict, and nothing may be done on it.
    """
    citations = () if packet_id is None else _citations(session, packet_id)
    try:
        digest = action.digest
    except (ValueError, RecursionError) as error:
        raise InvalidInputError(
            "arguments_malformed",
            "the tool's name or arguments are no JSON: too deep, or with NaN, an infinity or half of a surrogate pair",
            next_step="send them as JSON",
            details={"field": "args"},
        ) from error
    verdict_id = VerdictId(session.new_id())

    def work(writing: Writing) -> Verdict:
        verdict = judge_matter(_matter(session, writing, action, verdict_id, citations))
        event = VerdictJudged(
            verdict_id=verdict_id,
            principal=action.principal,
            action_digest=digest,
            impact=verdict.impact,
            decision=verdict.decision,
            scope=action.scope,
            registry_revision=verdict.registry_revision,
            verdict_json=canonical_bytes(msgspec.to_builtins(verdict)).decode(),
        )
        session.append(writing, [event])
        return verdict

    return session.store.write(work)


def _matter(
    session: Session, reading: Reading, action: ActionRequest, verdict_id: VerdictId, citations: tuple[str, ...]
) -> Matter:
    now_us = session.clock.now_us()
    visible = visible_for_request(session, action.scope)
    mind = bring_to_mind(session, reading, visible, _request(action, now_us))
    bearing = _bearing(reading, visible, action, mind)
    return Matter(
        action=action,
        classified=mind.classified,
        activations=mind.activations,
        permission=_permission(session, action),
        registry=session.registry,
        modes=modes_now(reading),
        verifications=bearing.verifications,
        approvals=bearing.approvals,
        sufficiency=_sufficiency(reading, mind, now_us),
        citations=citations,
        verdict_id=verdict_id,
        ledger_position=reading.visible_position(visible),
        judged_at_us=now_us,
    )


def _request(action: ActionRequest, now_us: int) -> MemoryRequest:
    return MemoryRequest(
        features=RequestFeatures(action.text, action.tool, action.args, None, {}),
        principal=action.principal,
        scope=action.scope,
        clearance=Classification.RESTRICTED,
        task_class="general",
        impact=Impact.EXECUTE,
        as_of_us=now_us,
        record_types=(),
        attributes=(),
        budget_tokens=0,
    )


def _permission(session: Session, action: ActionRequest) -> Permission:
    asks = may(session.registry.policy, session.principal, "judge")
    return may_write(session.registry.policy, session.principal, action.scope) if asks.allowed else asks


def _sufficiency(reading: Reading, mind: InMind, now_us: int) -> SufficiencyLabel | None:
    """The label of what is in mind; None where nothing is: then the class itself says what to do without a bridge.

    Where not all could be looked at, a person must: nobody may push a freeze out of sight by proposing many others.
    """
    if mind.is_cut:
        return SufficiencyLabel.HUMAN_REVIEW_REQUIRED
    if not mind.claims and not mind.ended:
        return None
    impact = mind.classified.impact or Impact.EXECUTE
    found = Found(mind.claims, (), (), grounds_of(reading, mind.claims), 0.0, mind.ended, ())
    return judge_sufficiency("general", impact, found, subjects=(), as_of_us=now_us).label


def _bearing(reading: Reading, visible: Visible, action: ActionRequest, mind: InMind) -> _Bearing:
    classes = [match.action_class for match in mind.classified.classes]
    wanted = tuple(sorted({above for each in classes for above in _with_ancestors(each)}))
    verifications = _records(reading, visible, VERIFIES, wanted) if wanted else ()
    approvals = _records(reading, visible, APPROVES, (action.digest,))
    return _Bearing(
        tuple(_verification(each) for each in verifications if each.record.type is RecordType.VERIFICATION),
        tuple(_approval(each) for each in approvals if each.record.channel is Channel.PERSON),
    )


def _records(reading: Reading, visible: Visible, name: str, values: tuple[str, ...]) -> tuple[StoredRecord, ...]:
    return reading.records(
        visible,
        status=RecordStatus.ADMITTED,
        run_id=None,
        attributes=(AttributeFilter(name, values),),
        before=None,
        limit=BEARING_MAX,
    )


def _with_ancestors(action_class: ActionClassId) -> tuple[str, ...]:
    parts = action_class.split(".")
    above = tuple(".".join(parts[:count]) for count in range(1, len(parts) + 1))
    assert all(covers(each, action_class) for each in above)
    return above


def _verification(stored: StoredRecord) -> Verification:
    attributes = dict(stored.record.attributes)
    return Verification(
        record_id=stored.record.record_id,
        occurred_at_us=stored.record.occurred.at_us,
        verified_by=stored.record.principal,
        grade=stored.record.grade,
        action_class=ActionClassId(str(attributes[VERIFIES])),
        scope=stored.record.scope,
        is_passed=attributes.get(PASSED) is True,
    )


def _approval(stored: StoredRecord) -> Approval:
    granted_at_us = stored.recorded_at_us
    return Approval(
        approval_id=stored.record.record_id,
        approved_by=stored.record.principal,
        action_digest=str(dict(stored.record.attributes)[APPROVES]),
        granted_at_us=granted_at_us,
        expires_at_us=granted_at_us + APPROVAL_SECONDS * _US_A_SECOND,
    )


def _citations(session: Session, packet_id: str) -> tuple[str, ...]:
    """`PACKET#KEY` of each item, in order."""
    session.access.flush()
    with session.store.read() as reading:
        sealed = reading.event_by_id(Chain.ACCESS, EventId(packet_id))
    if sealed is None or sealed.payload is None:
        raise not_found(packet_id)
    event = decode_payload(sealed.envelope.type, sealed.envelope.version, sealed.payload)
    if not isinstance(event, PacketAssembled) or event.principal != session.principal:
        raise not_found(packet_id)
    items = msgspec.json.decode(event.packet_json)["items"]
    return tuple(f"{packet_id}#{item['cite']}" for item in items)
