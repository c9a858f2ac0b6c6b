"""States in recall: how what a request names stands is brought beside events, and proves only what it may."""

from __future__ import annotations

from typing import Any

from worlds import World, house_fixture  # noqa: F401  # pytest finds the fixture here
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here

from heedful.evidence.packet import Packet, PacketItem
from heedful.evidence.render import render_prompt, render_text

QUESTION = "Is web ready now?"
READY, NOT_READY = "1/1     Running", "0/1     Running"
BEFORE_EXECUTING: dict[str, Any] = {"task_class": "state", "impact": "execute"}


def seen(house: World, shown: str, at: str, *, pod: str = "web", **more: Any) -> str:
    """The record of a look at the pod at that minute of eight o'clock."""
    fields = {"record_type": "tool_result", "grade": "tool", **more}
    attributes = {"tool": "Bash", "command": "kubectl get pods -n shop", **fields.pop("attributes", {})}
    content = f"NAME   READY   STATUS   RESTARTS   AGE\n{pod}    {shown}   0   3h"
    kept = house.ana.remember(content, attributes=attributes, occurred_at=f"2026-11-28T08:{at}:00Z", **fields)
    return kept.record_id


def states(packet: Packet) -> list[PacketItem]:
    return [item for item in packet.items if item.flags and item.flags[0] == "state"]


def grounds(packet: Packet) -> set[str]:
    return {item.item_id for item in packet.items if item.supports and item.item == "record"}


def test_the_present_state_of_what_is_named_proves_the_answer(house: World) -> None:
    """With its record; the record of what was before is context. What is not named is left out."""
    old, new = seen(house, NOT_READY, "50"), seen(house, READY, "55")
    seen(house, READY, "56", pod="cart")
    packet = house.ana.recall(QUESTION, impact="read")
    (item,) = [each for each in states(packet) if each.reason]
    assert (item.text, item.flags, item.evidence) == (
        "pod:shop/web: state is ready",
        ("state", "grounds", "holds", "reported"),
        (new,),
    )
    assert "the request names web, which is pod:shop/web" in item.reason
    assert "changed from not-ready" in item.reason
    assert (packet.decision, packet.sufficiency, packet.task_class) == ("allow", "sufficient", "state")
    assert old not in grounds(packet)
    (before,) = [each for each in packet.items if each.item_id == old]
    assert before.reason == "it tells what was before the present state"
    assert f"  because {item.reason}" in render_prompt(packet)
    assert any(item.reason in line for line in render_text(packet))


def test_a_question_about_something_else_is_answered_by_no_state(house: World) -> None:
    """A thing that the words do not name, or a number that the state does not tell."""
    seen(house, READY, "55")
    assert not any(each.supports for each in states(house.ana.recall("Is webhook ready now?")))
    (item,) = states(house.ana.recall("How many replicas does web have?"))
    assert item.supports is False
    assert states(house.ana.recall(QUESTION))[0].supports, "the control: it answers what it tells"


def test_a_state_that_is_too_old_is_told_as_such_and_proves_nothing(house: World) -> None:
    """With what to look at; before something is executed not even its record proves anything."""
    record = seen(house, READY, "55")
    assert house.ana.recall(QUESTION).sufficiency == "sufficient"
    house.clock.go(seconds=700)
    packet = house.ana.recall(QUESTION)
    (item,) = states(packet)
    assert (item.supports, item.flags[2]) == (False, "too-old")
    assert packet.sufficiency == "stale"
    assert packet.sufficiency_reasons[0] == "state-too-old"
    assert packet.decision.at_least(packet.decision.NOTICE)
    assert any("too old; observe it, such as with `kubectl get" in sentence for sentence in packet.advice)
    ordered = house.ana.recall(QUESTION, **BEFORE_EXECUTING)
    assert (grounds(ordered), ordered.decision.at_least(ordered.decision.REVIEW)) == (set(), True)
    assert states(ordered)[0].evidence == (record,)


def test_what_was_taken_back_answers_a_reader_and_supports_no_execute(house: World) -> None:
    """A roll-back is the answer to whoever asks; whoever would act has nothing to stand on."""
    command = {"tool": "Bash", "command": "kubectl rollout undo deployment/web -n shop"}
    fields: dict[str, Any] = {"record_type": "tool_result", "grade": "tool", "occurred_at": "2026-11-28T08:58:00Z"}
    house.ana.remember("deployment.apps/web rolled back", attributes=command, **fields)
    asked = "How does the rollout of web stand?"
    (read,) = states(house.ana.recall(asked, task_class="state"))
    assert (read.supports, read.flags[2]) == (True, "not-in-effect")
    packet = house.ana.recall(asked, **BEFORE_EXECUTING)
    (item,) = states(packet)
    assert (item.supports, grounds(packet)) == (False, set())
    assert "nothing may rest on its being in effect" in packet.advice[-1]


def test_before_an_execute_a_state_counts_only_where_it_was_verified(house: World) -> None:
    """What a tool printed is reported; a verification that passed shows it. Either way a person decides."""
    seen(house, READY, "55")
    assert states(house.ana.recall(QUESTION, **BEFORE_EXECUTING))[0].supports is False
    seen(house, READY, "57", record_type="verification", attributes={"passed": True})
    packet = house.ana.recall(QUESTION, **BEFORE_EXECUTING)
    (item,) = states(packet)
    assert (item.supports, item.flags[3]) == (True, "verified")
    assert packet.decision.at_least(packet.decision.REVIEW)


