"""Experience: the events around a question, and which of them prove its answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from heedful.evidence.grounds.choose import Grounds, choose
from heedful.evidence.grounds.event import FoundEvent
from heedful.evidence.grounds.features import Asked
from heedful.kernel.ids import RecordId
from heedful.observations.record import Record, RecordStatus, RecordType
from heedful.observations.text import QUERY_TERMS_MAX, query_terms
from heedful.ports.store import Reading, SearchFilter, StoredRecord, Visible
from heedful.recall.candidate import RecordCandidate, Scored
from heedful.recall.request import MemoryRequest, TaskClass
from heedful.recall.task_class import recognised
from heedful.service.candidates import Retrieved, is_evidence
from heedful.service.vectors import AskedVector

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
    """

    task_class: TaskClass
    grounds: Grounds
    stored: dict[RecordId, StoredRecord]

    def scored(self, places: int) -> tuple[Scored, ...]:
        """The grounds as they go into a packet: those that prove first, then the likeliest of the rest, as context."""
        ordered = sorted(self.grounds.found, key=lambda each: not each.supports)
        return tuple(
            Scored(
                RecordCandidate(
                    record=each.event.record,
                    position=self.stored[each.event.record.record_id].position,
                    relevance=each.sure,
                    coverage=each.sure,
                    terms=(),
                    last_used_us=each.event.record.occurred.at_us,
                ),
                each.sure,
                contradicted=False,
            )
            for each in ordered[:places]
        )


def experience_of(
    reading: Reading, visible: Visible, request: MemoryRequest, retrieved: Retrieved, asked: AskedVector
) -> Experience | None:
    """The grounds for a question of experience; None where it is none, or nothing was done or seen that bears on it.

    One bounded hop from what retrieval found: the runs of the best hits, and what names their subjects. What happened
    after the instant that is asked for does not count.
    """
    text = request.features.text
    hits = [each.record for each in retrieved.candidates if isinstance(each, RecordCandidate)]
    is_filtered = bool(request.record_types or request.attributes)
    if is_filtered or not any(each.type in _DONE_OR_SEEN for each in hits):
        return None
    task_class = class_of(request)
    if task_class == "general":
        return None
    stored = {
        each.record.record_id: each
        for each in _around(reading, visible, request, [each for each in hits if each.type in _EVENTS])
        if each.record.type in _EVENTS and is_evidence(each) and each.record.occurred.at_us <= request.as_of_us
    }
    near = _nearness(reading, visible, request, asked)
    least = min(near.values(), default=0.0)
    events = [FoundEvent(each.record, near.get(record_id, least)) for record_id, each in stored.items()]
    return Experience(task_class, choose(Asked(text, task_class), events), stored)


def class_of(request: MemoryRequest) -> TaskClass:
    """The class that was asked for, or that the form of the question has."""
    return recognised(request.features.text) if request.task_class == "auto" else request.task_class


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
