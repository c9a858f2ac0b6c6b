"""Tasks: what becomes of each part of a working state is a table, and nobody's word for it."""

from __future__ import annotations

from typing import Any

import pytest

from heedful.claims.claim import Form
from heedful.claims.tasks import ENTRY, Fate, Grounds, Part, fate_of, grounds_of, is_witness, said_by_person
from heedful.observations.record import Channel, SourceGrade
from heedful.testing.builders import build_record, scope_of

PROJECT = scope_of("project:payments")
TASK = scope_of("project:payments", "task:42")
NOTHING = Grounds(by_person=False, is_shown=False, is_shown_outside=False)
BY_PERSON = Grounds(by_person=True, is_shown=False, is_shown_outside=False)
SHOWN = Grounds(by_person=False, is_shown=True, is_shown_outside=True)
SHOWN_INSIDE = Grounds(by_person=False, is_shown=True, is_shown_outside=False)


@pytest.mark.parametrize(
    ("part", "grounds", "fate"),
    [
        (Part.PLAN, BY_PERSON, Fate.DROPPED),
        (Part.TO_DO, BY_PERSON, Fate.DROPPED),
        (Part.CONSTRAINT, BY_PERSON, Fate.KEPT),
        (Part.CONSTRAINT, NOTHING, Fate.DROPPED),
        (Part.CONSTRAINT, SHOWN, Fate.DROPPED),
        (Part.FACT, SHOWN, Fate.PROMOTED),
        (Part.FACT, SHOWN_INSIDE, Fate.KEPT),
        (Part.FACT, BY_PERSON, Fate.KEPT),
        (Part.FACT, NOTHING, Fate.DROPPED),
    ],
)
def test_the_table_decides(part: Part, grounds: Grounds, fate: Fate) -> None:
    """Row by row; each says why."""
    found, because = fate_of(part, grounds)

    assert (found, bool(because)) == (fate, True)


def test_a_part_has_the_form_of_what_it_is() -> None:
    """What is planned is no fact."""
    assert [part.form for part in Part] == [Form.PLAN, Form.PLAN, Form.CONSTRAINT, Form.FACT]


@pytest.mark.parametrize(
    ("changes", "is_persons", "shows"),
    [
        ({"grade": SourceGrade.USER, "channel": Channel.PERSON}, True, True),
        ({"grade": SourceGrade.OPERATOR, "channel": Channel.PERSON}, True, True),
        ({"grade": SourceGrade.USER, "channel": Channel.CAPTURE}, True, True),
        ({"grade": SourceGrade.USER, "channel": Channel.AGENT}, False, False),
        ({"grade": SourceGrade.USER, "channel": Channel.PERSON, "flags": ("speaks-for-another",)}, False, True),
        ({"grade": SourceGrade.TOOL, "channel": Channel.CAPTURE}, False, True),
        ({"grade": SourceGrade.DOCUMENT, "channel": Channel.PERSON}, False, True),
        ({"grade": SourceGrade.SUMMARY, "channel": Channel.CAPTURE}, False, False),
        ({"grade": SourceGrade.AGENT, "channel": Channel.CAPTURE}, False, False),
        ({"grade": SourceGrade.TOOL, "channel": Channel.PERSON, "attributes": ((ENTRY, "fact"),)}, False, False),
    ],
)
def test_who_said_it_and_what_shows_it(changes: dict[str, Any], is_persons: bool, shows: bool) -> None:
    """An agent's word, a summary and the words that state the fact show nothing."""
    record = build_record(**{"flags": (), "attributes": (), **changes})

    assert (said_by_person(record), is_witness(record)) == (is_persons, shows)


def test_what_is_known_in_the_task_alone_shows_nothing_outside() -> None:
    """What is known around it does."""
    stated = build_record(1, grade=SourceGrade.AGENT, channel=Channel.AGENT, attributes=((ENTRY, "fact"),))
    inside = build_record(2, grade=SourceGrade.TOOL, channel=Channel.CAPTURE, attributes=(), scope=TASK)
    outside = build_record(3, grade=SourceGrade.TOOL, channel=Channel.CAPTURE, attributes=(), scope=PROJECT)

    assert grounds_of(stated, [stated], PROJECT) == NOTHING
    assert grounds_of(stated, [stated, inside], PROJECT) == SHOWN_INSIDE
    assert grounds_of(stated, [stated, inside, outside], PROJECT) == SHOWN
