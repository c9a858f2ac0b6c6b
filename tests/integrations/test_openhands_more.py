"""OpenHands: condensations, thoughts, errors, pictures and the program's own notes, each as what it is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from documents import (
    INLINE_PNG,
    PNG,
    PNG_STARTS,
    attributes,
    grades,
    jsonl,
    read_trace,
    require_in_order,
    source_of_item,
    v0_events,
    v1_events,
)
from transcripts import Imported

from heedful.observations.record import RecordType, SourceGrade

FIRST_V0, FIRST_V1 = v0_events()[1], v1_events()[1]


def v0(*events: dict[str, Any]) -> Imported:
    """A person's message, then these."""
    made = [{"id": 20 + place, "source": "agent", **event} for place, event in enumerate(events)]
    found = read_trace([FIRST_V0, *made], of="openhands")
    require_in_order(found)
    return found


def v1(kind: str, **more: Any) -> Imported:
    """A person's message, then this event."""
    event = {"id": "x", "timestamp": "2026-06-16T06:00:00", "source": "environment", "kind": kind, **more}
    found = read_trace(jsonl(FIRST_V1, event), of="openhands-events")
    require_in_order(found)
    return found


def test_a_condensation_of_v0_is_made_from_the_events_that_it_names() -> None:
    """On a machine's word."""
    args = {"forgotten_event_ids": [1, 99], "summary": "files were listed"}
    (summary,) = v0({"action": "condensation", "args": args}).of_kind("condensation")
    assert (summary.grade, len(summary.derived_from_refs)) == (SourceGrade.SUMMARY, 1)
    assert attributes(summary)["forgotten"] == 2


def test_a_thought_is_the_agents_and_marked_as_one() -> None:
    """The action `think` calls nothing."""
    found = v0({"action": "think", "args": {"thought": "hm"}})
    assert [(item.kind, item.flags) for item in found.items[-1:]] == [("agent.thinking", ("thinking",))]


def test_what_somebody_else_than_the_agent_runs_is_on_a_tools_word() -> None:
    """A command that a person typed into the terminal is no sentence of theirs; its output is bound to it."""
    ran = {"source": "user", "action": "run", "args": {"command": "ls"}}
    found = v0(ran, {"observation": "run", "content": "a.txt", "cause": 20, "success": True})
    (command,) = found.of_kind("user.action.run")
    assert (command.type, command.grade) == (RecordType.OBSERVATION, SourceGrade.TOOL)
    (answer,) = found.of_kind("observation.run")
    assert source_of_item(found, answer) == command
    assert attributes(answer)["is_error"] is False


@pytest.mark.parametrize(
    ("event", "is_error"),
    [
        ({"observation": "error", "content": "no"}, True),
        ({"observation": "run", "content": "x", "extras": {"exit_code": -1}}, None),
        ({"observation": "run", "content": "x", "extras": {"exit_code": 0}}, False),
        ({"observation": "run", "content": "x", "extras": {"metadata": {"exit_code": 1}}, "success": True}, True),
        ({"observation": "browse", "content": "x", "extras": {"error": True}}, True),
        ({"observation": "read", "content": "x"}, None),
    ],
)
def test_whether_a_call_failed_is_told_only_where_it_is_known(event: dict[str, Any], is_error: bool | None) -> None:
    """A command that still runs has the exit code -1."""
    answer = v0(event).items[-1]
    assert answer.type is RecordType.TOOL_RESULT
    assert attributes(answer).get("is_error") == is_error
    assert answer.flags == ()


@pytest.mark.parametrize("picture", [PNG, INLINE_PNG])
def test_a_screenshot_is_kept_as_bytes_beside_the_answer(picture: str) -> None:
    """Old versions wrote base64 alone, later ones a `data:` URL."""
    found = v0(
        {"action": "browse", "args": {"url": "http://a/"}},
        {
            "observation": "browse",
            "content": "page",
            "cause": 20,
            "extras": {"screenshot": picture, "url": "http://a/"},
        },
    )
    (shown,) = found.of_kind("observation.browse.screenshot.inline")
    assert shown.content.startswith(PNG_STARTS)
    assert (shown.media_type, source_of_item(found, shown).kind) == ("image/png", "action.browse")


