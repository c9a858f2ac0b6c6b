"""The gate and workflows: a step waits for its preconditions and for the step before it, in its own environment."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from workflows import (
    CALM,
    CURRENT,
    POLICY,
    PRODUCTION,
    ROLL,
    RUN,
    SHIP,
    STAGING,
    TESTS,
    WANTS,
    WORKFLOWS,
    call,
    incident,
    judged,
    registry,
    settle,
    spoken,
    verify,
    wanting,
)
from worlds import World, code_of, house_fixture  # noqa: F401  # pytest finds the fixture here
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here

from heedful.claims.projections.workflow_run import RUN_RECORDS_MAX
from heedful.kernel.ids import PrincipalId
from heedful.service.learning import read_run


def test_a_step_after_a_verified_one_goes_ahead(house: World) -> None:
    """The control of every refusal below."""
    settle(house)
    call(house, RUN, "Ship", SHIP)
    verify(house, RUN)
    verdict = judged(house)

    assert (verdict.execution, spoken(verdict), verdict.run_id) == ("execute", {CURRENT: "allow"}, RUN)
    assert spoken(judged(house, "Ship", run=None)) == {CURRENT: "allow"}


def shipped(house: World, *verified: dict[str, Any], **more: Any) -> None:
    """The first step was called, and verified in these ways."""
    call(house, RUN, "Ship", SHIP, **more)
    for each in verified:
        verify(house, **{"run": RUN, **each})


def refused_by_the_tool(house: World) -> None:
    """Its result was an error."""
    call(house, RUN, "Ship", SHIP)
    attributes: dict[str, str | bool] = {"tool_use_id": f"{RUN}-Ship", "is_error": True}
    capture = house.memory("person:ana", channel="capture")
    capture.remember("denied", record_type="tool_result", run_id=RUN, scope=STAGING, attributes=attributes)
    verify(house, RUN)


def verified_before(house: World) -> None:
    """What was seen before the call says nothing of what it did."""
    verify(house, RUN)
    call(house, RUN, "Ship", SHIP)


def called_again(house: World) -> None:
    """What was verified was the call before."""
    shipped(house, {})
    shipped(house)


CASES: dict[str, Callable[[World], object]] = {
    "nothing": lambda house: None,
    "unverified": shipped,
    "verified before": verified_before,
    "failed since": lambda house: shipped(house, {}, {"passed": False}),
    "an agent's word": lambda house: shipped(house, {"memory": house.agent}),
    "another run": lambda house: shipped(house, {"run": "run-2"}),
    "no run": lambda house: shipped(house, {}),
    "another environment": lambda house: shipped(house, {"scope": PRODUCTION}),
    "no environment": lambda house: shipped(house, {"scope": ["project:payments"]}),
    "another class": lambda house: shipped(house, {"verifies": "web.tests"}),
    "called again": called_again,
    "refused by the tool": refused_by_the_tool,
    "called in another environment": lambda house: shipped(house, {}, scope=PRODUCTION),
}


def test_a_call_is_read_as_each_importer_keeps_it(house: World) -> None:
    """Arguments as an object, or as the text that the model wrote; a text that is no object is no step."""
    settle(house)
    capture = house.memory("person:ana", channel="capture")
    for run, given, verified in (("a", SHIP, True), ("b", json.dumps(SHIP), True), ("c", "web:1.2", False)):
        content = json.dumps({"name": "Ship", "input": given})
        attributes = {"tool": "Ship", "call_id": "call_0"}
        capture.remember(content, record_type="tool_call", run_id=run, scope=STAGING, attributes=attributes)
        verify(house, run)
        assert (judged(house, run=run).execution == "execute") is verified


@pytest.mark.parametrize("case", CASES)
def test_a_step_whose_predecessor_is_not_verified_is_denied(house: World, case: str) -> None:
    """Under enforce; and what is missing is named: the step, the run, what to look at."""
    settle(house)
    CASES[case](house)
    verdict = judged(house, run=None if case == "no run" else RUN)

    assert (verdict.execution, spoken(verdict)) == ("deny", {WANTS: "deny"})
    (missing,) = [each for each in verdict.missing if each.what == "verification"]
    assert "run" in missing.detail


@pytest.mark.parametrize(("mode", "decision", "counts"), [("shadow", "review", False), ("advise", "review", True)])
def test_the_mode_decides_what_a_missing_proof_does(house: World, mode: str, decision: str, counts: bool) -> None:
    """In shadow it is reported, in advise a person looks, and off it is silent."""
    settle(house, WORKFLOWS.replace("mode: enforce", f"mode: {mode}"))
    verdict = judged(house)

    assert spoken(verdict) == {WANTS: decision}
    assert (verdict.execution == "review", verdict.would_be.value) == (counts, "review")
    settle(house, WORKFLOWS.replace("mode: enforce", "mode: off"))
    assert spoken(judged(house)) == {}
    settle(house)
    house.ana.set_mode("web", "shadow", reason="a look")
    assert (judged(house).execution, spoken(judged(house))) == ("execute", {WANTS: "review"})


def test_no_approval_stands_for_a_verification(house: World) -> None:
    """A person's yes answers no missing verification."""
    settle(house, WORKFLOWS.replace("mode: enforce", "mode: advise"))
    call(house, RUN, "Ship", SHIP)
    house.bob.approve(judged(house).verdict_id, reason="go")

    assert (judged(house).execution, spoken(judged(house))) == ("review", {WANTS: "review"})