def test_a_state_is_told_as_it_was_at_the_instant_that_is_asked_for(house: World) -> None:
    """Neither a later observation nor a later change counts; before the first one nothing is known."""
    seen(house, NOT_READY, "50")
    seen(house, READY, "55")
    (then,) = states(house.ana.recall(QUESTION, as_of="2026-11-28T08:52:00Z"))
    assert (then.text, then.supports) == ("pod:shop/web: state is not-ready", True)
    assert not any(each.supports for each in states(house.ana.recall(QUESTION, as_of="2026-11-28T08:40:00Z")))


def test_what_was_withdrawn_tells_no_state(house: World) -> None:
    """The state before it stands again."""
    seen(house, NOT_READY, "54")
    wrong = seen(house, READY, "55")
    house.ana.reject(wrong, reason="another cluster")
    (item,) = [each for each in states(house.ana.recall(QUESTION)) if each.reason]
    assert item.text == "pod:shop/web: state is not-ready"


def test_a_tool_call_that_names_a_thing_brings_its_state_and_why_tells_it(house: World) -> None:
    """No bridge brings the kinds of states; the call's own words do. A call that names nothing brings none."""
    seen(house, READY, "55")
    call: dict[str, Any] = {"tool": "Bash", "args": {"command": "kubectl delete pod web -n shop"}}
    packet = house.ana.recall("Clean up.", task_class="general", **call)
    (item,) = states(packet)
    assert (item.supports, item.flags, item.bridges) == (None, ("state", "holds", "reported"), ())
    told = house.ana.why(packet.packet_id)
    items = told.found["items"]
    assert isinstance(items, list)
    assert [each["reason"] for each in items if each["item_id"] == item.item_id] == [item.reason]
    assert item.item_id in {claim.claim_id for claim in told.claims}
    other: dict[str, Any] = {"tool": "Bash", "args": {"command": "kubectl delete pod cart -n shop"}}
    assert states(house.ana.recall("Clean up.", task_class="general", **other)) == []
    assert states(house.ana.recall("Clean up.", task_class="general")) == []


def test_of_two_things_of_one_name_neither_proves_anything_before_one_is_meant(house: World) -> None:
    """Pull request 41 of two repositories: the words have to say which."""
    for repository, state in (("shop/web", "MERGED"), ("shop/cart", "OPEN")):
        attributes = {"tool": "Bash", "command": f"gh pr view 41 -R {repository} --json number,state"}
        content = f'{{"number":41,"state":"{state}"}}'
        house.ana.remember(content, record_type="tool_result", grade="tool", attributes=attributes)
    unsaid = states(house.ana.recall("Is pull request 41 merged?"))
    assert [(each.supports, "which environment is meant is not said" in each.reason) for each in unsaid] == [
        (False, True),
        (False, True),
    ]
    said = {each.text: each.supports for each in states(house.ana.recall("Is pull request 41 of shop/web merged?"))}
    assert said == {
        "pull-request:41@shop/web: state is merged": True,
        "pull-request:41@shop/cart: state is open": False,
    }


def test_of_two_things_of_one_name_in_two_spaces_neither_proves_anything_either(house: World) -> None:
    """Web of two namespaces, where no environment tells them apart; the control names one, in a word or in its name."""
    seen(house, READY, "55")
    seen(house, NOT_READY, "56", attributes={"command": "kubectl get pods -n cart"})
    unsaid = [each for each in states(house.ana.recall(QUESTION)) if each.reason]
    assert [(each.supports, "which space is meant is not said" in each.reason) for each in unsaid] == [
        (False, True),
        (False, True),
    ]
    for asked in ("Is web in cart ready now?", "Is cart/web ready now?"):
        said = {each.text: each.supports for each in states(house.ana.recall(asked)) if each.reason}
        assert said["pod:cart/web: state is not-ready"] is True
        assert not said.get("pod:shop/web: state is ready", False)


def test_a_state_that_may_not_be_seen_changes_no_byte(house: World) -> None:
    """Of another scope, or of a higher classification; who sees it gets it."""
    seen(house, NOT_READY, "50")

    def told(packet: Packet) -> list[object]:
        return [packet.decision, packet.sufficiency, packet.advice, packet.tokens, packet.items]

    before = told(house.cyd.recall(QUESTION, as_of="2026-11-28T08:59:00Z"))
    seen(house, READY, "55", classification="restricted")
    seen(house, READY, "56", scope=["project:other"])
    assert told(house.cyd.recall(QUESTION, as_of="2026-11-28T08:59:00Z")) == before
    (ana,) = [each for each in states(house.ana.recall(QUESTION, as_of="2026-11-28T08:59:00Z")) if each.reason]
    assert ana.text == "pod:shop/web: state is ready"


def test_an_agents_word_of_a_state_proves_nothing(house: World) -> None:
    """It is an inference, whatever it names."""
    content = "NAME   READY   STATUS   RESTARTS   AGE\nweb    1/1     Running   0   3h"
    attributes = {"tool": "Bash", "command": "kubectl get pods -n shop"}
    house.agent.remember(content, record_type="tool_result", attributes=attributes)
    packet = house.ana.recall(QUESTION)
    assert not any(each.supports for each in packet.items if each.item == "claim")
