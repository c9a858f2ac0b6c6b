"""Told causes: one hop from the grounds of an answer, along links that are written down, to what led to what.

A link that nothing shows is told as a hypothesis, beside context, and proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from heedful.claims.projections.causality import Edge, call_ids, declared_causes, edges_among
from heedful.claims.projections.identifiers import identifiers_of
from heedful.evidence.escape import is_word
from heedful.evidence.grounds.choose import SUPPORT_MAX, Grounds
from heedful.kernel.ids import RecordId
from heedful.observations.record import Record, RecordType
from heedful.ports.store import Reading, StoredRecord, Visible
from heedful.recall.request import MemoryRequest, TaskClass
from heedful.service.recalling.causes_near import Near, reads_among
from heedful.service.session import Session

HOPS_MAX = 4
"""Events that are joined to the grounds, declared causes and then the nearest in time first (seed 003: four causal
edges)."""


@dataclass(frozen=True, slots=True)
class Linked:
    """What one hop brought.

    Attributes:
        proving: events that a cause that was declared ties to the grounds of a question of cause.
        brought: events that were not among those weighed, and that a written link ties to the grounds.
        reasons: of each event that is tied, by what, for people.
    """

    proving: tuple[RecordId, ...] = ()
    brought: tuple[StoredRecord, ...] = ()
    reasons: Mapping[RecordId, str] = field(default_factory=dict)


NOT_LINKED = Linked()


def linked_with(  # noqa: PLR0917  # who asks what, and what was weighed
    session: Session,
    reading: Reading,
    visible: Visible,
    request: MemoryRequest,
    task_class: TaskClass,
    weighed: tuple[Grounds, Mapping[RecordId, StoredRecord]],
) -> Linked:
    """What is tied to the grounds by one link, of what the requester may see and had happened by then.

    `weighed`: the events that were, with their records. Beyond them is looked only for what the grounds themselves
    name: an origin, a call, a commit.
    """
    grounds, stored = weighed
    support = {each.event.record.record_id for each in grounds.support}
    if not support:
        return NOT_LINKED
    near = Near(session, reading, visible)
    for each in stored.values():
        near.add(each)
    for record_id in sorted(support):
        if _names_anything(stored[record_id].record):
            near.gather_tied(stored[record_id])
    records = [each.record for each in near.stored.values() if _is_in_sight(each, visible, request)]
    edges = edges_among(records, reads=reads_among(records, session.registry.policy), names_of=near.names_of)
    barred = {each.event.record.record_id for each in grounds.found if each.is_barred}
    return _linked(edges, support, task_class, near, (barred, {*stored}))


def _is_in_sight(stored: StoredRecord, visible: Visible, request: MemoryRequest) -> bool:
    """True for what may be seen in the scopes of this request, and had happened by then."""
    record = stored.record
    is_seen = record.scope in visible.scopes and visible.clearance.at_least(record.classification)
    return is_seen and record.occurred.at_us <= request.as_of_us


def _names_anything(record: Record) -> bool:
    return bool(record.derived_from or declared_causes(record) or call_ids(record) or identifiers_of(record))


def _linked(
    edges: Iterable[Edge],
    support: set[RecordId],
    task_class: TaskClass,
    near: Near,
    weighed: tuple[set[RecordId], set[RecordId]],
) -> Linked:
    barred, looked_at = weighed
    known = near.stored
    reasons: dict[RecordId, str] = {}
    proving: list[RecordId] = []
    brought: list[StoredRecord] = []

    def place(edge: Edge) -> tuple[bool, bool, bool, int]:
        ends = known[edge.cause_id].record.occurred.at_us, known[edge.effect_id].record.occurred.at_us
        return not edge.is_proof, edge.link != "caused-by", not edge.is_relation, abs(ends[0] - ends[1])

    tied = sorted((edge for edge in edges if bool({edge.cause_id, edge.effect_id} & support)), key=place)
    for edge in tied:
        here, there = (edge.cause_id, edge.effect_id) if edge.cause_id in support else (edge.effect_id, edge.cause_id)
        if not edge.is_proof and (task_class != "causal" or there in support):
            continue
        reasons.setdefault(there, _said(edge, here, near))
        if there in support or there in proving or any(each.record.record_id == there for each in brought):
            continue
        has_room = there in looked_at or len(brought) < HOPS_MAX
        is_event = has_room and known[there].record.type is not RecordType.TOOL_CALL and there not in barred
        # That two name one thing ties them, and tells no more than that: of such links on the training trajectories,
        # one of three led to a cause. A cause that somebody saw and wrote down is one.
        is_told = edge.is_proof and edge.link == "caused-by"
        if task_class == "causal" and is_told and is_event and len(support) + len(proving) < SUPPORT_MAX:
            proving.append(there)
        if edge.is_proof and has_room and there not in looked_at:
            brought.append(known[there])
    return Linked(tuple(proving), tuple(brought), reasons)


def _said(edge: Edge, here: RecordId, near: Near) -> str:
    word = "explicit" if edge.is_proof else "hypothesis"
    way = f"it led to {here}" if edge.effect_id == here else f"{here} led to it"
    said = f"{way} ({word}, {edge.link})"
    return f"{said}: {edge.because}" if _is_told_in_words(edge, near) else said


def _is_told_in_words(edge: Edge, near: Near) -> bool:
    """False where a name in it that others made is no word, and would say something in our voice."""
    effect = near.stored[edge.effect_id].record
    names = {*call_ids(effect), *declared_causes(effect), *(each.value for each in near.names_of(effect))}
    names.update(each for subject in effect.subjects for each in (subject.type, subject.id))
    return all(is_word(each) for each in names if each in edge.because)
