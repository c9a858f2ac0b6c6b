"""Outcome: what came of an action is a record tied to its verdict, and verifies nothing by itself."""

from __future__ import annotations

import pytest
from worlds import DEPLOY, World, code_of, house_fixture  # noqa: F401  # pytest finds the fixture here
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here

from heedful.ledger.events import OutcomeReported
from heedful.observations.record import RecordType, SourceGrade
from heedful.ports.store import StoredRecord


def test_an_outcome_is_kept_and_tied_to_its_verdict(house: World) -> None:
    """On the word of whoever reports it; where in the ledger is told to who may audit."""
    verdict_id = house.agent.judge("Bash", DEPLOY).verdict_id
    reported = house.agent.report_outcome(verdict_id, status="succeeded", text="12 pods ready")
    stored, _ = house.ana.show(reported.record_id)

    assert isinstance(stored, StoredRecord)
    assert (stored.record.type, stored.record.grade) == (RecordType.ACTION, SourceGrade.AGENT)
    assert house.events()[-1] == OutcomeReported(verdict_id, reported.record_id, "succeeded")
    assert reported.position == 0
    assert house.ana.why(verdict_id).steps[0].position == len(house.events())
    assert house.agent.why(verdict_id).steps[0].text == f"succeeded ({reported.record_id})"


def test_an_outcome_is_no_verification(house: World) -> None:
    """An agent that says that all went well has proved nothing."""
    verdict_id = house.agent.judge("Bash", DEPLOY).verdict_id
    house.agent.report_outcome(verdict_id, status="succeeded", text="verified, passed, approved")

    assert house.agent.judge("Bash", DEPLOY).execution == "review"


def test_without_a_text_the_outcome_says_what_it_can(house: World) -> None:
    """A blank text is no content."""
    verdict_id = house.ana.judge("Bash", DEPLOY).verdict_id
    stored, _ = house.ana.show(house.ana.report_outcome(verdict_id, status="failed", text="  ").record_id)

    assert isinstance(stored, StoredRecord)
    assert (stored.record.content, stored.record.grade) == ("Bash: failed", SourceGrade.USER)


@pytest.mark.parametrize("who", ["person:dan", "person:bob", "agent:other"])
def test_anothers_verdict_looks_like_none(house: World, who: str) -> None:
    """Who neither asked nor audits learns nothing of it."""
    verdict_id = house.agent.judge("Bash", DEPLOY).verdict_id
    memory = house.memory(who)

    assert code_of(lambda: memory.report_outcome(verdict_id, status="failed")) == "item_not_found"
    assert code_of(lambda: memory.report_outcome("nothing", status="failed")) == "item_not_found"


def test_an_unknown_outcome_a_stranger_and_half_a_character_are_refused(house: World) -> None:
    """Each by its own code, before anything is written."""
    verdict_id = house.agent.judge("Bash", DEPLOY).verdict_id
    count = len(house.events())

    assert code_of(lambda: house.agent.report_outcome(verdict_id, status="great")) == "outcome_unknown"
    assert code_of(lambda: house.stranger.report_outcome(verdict_id, status="failed")) == "principal_may_not"
    assert (
        code_of(lambda: house.agent.report_outcome(verdict_id, status="failed", text="\ud800")) == "text_lone_surrogate"
    )
    assert len(house.events()) == count


def test_an_outcome_needs_the_right_to_write_where_it_happened(house: World) -> None:
    """An auditor sees the verdict; without the scope's grant, nothing is written there."""
    verdict_id = house.stranger.judge("Bash", DEPLOY).verdict_id
    narrow = house.policy.replace(
        '{roles: [auditor], clearance: restricted, grants: ["*"]}',
        "{roles: [auditor], clearance: restricted, grants: []}",
    )
    house.use(narrow)

    assert (
        code_of(lambda: house.memory("person:aud").report_outcome(verdict_id, status="failed")) == "scope_not_granted"
    )
    assert house.ana.report_outcome(verdict_id, status="not-done").status == "not-done"
