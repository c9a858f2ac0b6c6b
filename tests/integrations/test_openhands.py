"""OpenHands trajectories, V0 and V1: whose words, which answer to which call, in what order."""

from __future__ import annotations

import json

import pytest
from documents import (
    PNG_STARTS,
    attributes,
    grades,
    holding,
    jsonl,
    read_trace,
    require_in_order,
    source_of_item,
    v0_events,
    v1_events,
)
from transcripts import Imported

from heedful.observations.record import RecordType, SourceGrade


def v0(*events: object) -> Imported:
    return read_trace(list(events), of="openhands")


def v1(*events: object) -> Imported:
    return read_trace(jsonl(*events), of="openhands-events")


def test_a_persons_message_is_the_persons_and_a_prompt_is_data() -> None:
    """V0: the picture beside the message is a document, as bytes."""
    found = v0(*v0_events())
    require_in_order(found)
    assert found.problems == []
    (asked,) = found.of_kind("user.message")
    assert (asked.type, asked.grade, asked.speaker) == (RecordType.MESSAGE, SourceGrade.USER, "user")
    (picture,) = found.of_kind("user.message.image.inline")
    assert (picture.grade, picture.media_type) == (SourceGrade.DOCUMENT, "image/png")
    assert picture.content.startswith(PNG_STARTS)
    assert grades(found, "You are an agent.") == {SourceGrade.DOCUMENT}


def test_an_observation_is_bound_to_the_action_that_it_names_as_its_cause() -> None:
    """With the tool, the id of the call and, where the exit code tells it, that it failed."""
    found = v0(*v0_events())
    (answer,) = found.of_kind("observation.run")
    call = source_of_item(found, answer)
    assert (call.type, call.grade) == (RecordType.TOOL_CALL, SourceGrade.AGENT)
    assert json.loads(call.content) == {"name": "execute_bash", "input": {"command": "ls"}}
    told = attributes(answer)
    assert (told["tool"], told["call_id"], told["cause"], told["is_error"]) == ("execute_bash", "call-1", 4, True)
    assert (answer.type, answer.grade) == (RecordType.TOOL_RESULT, SourceGrade.TOOL)
    thinking = [item for item in found.items if "thinking" in item.flags]
    assert [item.content for item in thinking] == [b"Where am I?"]
    assert sum(int(attributes(item).get("completion_tokens", 0)) for item in found.items) == 5


def test_an_observation_without_its_action_is_kept_and_says_so() -> None:
    """V0 leaves events out on export; the control has the action."""
    events = v0_events()
    missing = v0(*[event for event in events if event["id"] != 4])
    assert [item.flags for item in missing.of_kind("observation.run")] == [("call-missing",)]
    assert [item.flags for item in v0(*events).of_kind("observation.run")] == [()]


def test_times_without_a_zone_are_read_as_utc_and_say_that_they_had_none() -> None:
    """No offset is made up."""
    time = v0(*v0_events()).items[0].occurred
    assert time is not None
    assert (time.offset_minutes, time.precision) == (None, "microsecond")


def test_events_that_lie_in_another_order_get_the_same_places() -> None:
    """Both versions: V0 by id, V1 by time."""
    for events, read in ((v0_events(), v0), (v1_events(), v1)):
        in_order = {item.source_ref: item.sequence for item in read(*events).items}
        turned = {item.source_ref: item.sequence for item in read(*events[::-1]).items}
        assert turned == in_order


def test_an_event_that_arrives_twice_is_taken_once() -> None:
    """The same content is a repetition; other content under the same id is kept as well."""
    events = v0_events()
    once = v0(*events)
    twice = v0(*events, events[1])
    assert twice.items == once.items
    assert twice.codes() == ["row_repeated"]
    other = v0(*events, {**events[1], "args": {"content": "something else"}})
    require_in_order(other)
    assert len(other.items) == len(once.items) + 1


