"""Experience in recall: a question of state, cause or way of working gets its grounds, marked, and its decision."""

from __future__ import annotations

from typing import Any

from worlds import DEPLOY, World, house_fixture, world  # noqa: F401  # pytest finds the fixture here
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here

from heedful.evidence.packet import Packet
from heedful.evidence.render import render_prompt

QUESTION = "How many workers does the pool have now?"


def happened(house: World, record_type: str, content: str, minute: int, **fields: Any) -> str:
    """The id of a record of the pool."""
    given: dict[str, Any] = {
        "record_type": record_type,
        "grade": "tool",
        "run_id": "r1",
        "sequence": minute,
        "occurred_at": f"2026-11-27T10:{minute:02}:00Z",
        "subjects": [("service", "pool")],
        **fields,
    }
    return house.ana.remember(content, **given).record_id


def told(house: World) -> dict[str, str]:
    """An old value, a change, a new value with its verification, and noise of the same run."""
    return {
        "old": happened(house, "tool_result", '{"pool": "main", "workers": 4}', 1),
        "call": happened(house, "tool_call", "poolctl set workers=9", 2),
        "new": happened(house, "tool_result", '{"pool": "main", "workers": 9}', 3),
        "check": happened(house, "verification", '{"pool": "main", "workers": 9, "status": "ok"}', 4),
        "noise": happened(house, "observation", "cleanup done", 5, subjects=[("job", "cron")]),
    }


def supports(packet: Packet) -> set[str]:
    return {item.item_id for item in packet.items if item.supports}


def test_grounds_are_marked_and_the_rest_is_context(house: World) -> None:
    """The newest value and its verification prove it; the old one is there as context, and the prompt says so."""
    ids = told(house)
    packet = house.ana.recall(QUESTION, task_class="state", impact="read")
    assert supports(packet) == {ids["new"], ids["check"]}
    assert (packet.task_class, packet.decision, packet.sufficiency) == ("state", "allow", "sufficient")
    marks = {item.item_id: item.flags[0] for item in packet.items}
    assert (marks[ids["check"]], marks[ids["old"]]) == ("grounds", "context")
    assert "tool_result context" in render_prompt(packet)


def test_a_question_of_experience_is_told_by_its_form(house: World) -> None:
    """Without a class it is recognised; where nothing was done or seen, the same question is a general one."""
    bare = house.ana.recall(QUESTION)
    assert (bare.task_class, supports(bare)) == ("general", set())
    ids = told(house)
    packet = house.ana.recall(QUESTION)
    assert packet.task_class == "state"
    assert ids["check"] in supports(packet)
    general = house.ana.recall(QUESTION, task_class="general")
    assert (general.task_class, {item.supports for item in general.items}) == ("general", {None})


def test_an_order_goes_to_a_person_whatever_the_grounds(house: World) -> None:
    """Nobody acts on what was seen alone."""
    told(house)
    packet = house.ana.recall("Set the pool to the workers that it has now.", task_class="state", impact="execute")
    assert packet.decision.at_least(packet.decision.REVIEW)
    assert packet.sufficiency == "human-review-required"


def test_what_another_scope_or_a_higher_classification_saw_is_no_grounds(house: World) -> None:
    """The answer is the same as without it, byte for byte but for ids."""
    told(house)
    before = house.cyd.recall(QUESTION, task_class="state")
    happened(house, "verification", '{"pool": "main", "workers": 40}', 6, scope=["project:other"])
    happened(house, "verification", '{"pool": "main", "workers": 50}', 7, classification="restricted")
    after = house.cyd.recall(QUESTION, task_class="state")
    assert [(item.item_id, item.supports) for item in after.items] == [
        (item.item_id, item.supports) for item in before.items
    ]
    assert (after.decision, after.sufficiency) == (before.decision, before.sufficiency)


def test_what_happened_later_than_asked_for_does_not_count(house: World) -> None:
    """As of the minute before the change, the old value proves it."""
    ids = told(house)
    packet = house.ana.recall(QUESTION, task_class="state", as_of="2026-11-27T10:01:30Z")
    assert supports(packet) == {ids["old"]}


def test_what_a_person_took_back_stays_revoked_whatever_was_seen(house: World) -> None:
    """Events that tell the same do not bring it back; before a person took it back, they prove it (the control)."""
    told(house)
    claim_id = house.ana.remember("The pool has nine workers.", kind="capacity.limit", value=9).claims[0].claim_id
    house.bob.approve(claim_id)
    asked: dict[str, Any] = {"action_class": "change.capacity", "task_class": "state"}
    before = house.ana.recall(QUESTION, **asked)
    assert (before.sufficiency, supports(before) != set()) == ("sufficient", True)
    house.ana.reject(claim_id, reason="it was counted twice")
    after = house.ana.recall(QUESTION, **asked)
    assert supports(after) == supports(before), "what was seen is still shown"
    assert after.sufficiency == "revoked"
    assert "revoked" not in house.ana.recall(QUESTION, task_class="state").sufficiency, "where no class asks for it"


def test_an_event_is_found_by_its_subject_though_it_shares_no_word(house: World) -> None:
    """One hop: what names the subject of a hit, in another run."""
    told(house)
    far = happened(house, "verification", "9/9 ok", 9, run_id="r9")
    packet = house.ana.recall(QUESTION, task_class="state")
    assert far in {item.item_id for item in packet.items}


def test_grounds_never_lower_what_a_class_asks_for_without_a_bridge(house: World) -> None:
    """However well an answer is proved, what the class says to do before something is done stands."""
    told(house)
    asked: dict[str, Any] = {"tool": "Bash", "args": DEPLOY}
    for impact in ("propose", "execute"):
        bare = house.ana.recall(QUESTION, task_class="general", impact=impact, **asked)
        proved = house.ana.recall(QUESTION, task_class="causal", impact=impact, **asked)
        assert supports(proved)
        assert proved.decision.at_least(bare.decision)
        assert bare.decision.at_least(bare.decision.ASK), "the control: the class asks for something"
