"""Experience: the events around a question, and which of them prove its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from heedful.bridges.request import Classified
from heedful.claims.claim import Form
from heedful.evidence.grounds.choose import WEIGHED, Grounds, choose, support_ids
from heedful.evidence.grounds.event import FoundEvent
from heedful.evidence.grounds.features import Asked
from heedful.evidence.grounds.told import NOTHING_TOLD, Told
from heedful.kernel.ids import RecordId
from heedful.kernel.ladder import Impact
from heedful.observations.quoting import QUOTES_MEMORY
from heedful.observations.record import Record, RecordStatus, RecordType
from heedful.observations.text import QUERY_TERMS_MAX, query_terms
from heedful.ports.store import Reading, SearchFilter, StoredRecord, Visible
from heedful.recall.candidate import Candidate, RecordCandidate, Scored
from heedful.recall.request import MemoryRequest, TaskClass
from heedful.recall.task_class import recognised
from heedful.service.recalling.candidates import Retrieved
from heedful.service.recalling.named_states import states_named
from heedful.service.recalling.told_causes import NOT_LINKED, Linked, linked_with
from heedful.service.recalling.told_workflows import workflows_told
from heedful.service.recalling.vectors import AskedVector
from heedful.service.session import Session

EVENTS_MAX = 96
"""Events that are weighed for one question."""
RUNS_MAX = 8
"""Runs whose events are looked at besides, those of the best hits first."""
RUN_EVENTS_MAX = 40
"""Events of one run, the newest."""
NEAR_MAX = 256
"""Rows whose nearness to the question is known; what is further away counts as no nearer than the last of them."""
AUTO = "auto"
_EVENTS = frozenset(
    {
        RecordType.TOOL_CALL,
        RecordType.TOOL_RESULT,
        RecordType.ACTION,
        RecordType.VERIFICATION,
        RecordType.OBSERVATION,
        RecordType.HUMAN_NOTE,
    }
)
_DONE_OR_SEEN = _EVENTS - {RecordType.HUMAN_NOTE}


@dataclass(frozen=True, slots=True)
class Experience:
    """What was weighed for a question.

    Attributes:
        task_class: as asked, or recognised.
        stored: the records of the grounds, by id.
        linked: what one written link ties to them.
    """

    task_class: TaskClass
    grounds: Grounds
    stored: dict[RecordId, StoredRecord]
    linked: Linked = NOT_LINKED

    @property
    def support(self) -> frozenset[RecordId]:
        """The ids of the events that prove the answer."""
        return support_ids(self.grounds) | frozenset(self.linked.proving)

    @property
    def reasons(self) -> dict[RecordId, str]:
        """Of each event, why it is grounds or context."""
        said = {each.event.record.record_id: each.because for each in self.grounds.found if each.because != WEIGHED}
        return {**said, **self.linked.reasons}

    def scored(self, places: int) -> tuple[Scored, ...]:
        """The grounds as they go into a packet: those that prove first, then the likeliest of the rest, as context."""
        found = [(self.stored[each.event.record.record_id], each.sure, each.supports) for each in self.grounds.found]
        found += [(each, 0.0, False) for each in self.linked.brought]
        proving, tied = self.support, {each.record.record_id for each in self.linked.brought}

        def place(one: tuple[StoredRecord, float, bool]) -> tuple[bool, bool, bool]:
            record_id = one[0].record.record_id
            return not one[2], record_id not in proving, record_id not in tied

        return tuple(_scored(stored, sure) for stored, sure, _ in sorted(found, key=place)[:places])


def _scored(stored: StoredRecord, sure: float) -> Scored:
    candidate = RecordCandidate(
        record=stored.record,
        position=stored.position,
        relevance=sure,
        coverage=sure,
        terms=(),
        last_used_us=stored.record.occurred.at_us,
    )
    return Scored(candidate, sure, contradicted=False)


def experience_of(  # noqa: PLR0917  # who asks what, and what was found
    session: Session,
    reading: Reading,
    visible: Visible,
    request: MemoryRequest,
    retrieved: Retrieved,
    asked: AskedVector,
    *,
    unfit: Mapping[RecordId, str],
) -> Experience | None:
    """The grounds for a question of experience; None where it is none, or nothing was done or seen that bears on it.

    One bounded hop from what retrieval found: the runs of the best hits, and what names their subjects. What happened
    after the instant that is asked for does not count. `unfit`: records that can be no grounds, with why.
    """
    text = request.features.text
    found = [each.record for each in retrieved.candidates if isinstance(each, RecordCandidate)]
    hits = [each for each in found if QUOTES_MEMORY not in each.flags]
    is_filtered = bool(request.record_types or request.attributes)
    if is_filtered or not any(each.type in _DONE_OR_SEEN for each in hits):
        return None
    task_class = class_of(request)
    if task_class == "general":
        return None
    stored = {
        each.record.record_id: each
        for each in _around(reading, visible, request, [each for each in hits if each.type in _EVENTS])
        if each.record.type in _EVENTS
        and each.is_evidence
        and each.record.occurred.at_us <= request.as_of_us
        and QUOTES_MEMORY not in each.record.flags  # what was handed out was done by nobody
    }
    near = _nearness(reading, visible, request, asked)
    least = min(near.values(), default=0.0)
    events = [FoundEvent(each.record, near.get(record_id, least)) for record_id, each in stored.items()]
    grounds = choose(Asked(text, task_class), events, unfit)
    linked = linked_with(session, reading, visible, request, task_class, (grounds, stored))
    return Experience(task_class, grounds, stored, linked)


def told_beside(  # noqa: PLR0917  # who asks what, and what was found
    session: Session,
    reading: Reading,
    visible: Visible,
    request: MemoryRequest,
    classified: Classified,
    retrieved: Retrieved,
) -> Told:
    """The states of what the request names, and the workflows for its intent.

    Looked for only where the question has a class of experience or a tool is to be called; states only where something
    that was done or seen bears on it: a store without any costs nothing more.
    """
    task_class = class_of(request)
    has_call = request.features.tool is not None
    if request.record_types or request.attributes or (task_class == "general" and not has_call):
        return NOTHING_TOLD
    told = NOTHING_TOLD
    if has_call or any(map(_is_of_experience, retrieved.candidates)):
        told = states_named(session, reading, visible, request, task_class)
    if task_class != "workflow" and not has_call:
        return told
    workflows = workflows_told(session, reading, request, classified, task_class)
    return replace(told, items=(*told.items, *workflows.items), advice=(*told.advice, *workflows.advice))


def _is_of_experience(candidate: Candidate) -> bool:
    if isinstance(candidate, RecordCandidate):
        return candidate.record.type in _DONE_OR_SEEN and QUOTES_MEMORY not in candidate.record.flags
    return candidate.claim.form is Form.STATE


def class_of(request: MemoryRequest) -> TaskClass:
    """The class that was asked for, or that the form of the question has."""
    if request.task_class != "auto":
        return request.task_class
    return recognised(request.features.text, acts=request.impact is Impact.EXECUTE)


def _around(reading: Reading, visible: Visible, request: MemoryRequest, hits: Sequence[Record]) -> list[StoredRecord]:
    """At most EVENTS_MAX records: the hits, those that name their subjects, and those of their runs."""
    found = dict.fromkeys(each.record_id for each in hits)
    names = " ".join(dict.fromkeys(subject.id for each in hits for subject in each.subjects))
    terms = query_terms(names)[:QUERY_TERMS_MAX]
    if terms:
        named = SearchFilter("record", tuple(sorted(_EVENTS)), (), request.as_of_us, unreviewed=False)
        result = reading.search(visible, terms, named, limit=EVENTS_MAX)
        ranked = sorted(result.hits, key=lambda hit: (-len(hit.terms), -hit.position))
        found |= dict.fromkeys(RecordId(hit.item_id) for hit in ranked)
    stored = list(reading.records_by_ids(list(found)))
    runs = dict.fromkeys(each.run_id for each in hits if each.run_id is not None)
    for run_id in islice(runs, RUNS_MAX):
        stored += reading.records(
            visible, status=RecordStatus.ADMITTED, run_id=run_id, attributes=(), before=None, limit=RUN_EVENTS_MAX
        )
    return list({each.record.record_id: each for each in stored}.values())[:EVENTS_MAX]


def _nearness(reading: Reading, visible: Visible, request: MemoryRequest, asked: AskedVector) -> dict[RecordId, float]:
    if asked.model is None or asked.components is None:
        return {}
    events = SearchFilter("record", tuple(sorted(_EVENTS)), (), request.as_of_us, unreviewed=False)
    hits = reading.nearest(visible, asked.model, asked.components, events, limit=NEAR_MAX)
    return {RecordId(hit.item_id): hit.similarity for hit in hits}
