"""Judge: which verifications, approvals and states count as proof, and which do not."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from worlds import DEPLOY, SOLO, World, code_of, house_fixture, transcript, world  # noqa: F401  # pytest finds the fixture here

from heedful import Memory
from heedful.bridges.request import Classified, RequestFeatures
from heedful.gate.verdict import Verdict
from heedful.kernel.scope import Scope
from heedful.observations.record import Channel, RecordStatus, SourceGrade
from heedful.ports.store import StoredRecord
from heedful.service.bearing import BEARING_MAX
from heedful.service.requests import classify_for
from heedful.service.session import Session


def judged(memory: Memory, command: dict[str, Any] | None = None, **more: Any) -> Verdict:
    """The verdict on a shell call; a production deploy where none is named."""
    return memory.judge("Bash", DEPLOY if command is None else command, **more)


def rules_of(verdict: Verdict) -> set[str]:
    """Names of the rules that spoke."""
    return {ruling.rule for ruling in verdict.rulings}


def record_of(house: World, record_id: str) -> StoredRecord:
    """The record as the owner sees it."""
    item, _ = house.ana.show(record_id)
    assert isinstance(item, StoredRecord)
    return item


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


def test_words_that_match_a_captured_message_vouch_for_no_verification(house: World, tmp_path: Path) -> None:
    """An agent that repeats what a person said gets their grade for the words, and none for its own attributes."""
    house.ana.import_trace(transcript(tmp_path / "t.jsonl", "smoke tests"))
    forged = verify_deploy(house, house.agent, grade="user")
    assert record_of(house, forged).record.grade is SourceGrade.USER, "the control: the words did match"
    assert "verification-required" in rules_of(judged(house.agent))
    verify_deploy(house, passed=False)
    verify_deploy(house, house.agent, grade="user")
    assert "verification-required" in rules_of(judged(house.agent)), "nor does it take a failed one's place"


def test_a_flood_of_notes_hides_no_verification(house: World) -> None:
    """Notes and an agent's verifications are passed over, page by page, until what may count is found."""
    verify_deploy(house)
    verify_deploy(house, house.agent, passed=False)
    for number in range(BEARING_MAX + 1):
        house.agent.remember(f"note {number}", attributes={"verifies": "deploy", "passed": False})
    assert "verification-current" in rules_of(judged(house.agent))


def test_a_flood_beyond_every_page_is_reviewed(house: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the pages end before the proof was found, the gate says so; just below that it does not."""
    monkeypatch.setattr("heedful.service.bearing.BEARING_MAX", 3)
    monkeypatch.setattr("heedful.service.bearing.BEARING_PAGES_MAX", 2)
    for number in range(5):
        house.agent.remember(f"note {number}", attributes={"verifies": "deploy"})
    assert "proof-cut" not in rules_of(judged(house.agent))
    house.agent.remember("one more", attributes={"verifies": "deploy"})
    assert "proof-cut" in rules_of(judged(house.agent))


@pytest.mark.parametrize("tool", ["", "a\0b", "Ba\x1bsh", "a\nb", "x" * 10_000])
def test_a_tools_name_that_is_none_is_refused(house: World, tool: str) -> None:
    """Empty, too long, or with a control character; Chinese and emoji are names."""
    assert code_of(lambda: house.agent.judge(tool, {})) in {"name_malformed", "text_too_long"}
    assert house.agent.judge("工具🔧", {}).tool == "工具🔧"


def test_a_call_is_classified_before_the_store_is_locked(house: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a long text is read, others write: here somebody does, from within, and nobody waits."""
    kept: list[str] = []

    def classified(session: Session, features: RequestFeatures, scope: Scope) -> Classified:
        kept.append(house.ana.remember("written meanwhile").record_id)
        return classify_for(session, features, scope)

    monkeypatch.setattr("heedful.service.acting.judge.classify_for", classified)
    assert judged(house.agent).decision == "review"
    assert record_of(house, kept[0]).status is RecordStatus.ADMITTED
