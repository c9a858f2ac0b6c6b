"""Tasks: what the working state of a task consists of, and what becomes of each part when the task ends. Pure.

| what                                                                 | at the end |
| -------------------------------------------------------------------- | ---------- |
| plan                                                                 | dropped    |
| to-do, done or not                                                   | dropped    |
| constraint that a person said                                        | kept       |
| any other constraint                                                 | dropped    |
| fact that a record shows which is known outside of the task          | promoted   |
| fact that a record shows which is known in the task alone            | kept       |
| fact that nothing shows, on a person's word                          | kept       |
| fact on an agent's word alone                                        | dropped    |

A record shows a fact where it is evidence now, is not the words that state the fact, and is neither an agent's word nor
a summary. Kept is: as it stood, in the task's own scope. Promoted is: proposed outside of the task, for a person.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from heedful.claims.claim import Form
from heedful.claims.layers import TASK_DIMENSION
from heedful.kernel.scope import Scope
from heedful.observations.grade import SPEAKS_FOR_ANOTHER
from heedful.observations.record import Channel, Record, SourceGrade

ENTRY = "task_entry"
"""The attribute of a record that states a part of a task's working state; its value is a Part, or one of the two."""
ENDED = "end"
PROMOTED = "promoted"
"""Values of ENTRY: the record by which a task ended, and the one that states outside of it what was promoted."""
PROPERTY_PREFIX = f"{TASK_DIMENSION}."
_PERSONS = frozenset({SourceGrade.USER, SourceGrade.OPERATOR, SourceGrade.SYSTEM})
_NO_WITNESS = frozenset({SourceGrade.AGENT, SourceGrade.SUMMARY})


class Part(StrEnum):
    """A part of a task's working state."""

    PLAN = "plan"
    TO_DO = "todo"
    CONSTRAINT = "constraint"
    FACT = "fact"

    @property
    def form(self) -> Form:
        """The form of a claim that is such a part."""
        match self:
            case Part.PLAN | Part.TO_DO:
                return Form.PLAN
            case Part.CONSTRAINT:
                return Form.CONSTRAINT
            case Part.FACT:
                return Form.FACT
            case _:
                assert_never(self)


class Fate(StrEnum):
    """What becomes of a part when its task ends."""

    DROPPED = "dropped"
    KEPT = "kept"
    PROMOTED = "promoted"


@dataclass(frozen=True, slots=True)
class Grounds:
    """What is known of how a part is known.

    Attributes:
        by_person: a person said it, for themselves and through a person's door.
        is_shown: a record shows it.
        is_shown_outside: one that is known outside of the task does.
    """

    by_person: bool
    is_shown: bool
    is_shown_outside: bool


def fate_of(part: Part, grounds: Grounds) -> tuple[Fate, str]:
    """What becomes of it, and why."""
    match part:
        case Part.PLAN | Part.TO_DO:
            return Fate.DROPPED, f"a {part} is over with its task"
        case Part.CONSTRAINT:
            return (Fate.KEPT, "a person said it") if grounds.by_person else (Fate.DROPPED, "no person said it")
        case Part.FACT:
            return _fate_of_fact(grounds)
        case _:
            assert_never(part)


def _fate_of_fact(grounds: Grounds) -> tuple[Fate, str]:
    if grounds.is_shown_outside:
        return Fate.PROMOTED, "a record shows it"
    if grounds.is_shown:
        return Fate.KEPT, "what shows it is known in the task alone"
    return (Fate.KEPT, "a person said it") if grounds.by_person else (Fate.DROPPED, "it is an agent's word alone")


def said_by_person(record: Record) -> bool:
    """True where a person says it for themselves, through a person's door or captured."""
    return record.grade in _PERSONS and record.channel is not Channel.AGENT and SPEAKS_FOR_ANOTHER not in record.flags


def is_witness(record: Record) -> bool:
    """True where the record may show a fact, if it is evidence now."""
    return record.grade not in _NO_WITNESS and record.channel is not Channel.AGENT and not is_statement(record)


def is_statement(record: Record) -> bool:
    """True where the record states a part of a task."""
    return any(name == ENTRY for name, _ in record.attributes)


def grounds_of(statement: Record, evidence: Iterable[Record], outside: Scope) -> Grounds:
    """How the part is known that `statement` states; `evidence`: what it rests on, of what is evidence now."""
    shown = [record for record in evidence if is_witness(record)]
    return Grounds(
        by_person=said_by_person(statement),
        is_shown=bool(shown),
        is_shown_outside=any(record.scope.applies_to(outside) for record in shown),
    )
