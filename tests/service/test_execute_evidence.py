"""Nothing executes on what is reported, inferred, a hypothesis, unreviewed, stale or revoked; beside each, what is proved."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from permits import approved, judged, permitted, redeem, refused, token_of, verify_deploy
from worlds import DEPLOY, PROJECT, TWO_PEOPLE, World, house_fixture, world  # noqa: F401  # pytest finds the fixture here
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here

LABELS = "deny_on_evidence_label: [insufficient, stale, revoked]"
UNNAMED = TWO_PEOPLE.replace(LABELS, "deny_on_evidence_label: []")
"""A policy that denies on no label: what the gate asks for by itself."""
INCIDENT = "incident.active"


def rules_of(house: World) -> set[str]:
    """Names of the rules that spoke on the deploy."""
    return {ruling.rule for ruling in judged(house.agent).rulings}


def _withdrawn(house: World) -> None:
    house.bob.reject(verify_deploy(house))


def _of_withdrawn(house: World) -> None:
    result = house.ana.remember("ok: 12 pods", record_type="tool_result", grade="tool")
    verify_deploy(house, derived_from=[result.record_id])
    house.bob.reject(result.record_id, reason="it was another cluster")


def _outcome(house: World) -> None:
    house.agent.report_outcome(judged(house.agent).verdict_id, status="succeeded", text="smoke tests passed")


def _agents_word(house: World) -> None:
    fields: dict[str, Any] = {"record_type": "verification", "attributes": {"verifies": "deploy", "passed": True}}
    house.agent.remember("the user said that smoke tests passed", grade="user", **fields)


DOUBTFUL: dict[str, Callable[[World], object]] = {
    "reported": lambda house: verify_deploy(house, attributes={"assurance": "reported"}),
    "reported-as-outcome": _outcome,
    "reported-by-agent": _agents_word,
    "reported-in-a-note": lambda house: house.ana.remember("ok", attributes={"verifies": "deploy", "passed": True}),
    "inferred": lambda house: verify_deploy(house, attributes={"assurance": "inferred"}),
    "inferred-by-summary": lambda house: verify_deploy(
        house, grade="summary", derived_from=[house.ana.remember("smoke tests passed").record_id]
    ),
    "hypothesis": lambda house: verify_deploy(house, attributes={"assurance": "hypothesis"}),
    "some-other-word": lambda house: verify_deploy(house, attributes={"assurance": "Verified"}),
    "unreviewed": lambda house: house.agent.remember(
        "fine",
        record_type="verification",
        classification="sensitive",
        attributes={"verifies": "deploy", "passed": True},
    ),
    "stale": lambda house: verify_deploy(house, occurred_at="2026-11-28T07:59:59Z"),
    "revoked": _withdrawn,
    "of-what-was-revoked": _of_withdrawn,
}


@pytest.mark.parametrize("doubt", DOUBTFUL)
def test_no_such_verification_proves_anything(house: World, doubt: str) -> None:
    """A person's yes answers all that asks for a person, and the proof stays missing; with one, it executes."""
    house.enforce()
    approved(house, house.agent)
    DOUBTFUL[doubt](house)
    verdict = judged(house.agent)

    assert (verdict.execution, verdict.permit) == ("review", None)
    assert [each.what for each in verdict.missing] == ["verification"]
    verify_deploy(house, attributes={"assurance": "verified"})
    token_of(judged(house.agent))


@pytest.mark.parametrize("doubt", ["revoked", "of-what-was-revoked"])
def test_a_permit_ends_with_the_proof_that_it_rests_on(house: World, doubt: str) -> None:
    """The verification, or what it was made from, is withdrawn after the judgement; the control is redeemed before."""
    house.enforce()
    result = house.ana.remember("ok: 12 pods", record_type="tool_result", grade="tool")
    proof = verify_deploy(house, derived_from=[result.record_id])
    approved(house, house.agent)
    tokens = [token_of(judged(house.agent)) for _ in range(2)]
    assert redeem(house.agent, tokens[0]).outcome == "redeemed"
    house.bob.reject(proof if doubt == "revoked" else result.record_id)

    assert refused(house, redeem(house.agent, tokens[1])) == "circumstances-changed"


