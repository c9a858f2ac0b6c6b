"""Causes: what led to a record and what it led to, along links that are written down, within named limits.

What merely came next on the same subject is told as a hypothesis, beside the chain and never part of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from heedful.claims.projections.causality import Edge, declared_causes, edges_among, in_order
from heedful.claims.projections.identifiers import identifiers_of
from heedful.kernel.errors import InvalidInputError
from heedful.kernel.ids import RecordId
from heedful.observations.names import shown
from heedful.observations.record import Record, RecordType
from heedful.ports.store import Reading, StoredRecord
from heedful.service.instants import instant
from heedful.service.recalling.causes_near import Near
from heedful.service.requests import clean_scope
from heedful.service.session import Session
from heedful.service.sight import (
    not_found,
    seen_record,
    told_record,
    visible_everywhere,
    visible_for_request,
)

CAUSAL_EDGES_MAX = 4
"""Explicit edges that are followed each way (seed 003)."""
CAUSAL_EVENTS_MAX = 12
"""Records in one answer, the one that was asked about among them (seed 003)."""


@dataclass(frozen=True, slots=True)
class Causes:
    """What led to what.

    Attributes:
        start: the record that was asked about; None: none is on that subject by that time.
        records: it and what the edges join, as they happened.
        before, after: explicit edges towards its causes and its effects, the nearest first.
        hypotheses: what came just before and after it on one subject, with nothing that ties them.
        missing: what no link was found for, and what to look for next.
        is_cut: there is more than was looked at or followed.
    """

    start: StoredRecord | None
    records: tuple[StoredRecord, ...]
    before: tuple[Edge, ...]
    after: tuple[Edge, ...]
    hypotheses: tuple[Edge, ...]
    missing: tuple[str, ...]
    is_cut: bool


def causes(
    session: Session,
    item_id: str | None = None,
    *,
    subject: str | None = None,
    at: str | None = None,
    scope: Sequence[str] = (),
) -> Causes:
    """The chain through a record; or through the last one on a subject (`type/id`) in `scope`, at or before `at`.

    Only what the session may see is walked, and an answer is what it would be if the rest did not exist.

    Raises:
        ForbiddenError: `principal_may_not`.
        InvalidInputError: `causes_of_what` where neither or both are named, or a record and `at`; `scope_empty`,
            `time_malformed`.
        NotFoundError: `item_not_found`, also for a record that the session may not see.
    """
    session.require("recall")
    if at is not None and item_id is not None:
        raise InvalidInputError(
            "causes_of_what",
            "a time goes with a subject; a record is one by itself",
            next_step="leave the time out, or name the subject in place of the record",
            details={"field": "at"},
        )
    if (item_id is None) is (subject is None):
        raise InvalidInputError(
            "causes_of_what",
            "name a record, or a subject; one of the two",
            next_step="`heedful causes RECORD`, or `heedful causes --subject deployment/checkout-7`",
            details={"field": "item_id"},
        )
    with session.store.read() as reading:
        near = Near(session, reading, visible_everywhere(session, reading))
        if item_id is not None:
            start = seen_record(session, reading, item_id)
            if start is None:
                raise not_found(item_id)
        else:
            found = _last_on(session, reading, subject or "", at, scope)
            if found is None:
                missing = f"no record on {shown(subject or '')} is there for you by then: name its subject as `type/id`"
                return Causes(None, (), (), (), (), (missing,), is_cut=False)
            start = found
        return _around(session, near, start)


def _last_on(
    session: Session, reading: Reading, subject: str, at: str | None, scope: Sequence[str]
) -> StoredRecord | None:
    until_us = session.clock.now_us() if at is None else instant(session, at, field="at")
    near = Near(session, reading, visible_for_request(session, clean_scope(scope)))
    near.look_at_newest()
    touching = [
        record
        for record in in_order(near.records)
        if record.occurred.at_us <= until_us and any(is_called(subject, each.type, each.id) for each in record.subjects)
    ]
    return near.stored[touching[-1].record_id] if touching else None


def is_called(name: str, subject_type: str, subject_id: str) -> bool:
    """True where the name is this subject's: `type/id`, `type:id`, or its id."""
    return name in (f"{subject_type}/{subject_id}", f"{subject_type}:{subject_id}", subject_id)


