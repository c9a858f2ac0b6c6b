"""The table of steps that cannot run yet names those and no others, and only ever shrinks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from report_cases import (
    BELIEF_KINDS,
    DELETION_KINDS,
    KINDS,
    NOT_YET,
    awaited,
    is_there,
    load_cases,
    needs_cases,
    not_yet,
    waits_for,
)

ROWS_MAX = 7
"""Of the first nine kinds. May only go down: later work empties the table."""
BELIEF_ROWS_MAX = 0
"""Of the kinds of what is believed and when: likewise."""
DELETION_ROWS_MAX = 2
"""Of the kinds of what is erased: two doors."""

pytestmark = needs_cases


def test_the_table_only_shrinks() -> None:
    """A new row needs somebody to raise the number above, which nobody may."""
    known = load_cases()
    assert len([row for row in not_yet() if row.case in known]) <= ROWS_MAX
    assert len([row for row in not_yet() if row.case in load_cases(BELIEF_KINDS)]) <= BELIEF_ROWS_MAX
    assert len([row for row in not_yet() if row.case in load_cases(DELETION_KINDS)]) <= DELETION_ROWS_MAX


def test_the_table_names_exactly_the_steps_that_cannot_run() -> None:
    """A step that lacks nothing has no row, and one that lacks something has one, with what it lacks."""
    lacking = [
        (case.case_id, place, step["op"], name)
        for case in load_cases().values()
        for place, step in enumerate(case.steps)
        if (name := waits_for(step)) is not None
    ]
    rows = [(row.case, row.step, row.op, row.awaits) for row in not_yet() if row.case in load_cases()]
    assert rows == lacking


def test_every_case_of_what_is_believed_has_a_test_or_a_row() -> None:
    """Not both; and what a row awaits is not there yet."""
    cases = load_cases(BELIEF_KINDS)
    tests = "".join(path.read_text("utf-8") for path in Path(__file__).parent.glob("test_reports_*.py"))
    tested = {name.upper() for name in re.findall(r"def test_(b\d{3})_", tests)} & cases.keys()
    rows = [row for row in not_yet() if row.case in cases]
    assert {row.case for row in rows} == cases.keys() - tested
    assert [row for row in rows if is_there(row.awaits) or cases[row.case].steps[row.step]["op"] != row.op] == []
    assert len(cases) == 19


def test_every_case_of_what_is_erased_has_a_test() -> None:
    """And a row for each of its steps that cannot run, while what it awaits is not there."""
    cases = load_cases(DELETION_KINDS)
    tests = (Path(__file__).parent / "test_reports_deletion.py").read_text("utf-8")
    assert {name.upper() for name in re.findall(r"def test_(b\d{3})_", tests)} == cases.keys()
    rows = [row for row in not_yet() if row.case in cases]
    assert [row for row in rows if is_there(row.awaits) or cases[row.case].steps[row.step]["op"] != row.op] == []
    assert len(cases) == 7


def test_every_row_says_why() -> None:
    """A sentence, not a word."""
    assert [row for row in not_yet() if len(row.why.split()) < 4] == []


def test_every_kind_that_the_table_covers_has_cases() -> None:
    """The nine kinds, 21 cases; a kind that went missing would go unnoticed otherwise."""
    cases = load_cases()
    assert {case.kind for case in cases.values()} == KINDS
    assert len(cases) == 21


@pytest.mark.parametrize(
    "step",
    [
        {"op": "parallel_mcp", "scope": "t1/ana"},
        {"op": "search", "descend": True},
        {"op": "list", "filters": {"score": {"$gte": 10}}},
        {"op": "write", "text": "y", "vector": [0.1]},
    ],
)
def test_control_a_step_that_lacks_something_is_found(step: dict[str, object]) -> None:
    """A verb, an argument, a filter: each kind of lack is seen."""
    assert waits_for(step) is not None


@pytest.mark.parametrize("name", ["Memory.recall", "Memory.recall(budget_tokens)", "heedful.interfaces.cli"])
def test_control_what_is_there_is_found(name: str) -> None:
    """A method, a parameter, a module: had one of these been awaited, its row would have to go."""
    assert is_there(name)


def test_control_an_ordinary_step_lacks_nothing() -> None:
    """Equality filters and plain verbs run."""
    assert awaited({"op": "search", "scope": "t1/ana", "query": "x", "filters": {"type": "working"}}) is None
    assert NOT_YET.is_file()