def test_a_longer_copy_of_a_trajectory_begins_with_the_same_references() -> None:
    """So that importing it adds what is new."""
    for events, read in ((v0_events(), v0), (v1_events(), v1)):
        shorter = {item.source_ref for item in read(*events[:3]).items}
        assert shorter < {item.source_ref for item in read(*events).items}


def test_a_task_that_the_agent_hands_to_another_is_not_the_persons() -> None:
    """The program writes it into the log as a user's message."""
    events = v0_events()
    handed = {**events[2], "action": "delegate", "args": {"agent": "Browser", "inputs": {"task": "look it up"}}}
    said = {**events[1], "id": 7, "args": {"content": "TASK: look it up"}}
    found = v0(events[1], handed, said)
    assert grades(found, "TASK: look it up") == {SourceGrade.AGENT}
    assert grades(v0(events[1], said), "TASK: look it up") == {SourceGrade.USER}


@pytest.mark.parametrize(
    ("event", "kind"),
    [
        ({"action": "teleport", "args": {}}, "unknown:teleport"),
        ({"observation": "agent_state_changed", "content": ""}, "observation.agent_state_changed"),
        ({"neither": 1}, "unknown:environment"),
        ("a text", "unknown:event"),
        (None, "unknown:event"),
    ],
)
def test_an_event_of_an_unknown_type_is_kept_raw(event: object, kind: str) -> None:
    """And counted under its type; the rest is read."""
    row = {"id": 99, "source": "environment", **event} if isinstance(event, dict) else event
    found = v0(*v0_events(), row)
    (kept,) = found.of_kind(kind) if kind != "observation.agent_state_changed" else found.of_kind(kind)[1:]
    assert json.loads(kept.content) == row


def test_what_the_model_thought_is_taken_once() -> None:
    """V1: the thought repeats the reasoning between tags; what it says besides stays."""
    found = v1(*v1_events())
    require_in_order(found)
    assert found.problems == []
    assert [item.content for item in found.of_kind("agent.thinking")] == [b"Where am I?"]
    assert [item.content for item in found.of_kind("agent.text")] == [b"I list."]


def test_an_observation_event_is_bound_to_its_action_event() -> None:
    """V1: by `action_id`; one whose action is absent says so."""
    found = v1(*v1_events())
    (answer,) = found.of_kind("observation.TerminalObservation")
    assert source_of_item(found, answer).kind == "action.TerminalAction"
    assert attributes(answer)["is_error"] is True
    events = v1_events()
    (alone,) = v1(*events[:2], *events[3:]).of_kind("observation.TerminalObservation")
    assert (alone.flags, alone.derived_from_refs) == (("call-missing",), ())
    assert attributes(alone)["tool"] == "terminal"


def test_what_the_program_puts_beside_a_message_is_not_the_persons() -> None:
    """V1: skills; and a message with a named sender comes from another agent."""
    found = v1(*v1_events())
    assert grades(found, "a skill that was put beside it") == {SourceGrade.TOOL}
    (asked,) = found.of_kind("user.message")
    assert asked.grade is SourceGrade.USER
    sent = {**v1_events()[1], "sender": "planner"}
    assert {item.grade for item in v1(sent).of_kind("user.message")} == {SourceGrade.AGENT}


def test_a_condensation_is_a_summary_of_what_it_names() -> None:
    """V1: on a machine's word, made from the events that it takes out of sight."""
    found = v1(*v1_events())
    (summary,) = found.of_kind("condensation")
    assert (summary.grade, len(summary.derived_from_refs)) == (SourceGrade.SUMMARY, 2)


def test_lines_that_are_no_events_are_problems_or_kept_raw() -> None:
    """V1: neither ends the reading."""
    lines = jsonl(v1_events()[0]) + b'\n{"cut\n[1]\n\n' + jsonl({"kind": "New"}, v1_events()[1])
    found = read_trace(lines, of="openhands-events")
    assert [(problem.line_number, problem.code) for problem in found.problems] == [
        (2, "json_invalid"),
        (3, "row_not_object"),
    ]
    assert len(found.of_kind("unknown:New")) == 1
    assert holding(found, "list")