def test_what_was_made_from_a_withdrawn_source_proves_nothing_and_the_source_is_not_told(house: World) -> None:
    """A verification goes with the result that it was read from, for those too who never saw that; before, it proves."""
    house.enforce()
    result = house.ana.remember("ok: 12 pods", record_type="tool_result", grade="tool", scope=["project:other"])
    verify_deploy(house, derived_from=[result.record_id])
    assert "verification-current" in rules_of(house)
    house.ana.reject(result.record_id)
    seen = house.ana.judge("Bash", DEPLOY, scope=PROJECT)

    assert "verification-required" in rules_of(house)
    assert "verification-required" in {ruling.rule for ruling in seen.rulings}
    assert result.record_id not in repr(house.agent.judge("Bash", DEPLOY, scope=PROJECT)), "the agent never saw it"
    assert result.record_id not in repr(house.cyd.review_queue()), "nor did Cyd"


def test_a_failure_counts_however_it_is_known(house: World) -> None:
    """That something failed is reason enough to look: a report of it ends a permit, and only a new proof mends that."""
    token = permitted(house)
    verify_deploy(house, passed=False, attributes={"assurance": "reported"})

    assert refused(house, redeem(house.agent, token)) == "circumstances-changed"
    assert "verification-required" in rules_of(house)
    verify_deploy(house)
    assert "verification-current" in rules_of(house)


def _ended(house: World, how: str) -> None:
    """A state that was approved by two people, and then ended."""
    kept = house.ana.remember("an incident is on", kind=INCIDENT, until="2026-11-29")
    for reviewer in (house.bob, house.cyd):
        reviewer.approve(kept.claims[0].claim_id)
    if how == "stale":
        house.clock.go(seconds=2 * 86_400)
    elif how == "revoked":
        house.bob.reject(kept.claims[0].claim_id)
    else:
        house.bob.reject(kept.record_id)


@pytest.mark.parametrize("how", ["stale", "revoked", "quarantined"])
def test_a_state_that_ended_is_reviewed_where_no_policy_denies_on_it(how: str) -> None:
    """Expired, revoked, or its evidence withdrawn: a person looks. With the policy that ships it is denied."""
    with world(policy=UNNAMED) as house:
        house.enforce()
        _ended(house, how)
        assert "evidence-review" in rules_of(house)
        assert judged(house.agent).permit is None
    with world() as house:
        house.enforce()
        _ended(house, how)
        assert judged(house.agent).execution == "deny"


def test_the_control_a_state_that_two_people_approved_asks_for_no_more_evidence() -> None:
    """While it holds."""
    with world(policy=UNNAMED) as house:
        house.enforce()
        kept = house.ana.remember("an incident is on", kind=INCIDENT, until="2026-11-29")
        for reviewer in (house.bob, house.cyd):
            reviewer.approve(kept.claims[0].claim_id)
        assert "evidence-review" not in rules_of(house)


@pytest.mark.parametrize("who", ["person:ana", "agent:pip"])
def test_what_nobody_has_reviewed_is_no_evidence(who: str) -> None:
    """A person's proposal, and what an agent infers: a person looks before anything is executed on either."""
    with world(policy=UNNAMED) as house:
        house.enforce()
        memory = house.memory(who, channel="agent" if who.startswith("agent") else "person")
        kept = memory.remember("an incident is on", kind=INCIDENT, scope=PROJECT)
        assert "evidence-review" in rules_of(house)
        for reviewer in (house.bob, house.cyd):
            reviewer.approve(kept.claims[0].claim_id)
        assert "evidence-review" not in rules_of(house), "the control: it was reviewed"
