"""Workflows in recall: how it is done here is told as people reviewed it; what runs only showed is context."""

from __future__ import annotations

from typing import Any

import pytest
from workflow_runs import run
from workflows import POLICY, PRODUCTION, STAGING, TESTS, WORKFLOWS, registry, settle, wanting
from worlds import World, house_fixture  # noqa: F401  # pytest finds the fixture here
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here

from heedful.evidence.packet import Packet, PacketItem
from heedful.service.recalling import told_workflows

QUESTION = "How do I ship the new web server?"


def procedures(packet: Packet) -> list[PacketItem]:
    return [item for item in packet.items if item.item in {"workflow", "proposal"}]


def asked(house: World, scope: tuple[str, ...] = STAGING, **more: Any) -> Packet:
    return (more.pop("memory", None) or house.ana).recall(QUESTION, scope=scope, **more)


def test_a_reviewed_workflow_of_the_environment_answers_how_it_is_done(house: World) -> None:
    """With preconditions, steps, verifications, exceptions and owner; elsewhere it is not there."""
    settle(house, wanting(TESTS))
    packet = asked(house)
    (item,) = procedures(packet)
    assert (item.item_id, item.supports, item.role) == ("web.staging", True, "fact")
    for said in (
        "before: The tests are green. (proved by verification of web.tests)",
        '1. Ship {"image": "web:{{tag}}"}: The image is in the registry. Verified by docker manifest inspect',
        "otherwise: The pods do not come up. Roll back and tell the owner.",
        "owner: web team",
    ):
        assert said in item.text
    assert "it is for web in environment:staging; reviewed; web team answers for it" in item.reason
    assert (packet.task_class, packet.decision, packet.sufficiency) == ("workflow", "allow", "sufficient")
    assert procedures(asked(house, PRODUCTION)) == []
    assert procedures(house.ana.recall("How do I bake bread?", scope=STAGING)) == []


def test_who_would_do_it_still_needs_a_person(house: World) -> None:
    """A workflow tells how; it approves nothing."""
    settle(house)
    packet = house.ana.recall("Ship the new web server.", scope=STAGING, impact="execute")
    assert packet.task_class == "workflow"
    assert procedures(packet)[0].supports
    assert packet.decision.at_least(packet.decision.REVIEW)


@pytest.mark.parametrize(
    ("change", "as_of", "flag"),
    [
        (("mode: enforce", "mode: shadow"), None, "shadow"),
        (("2027-05-01", "2026-11-20"), None, "expired"),
        (("", ""), "2026-10-01T00:00:00Z", "not-yet"),
    ],
)
def test_what_nobody_may_follow_is_context_and_says_so(
    house: World, change: tuple[str, str], as_of: str | None, flag: str
) -> None:
    """In shadow, expired, or not reviewed by the instant that is asked for."""
    settle(house, WORKFLOWS.replace(*change) if change[0] else WORKFLOWS)
    packet = asked(house, as_of=as_of, task_class="workflow")
    (item,) = procedures(packet)
    assert (item.supports or False, flag in item.flags) == (False, True)
    settle(house)
    assert procedures(asked(house))[0].supports, "the control: a current one answers"


def test_a_workflow_that_is_switched_off_is_not_told(house: World) -> None:
    """With the mode of its class, at once."""
    settle(house)
    assert procedures(asked(house))
    house.ana.set_mode("web", "off", reason="the test shows what off does")
    assert procedures(asked(house)) == []


def test_what_runs_showed_is_context_before_people_accept_it(house: World) -> None:
    """Two runs that went well propose a workflow; it proves nothing, and who sees not all of it sees none of it."""
    settle(house, "workflows: {}\n")
    run(house, "run-1", "1.0")
    run(house, "run-2", "1.1")
    (told,) = house.bob.workflow_mine(scope=STAGING).proposed
    (item,) = procedures(house.ana.recall("How do I roll out the web server?", scope=STAGING))
    assert (item.item, item.item_id, item.role, item.unreviewed) == ("proposal", told["proposal_id"], "data", True)
    assert not item.supports
    assert "2 runs went well in this way; nobody has accepted it" in item.reason
    assert '1. Ship {"image": "web:{{image}}"}' in item.text
    assert procedures(house.ana.recall("How do I roll out the web server?", scope=PRODUCTION)) == []
    house.bob.reject(told["proposal_id"], reason="not so")
    assert procedures(house.ana.recall("How do I roll out the web server?", scope=STAGING)) == []


def test_a_proposal_that_rests_on_what_one_may_not_see_is_not_told(house: World) -> None:
    """Cyd is not cleared for one of its records; Ana is."""
    settle(house, "workflows: {}\n")
    run(house, "run-1", "1.0", classification="restricted")
    run(house, "run-2", "1.1", classification="restricted")
    house.bob.workflow_mine(scope=STAGING)
    asked_for = "How do I roll out the web server?"
    assert procedures(house.cyd.recall(asked_for, scope=STAGING)) == []
    (item,) = procedures(house.ana.recall(asked_for, scope=STAGING))
    assert item.classification == "restricted"
    low = house.ana.recall(asked_for, scope=STAGING, clearance="normal")
    assert procedures(low) == [], "nor is Ana told where she asks for what is normal"


def test_who_may_not_read_the_environment_is_told_of_no_workflow(house: World) -> None:
    """Dan reads the project alone."""
    settle(house)
    assert procedures(asked(house, memory=house.dan)) == []
    assert procedures(asked(house, memory=house.bob)), "the control: Bob reads the environment"


def test_a_call_that_is_for_the_intent_brings_the_workflow(house: World) -> None:
    """Whatever the words; a look brings none."""
    settle(house)
    packet = house.ana.recall("Now.", scope=STAGING, tool="Ship", args={"image": "web:1.2"}, task_class="general")
    (item,) = procedures(packet)
    assert (item.item_id, item.supports) == ("web.staging", None)
    assert procedures(house.ana.recall("Now.", scope=STAGING, tool="Look", args={}, task_class="general")) == []
    assert registry(WORKFLOWS, POLICY).workflows, "the control: there is a workflow"


def test_proposals_that_others_alone_may_see_take_no_place_and_are_not_told_of(
    house: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However few are looked at first, the visible one behind them is found, and where none is nothing says so."""
    settle(house, "workflows: {}\n")
    asked_for = "How do I roll out the web server?"
    monkeypatch.setattr(told_workflows, "PROPOSALS_WALKED", 1)
    for place, hidden in enumerate(("restricted", "restricted", "normal")):
        scope = (f"project:p{place}", "environment:staging")
        before = house.cyd.recall(asked_for, scope=scope)
        for number in (1, 2):
            run(house, f"run-{place}-{number}", f"{number}.0", classification=hidden, scope=scope)
        house.bob.workflow_mine(scope=scope)
        packet = house.cyd.recall(asked_for, scope=scope)
        assert len(procedures(packet)) == (1 if hidden == "normal" else 0)
        if hidden != "normal":
            assert packet.advice == before.advice
