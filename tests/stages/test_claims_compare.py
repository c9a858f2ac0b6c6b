"""What can contradict what, and when two values are one."""

from __future__ import annotations

from typing import Any

import pytest
from packet_builders import a_claim, a_scope

from heedful.claims.claim import Claim, Form
from heedful.claims.compare import are_comparable, are_equal, lane_of
from heedful.kernel.ladder import Classification


def lives(**changes: Any) -> Claim:
    """Ana lives somewhere."""
    given: dict[str, Any] = {"form": Form.FACT, "subject": "user:ana", "property": "home", "value": "Shanghai"}
    return a_claim(**given | {"scope": a_scope("user:ana")} | changes)


def test_facts_states_and_guesses_meet_and_other_forms_meet_only_themselves() -> None:
    """ "Lives in Shanghai" and "in Beijing next week" never overwrite each other (seed 002)."""
    lanes = {form: lane_of(form) for form in Form}

    assert {form for form, lane in lanes.items() if lane == lanes[Form.FACT]} == {
        Form.FACT,
        Form.STATE,
        Form.INFERENCE,
    }
    assert {form for form, lane in lanes.items() if lane is None} == {
        Form.EVENT,
        Form.WORKFLOW,
        Form.GOTCHA,
        Form.PREMISE,
    }
    assert len({lanes[each] for each in (Form.FACT, Form.PREFERENCE, Form.PLAN, Form.CONSTRAINT)}) == 4


def test_two_of_one_subject_property_scope_and_lane_are_comparable() -> None:
    """The control of the next test."""
    assert are_comparable(lives(), lives(value="Beijing", form=Form.STATE), "text")


@pytest.mark.parametrize(
    "changes",
    [
        {"subject": "user:ben"},
        {"property": "office"},
        {"scope": a_scope("user:ana", "project:payments")},
        {"classification": Classification.SENSITIVE},
        {"form": Form.PLAN},
        {"form": Form.EVENT},
        {"value": True},
    ],
)
def test_whatever_differs_lets_them_stand_side_by_side(changes: dict[str, Any]) -> None:
    """Also that a statement merely holds; of a kind whose values are yes and no that is a value."""
    assert not are_comparable(lives(), lives(**{"value": "Beijing"} | changes), "text")
    assert not are_comparable(lives(**{"value": "Beijing"} | changes), lives(), "text")


def test_yes_is_a_value_where_values_are_yes_and_no() -> None:
    """The twin of a bare statement."""
    assert are_comparable(lives(value=True), lives(value=False), "boolean")
    assert not are_equal(True, False, "boolean")


@pytest.mark.parametrize(
    ("left", "right", "comparator"),
    [
        ("Shanghai", "  SHANGHAI ", "text"),
        ("ＡＢＣ　上海", "abc 上海", "text"),  # full width is the point
        ("Straße", "STRASSE", "text"),
        ("e\u0301", "\u00e9", "text"),
        (8, "8", "text"),
        ("8", 8.0, "number"),
        ("1e3", 1000, "number"),
        ("2026-03-01T08:00:00+08:00", "2026-03-01T00:00:00Z", "time"),
        ("true", True, "boolean"),
        ("سلام", "سلام ", "text"),
        ("👩‍👩‍👧 home", "👩‍👩‍👧  home", "text"),
    ],
)
def test_equal_normalised_values_are_one(left: Any, right: Any, comparator: str) -> None:
    """By bytes they differ; what they say does not."""
    assert are_equal(left, right, comparator)


@pytest.mark.parametrize(
    ("left", "right", "comparator"),
    [
        ("Shanghai", "Shanghai Road", "text"),
        ("8", "8.5", "number"),
        ("8", "eight", "number"),
        ("nan", "nan?", "number"),
        ("2026-03-01", "2026-03-02", "time"),
        ("soon", "later", "time"),
        (False, "no", "text"),
    ],
)
def test_what_is_merely_alike_is_not_one(left: Any, right: Any, comparator: str) -> None:
    """Nothing is merged by likeness; what is no number or time is compared as text."""
    assert not are_equal(left, right, comparator)
