"""Asking: a question put to Heedful's own recall -> what the packet has of one memory, and what brought it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from heedful.bootstrap import App
from heedful.bridges.vocabulary import covers
from heedful.claims.claim import Claim
from heedful.evaluation.datasets import Question
from heedful.evaluation.plan import Plan
from heedful.evaluation.reasons import LEFT_OUT, link_of, why_not
from heedful.evaluation.rows import Probe
from heedful.evaluation.stores import as_if_new
from heedful.evidence.packet import BridgeNote, Packet
from heedful.kernel.ids import BridgeId, RecordId
from heedful.kernel.ladder import Decision
from heedful.kernel.times import format_time
from heedful.recall.request import MemoryRequest
from heedful.service.recalling.recall import recall
from heedful.service.requests import memory_request
from heedful.service.session import Session

ALARM = Decision.ASK
"""From this effect on a bridge is an alarm; below it is a notice."""
RETRIEVED, NOT_RETRIEVED = "retrieved", "not retrieved"
"""The reasons of a question that looks for the memory itself, beside that it was left out for budget."""

_RETRIEVED = ("direct", "other_scope")
_MS = 1_000.0


@dataclass(frozen=True, slots=True)
class Answered:
    """What one question brought; see ResultRow for the fields."""

    present: bool
    activated: bool
    alarmed: bool
    others: int
    bridge_valid: bool | None
    decision: str | None
    tokens: int
    latency_ms: float
    kinds: tuple[str, ...]
    classes: tuple[str, ...]
    reason: str


def ask(
    app: App,
    session: Session,
    question: Question,
    *,
    probe: Probe,
    record_id: RecordId | None,
    scope: Sequence[str],
    plan: Plan,
) -> Answered:
    """What the packet for this question has that rests on this record; None is a memory that was not kept."""
    request = request_of(session, question, scope, plan)
    fresh = as_if_new(app, session, request.features.text)
    began = time.perf_counter()
    packet = recall(fresh, request)
    latency_ms = round((time.perf_counter() - began) * _MS, 3)
    items = [
        item for item in packet.items if record_id is not None and _rests_on(item.item_id, item.evidence, record_id)
    ]
    notes = [note for item in items for note in item.bridges]
    with session.store.read() as reading:
        claims = () if record_id is None else reading.claims_on(record_id)
        linked = link_of(session, reading, request)
        if notes:
            reason = _brought(notes)
        elif items and probe in _RETRIEVED:
            reason = RETRIEVED
        elif probe == "direct":
            reason = LEFT_OUT if _left_out(packet, record_id, claims) else NOT_RETRIEVED
        else:
            reason = why_not(session, linked, claims, packet)
    return Answered(
        present=bool(items),
        activated=bool(notes),
        alarmed=any(note.effect.at_least(ALARM) for note in notes),
        others=sum(1 for item in packet.items if item.bridges and item not in items),
        bridge_valid=any(_is_valid(session, note, claims) for note in notes) or linked.reaches(claims),
        decision=packet.decision.value,
        tokens=packet.tokens,
        latency_ms=latency_ms,
        kinds=tuple(f"{each.kind} {each.confidence:g} {each.status}" for each in claims),
        classes=linked.classes,
        reason=reason,
    )


def request_of(session: Session, question: Question, scope: Sequence[str], plan: Plan) -> MemoryRequest:
    """The memory request that the question makes, at the plan's instant and within its budget."""
    return memory_request(
        session,
        question.text,
        scope=question.scope or scope,
        tool=question.tool,
        args=question.args,
        as_of=format_time(plan.as_of_us),
        budget_tokens=plan.budget_tokens,
    )


def _left_out(packet: Packet, record_id: RecordId | None, claims: Sequence[Claim]) -> bool:
    return any(item_id in packet.left_out for item_id in (record_id, *(claim.claim_id for claim in claims)))


def _rests_on(item_id: str, evidence: Sequence[str], record_id: RecordId) -> bool:
    return item_id == record_id or record_id in evidence


def _is_valid(session: Session, note: BridgeNote, claims: Sequence[Claim]) -> bool:
    """True where the registry has that bridge, it starts from that class, and it brings a kind of these claims."""
    bridge = session.registry.bridges.get(BridgeId(note.bridge_id))
    if bridge is None or not any(covers(each, note.action_class) for each in bridge.from_classes):
        return False
    return any(covers(kind, claim.kind) for kind in bridge.activates for claim in claims)


def _brought(notes: Sequence[BridgeNote]) -> str:
    """The bridges, each with its class; what told the class is not said of an item in few words."""
    return "; ".join(f"{note.effect} by {note.bridge_id} from {note.via or note.action_class}" for note in notes)
