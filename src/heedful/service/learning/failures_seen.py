"""Failures seen: the recorded steps of a scope by what they were done to, what they did, and how they went."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from heedful.claims.projections.causality import call_ids
from heedful.claims.projections.failures import error_line, signature, succeeded
from heedful.claims.projections.identifiers import environment_of
from heedful.kernel.ids import RecordId
from heedful.kernel.ladder import Classification, Consent
from heedful.observations.instructions import ADDRESSES_AGENT
from heedful.observations.record import Channel, Record, RecordType, SourceGrade
from heedful.service.keeping.calls import called

SUBJECT_CHARACTERS_MAX = 120
TOLD_CHARACTERS_MAX = 300
_Key = tuple[str, str | None, Classification, Consent, frozenset[str], str]
_STEPS = frozenset({RecordType.TOOL_RESULT, RecordType.OBSERVATION, RecordType.VERIFICATION, RecordType.ACTION})
_SEEN_BY = frozenset({SourceGrade.SYSTEM, SourceGrade.OPERATOR, SourceGrade.USER, SourceGrade.TOOL})


@dataclass(frozen=True, slots=True)
class Step:
    """A recorded step whose outcome is told.

    Attributes:
        subjects: what it was done to, as `type/id`; for a shell call without a subject, its command.
        operation: the tool and its command or name; None where the call is not known.
    """

    record: Record
    is_success: bool
    subjects: tuple[str, ...]
    operation: str | None
    environment: str | None


@dataclass(frozen=True, slots=True)
class Failure:
    """One failure, however often it was seen: a subject, an environment, a label and a masked error.

    Attributes:
        unseen_by: principals to whom policy denies what it rests on.
        told: the error as it stood when it was seen last.
        records: the records of it, as they happened.
    """

    subject: str
    environment: str | None
    classification: Classification
    consent: Consent
    unseen_by: frozenset[str]
    signature: str
    told: str
    records: tuple[Record, ...]


class Seen:
    """The records of one scope, and the steps among them that somebody else than an agent tells of."""

    def __init__(self, records: Sequence[Record]) -> None:
        """Read once."""
        self.records = records
        self.by_id = {record.record_id: record for record in records}
        # A call that was only told of, or orders its reader about, names nothing; of two of one id the first counts.
        seen_calls = [
            record
            for record in records
            if record.type is RecordType.TOOL_CALL
            and record.channel is not Channel.AGENT
            and ADDRESSES_AGENT not in record.flags
        ]
        self._calls = {(each, record.run_id): record for record in reversed(seen_calls) for each in call_ids(record)}
        self.steps = [step for record in self._in_time() if (step := self._step_of(record)) is not None]
        self._on: dict[str, list[Step]] = defaultdict(list)
        for step in self.steps:
            for name in dict.fromkeys(name for each in step.subjects for name in _names(each)):
                self._on[name].append(step)

    def on(self, subject: str) -> Sequence[Step]:
        """The steps on what is called so: `type/id`, `type:id`, or its id; as they happened."""
        return self._on.get(subject, ())

    def _step_of(self, record: Record) -> Step | None:
        """None where the record tells no outcome, or on an agent's word."""
        outcome = succeeded(record)
        told_by_agent = record.channel is Channel.AGENT or record.grade not in _SEEN_BY
        if outcome is None or told_by_agent or record.type not in _STEPS:
            return None
        operation = self._operation(record)
        subjects = tuple(f"{each.type}/{each.id}" for each in record.subjects)
        if not subjects and operation is not None:
            subjects = (operation,)
        return Step(record, outcome, subjects, operation, environment_of(record))

    def last_us(self, record_ids: Iterable[RecordId]) -> int:
        """When the last of these happened, UTC microseconds; -1 where none is here."""
        return max((self.by_id[each].occurred.at_us for each in record_ids if each in self.by_id), default=-1)

    def _in_time(self) -> list[Record]:
        return sorted(
            self.records, key=lambda one: (one.occurred.at_us, one.run_id or "", one.sequence or 0, one.record_id)
        )

    def _operation(self, record: Record) -> str | None:
        found = (self._calls.get((each, record.run_id)) for each in sorted(call_ids(record)))
        call = next((each for each in found if each is not None), None)
        if call is None:
            return None
        tool, args = called(call)
        command = (args or {}).get("command")
        text = " ".join(command.split()) if isinstance(command, str) else tool
        return (
            None if not text else f"{'command' if isinstance(command, str) else 'tool'}/{text}"[:SUBJECT_CHARACTERS_MAX]
        )


def _names(subject: str) -> tuple[str, str, str]:
    sort, _, name = subject.partition("/")
    return subject, f"{sort}:{name}", name


def failures_among(seen: Seen, unseen_by: Callable[[Record], frozenset[str]]) -> tuple[Failure, ...]:
    """The failures of which the subject and the error are told, in order of their first record.

    `unseen_by`: whom policy denies a record; records of different readers are different failures.
    """
    found: dict[_Key, list[tuple[Record, str]]] = defaultdict(list)
    for step in seen.steps:
        # An error that orders its reader about would be read again with every gotcha.
        is_plain = not step.is_success and ADDRESSES_AGENT not in step.record.flags
        line = error_line(step.record) if is_plain else None
        masked = None if line is None else signature(line)
        if line is None or masked is None or not step.subjects:
            continue
        record = step.record
        # The first subject is what it was done to; each other one would be the same failure told twice.
        key = (step.subjects[0], step.environment, record.classification, record.consent, unseen_by(record), masked)
        found[key].append((record, line[:TOLD_CHARACTERS_MAX]))
    return tuple(
        Failure(*key, told=records[-1][1], records=tuple(record for record, _ in records))
        for key, records in found.items()
    )
