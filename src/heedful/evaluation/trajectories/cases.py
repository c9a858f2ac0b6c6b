"""Cases: a trajectory as it arrived, a question, what proves the answer and what only looks as if it did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from heedful.evaluation.datasets import file_content, object_of, read_cases
from heedful.evaluation.fields import LineField, decision_named, given_id, scope_of, text_of
from heedful.kernel.canonical import canonical_bytes
from heedful.kernel.errors import InvalidInputError
from heedful.kernel.ladder import Decision, Impact
from heedful.kernel.times import parse_time
from heedful.observations.record import RecordType

EVENTS_MAX = 10_000
KINDS: Mapping[str, RecordType] = {each.value.replace("_", "-"): each for each in RecordType}
"""The words for types of records in a trajectory: `tool-result` and the like."""
_IMPACTS = tuple(each.value for each in Impact)


@dataclass(frozen=True, slots=True)
class Event:
    """One event; `text` is its payload, JSON where that is no text.

    Attributes:
        subjects: (type, id) of what it is about.
    """

    event_id: str
    run_id: str
    tenant: str
    scope: tuple[str, ...]
    sequence: int
    occurred_at: str
    type: RecordType
    subjects: tuple[tuple[str, str], ...]
    text: str


@dataclass(frozen=True, slots=True)
class TrajectoryCase:
    """One question with the events before it, in the order in which they arrived.

    Attributes:
        expected: the decisions that are exact.
        support: ids of the events that prove the answer; `forbidden`: of those that must not be taken to.
    """

    case_id: str
    group: str
    language: str
    tenant: str
    scope: tuple[str, ...]
    question: str
    task_class: str
    impact: str
    as_of: str
    events: tuple[Event, ...]
    support: frozenset[str]
    forbidden: frozenset[str]
    expected: tuple[Decision, ...]

    @property
    def foreign(self) -> frozenset[str]:
        """Ids of the events of another tenant or scope, which must not be seen at all."""
        return frozenset(
            each.event_id for each in self.events if each.tenant != self.tenant or each.scope != self.scope
        )


@dataclass(frozen=True, slots=True)
class Trajectories:
    """A file of cases."""

    name: str
    sha256: str
    cases: tuple[TrajectoryCase, ...]


def load_trajectories(path: Path, *, limit: int | None = None) -> Trajectories:
    """The cases of the file, in its order, at most `limit`. Unknown fields are ignored.

    Raises:
        UnavailableError: `cases_unreadable`.
        InvalidInputError: `case_malformed`, naming line and field; `cases_none`, `cases_too_many`.
    """
    content = file_content(path)
    return Trajectories(path.stem, sha256(content).hexdigest(), tuple(read_cases(content, path, _case, limit=limit)))


def _case(line: str, at: LineField, number: int) -> TrajectoryCase:
    row = object_of(line, at)
    events = row.get("events")
    if not isinstance(events, list) or not 0 < len(events) <= EVENTS_MAX:
        raise at.of("events").malformed(f"is no list of 1 to {EVENTS_MAX} events")
    expected = row.get("expected")
    support = expected.get("evidence_ids") if isinstance(expected, Mapping) else None
    impact = row.get("action_impact", Impact.READ.value)
    if impact not in _IMPACTS:
        raise at.of("action_impact").malformed(f"is none of {', '.join(_IMPACTS)}")
    return TrajectoryCase(
        case_id=given_id(row, ("id",), number, at),
        group=str(row.get("group") or "none"),
        language=str(row.get("lang") or "none"),
        tenant=str(row.get("tenant") or "default"),
        scope=scope_of(row.get("scope"), at.of("scope")),
        question=text_of(row.get("question"), at.of("question")),
        task_class=str(row.get("task_class") or "auto"),
        impact=impact,
        as_of=_time(row.get("as_of"), at.of("as_of")),
        events=tuple(_event(each, at.of(f"events[{place}]")) for place, each in enumerate(events)),
        support=_ids(support, at.of("expected.evidence_ids")),
        forbidden=_ids(row.get("forbidden_evidence_ids") or [], at.of("forbidden_evidence_ids")),
        expected=decision_named(row.get("expected_decision"), at.of("expected_decision")),
    )


def _event(value: object, at: LineField) -> Event:
    if not isinstance(value, Mapping):
        raise at.malformed("is no object")
    sort, sequence, payload = value.get("kind"), value.get("sequence"), value.get("payload")
    if not isinstance(sort, str) or sort not in KINDS:
        raise at.of(f"{at.field}.kind").malformed(f"is none of {', '.join(KINDS)}")
    if not isinstance(sequence, int) or isinstance(sequence, bool) or sequence < 0:
        raise at.of(f"{at.field}.sequence").malformed("is no whole number from 0")
    return Event(
        event_id=text_of(value.get("id"), at.of(f"{at.field}.id")),
        run_id=text_of(value.get("run_id"), at.of(f"{at.field}.run_id")),
        tenant=str(value.get("tenant") or "default"),
        scope=scope_of(value.get("scope"), at.of(f"{at.field}.scope")),
        sequence=sequence,
        occurred_at=_time(value.get("occurred_at"), at.of(f"{at.field}.occurred_at")),
        type=KINDS[sort],
        subjects=_subjects(value.get("subject"), at.of(f"{at.field}.subject")),
        text=payload if isinstance(payload, str) else canonical_bytes(payload).decode(),
    )


def _subjects(value: object, at: LineField) -> tuple[tuple[str, str], ...]:
    listed = value if isinstance(value, list) else [] if value is None else [value]
    found: list[tuple[str, str]] = []
    for each in listed:
        if not isinstance(each, Mapping) or not each.get("type") or not each.get("id"):
            raise at.malformed("is no list of objects with a type and an id")
        found.append((str(each["type"]), str(each["id"])))
    return tuple(found)


def _ids(value: object, at: LineField) -> frozenset[str]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise at.malformed("is no list of event ids")
    return frozenset(value)


def _time(value: object, at: LineField) -> str:
    if not isinstance(value, str):
        raise at.malformed("is no ISO 8601 time")
    try:
        parse_time(value, field=at.field)
    except InvalidInputError as error:
        raise at.malformed("is no ISO 8601 time") from error
    return value
