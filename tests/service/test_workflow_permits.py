"""Permits and workflows: a permit of a step is of its run, and is good while all that the step wants is still there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from permits import Answer, refused, token_of
from workflows import CALM, PRODUCTION, ROLL, SHIP, STAGING, TESTS, WORKFLOWS, call, settle, verify, wanting
from worlds import World, house_fixture  # noqa: F401  # pytest finds the fixture here
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here

from heedful.gate.permit import PermitRefused, Redeemed

RUN = "run-1"
WANTS = "now: workflow-precondition:web.staging: deny in enforce"


def ready(house: World, workflows: str = wanting(TESTS, CALM), **more: Any) -> str:
    """The record that verifies the first step, in a run whose second step may go ahead."""
    settle(house, workflows)
    verify(house, None, verifies="web.tests")
    calm(house, "none")
    call(house, RUN, "Ship", SHIP)
    return verify(house, RUN, **more)


def calm(house: World, value: str, **more: Any) -> str:
    """The approved claim of what incidents there are."""
    told = house.ana.remember(f"incident: {value}", kind="web.incident", value=value, scope=STAGING, **more)
    return house.bob.approve(told.claims[0].claim_id).item_id


def permitted(house: World, run: str | None = RUN) -> str:
    """The token of a permit for the second step."""
    return token_of(house.agent.judge("Roll", ROLL, scope=STAGING, run=run))


def redeem(house: World, token: str, **more: Any) -> Answer:
    """The answer for the second step, or another call."""
    return house.agent.redeem(token, **{"tool": "Roll", "args": ROLL, "scope": STAGING, "run": RUN, **more})


def called_again(house: World) -> None:
    """The step before was made once more, and nobody has looked at that."""
    call(house, RUN, "Ship", SHIP)


LOST: dict[str, tuple[str, Callable[[World, str], object]]] = {
    "the precondition failed": (TESTS, lambda house, _: verify(house, None, verifies="web.tests", passed=False)),
    "a state is otherwise": (CALM, lambda house, _: calm(house, "open", subject="service:web")),
    "the step before failed": ("", lambda house, _: verify(house, RUN, passed=False)),
    "the step before was called again": ("", lambda house, _: called_again(house)),
    "its verification was withdrawn": ("", lambda house, proof: house.ana.reject(proof, reason="the wrong page")),
}


@pytest.mark.parametrize("lost", LOST)
def test_a_step_that_lost_a_proof_since_it_was_judged_is_refused(house: World, lost: str) -> None:
    """By the same rule that would deny it now, which is named; the control is redeemed before."""
    wanted, lose = LOST[lost]
    proof = ready(house, wanting(wanted) if wanted else WORKFLOWS)
    spare, token = permitted(house), permitted(house)
    assert isinstance(redeem(house, spare), Redeemed), "the control: nothing has changed"
    lose(house, proof)
    answer = redeem(house, token)

    assert refused(house, answer) == "circumstances-changed"
    assert isinstance(answer, PermitRefused)
    assert "no longer: workflow-current:web.staging: allow in enforce" in answer.changes
    assert any(line.startswith(WANTS) for line in answer.changes), answer.changes
    assert house.ana.verify(views=True).views == "equal"


def test_a_precondition_that_went_stale_refuses(house: World) -> None:
    """It was 3,500 seconds old when it counted; one second too old it does not, and a newer one makes it good again."""
    ready(house)
    house.clock.go(seconds=3_500)
    first, second = permitted(house), permitted(house)
    house.clock.go(seconds=90)
    assert isinstance(redeem(house, first), Redeemed)
    house.clock.go(seconds=20)
    assert refused(house, redeem(house, second)) == "circumstances-changed"
    verify(house, None, verifies="web.tests")
    assert isinstance(redeem(house, second), Redeemed)


def test_a_workflow_that_expired_since_refuses(house: World) -> None:
    """It holds nothing back any more, and that is a notice which nobody was told."""
    ready(house, WORKFLOWS.replace("2027-05-01", "2026-11-28T09:30:00Z"))
    house.clock.go(seconds=1_700)
    token = permitted(house)
    assert isinstance(redeem(house, permitted(house)), Redeemed), "the control: it is current"
    house.clock.go(seconds=150)
    answer = redeem(house, token)

    assert refused(house, answer) == "circumstances-changed"
    assert isinstance(answer, PermitRefused)
    assert "now: workflow-expired:web.staging: notice in enforce" in answer.changes


def test_a_permit_of_one_run_is_none_in_another(house: World) -> None:
    """Nor where no run is named, nor the other way round; in its own run it is still good then."""
    ready(house)
    call(house, "run-2", "Ship", SHIP)
    verify(house, "run-2")
    token = permitted(house)
    for more in ({"run": "run-2"}, {"run": None}, {"scope": PRODUCTION}):
        assert refused(house, redeem(house, token, **more)) == "other-action"
    assert isinstance(redeem(house, permitted(house, "run-2"), run="run-2"), Redeemed), "the control: it may go there"
    assert isinstance(redeem(house, token), Redeemed)

    first = token_of(house.agent.judge("Ship", SHIP, scope=STAGING))
    call_of_first = {"tool": "Ship", "args": SHIP}
    assert refused(house, redeem(house, first, **call_of_first)) == "other-action"
    assert isinstance(redeem(house, first, **call_of_first, run=None), Redeemed)


def test_what_else_is_recorded_of_the_run_spoils_no_permit(house: World) -> None:
    """A newer verification of the same step, another run's failure, an agent's word, the call itself."""
    ready(house, WORKFLOWS)
    token = permitted(house)
    verify(house, RUN)
    verify(house, "run-2", passed=False)
    verify(house, RUN, house.agent, passed=False)
    call(house, RUN, "Roll", ROLL)

    assert isinstance(redeem(house, token), Redeemed)


@pytest.mark.parametrize("assurance", ["reported", "inferred", "hypothesis"])
def test_a_step_is_verified_by_verification_alone(house: World, assurance: str) -> None:
    """What is said to be known otherwise proves no step, as it proves no class; that it failed counts all the same."""
    attributes = {"verifies": "web", "passed": True, "assurance": assurance}
    ready(house, attributes=attributes)
    assert house.agent.judge("Roll", ROLL, scope=STAGING, run=RUN).execution == "deny"
    verify(house, RUN, attributes={**attributes, "assurance": "verified"})
    token = permitted(house)
    verify(house, RUN, attributes={**attributes, "passed": False})
    assert refused(house, redeem(house, token)) == "circumstances-changed"


def test_a_step_whose_verification_lost_its_source_is_not_verified(house: World) -> None:
    """What it was made from was withdrawn; the control is judged and redeemed before."""
    source = house.ana.remember("the page of the roll-out", scope=STAGING).record_id
    ready(house, derived_from=[source])
    token = permitted(house)
    assert isinstance(redeem(house, permitted(house)), Redeemed)
    house.ana.reject(source, reason="the wrong page")

    assert refused(house, redeem(house, token)) == "circumstances-changed"
    assert house.agent.judge("Roll", ROLL, scope=STAGING, run=RUN).execution == "deny"
