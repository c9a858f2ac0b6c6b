"""Redeem: a permit is good while all that its verdict rested on still stands, and what does not bear on it spoils none."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable

import pytest
from permits import approved, judged, permitted, redeem, refused, token_of, verify_deploy
from worlds import DEPLOY, World, house_fixture, world  # noqa: F401  # pytest finds the fixture here
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here

from heedful.gate.permit import PermitRefused, Redeemed


def _verification_failed(house: World) -> None:
    verify_deploy(house, passed=False)


def _freeze_activated(house: World) -> None:
    house.freeze()


def _freeze_proposed(house: World) -> None:
    house.freeze_proposed()


def _class_in_advise(house: World) -> None:
    house.ana.set_mode("deploy.production", "advise", reason="later")


def _class_in_shadow(house: World) -> None:
    house.ana.set_mode("deploy.production", "shadow", reason="later")


def _pre_router_off(house: World) -> None:
    house.ana.set_mode("pre-router", "off", reason="mending")


def _principal_lost_its_grant(house: World) -> None:
    house.use(house.policy.replace('sensitive, grants: ["project:payments"]', "sensitive, grants: []"))


def _approver_lost_the_role(house: World) -> None:
    house.use(house.policy.replace('"person:bob": {roles: [reviewer]', '"person:bob": {roles: [auditor]'))


CHANGES: dict[str, tuple[Callable[[World], None], str]] = {
    "freeze": (_freeze_activated, "now: bridge:deploy.freeze: review in enforce by claim "),
    "proposal": (_freeze_proposed, "now: bridge:deploy.freeze: "),
    "failed": (_verification_failed, "now: verification-required: review in enforce"),
    "advise": (_class_in_advise, "now: advise-needs-approval: "),
    "shadow": (_class_in_shadow, "now: deploy.production in shadow"),
    "off": (_pre_router_off, "now: pre-router-off: "),
    "grant": (_principal_lost_its_grant, "now: principal-may-not-act: deny"),
    "approver": (_approver_lost_the_role, "now: registry "),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_changed_since_it_was_judged_refuses_and_is_named(house: World, change: str) -> None:
    """A claim that was activated or proposed, a proof that failed, a mode, a grant; the control is without it."""
    token, spare = permitted(house), token_of(judged(house.agent))
    assert isinstance(redeem(house.agent, spare), Redeemed), "the control: nothing has changed"
    make, named = CHANGES[change]
    make(house)
    answer = redeem(house.agent, token)

    assert refused(house, answer) == "circumstances-changed"
    assert isinstance(answer, PermitRefused)
    assert any(line.startswith(named) for line in answer.changes), answer.changes
    assert house.ana.verify(views=True).views == "equal"


def test_a_verification_that_went_stale_refuses(house: World) -> None:
    """It was 3,400 seconds old when it counted; the control is redeemed before it is too old."""
    house.enforce()
    verify_deploy(house)
    house.clock.go(seconds=3_400)
    approved(house, house.agent)
    first, second = token_of(judged(house.agent)), token_of(judged(house.agent))
    house.clock.go(seconds=190)
    assert isinstance(redeem(house.agent, first), Redeemed)
    house.clock.go(seconds=11)
    answer = redeem(house.agent, second)

    assert refused(house, answer) == "circumstances-changed"
    assert isinstance(answer, PermitRefused)
    assert "now: verification-required: review in enforce" in answer.changes


def test_an_approval_that_ended_or_was_taken_back_refuses(house: World) -> None:
    """After its hour, and when a person withdraws it; the control is redeemed before either."""
    house.enforce()
    verify_deploy(house)
    approval = approved(house, house.agent)
    house.clock.go(seconds=3_500)
    verify_deploy(house)
    first, second, third = (token_of(judged(house.agent)) for _ in range(3))
    assert isinstance(redeem(house.agent, first), Redeemed)
    house.clock.go(seconds=150)
    assert refused(house, redeem(house.agent, second)) == "circumstances-changed"
    house.clock.go(seconds=-140)
    (record_id,) = [
        item.item_id for item in house.ana.recall("approved: Bash").items if item.text.startswith("approved: Bash")
    ]
    house.ana.reject(record_id)
    assert refused(house, redeem(house.agent, third)) == "circumstances-changed"
    assert approval


def test_a_registry_that_was_rolled_back_refuses(house: World) -> None:
    """A permit is of one revision: at the one before it does not count, and back at its own it does."""
    before = house.policy
    after = before.replace("verification_max_age_seconds: 3600", "verification_max_age_seconds: 3599")
    house.use(after)
    token = permitted(house)
    house.use(before)
    answer = redeem(house.agent, token)
    assert refused(house, answer) == "circumstances-changed"
    assert isinstance(answer, PermitRefused)
    assert [line.split(" ")[-2] for line in answer.changes] == ["registry", "registry"]
    house.use(after)
    assert isinstance(redeem(house.agent, token), Redeemed)


def test_what_others_write_spoils_no_permit(house: World) -> None:
    """Records, claims elsewhere, verdicts, refusals, and a newer verification that passed: positions move, and that is all."""
    token = permitted(house)
    house.bob.remember("The kitchen closes at nine.")
    house.ana.remember("frozen", kind="release.freeze", scope=["project:other"])
    house.bob.judge("Bash", DEPLOY)
    redeem(house.bob, token)
    house.agent.remember("done soon", attributes={"verifies": "deploy", "passed": False})
    verify_deploy(house)

    assert isinstance(redeem(house.agent, token), Redeemed)


def test_a_class_that_the_agents_words_told_is_judged_again(house: World) -> None:
    """Redeeming names no words; those of the judgement count, so that a freeze on what they told still refuses."""
    call = {"command": "make frobnicate"}
    text = "deploy this to production"
    house.enforce()
    verify_deploy(house)
    first = house.agent.judge("Bash", call, text=text)
    assert "deploy.production" in first.action_classes
    house.bob.approve(first.verdict_id, reason="go")
    tokens = [token_of(house.agent.judge("Bash", call, text=text)) for _ in range(2)]
    assert isinstance(redeem(house.agent, tokens[0], args=call), Redeemed), "the control: no freeze yet"
    house.freeze()
    assert refused(house, redeem(house.agent, tokens[1], args=call)) == "circumstances-changed"


def _claims_of(token: str) -> dict[str, object]:
    """What a token says but for ids and times, which are each world's own."""
    claims = token.split(".")[1]
    said: dict[str, object] = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
    return {name: value for name, value in said.items() if not name.endswith(("_id", "_us"))}


def test_a_token_tells_nothing_of_what_its_principal_may_not_see() -> None:
    """Records, claims and verdicts out of sight leave it as it is without them; a note in sight moves its position."""
    with world() as bare, world() as full, world() as seen:
        full.ana.remember("secret elephants", classification="restricted")
        full.ana.remember("frozen", kind="release.freeze", scope=["project:other"])
        full.bob.judge("Bash", DEPLOY, scope=["project:other"])
        seen.ana.remember("the kitchen closes at nine")
        said = [_claims_of(permitted(house)) for house in (bare, full, seen)]

    assert set(said[0]) == {
        "principal",
        "action_digest",
        "registry_revision",
        "ledger_position",
        "circumstances_digest",
    }
    assert said[1] == said[0]
    assert said[2] != said[0]
