"""Preconditions of a workflow: what proves one is current, of its own environment, and of the very thing."""

from __future__ import annotations

from workflows import (
    ASKED,
    CALM,
    CURRENT,
    PRODUCTION,
    RUN,
    SHIP,
    STAGING,
    TESTS,
    VOCABULARY,
    WANTS,
    call,
    incident,
    judged,
    settle,
    spoken,
    verify,
    wanting,
)
from worlds import World, code_of, house_fixture  # noqa: F401  # pytest finds the fixture here
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here


def test_a_precondition_by_verification_is_current_passed_and_applies(house: World) -> None:
    """Any step waits for it; what is stale, failed, an agent's or of another environment proves nothing."""
    settle(house, wanting(TESTS))
    assert spoken(judged(house, "Ship")) == {WANTS: "deny"}
    verify(house, None, house.agent, verifies="web.tests")
    verify(house, None, verifies="web.tests", scope=PRODUCTION)
    assert spoken(judged(house, "Ship")) == {WANTS: "deny"}
    verify(house, None, verifies="web.tests", scope=["project:payments"])
    assert spoken(judged(house, "Ship")) == {CURRENT: "allow"}
    verify(house, None, verifies="web.tests", passed=False)
    verdict = judged(house, "Ship")
    assert spoken(verdict) == {WANTS: "deny"}
    assert any("web.tests" in each.detail for each in verdict.missing)
    verify(house, None, verifies="web.tests")
    assert spoken(judged(house, "Ship")) == {CURRENT: "allow"}
    house.clock.go(seconds=3_601)
    assert spoken(judged(house, "Ship")) == {WANTS: "deny"}


WIDE = TESTS.replace("web.tests", "build.tests.unit")
"""A precondition of which no step of the workflow is checked, nor anything above it."""
BUILD = VOCABULARY.replace(
    "kinds:\n",
    "  build: {description: The build., on_no_bridge: retrieve}\n"
    "  build.tests: {description: Its tests., on_no_bridge: retrieve}\n"
    "  build.tests.unit: {description: The small ones., on_no_bridge: retrieve}\nkinds:\n",
)


def test_what_is_verified_more_widely_since_does_not_mend_what_failed_by_itself(house: World) -> None:
    """Nor does it make a look of its own anew; alone, and where it is not well, the wider one counts."""
    settle(house, wanting(WIDE), vocabulary=BUILD)
    verify(house, None, verifies="build.tests")
    assert spoken(judged(house, "Ship")) == {CURRENT: "allow"}
    verify(house, None, verifies="build.tests.unit", passed=False)
    verify(house, None, verifies="build.tests")
    assert spoken(judged(house, "Ship")) == {WANTS: "deny"}
    verify(house, None, verifies="build.tests.unit")
    assert spoken(judged(house, "Ship")) == {CURRENT: "allow"}
    house.clock.go(seconds=3_601)
    verify(house, None, verifies="build.tests")
    assert spoken(judged(house, "Ship")) == {WANTS: "deny"}
    verify(house, None, verifies="build.tests.unit")
    verify(house, None, verifies="build", passed=False)
    assert spoken(judged(house, "Ship")) == {WANTS: "deny"}


def test_the_check_of_a_step_proves_no_precondition_that_nobody_looked_at(house: World) -> None:
    """It names the intent, which is above the precondition; the look at the precondition itself counts before and after."""
    settle(house, wanting(TESTS))
    call(house, RUN, "Ship", SHIP)
    verify(house, RUN)
    verdict = judged(house)
    assert spoken(verdict) == {WANTS: "deny"}
    assert ["web.tests" in each.detail for each in verdict.missing] == [True]
    told = house.ana.workflow_next(RUN, workflow="web.staging", scope=STAGING)
    assert [each.is_proved for each in told.preconditions] == [False]

    verify(house, None, verifies="web.tests")
    assert spoken(judged(house)) == {CURRENT: "allow"}
    verify(house, RUN)
    assert spoken(judged(house)) == {CURRENT: "allow"}
    verify(house, RUN, passed=False)
    assert WANTS in spoken(judged(house))


def test_a_precondition_by_state_is_approved_in_force_and_undisputed(house: World) -> None:
    """A proposal proves nothing, nor does another value, another environment, or what has ended."""
    settle(house, wanting(CALM))
    claim_id = incident(house, "none")
    incident_there = incident(house, "none", PRODUCTION)
    house.bob.approve(incident_there)
    assert spoken(judged(house, "Ship")) == {WANTS: "deny"}
    house.bob.approve(claim_id)
    assert spoken(judged(house, "Ship")) == {CURRENT: "allow"}
    other = incident(house, "open", subject="service:web")
    house.bob.approve(other)
    verdict = judged(house, "Ship")
    assert (spoken(verdict), verdict.rulings[0].claim_id) == ({WANTS: "deny"}, other)
    house.bob.reject(other, reason="closed")
    assert spoken(judged(house, "Ship")) == {CURRENT: "allow"}
    house.bob.reject(claim_id, reason="old")
    assert spoken(judged(house, "Ship")) == {WANTS: "deny"}


def test_a_precondition_by_approval_is_of_this_very_call_and_run(house: World) -> None:
    """Its absence is a review, never a denial that nobody could answer."""
    settle(house, wanting(ASKED))
    verdict = judged(house, "Ship")
    assert (verdict.execution, spoken(verdict)) == ("review", {WANTS: "review"})
    house.bob.approve(verdict.verdict_id, reason="go")

    assert judged(house, "Ship").execution == "execute"
    assert judged(house, "Ship", {"image": "web:1.3"}).execution == "review"
    assert judged(house, "Ship", run="run-2").execution == "review"
