"""Auto-approval: what policy lets become active without a person, and each condition that keeps it from it."""

from __future__ import annotations

import pytest
from worlds import FREEZE, World, house_fixture  # noqa: F401  # pytest finds the fixture here

from heedful import Memory
from heedful.observations.record import RecordType

GOTCHA = "environment.gotcha"


def status(memory: Memory, **told: object) -> str:
    """Where a fact that was stated with explicit consent gets to by itself."""
    given = {"kind": "note", "form": "fact", "consent": "explicit", **told}
    return memory.remember("the kettle is slow", **given).claims[0].status  # type: ignore[arg-type]


def test_the_control_a_first_party_fact_is_approved_by_policy(house: World) -> None:
    """Also where the speaker is named and is the principal."""
    assert status(house.ana) == "active"
    assert status(house.ana, speaker="ana") == "active"
    assert status(house.dan) == "active"


def test_what_is_said_in_anothers_name_is_not_approved_by_itself(house: World) -> None:
    """Ana vouches for what Ben said; whether Ben did is a person's to look at."""
    kept = house.ana.remember("ben likes tea", kind="note", form="fact", consent="explicit", speaker="ben")

    assert "speaks-for-another" in kept.flags
    assert kept.claims[0].status == "evidence-verified"


def test_a_one_off_is_not_approved_by_itself(house: World) -> None:
    """It was said for this once."""
    kept = house.ana.remember("Keep it short this time.", kind="note", form="preference", consent="explicit")

    assert "one-off" in kept.flags
    assert kept.claims[0].status == "evidence-verified"


@pytest.mark.parametrize("form", ["fact", "preference"])
def test_a_form_of_the_callers_choice_does_not_beat_the_kinds_own(house: World, form: str) -> None:
    """A kind whose own form policy does not approve stays with a person, whatever form the caller names."""
    assert status(house.ana, kind=GOTCHA, form=form) == "evidence-verified"


def test_the_control_the_kinds_own_form_is_approved_where_policy_names_it(house: World) -> None:
    """Both forms have to be among policy's."""
    house.use(house.policy.replace("forms: [preference, fact]", "forms: [preference, fact, gotcha]"))

    assert status(house.ana, kind=GOTCHA, form="gotcha") == "active"
    assert status(house.ana, kind=GOTCHA, form="fact") == "active"
    assert status(house.ana, kind=GOTCHA, form="plan") == "evidence-verified"


@pytest.mark.parametrize("grade", [None, "tool"])
def test_a_rule_on_the_word_of_an_agent_or_a_tool_becomes_an_inference_and_the_caller_is_told(
    house: World, grade: str | None
) -> None:
    """The claim is kept as less than was asked for, and the answer says so."""
    who = house.agent if grade is None else house.ana
    record_type = RecordType.HUMAN_NOTE if grade is None else RecordType.TOOL_RESULT
    kept = who.remember("never deploy again", kind=FREEZE, grade=grade, record_type=record_type, consent="explicit")
    (note,) = kept.claims
    claim, _records = house.ana.show(note.claim_id)

    assert getattr(claim, "form", None) == "inference"
    assert note.status == "evidence-verified"
    (problem,) = kept.problems
    assert "inference" in problem
    assert "no constraint" in problem