def _around(session: Session, near: Near, start: StoredRecord) -> Causes:
    near.add(start)
    before, before_cut = _chain(near, start.record, backwards=True)
    after, after_cut = _chain(near, start.record, backwards=False)
    own = start.record.record_id
    beside = [edge for edge in _edges(near) if not edge.is_proof and own in (edge.cause_id, edge.effect_id)]
    edges = (*before, *after, *beside)
    kept_ids = list(dict.fromkeys([own, *(each for edge in edges for each in (edge.cause_id, edge.effect_id))]))
    kept = {*kept_ids[:CAUSAL_EVENTS_MAX]}

    def within(some: Sequence[Edge]) -> tuple[Edge, ...]:
        return tuple(edge for edge in some if {edge.cause_id, edge.effect_id} <= kept)

    joined = in_order(near.stored[each].record for each in kept)
    return Causes(
        start=told_record(session, start),
        records=tuple(told_record(session, near.stored[each.record_id]) for each in joined),
        before=within(before),
        after=within(after),
        hypotheses=within(beside),
        missing=(*(() if before else _cause_missing(start.record)), *(() if after else _effect_missing(start.record))),
        is_cut=before_cut or after_cut or near.is_cut or len(kept_ids) > CAUSAL_EVENTS_MAX,
    )


def _chain(near: Near, start: Record, *, backwards: bool) -> tuple[tuple[Edge, ...], bool]:
    """At most CAUSAL_EDGES_MAX explicit edges from `start` one way, nearest first; and whether there are more."""
    chain: list[Edge] = []
    reached = {start.record_id}
    frontier = [start.record_id]
    while frontier and len(chain) <= CAUSAL_EDGES_MAX:
        for record_id in frontier:
            near.gather(near.stored[record_id])
        further: list[RecordId] = []
        for edge in _edges(near):
            here, there = (edge.effect_id, edge.cause_id) if backwards else (edge.cause_id, edge.effect_id)
            if edge.is_proof and here in frontier and there not in reached:
                chain.append(edge)
                reached.add(there)
                further.append(there)
        frontier = further
    return tuple(chain[:CAUSAL_EDGES_MAX]), len(chain) > CAUSAL_EDGES_MAX


def _edges(near: Near) -> tuple[Edge, ...]:
    return edges_among(near.records, reads=near.reads, names_of=near.names_of)


def _cause_missing(record: Record) -> tuple[str, ...]:
    declared = sorted({*map(str, record.derived_from), *declared_causes(record)})
    if declared:
        named = ", ".join(shown(each, 64) for each in declared[:CAUSAL_EDGES_MAX])
        return (f"what led to it is not shown: it names {named}, which is not there for you",)
    if record.type is RecordType.TOOL_RESULT:
        return ("what led to it is not shown: look for the call that it answers, in the trace of its run",)
    return (f"what led to it is not shown: {_look_for(record, 'an earlier action or tool result')}",)


def _effect_missing(record: Record) -> tuple[str, ...]:
    if record.type is RecordType.TOOL_CALL:
        return ("what it led to is not shown: look for the result of this call, in the trace of its run",)
    return (f"what it led to is not shown: {_look_for(record, 'a later verification or observation')}",)


def _look_for(record: Record, what: str) -> str:
    named = sorted(map(str, identifiers_of(record)))
    if named:
        return f"look for {what} that names {' or '.join(named[:CAUSAL_EDGES_MAX])}"
    return f"it names no commit, request, run or change; record {what} with the attribute caused_by"
