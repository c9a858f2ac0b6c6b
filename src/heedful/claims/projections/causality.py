"""Causality: what led to what, from links that somebody or something wrote down. Pure.

An edge is `explicit` only where a record itself says so: a tool's answer names its call, a record the one that it was
made from or that caused it, a later check or state names what an action named. All else that is near in time on one
subject is a `hypothesis`: it is shown and labelled, and proves nothing (seed 003: a causal edge that was made up is
downgraded, and nobody may act on it).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Literal

from heedful.claims.projections.identifiers import (
    Identifier,
    Place,
    identifiers_of,
    may_be_one_place,
    place_of,
    shares_scope,
)
from heedful.kernel.ids import RecordId
from heedful.kernel.times import US_A_SECOND
from heedful.observations.record import Channel, Record, RecordType, SourceGrade

CALL_ATTRIBUTES = ("tool_use_id", "tool_call_id", "call_id")
"""Attributes by which a tool's answer names its call, as importers set them."""
CAUSED_BY = "caused_by"
"""The attribute by which a record names what caused it: a record's id, or its source reference."""

Link = Literal["tool-call", "caused-by", "derived-from", "names", "adjacent"]

_CAUSES = frozenset({RecordType.TOOL_CALL, RecordType.TOOL_RESULT, RecordType.ACTION})
_EFFECTS = frozenset({RecordType.TOOL_RESULT, RecordType.OBSERVATION, RecordType.VERIFICATION})
_NO_WITNESS = frozenset({SourceGrade.AGENT, SourceGrade.SUMMARY, SourceGrade.DOCUMENT})
"""What these say of causes is what somebody made of it, and no link that was seen."""
_LOOKED_BACK_MAX = 64
"""Earlier records that name the same thing, the last ones, of which one of the same place is looked for."""


class Sort(StrEnum):
    """How an edge is known: it is written down, or merely looks so."""

    EXPLICIT = "explicit"
    HYPOTHESIS = "hypothesis"


@dataclass(frozen=True, slots=True)
class Edge:
    """One thing that led, or may have led, to another.

    Attributes:
        link: what ties them: a tool's answer to its call, a declared cause, what it was made from, a name that both
            have, or nothing but their place.
        because: the same for people, with the name or id that ties them.
    """

    cause_id: RecordId
    effect_id: RecordId
    sort: Sort
    link: Link
    because: str

    @property
    def is_proof(self) -> bool:
        """True where it may count as proof that the one led to the other."""
        return self.sort is Sort.EXPLICIT

    @property
    def is_relation(self) -> bool:
        """True where it also says more than that a call was answered, or a record made from another."""
        return self.is_proof and self.link in ("caused-by", "names")


def edges_among(
    records: Iterable[Record],
    *,
    reads: Collection[RecordId] = (),
    names_of: Callable[[Record], frozenset[Identifier]] = identifiers_of,
) -> tuple[Edge, ...]:
    """The edges between these records, causes in their order; the surest one of each pair.

    `reads` are calls that only looked, and their answers: they show a state and cause none. `names_of` gives what a
    record names, for who has kept it.
    """
    ordered = in_order(records)
    places = {record.record_id: place for place, record in enumerate(ordered)}
    where = _Where()
    found: dict[tuple[RecordId, RecordId], Edge] = {}
    for edges in (
        _calls(ordered, where),
        _declared(ordered, places),
        _naming(ordered, {*reads}, names_of, where),
        _adjacent(ordered, where),
    ):
        for edge in edges:
            before = found.get((edge.cause_id, edge.effect_id))
            if before is None or (edge.is_proof and not before.is_proof):
                found[edge.cause_id, edge.effect_id] = edge
    return tuple(sorted(found.values(), key=lambda edge: (places[edge.cause_id], places[edge.effect_id])))


def in_order(records: Iterable[Record]) -> tuple[Record, ...]:
    """Each record once, as they happened: within a run by sequence whatever its clock says, else by time and id."""
    by_id = {record.record_id: record for record in records}
    happened: dict[RecordId, int] = {}
    latest: dict[str, int] = {}
    for record in sorted(by_id.values(), key=lambda one: (one.run_id or "", one.sequence or 0, one.record_id)):
        at_us = record.occurred.at_us
        if record.run_id is not None and record.sequence is not None:
            at_us = latest[record.run_id] = max(at_us, latest.get(record.run_id, at_us))
        happened[record.record_id] = at_us
    return tuple(
        sorted(
            by_id.values(),
            key=lambda one: (happened[one.record_id], one.run_id or "", one.sequence or 0, one.record_id),
        )
    )


def call_ids(record: Record) -> frozenset[str]:
    """The tool calls that the record is, or answers, by their own names."""
    return frozenset(str(value) for name, value in record.attributes if name in CALL_ATTRIBUTES)


