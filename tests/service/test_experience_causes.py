"""Causes in recall: one written link from the grounds of an answer; a guess is told as one, and proves nothing."""

from __future__ import annotations

from typing import Any

from worlds import World, house_fixture  # noqa: F401  # pytest finds the fixture here
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here

from heedful import Memory
from heedful.evidence.packet import Packet, PacketItem

QUESTION = "Why does the checkout answer with errors?"
ERRORS = "checkout answers with errors 502 since 1f9ebeb"


def keep(memory: Memory, record_type: str, content: str, minute: int, **more: Any) -> str:
    """The id of a record of that minute."""
    fields = {"grade": "tool", "occurred_at": f"2026-11-27T10:{minute:02}:00Z", **more}
    return memory.remember(content, record_type=record_type, **fields).record_id


def item_of(packet: Packet, record_id: str) -> PacketItem | None:
    return next((each for each in packet.items if each.item_id == record_id), None)


def told(house: World, **more: Any) -> dict[str, str]:
    """A push and the errors after it, in two runs."""
    return {
        "push": keep(house.ana, "action", "rolled the new image out: 1f9ebeb", 1, run_id="ci", source_ref="run:7"),
        "errors": keep(house.ana, "observation", ERRORS, 5, run_id="watch", **more),
    }


def test_a_cause_that_is_written_down_proves_the_answer_though_no_word_found_it(house: World) -> None:
    """The push shares no word with the question; what saw the errors says what caused them. It proves no state."""
    ids = told(house, attributes={"caused_by": "run:7"})
    packet = house.ana.recall(QUESTION, task_class="causal")
    push = item_of(packet, ids["push"])
    assert push is not None
    assert (push.supports, push.flags[0]) == (True, "grounds")
    assert push.reason.startswith(f"it led to {ids['errors']} (explicit, caused-by)")
    assert packet.decision == "allow"
    state = item_of(house.ana.recall("Does the checkout answer with errors?", task_class="state"), ids["push"])
    assert state is None or not state.supports


def test_what_names_the_same_thing_is_brought_as_context(house: World) -> None:
    """One commit in both ties them, and tells no more than that; without it the push is not brought at all."""
    bare = keep(house.ana, "action", "rolled the new image out", 1, run_id="ci")
    ids = told(house)
    packet = house.ana.recall(QUESTION, task_class="causal")
    push = item_of(packet, ids["push"])
    assert push is not None
    assert (push.supports, push.reason) == (
        False,
        f"it led to {ids['errors']} (explicit, names): both name commit 1f9ebeb",
    )
    assert item_of(packet, bare) is None


def test_a_cause_on_an_agents_word_is_a_hypothesis(house: World) -> None:
    """It is context, and says on whose word; the same from a tool is explicit."""
    call = keep(house.ana, "tool_call", "checkout roll-out", 1, run_id="watch")
    fields: dict[str, Any] = {"attributes": {"caused_by": call}, "record_type": "observation", "run_id": "watch"}
    guess = house.agent.remember(ERRORS, occurred_at="2026-11-27T10:10:00Z", **fields).record_id
    found = item_of(house.ana.recall(QUESTION, task_class="causal"), call)
    assert found is not None
    assert found.supports is False
    assert found.reason.startswith(f"it led to {guess} (hypothesis, caused-by)")
    assert "on the word of agent; nothing shows it" in found.reason
    house.ana.reject(guess, reason="the control: a tool says it")
    seen = house.ana.remember(ERRORS, grade="tool", occurred_at="2026-11-27T10:10:00Z", **fields).record_id
    again = item_of(house.ana.recall(QUESTION, task_class="causal"), call)
    assert again is not None
    assert again.reason.startswith(f"it led to {seen} (explicit, caused-by)")


def test_a_cause_that_may_not_be_seen_or_came_later_is_not_told(house: World) -> None:
    """Of another scope, of a higher classification, or after the instant that is asked for."""
    far = keep(house.ana, "action", "1f9ebeb for another project", 1, scope=["project:other"])
    high = keep(house.ana, "action", "1f9ebeb in secret", 2, classification="restricted")
    errors = keep(house.ana, "observation", ERRORS, 5, run_id="watch")
    late = keep(house.ana, "verification", "fixed, after 1f9ebeb", 40)
    packet = house.cyd.recall(QUESTION, task_class="causal", as_of="2026-11-27T10:30:00Z")
    assert item_of(packet, errors) is not None
    assert not {far, high, late} & {each.item_id for each in packet.items}
    assert not any(each in item.reason for item in packet.items for each in (far, high, late))
    seen = house.ana.recall(QUESTION, task_class="causal")
    assert high in {each.item_id for each in seen.items}, "the control: Ana sees it"
    assert far not in {each.item_id for each in seen.items}, "it is of another project, though Ana may read that"


def test_a_declared_cause_is_brought_before_all_else_and_then_the_nearest_in_time(house: World) -> None:
    """Five pushes whose commits the errors name, and then what they say caused them; four events are brought."""
    commits = ("1f9ebeb", "2a9ebeb", "3b9ebeb", "4c9ebeb", "5d9ebeb")
    pushes = [
        keep(house.ana, "action", f"rolled out {commit}", minute, run_id=f"ci{minute}")
        for minute, commit in enumerate(commits, start=1)
    ]
    cause = keep(house.ana, "action", "turned the cache off", 8, run_id="ops", source_ref="run:7")
    content = f"checkout answers with errors 502 since {' '.join(commits)}"
    keep(house.ana, "observation", content, 9, run_id="watch", attributes={"caused_by": "run:7"})
    packet = house.ana.recall(QUESTION, task_class="causal")
    found = item_of(packet, cause)
    assert found is not None
    assert found.supports
    assert [item_of(packet, each) is not None for each in pushes] == [False, False, True, True, True]