def test_what_the_program_looks_up_for_the_agent_is_an_observation() -> None:
    """V0: recall and the like; nobody asked for it."""
    found = v0({"observation": "recall", "content": "known", "extras": {"repo_name": "r"}, "source": "environment"})
    assert [(item.kind, item.type) for item in found.items[-2:]] == [
        ("observation.recall", RecordType.OBSERVATION),
        ("observation.recall.more", RecordType.OBSERVATION),
    ]


def test_a_tool_that_is_not_known_is_a_call_where_a_model_called_it() -> None:
    """By its metadata; without any it is kept raw."""
    called = {"action": "teleport", "args": {"to": "x"}, "tool_call_metadata": {"function_name": "teleport"}}
    assert v0(called).items[-1].type is RecordType.TOOL_CALL
    assert v0({"action": "teleport", "args": {"to": "x"}}).items[-1].kind == "unknown:teleport"


def test_a_message_in_blocks_and_with_files_is_read() -> None:
    """Also where it says nothing."""
    args = {"content": [{"type": "text", "text": "look"}], "file_urls": ["a.pdf"]}
    found = v0({"source": "user", "action": "message", "args": args}, {"action": "message", "args": {"content": ""}})
    assert grades(found, "look") == {SourceGrade.USER}
    assert found.kinds()[-2:] == ["user.message.files", "action.message"]


def test_a_time_that_is_none_is_named() -> None:
    """Both versions; the event is kept."""
    found = v0({"action": "message", "args": {"content": "x"}, "timestamp": "soon"})
    assert (found.codes(), found.items[-1].occurred) == (["time_malformed"], None)
    assert v1("PauseEvent", timestamp="soon").codes() == ["time_malformed"]


def test_a_trajectory_in_an_object_is_read_with_what_is_beside_it() -> None:
    """As the server hands it out."""
    found = read_trace({"trajectory": v0_events(), "version": 1}, of="openhands")
    assert json.loads(found.of_kind("unknown:trajectory")[0].content) == {"version": 1}


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("AgentErrorEvent", {"error": "no such tool", "source": "agent"}),
        ("UserRejectObservation", {"rejection_reason": "not today", "rejection_source": "hook"}),
    ],
)
def test_an_error_and_a_rejection_are_failed_answers(kind: str, more: dict[str, Any]) -> None:
    """On a tool's word, whoever the program names as their source."""
    answer = v1(kind, tool_name="terminal", tool_call_id="c", **more).items[-1]
    assert (answer.type, answer.grade, answer.flags) == (RecordType.TOOL_RESULT, SourceGrade.TOOL, ("call-missing",))
    assert attributes(answer)["is_error"] is True
    assert attributes(answer).get("rejected_by") == more.get("rejection_source")


def test_blocks_of_thinking_are_taken_where_there_is_no_reasoning() -> None:
    """A message of the agent may have them as well."""
    message = {"role": "assistant", "content": [{"type": "text", "text": "so"}]}
    thinking = {"thinking_blocks": [{"type": "thinking", "thinking": "hm"}]}
    found = v1("MessageEvent", source="agent", llm_message={**message, **thinking})
    assert [(item.content, item.grade) for item in found.items[-2:]] == [(b"hm", "agent"), (b"so", "agent")]


def test_an_action_that_could_not_be_read_is_a_call_with_what_the_model_wrote() -> None:
    """And a finish says its message."""
    call = {"id": "c", "name": "terminal", "arguments": '{"command": "ls"}'}
    found = v1("ActionEvent", source="agent", thought=[], action=None, tool_call=call)
    assert json.loads(found.items[-1].content) == {"name": "terminal", "input": {"command": "ls"}}
    done = {"kind": "FinishAction", "message": "Done."}
    found = v1("ActionEvent", source="agent", thought="I stop.", action=done, tool_name="finish", tool_call_id="c")
    assert [item.content for item in found.items[-3:] if item.media_type == "text/plain"] == [b"I stop.", b"Done."]


def test_the_tools_of_a_system_prompt_are_kept_with_it() -> None:
    """As documents: a trace is no operator's door."""
    prompt = {"system_prompt": {"type": "text", "text": "You are"}, "dynamic_context": {"type": "text", "text": "here"}}
    found = v1("SystemPromptEvent", source="agent", tools=[{"name": "terminal"}], **prompt)
    assert {item.grade for item in found.items[-3:]} == {SourceGrade.DOCUMENT}