def declared_causes(record: Record) -> frozenset[str]:
    """What the record itself says that caused it: ids of records, or source references."""
    return frozenset(value for name, value in record.attributes if name == CAUSED_BY and isinstance(value, str))


class _Where:
    """The place of each record, read once and only where it is asked for."""

    def __init__(self) -> None:
        self._places: dict[RecordId, Place] = {}

    def may_be_one(self, left: Record, right: Record) -> bool:
        """See may_be_one_place."""
        return may_be_one_place(self._of(left), self._of(right))

    def _of(self, record: Record) -> Place:
        place = self._places.get(record.record_id)
        if place is None:
            place = self._places[record.record_id] = place_of(record)
        return place


def _calls(ordered: Sequence[Record], where: _Where) -> Iterator[Edge]:
    calls: dict[tuple[str, str | None], Record] = {}
    for record in ordered:
        if record.type is RecordType.TOOL_CALL:
            calls.update(dict.fromkeys(((each, record.run_id) for each in call_ids(record)), record))
    for record in ordered:
        for each in sorted(call_ids(record)) if record.type is not RecordType.TOOL_CALL else ():
            call = calls.get((each, record.run_id))
            if call is not None and where.may_be_one(call, record):
                yield Edge(call.record_id, record.record_id, Sort.EXPLICIT, "tool-call", f"it answers call {each}")


def _declared(ordered: Sequence[Record], places: Mapping[RecordId, int]) -> Iterator[Edge]:
    by_reference = {record.told_source_ref: record for record in ordered if record.told_source_ref is not None}
    for place, record in enumerate(ordered):
        for parent_id in record.derived_from:
            if parent_id in places:
                sort = Sort.HYPOTHESIS if record.channel is Channel.AGENT else Sort.EXPLICIT
                yield Edge(
                    parent_id, record.record_id, sort, "derived-from", _said(record, sort, "it was made from it")
                )
        for name in sorted(declared_causes(record)):
            cause = ordered[places[RecordId(name)]] if RecordId(name) in places else by_reference.get(name)
            if cause is None or cause.record_id == record.record_id:
                continue
            sort = Sort.EXPLICIT if _is_seen(record) and places[cause.record_id] < place else Sort.HYPOTHESIS
            because = _said(record, sort, f"it says that it was caused by {name}")
            yield Edge(cause.record_id, record.record_id, sort, "caused-by", because)


def _is_seen(record: Record) -> bool:
    """False for what an agent, a summary or a document tells: it links nothing that was seen."""
    return record.channel is not Channel.AGENT and record.grade not in _NO_WITNESS


def _said(record: Record, sort: Sort, because: str) -> str:
    return because if sort is Sort.EXPLICIT else f"{because}, on the word of {record.grade}; nothing shows it"


def _naming(
    ordered: Sequence[Record],
    reads: set[RecordId],
    names_of: Callable[[Record], frozenset[Identifier]],
    where: _Where,
) -> Iterator[Edge]:
    """From the last action or answer that names a thing to each later state or check that names it."""
    acting: dict[tuple[str, str], list[tuple[Identifier, Record]]] = defaultdict(list)
    for record in ordered:
        named = names_of(record) if record.type in _CAUSES | _EFFECTS else ()
        ties: dict[RecordId, list[Identifier]] = defaultdict(list)
        for each in sorted(named) if record.type in _EFFECTS else ():
            cause = _last_naming(acting[each.key], each, record, where)
            if cause is not None:
                ties[cause.record_id].append(each)
        for cause_id, shared in ties.items():
            because = f"both name {', '.join(map(str, shared))}"
            sort = Sort.EXPLICIT if _is_seen(record) else Sort.HYPOTHESIS
            yield Edge(cause_id, record.record_id, sort, "names", _said(record, sort, because))
        if record.type in _CAUSES and record.record_id not in reads:
            for each in named:
                acting[each.key].append((each, record))


def _last_naming(
    acting: Sequence[tuple[Identifier, Record]], wanted: Identifier, effect: Record, where: _Where
) -> Record | None:
    for each, record in reversed(acting[-_LOOKED_BACK_MAX:]):
        is_home = not wanted.is_numbered or shares_scope(record, effect)
        if each.is_same(wanted) and is_home and where.may_be_one(record, effect):
            return record
    return None


def _adjacent(ordered: Sequence[Record], where: _Where) -> Iterator[Edge]:
    by_subject: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for record in ordered:
        for subject in dict.fromkeys(record.subjects):
            by_subject[subject.type, subject.id].append(record)
    for (subject_type, subject_id), touching in by_subject.items():
        for earlier, later in pairwise(touching):
            if where.may_be_one(earlier, later):
                seconds = max(0, later.occurred.at_us - earlier.occurred.at_us) // US_A_SECOND
                because = f"it came next on {subject_type} {subject_id}, {seconds} s later; nothing ties the two"
                yield Edge(earlier.record_id, later.record_id, Sort.HYPOTHESIS, "adjacent", because)
