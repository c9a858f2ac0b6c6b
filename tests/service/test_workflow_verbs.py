"""`workflow list`, `show` and `next`: in the environment of the request and no other, from what its asker may see."""

from __future__ import annotations

from typing import Any

import pytest
from workflows import (
    ASKED,
    CALM,
    POLICY,
    PRODUCTION,
    ROLL,
    SHIP,
    STAGING,
    TESTS,
    WORKFLOWS,
    call,
    settle,
    verify,
    wanting,
)
from worlds import World, code_of, house_fixture  # noqa: F401  # pytest finds the fixture here
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here

from heedful.kernel.ids import PrincipalId
from heedful.service.learning import read_run
from heedful.service.learning.workflow import NextStep, WorkflowsFound

RUN = "run-1"
ELSEWHERE = WORKFLOWS.replace("web.staging:", "web.production:").replace(
    "environment:staging", "environment:production"
)
BOTH = WORKFLOWS + ELSEWHERE.removeprefix("workflows:\n")
OF_CLUSTER = WORKFLOWS.replace('scope: ["environment:staging"]', 'subjects: ["environment:staging"]')


def listed(house: World, request: str = "", **more: Any) -> WorkflowsFound:
    """What the agent is told, in staging where nothing else is said."""
    return house.agent.workflow_list(request, **{"scope": STAGING, **more})


def ids(found: WorkflowsFound) -> list[str]:
    """Of those that are current."""
    return [each.id for each in found.current]


def upcoming(house: World, **more: Any) -> NextStep:
    """What the run is to do now."""
    return house.agent.workflow_next(RUN, **{"scope": STAGING, **more})


def test_a_workflow_is_found_by_class_by_words_and_by_environment(house: World) -> None:
    """A class below the intent counts; nothing asked gives all of the environment."""
    settle(house, BOTH)
    for found in (
        listed(house),
        listed(house, intent="web"),
        listed(house, intent="web.staging"),
        listed(house, "Please ship the new web server"),
        listed(house, "Please roll out the web server"),
        listed(house, "帮我发布网站"),
    ):
        assert (ids(found), found.expired, found.missing) == (["web.staging"], (), ())


def test_what_is_missing_is_said(house: World) -> None:
    """A class that nothing is for, words that tell none, an environment without any."""
    settle(house)
    (no_workflow,) = listed(house, intent="migrate").missing
    (no_intent,) = listed(house, "The weather is fine").missing
    (no_environment,) = listed(house, intent="web", scope=["project:payments"]).missing

    assert "migrate" in no_workflow
    assert "intent" in no_intent
    assert "web in project:payments" in no_environment
    assert code_of(lambda: listed(house, intent="no.such.class")) == "action_class_unknown"
    assert code_of(lambda: listed(house, subjects=["staging"])) == "subject_malformed"


def test_a_workflow_of_staging_is_invisible_in_production(house: World) -> None:
    """By list, show and next, by its id and by its words; so is its id in what is told."""
    settle(house)
    for scope in (PRODUCTION, ["project:payments"], ["project:payments", "environment:staging2"]):
        found = listed(house, "Please ship the new web server", scope=scope)
        assert (ids(found), found.expired) == ([], ())
        assert "web.staging" not in str(found.missing)
        assert code_of(lambda s=scope: house.agent.workflow_show("web.staging", scope=s)) == "workflow_not_found"  # type: ignore[misc]
        assert code_of(lambda s=scope: upcoming(house, scope=s, workflow="web.staging")) == "workflow_not_found"  # type: ignore[misc]
        assert (upcoming(house, scope=scope).todo, upcoming(house, scope=scope).workflow) == ("nothing", None)
    assert house.agent.workflow_show("web.staging", scope=STAGING).id == "web.staging"
    settle(house, BOTH)
    assert ids(listed(house, intent="web", scope=PRODUCTION)) == ["web.production"]


def test_a_subject_is_given_named_in_words_or_in_the_scope(house: World) -> None:
    """Where the words name another of its type as well, it has to be given."""
    settle(house, OF_CLUSTER)
    plain = ["project:payments"]
    for request, subjects, scope, found in (
        ("", ["environment:staging"], plain, True),
        ("Ship the web server to staging", [], plain, True),
        ("", [], STAGING, True),
        ("", [], plain, False),
        ("", ["environment:production"], plain, False),
        ("Ship the web server to production", [], plain, False),
        ("Ship the web server from staging to production", [], plain, False),
        ("Ship the web server from staging to production", ["environment:staging"], plain, True),
        ("Ship the web server to staging", [], PRODUCTION, False),
        ("Ship the web server", ["environment:staging"], PRODUCTION, False),
    ):
        told = ids(listed(house, request, subjects=subjects, scope=scope))
        assert (told == ["web.staging"]) is found, (request, subjects, scope)


def test_an_expired_workflow_is_not_offered_and_says_so(house: World) -> None:
    """Nor does a run get a step of it; one that is not reviewed yet is not there."""
    settle(house, WORKFLOWS.replace("2027-05-01", "2026-11-28"))
    found = listed(house, intent="web")
    step = upcoming(house, workflow="web.staging")

    assert (ids(found), [each.id for each in found.expired]) == ([], ["web.staging"])
    assert "expired at 2026-11-28" in found.missing[0]
    assert (step.todo, step.workflow, step.step) == ("nothing", None, None)
    assert upcoming(house).missing == found.missing
    settle(house, WORKFLOWS.replace("2026-11-01", "2026-12-01"))
    assert (ids(listed(house)), listed(house).expired) == ([], ())


