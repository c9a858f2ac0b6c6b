"""Judge: which verifications, approvals and states count as proof, and which do not."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from worlds import DEPLOY, SOLO, World, code_of, house_fixture, world  # noqa: F401  # pytest finds the fixture here

from heedful import Memory
from heedful.gate.verdict import Verdict
from heedful.observations.record import Channel


def judged(memory: Memory, command: dict[str, Any] | None = None, **more: Any) -> Verdict:
    """The verdict on a shell call; a production deploy where none is named."""
    return memory.judge("Bash", DEPLOY if command is None else command, **more)


def rules_of(verdict: Verdict) -> set[str]:
    """Names of the rules that spoke."""
    return {ruling.rule for ruling in verdict.rulings}


def verify_deploy(house: World, memory: Memory | None = None, *, passed: bool = True, **more: Any) -> str:
    """The id of a verification of production deploys."""
    kept = (memory or house.ana).remember(
        "smoke tests",
        record_type="verification",
        attributes={"verifies": "deploy", "passed": passed},
        **more,
    )
    return kept.record_id


@pytest.mark.parametrize("case", ["agent", "failed", "stale", "future", "elsewhere", "note", "pending"])
def test_a_verification_that_does_not_count_changes_nothing(house: World, case: str) -> None:
    """An agent's word, one that failed, is old, of the future, of another place, no verification, or still pending."""
    house.enforce()
    ways: dict[str, Any] = {
        "agent": lambda: verify_deploy(house, house.agent),
        "failed": lambda: (verify_deploy(house), verify_deploy(house, passed=False)),
        "stale": lambda: verify_deploy(house, occurred_at="2026-11-28T07:00:00Z"),
        "future": lambda: verify_deploy(house, occurred_at="2026-11-29T09:00:00Z"),
        "elsewhere": lambda: verify_deploy(house, scope=["project:other"]),
        "note": lambda: house.ana.remember("fine", attributes={"verifies": "deploy", "passed": True}),
        "pending": lambda: verify_deploy(house, house.agent, classification="sensitive"),
    }
    ways[case]()

    assert "verification-required" in rules_of(judged(house.agent))
    verify_deploy(house)
    assert "verification-required" not in rules_of(judged(house.agent)), "the control: one that counts"


@pytest.mark.parametrize("who", ["agent:pip", "person:dan", "person:bob", "person:ana"])
def test_nobody_writes_a_record_that_looks_like_an_approval(house: World, who: str) -> None:
    """Not even a reviewer: the attribute is set by an approval alone, through any door."""
    digest = judged(house.agent).action_digest
    for channel in (Channel.PERSON, Channel.AGENT):
        memory = house.memory(who, channel=channel.value)
        call = partial(memory.remember, "approved", attributes={"approves": digest})
        assert code_of(call) == "attribute_reserved"


def test_an_approval_by_somebody_who_may_approve_no_more_does_not_count(house: World) -> None:
    """Policy is asked when the gate judges."""
    verify_deploy(house)
    house.bob.approve(judged(house.agent).verdict_id)
    before = judged(house.agent).execution
    bobs = '"person:bob": {roles: [reviewer]'
    house.use(house.policy.replace(bobs, bobs.replace("reviewer", "auditor")))

    assert (before, judged(house.agent).execution) == ("execute", "review")


def test_a_withdrawn_approval_counts_no_more(house: World) -> None:
    """A person may take a yes back."""
    verify_deploy(house)
    verdict = judged(house.agent)
    house.bob.approve(verdict.verdict_id)
    assert judged(house.agent).execution == "execute"
    approval = house.ana.recall("approved").items
    (record_id,) = [item.item_id for item in approval if item.text.startswith("approved: Bash")]
    house.cyd.reject(record_id)

    assert judged(house.agent).execution == "review"


def test_a_state_that_ended_denies_where_policy_says_so(house: World) -> None:
    """Stale or revoked evidence is worse than none; the control is the state while it holds."""
    kept = house.ana.remember("an incident is on", kind="incident.active", until="2026-11-29")
    for reviewer in (house.bob, house.cyd):
        reviewer.approve(kept.claims[0].claim_id)
    house.enforce()
    holding = judged(house.agent)
    house.clock.go(seconds=2 * 86_400)
    ended = judged(house.agent)

    assert "evidence-label:stale" not in rules_of(holding)
    assert "evidence-label:stale" in rules_of(ended)
    assert ended.execution == "deny"


def test_an_approval_of_ones_own_action_counts_in_the_solo_profile_alone() -> None:
    """The gate looks at policy when it judges, not when the yes was given."""
    with world(policy=SOLO) as house:
        verify_deploy(house)
        house.bob.approve(judged(house.bob).verdict_id)
        alone = judged(house.bob).execution
        house.use(SOLO.replace("solo: true", "solo: false"))
        assert (alone, judged(house.bob).execution) == ("execute", "review")