def test_a_workflow_of_staging_says_nothing_in_production(house: World) -> None:
    """Nor where no environment is named; nor of another call, a read, or arguments that are no step."""
    settle(house)
    for verdict in (
        judged(house, scope=PRODUCTION),
        judged(house, scope=["project:payments"]),
        judged(house, args={"other": "web.yaml"}),
        judged(house, "Look", {}),
        judged(house, "Ship", {"image": "shop:1.2"}),
    ):
        assert spoken(verdict) == {}
    assert spoken(judged(house)) != {}


def test_an_expired_workflow_holds_nothing_back_and_says_so(house: World) -> None:
    """Before its review it says nothing at all."""
    settle(house, WORKFLOWS.replace("2027-05-01", "2026-11-28T09:30:00Z"))
    assert spoken(judged(house)) == {WANTS: "deny"}
    house.clock.go(seconds=3_600)
    verdict = judged(house)
    assert (verdict.decision, spoken(verdict)) == ("notice", {"workflow-expired:web.staging": "notice"})
    settle(house, WORKFLOWS.replace("2026-11-01", "2026-12-01"))
    assert spoken(judged(house)) == {}


def test_what_the_one_who_acts_may_not_see_proves_nothing(house: World) -> None:
    """A state of a denied kind, a verification above the clearance: to the agent they are not there."""
    settle(house, wanting(CALM, TESTS))
    house.bob.approve(incident(house, "none"))
    verify(house, None, verifies="web.tests", classification="restricted")
    verdict = judged(house, "Ship")
    assert len([each for each in verdict.rulings if each.rule == WANTS]) == 1
    verify(house, None, verifies="web.tests")
    assert spoken(judged(house, "Ship")) == {CURRENT: "allow"}
    denying = registry(wanting(CALM, TESTS)).policy.principals["agent:*"]
    assert denying.denied_kinds == ()
    settle(
        house,
        wanting(CALM, TESTS),
        POLICY.replace("roles: [agent], ", "roles: [agent], denied_kinds: [web.incident], "),
    )
    assert spoken(judged(house, "Ship")) == {WANTS: "deny"}


def test_another_tenants_run_is_not_there(house: World) -> None:
    """Under the same name."""
    settle(house)
    house.app.add_tenant("acme", PrincipalId("person:ana"))
    there = house.memory("person:ana", tenant="acme")
    call(house, RUN, "Ship", SHIP, house.memory("person:ana", tenant="acme", channel="capture"))
    verify(house, RUN, there)

    assert spoken(judged(house)) == {WANTS: "deny"}
    assert spoken(there.judge("Roll", ROLL, scope=STAGING, run=RUN)) == {CURRENT: "allow"}


def test_a_run_that_is_too_long_proves_nothing(house: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who floods a run with records gets no step out of it."""
    settle(house)
    call(house, RUN, "Ship", SHIP)
    verify(house, RUN)
    assert spoken(judged(house)) == {CURRENT: "allow"}
    monkeypatch.setattr(read_run, "RUN_RECORDS_MAX", 3)
    monkeypatch.setattr(read_run, "PAGE_RECORDS", 2)
    for number in range(2):
        house.agent.remember(f"noise {number}", run_id=RUN, scope=STAGING)

    assert spoken(judged(house)) == {WANTS: "deny"}
    assert RUN_RECORDS_MAX > 3


def test_the_verdict_rests_on_the_run_and_is_told_to_who_sees_it(house: World) -> None:
    """Who may not see a record of the run is not shown the verdict; an outcome is of its verdict's run."""
    settle(house)
    call(house, RUN, "Ship", SHIP, classification="sensitive")
    verify(house, RUN, classification="sensitive")
    verdict = judged(house)
    assert spoken(verdict) == {CURRENT: "allow"}
    house.agent.report_outcome(verdict.verdict_id, status="succeeded")
    assert house.bob.show(verdict.verdict_id)[0]["run_id"] == RUN  # type: ignore[index]
    assert code_of(lambda: house.cyd.show(verdict.verdict_id)) == "item_not_found"


def test_whoever_may_not_act_learns_nothing_of_the_workflow(house: World) -> None:
    """The denial names no step: what it wants would tell how it is done. Who may act is told."""
    settle(house)
    outsider = house.memory("person:dan").judge("Ship", SHIP, scope=STAGING, run=RUN)
    assert (outsider.execution, spoken(outsider)) == ("deny", {})
    assert spoken(judged(house, "Ship", run=None)) != {}