def test_who_may_not_read_the_environment_sees_none_of_its_workflows(house: World) -> None:
    """And a stranger nothing at all."""
    settle(house)
    assert ids(house.dan.workflow_list(scope=STAGING)) == []
    assert ids(house.bob.workflow_list(scope=STAGING)) == ["web.staging"]
    assert code_of(lambda: house.stranger.workflow_list(scope=STAGING)) == "principal_may_not"
    assert code_of(lambda: house.stranger.workflow_show("web.staging", scope=STAGING)) == "principal_may_not"
    assert code_of(lambda: house.stranger.workflow_next(RUN, scope=STAGING)) == "principal_may_not"


def test_a_run_is_led_from_step_to_step(house: World) -> None:
    """Each is called, verified, and only then is the next one told; at the end nothing is left."""
    settle(house)
    first = upcoming(house)
    assert (first.todo, first.step, first.missing) == ("step", 1, ())
    call(house, RUN, "Ship", SHIP)
    waits = upcoming(house)
    assert (waits.todo, waits.step) == ("verify", 1)
    assert "docker manifest inspect" in waits.missing[0]
    verify(house, RUN)
    second = upcoming(house)
    assert (second.todo, second.step, second.missing) == ("step", 2, ())
    call(house, RUN, "Roll", ROLL)
    verify(house, RUN, passed=False)
    assert (upcoming(house).todo, upcoming(house).step) == ("mend", 2)
    call(house, RUN, "Roll", ROLL)
    verify(house, RUN)
    last = upcoming(house)
    assert (last.todo, last.step, last.missing) == ("finished", None, ())
    assert not any(type(each).__name__ == "VerdictJudged" for each in house.events())


@pytest.mark.parametrize("case", ["agent", "other run", "other environment", "above", "other class"])
def test_what_does_not_verify_a_step_leaves_it_to_be_verified(house: World, case: str) -> None:
    """An agent's word, another run or environment, what the asker may not see, another class."""
    settle(house)
    call(house, RUN, "Ship", SHIP)
    told: dict[str, dict[str, Any]] = {
        "agent": {"memory": house.agent},
        "other run": {"run": "run-2"},
        "other environment": {"scope": PRODUCTION},
        "above": {"classification": "restricted"},
        "other class": {"verifies": "web.tests"},
    }
    verify(house, **{"run": RUN, **told[case]})

    assert (upcoming(house).todo, upcoming(house).step) == ("verify", 1)
    verify(house, RUN)
    assert (upcoming(house).todo, upcoming(house).step) == ("step", 2)


def test_a_step_made_before_its_turn_is_told(house: World) -> None:
    """And does not count."""
    settle(house)
    call(house, RUN, "Ship", SHIP)
    early = call(house, RUN, "Roll", ROLL)
    verify(house, RUN)
    step = upcoming(house)

    assert (step.todo, step.step) == ("step", 2)
    assert step.progress is not None
    assert step.progress.early == (early,)


def test_preconditions_are_proved_before_a_step(house: World) -> None:
    """What is missing is named; an approval is asked for at the gate, where there is a call to approve."""
    settle(house, wanting(TESTS, CALM, ASKED))
    before = upcoming(house)
    assert (before.todo, len(before.missing)) == ("prove", 2)
    verify(house, None, verifies="web.tests")
    claim = house.ana.remember("Calm.", kind="web.incident", value="none", scope=STAGING).claims[0]
    assert upcoming(house).todo == "prove"
    house.bob.approve(claim.claim_id)
    after = upcoming(house)

    assert (after.todo, after.missing) == ("step", ())
    assert [each.is_proved for each in after.preconditions] == [True, True, False]
    settle(
        house,
        wanting(TESTS, CALM),
        POLICY.replace("roles: [agent], ", "roles: [agent], denied_kinds: [web.incident], "),
    )
    assert upcoming(house).todo == "prove"


def test_of_several_workflows_the_one_that_the_run_began_is_taken(house: World) -> None:
    """Else it has to be named."""
    other = WORKFLOWS.replace("web.staging:", "web.other:").replace("web:{{tag}}", "shop:{{tag}}")
    settle(house, WORKFLOWS + other.removeprefix("workflows:\n"))
    unsure = upcoming(house)
    assert (unsure.todo, unsure.workflow) == ("nothing", None)
    assert "web.other, web.staging" in unsure.missing[0]
    assert upcoming(house, workflow="web.other").step == 1
    call(house, RUN, "Ship", SHIP)
    assert upcoming(house).workflow == upcoming(house, workflow="web.staging").workflow


def test_a_run_of_another_tenant_is_not_there(house: World) -> None:
    """Under the same name."""
    settle(house)
    house.app.add_tenant("acme", PrincipalId("person:ana"))
    capture = house.memory("person:ana", tenant="acme", channel="capture")
    call(house, RUN, "Ship", SHIP, capture)

    assert upcoming(house).todo == "step"
    assert house.memory("person:ana", tenant="acme").workflow_next(RUN, scope=STAGING).todo == "verify"


def test_a_run_that_is_too_long_is_led_nowhere(house: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said, and no step is told."""
    settle(house)
    monkeypatch.setattr(read_run, "RUN_RECORDS_MAX", 1)
    for number in range(2):
        house.agent.remember(f"noise {number}", run_id=RUN, scope=STAGING)
    step = upcoming(house)

    assert (step.todo, step.progress) == ("nothing", None)
    assert "more records" in step.missing[0]
    assert code_of(lambda: house.agent.workflow_next("a\x00b", scope=STAGING)) == "name_malformed"
