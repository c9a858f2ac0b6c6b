"""Judge: a proposed tool call -> a verdict from current claims, policy and registry, recorded before the answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from heedful.bridges.request import Classified, RequestFeatures
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
from heedful.kernel.scope import Scope, require_plain_name
from heedful.ledger.events import PacketAssembled, VerdictJudged
from heedful.ledger.registry import decode_payload
from heedful.observations.record import Channel, RecordStatus, RecordType
from heedful.policy.decide import Permission, may, may_write
from heedful.ports.store import AttributeFilter, Chain, Reading, StoredRecord, Visible, Writing
from heedful.recall.request import MemoryRequest
from heedful.service.approve_action import APPROVAL_SECONDS, BASIS, KINDS, KINDS_BUT
from heedful.service.in_mind import InMind, bring_to_mind, classify_for
from heedful.service.modes import modes_now
from heedful.service.recall import grounds_of
from heedful.service.requests import TOOL_CHARACTERS_MAX
from heedful.service.session import Session
from heedful.service.sight import kinds_on, not_found, visible_for_request
from heedful.service.statements import APPROVES, PASSED, VERIFIES

BEARING_MAX = 200
BEARING_PAGES_MAX = 20
"""Verifications and approvals that are looked at, the newest that may count; and how many pages of as many records,
of any sort and from anybody, are read to find them. Where that is not enough, the gate asks for a review."""
_US_A_SECOND = 1_000_000


@dataclass(frozen=True, slots=True)
class _Bearing:
    verifications: tuple[Verification, ...]
    approvals: tuple[Approval, ...]
    records: tuple[StoredRecord, ...]
    is_cut: bool


def judge(session: Session, action: ActionRequest, *, packet_id: str | None = None) -> Verdict:
    """The verdict, durable. Nothing that the caller computed is an input; a packet only supplies citations.

    Raises:
        NotFoundError: `item_not_found` for a packet that is not this principal's.
        InvalidInputError: `scope_empty`, `arguments_malformed`, `name_malformed` for the tool's name.
        BusyError, UnavailableError: the store; then there is no verdict, and nothing may be done on it.
    """
    citations = () if packet_id is None else _citations(session, packet_id)
    require_plain_name(action.tool, field="tool", characters_max=TOOL_CHARACTERS_MAX)
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
    # The call's text is read before the store is locked: a long one would keep every other writer waiting.
    classified = classify_for(session, _features(action), action.scope)

    def work(writing: Writing) -> Verdict:
        matter, basis = _matter(session, writing, action, classified, verdict_id=verdict_id, citations=citations)
        verdict = judge_matter(matter)
        event = VerdictJudged(
            verdict_id=verdict_id,
            principal=action.principal,
            action_digest=digest,
            impact=verdict.impact,
            decision=verdict.decision,
            scope=action.scope,
            registry_revision=verdict.registry_revision,
            verdict_json=canonical_bytes(msgspec.to_builtins(verdict) | {BASIS: basis}).decode(),
        )
        session.append(writing, [event])
        return verdict

    return session.store.write(work)


def _features(action: ActionRequest) -> RequestFeatures:
    return RequestFeatures(action.text, action.tool, action.args, None, {})


def _matter(
    session: Session,
    reading: Reading,
    action: ActionRequest,
    classified: Classified,
    *,
    verdict_id: VerdictId,
    citations: tuple[str, ...],
) -> tuple[Matter, list[dict[str, object]]]:
    """What is judged, and the labels of all that bears on it: who may not see all of those is not told the verdict."""
    now_us = session.clock.now_us()
    visible = visible_for_request(session, action.scope)
    mind = bring_to_mind(session, reading, visible, _request(action, now_us), classified)
    bearing = _bearing(reading, visible, action, mind)
    matter = Matter(
        action=action,
        classified=mind.classified,
        activations=mind.activations,
        permission=_permission(session, action),
        registry=session.registry,
        modes=modes_now(reading, session.registry),
        verifications=bearing.verifications,
        approvals=bearing.approvals,
        is_proof_cut=bearing.is_cut,
        sufficiency=_sufficiency(reading, mind, now_us),
        citations=citations,
        verdict_id=verdict_id,
        ledger_position=reading.visible_position(visible),
        judged_at_us=now_us,
    )
    return matter, _basis(session, reading, visible, mind, bearing)


def _basis(
    session: Session, reading: Reading, visible: Visible, mind: InMind, bearing: _Bearing
) -> list[dict[str, object]]:
    """The labels, in order. Where not all was looked at, anything visible may have made the difference.

    Kinds are told, those of other claims on the same records too, where policy denies any to somebody.
    """
    denies_any = any(each.denied_kinds for each in session.registry.policy.principals.values())
    labels: dict[tuple[Scope, Classification], set[str]] = {}
    for claim in (*mind.claims, *mind.ended_claims):
        near = {str(claim.kind), *kinds_on(reading, claim.evidence)} if denies_any else set()
        labels.setdefault((claim.scope, claim.classification), set()).update(near)
    for stored in bearing.records:
        near = {*kinds_on(reading, [stored.record.record_id])} if denies_any else set()
        labels.setdefault((stored.record.scope, stored.record.classification), set()).update(near)
    basis = [(label, {KINDS: sorted(kinds)} if denies_any else {}) for label, kinds in labels.items()]
    if mind.is_cut or bearing.is_cut:
        but = {KINDS_BUT: list(visible.denied_kinds)} if denies_any else {}
        basis += [
            ((scope, visible.clearance), but)
            for scope in visible.scopes
            if denies_any or (scope, visible.clearance) not in labels
        ]
    ordered = sorted(basis, key=lambda each: (each[0][0].elements, each[0][1].rank, KINDS_BUT in each[1]))
    return [
        {"scope": list(scope.elements), "classification": classification.value, **kinds}
        for (scope, classification), kinds in ordered
    ]


def _request(action: ActionRequest, now_us: int) -> MemoryRequest:
    return MemoryRequest(
        features=_features(action),
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
    verifications, verifications_cut = _bearing_records(reading, visible, AttributeFilter(VERIFIES, wanted), _verifies)
    approvals, approvals_cut = _bearing_records(
        reading, visible, AttributeFilter(APPROVES, (action.digest,)), _is_a_persons
    )
    return _Bearing(
        tuple(map(_verification, verifications)),
        tuple(map(_approval, approvals)),
        (*verifications, *approvals),
        is_cut=verifications_cut or approvals_cut,
    )


def _verifies(stored: StoredRecord) -> bool:
    """Leaves out what cannot count before it is counted: an agent's notes must not push a person's out of sight."""
    return stored.record.type is RecordType.VERIFICATION and _verification(stored).may_count


def _is_a_persons(stored: StoredRecord) -> bool:
    return stored.record.channel is Channel.PERSON


def _bearing_records(
    reading: Reading, visible: Visible, wanted: AttributeFilter, may_count: Callable[[StoredRecord], bool]
) -> tuple[list[StoredRecord], bool]:
    """The newest BEARING_MAX that may count; and True where the pages ended before all of those were found."""
    found: list[StoredRecord] = []
    before: int | None = None
    for _ in range(BEARING_PAGES_MAX if wanted.values else 0):
        page = reading.records(
            visible,
            status=RecordStatus.ADMITTED,
            run_id=None,
            attributes=(wanted,),
            before=before,
            limit=BEARING_MAX,
        )
        found += filter(may_count, page)
        if len(page) < BEARING_MAX or len(found) >= BEARING_MAX:
            return found[:BEARING_MAX], False
        before = page[-1].position
    return found, before is not None


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
        channel=stored.record.channel,
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
