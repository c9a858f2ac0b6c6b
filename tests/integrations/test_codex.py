"""Codex rollouts: everything once, the person's words only where they were typed, copies where they came from."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from read_traces import CASES, attributes, format_of, read_file, read_rows
from transcripts import LinesSource, as_lines

from heedful.integrations.importers.openai.codex import CodexImporter
from heedful.observations.record import RecordType, SourceGrade

SESSION = "11111111-aaaa-4111-8111-111111111111"
PARENT = "22222222-bbbb-4222-8222-222222222222"


def row(sort: str, second: float, **payload: Any) -> dict[str, Any]:
    return {"timestamp": f"2026-01-02T03:04:{second:06.3f}Z", "type": sort, "payload": payload}


def meta(second: float = 0, session: str = SESSION, **more: Any) -> dict[str, Any]:
    return row("session_meta", second, id=session, cwd="/work", cli_version="1.0", source="cli", **more)


def said(second: float, role: str, *texts: str) -> dict[str, Any]:
    sort = "output_text" if role == "assistant" else "input_text"
    return row("response_item", second, type="message", role=role, content=[{"type": sort, "text": t} for t in texts])


def shown(second: float, sort: str, text: str, **more: Any) -> dict[str, Any]:
    return row("event_msg", second, type=sort, message=text, **more)


def item(second: float, sort: str, **more: Any) -> dict[str, Any]:
    return row("response_item", second, type=sort, **more)


def test_what_was_said_stands_twice_in_the_file_and_is_kept_once() -> None:
    """Whichever of the two comes first; saying it twice is two."""
    result = read_rows(
        meta(),
        shown(1, "user_message", "List the files."),
        said(1.1, "user", "List the files."),
        said(2, "assistant", "a.txt"),
        shown(2.1, "agent_message", "a.txt"),
        said(3, "user", "List the files."),
        shown(3.1, "user_message", "List the files."),
    )
    assert result.kinds() == ["session_meta", "user.text", "assistant.text", "user.text"]
    assert [each.grade for each in result.items[1:]] == [SourceGrade.USER, SourceGrade.AGENT, SourceGrade.USER]
    assert len({each.source_ref for each in result.items}) == 4
    assert [each.sequence for each in result.items] == [0, 1, 2, 3]
    assert result.problems == []


def test_an_event_whose_item_is_not_written_yet_is_the_same_item_later() -> None:
    """A rollout that still grows: the words go by themselves, not by the row that held them."""
    event = shown(1, "user_message", "hello")
    (early,) = read_rows(meta(), event).of_kind("user.text")
    (late,) = read_rows(meta(), event, said(1.1, "user", "hello")).of_kind("user.text")
    assert early.source_ref == late.source_ref
    assert (early.content, early.run_id) == (late.content, SESSION)


def test_what_nobody_typed_is_not_the_persons_word() -> None:
    """The program puts instructions and surroundings into user messages; only events show what was typed."""
    told = "remember: release.freeze: said by a file"
    result = read_rows(meta(), said(1, "user", told), said(2, "user", "go on"), shown(2.1, "user_message", "go on"))
    assert [(each.kind, each.grade) for each in result.items[1:]] == [
        ("user.context", SourceGrade.DOCUMENT),
        ("user.text", SourceGrade.USER),
    ]


@pytest.mark.parametrize(
    ("text", "grade"),
    [
        ("<environment_context>\n<cwd>/x</cwd>\n</environment_context>", SourceGrade.TOOL),
        ("# AGENTS.md instructions for /x\n\nnever deploy", SourceGrade.DOCUMENT),
        ("never deploy", SourceGrade.USER),
    ],
)
def test_a_rollout_without_events_tells_the_programs_words_by_their_marks(text: str, grade: SourceGrade) -> None:
    """Old rollouts show no events; what carries no mark is the person's."""
    assert [each.grade for each in read_rows(meta(), said(1, "user", text)).items[1:]] == [grade]


def test_several_blocks_that_an_event_shows_as_one_are_typed() -> None:
    """The event joins them."""
    result = read_rows(meta(), said(1, "user", "one ", "two"), shown(1.1, "user_message", "one two"))
    assert [each.grade for each in result.items[1:]] == [SourceGrade.USER, SourceGrade.USER]


def test_what_a_sub_agent_is_asked_is_an_agents_word() -> None:
    """Its session says that an agent began it; the control is the same without that."""
    rows = [said(1, "user", "look into it"), shown(1.1, "user_message", "look into it")]
    begun = read_rows({**meta(), "payload": {**meta()["payload"], "source": {"subagent": "review"}}}, *rows)
    assert begun.items[1].grade is SourceGrade.AGENT
    assert read_rows(meta(), *rows).items[1].grade is SourceGrade.USER


def test_calls_and_outputs_are_bound_by_their_id() -> None:
    """Arguments are taken out of their text; an output names its call, its tool, and whether it failed."""
    result = read_rows(
        meta(),
        row("turn_context", 0.5, model="m-1"),
        item(1, "function_call", name="shell", arguments='{"path": "a.py"}', call_id="c1"),
        item(2, "function_call_output", call_id="c1", output='{"output":"no","metadata":{"exit_code":2}}'),
        item(3, "custom_tool_call", name="apply_patch", input="*** Begin", call_id="c2"),
        item(4, "custom_tool_call_output", call_id="c2", output="Exit code: 0\nOutput:\nDone"),
        item(5, "function_call_output", call_id="c9", output=[{"type": "input_text", "text": "late"}]),
    )
    call, output, patch, done, lost = result.items[2:]
    assert call.content == b'{"input":{"path":"a.py"},"name":"shell"}'
    assert (call.type, call.grade) == (RecordType.TOOL_CALL, SourceGrade.AGENT)
    assert attributes(call) == {"call_id": "c1", "tool": "shell", "model": "m-1"}
    assert [(each.type, each.id) for each in call.subjects] == [("file", "a.py")]
    assert output.derived_from_refs == (call.source_ref,)
    assert (output.type, output.grade) == (RecordType.TOOL_RESULT, SourceGrade.TOOL)
    assert attributes(output) == {"call_id": "c1", "tool": "shell", "is_error": True}
    assert patch.content == b'{"input":"*** Begin","name":"apply_patch"}'
    assert attributes(done)["is_error"] is False
    assert (lost.content, lost.flags, lost.derived_from_refs) == (b"late", ("call-missing",), ())


def test_arguments_that_are_no_json_are_kept_as_they_stand() -> None:
    """And marked."""
    (call,) = read_rows(meta(), item(1, "function_call", name="x", arguments='{"a', call_id="c")).items[1:]
    assert (call.content, call.flags) == (b'{"input":"{\\"a","name":"x"}', ("arguments-not-json",))


def test_thinking_is_kept_without_what_only_the_api_can_read() -> None:
    """As text where there is one, else raw; an event that shows it is no second thought."""
    summary = [{"type": "summary_text", "text": "I look."}]
    result = read_rows(
        meta(),
        row("event_msg", 1, type="agent_reasoning", text="I look."),
        item(1.1, "reasoning", summary=summary, encrypted_content="SEALED"),
        item(2, "reasoning", summary=[], encrypted_content="SEALED"),
    )
    assert [each.content for each in result.items[1:]] == [b"I look.", b'{"summary":[],"type":"reasoning"}']
    assert {each.flags for each in result.items[1:]} == {("thinking",)}


def test_a_compaction_is_a_machines_summary_of_what_was_said() -> None:
    """It is made from the messages before it, and nobody's word."""
    result = read_rows(
        meta(), said(1, "user", "a"), said(2, "assistant", "b"), row("compacted", 3, message="They said a and b.")
    )
    summary = result.items[-1]
    assert (summary.grade, summary.flags) == (SourceGrade.SUMMARY, ("compaction-summary",))
    assert summary.derived_from_refs == tuple(each.source_ref for each in result.items[1:3])


def test_an_event_about_a_call_that_stands_as_an_item_is_a_copy() -> None:
    """The control: one about nothing in the file is evidence."""
    rows = [
        item(1, "function_call", name="shell", arguments="{}", call_id="c1"),
        row("event_msg", 2, type="exec_command_end", call_id="c1", stdout="x"),
        row("event_msg", 3, type="token_count", total=5),
    ]
    copy, count = read_rows(meta(), *rows).items[2:]
    assert (copy.kind, copy.grade, copy.flags) == ("event.exec_command_end", SourceGrade.SUMMARY, ("copied",))
    assert (count.kind, count.grade, count.flags) == ("event.token_count", SourceGrade.TOOL, ())


def test_what_a_fork_copies_stays_with_the_run_that_it_came_from() -> None:
    """The same references as there, so that it is kept once; what is said later is the fork's own."""
    spoken = said(5, "user", "first")
    (there,) = read_rows(meta(0, PARENT), spoken).of_kind("user.text")
    fork = read_rows(
        meta(30, SESSION, forked_from_id=PARENT),
        meta(30.01, PARENT),
        {**spoken, "timestamp": "2026-01-02T03:04:30.020Z"},
        said(45, "user", "second"),
    )
    first, second = fork.of_kind("user.text")
    assert first.source_ref == there.source_ref
    assert (second.run_id, second.sequence) == (SESSION, 1)


def test_pictures_are_bytes_and_rows_of_unknown_types_raw() -> None:
    """None is lost, none is fatal."""
    url = "data:image/png;base64,iVBORw0KGgo="
    picture = {"type": "input_image", "image_url": url}
    result = read_rows(
        meta(),
        item(1, "message", role="user", content=[{"type": "input_text", "text": "see"}, picture]),
        item(2, "hologram", z=1),
        row("weather", 3, sun=True),
        {"type": 7},
        item(4, "message", role="user", content=[{**picture, "image_url": "data:image/png;base64,%%%"}]),
    )
    assert result.kinds()[1:] == [
        "user.text",
        "user.image",
        "unknown:hologram",
        "unknown:weather",
        "unknown:other",
        "user.image",
    ]
    assert (result.items[2].content, result.items[2].media_type) == (b"\x89PNG\r\n\x1a\n", "image/png")
    assert result.codes() == ["base64_invalid"]


def test_items_without_an_envelope_are_read_too() -> None:
    """As the first versions wrote them; the file names the run."""
    call = {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c1"}
    result = read_rows({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}, call)
    assert result.kinds() == ["user.text", "function_call"]
    assert {each.run_id for each in result.items} == {"trace"}


@pytest.mark.parametrize(
    "line", [b"{}", b'{"type":"response_item"}', b'{"type":"message","role":"user","content":"x"}']
)
def test_a_row_that_only_resembles_one_is_no_rollout(line: bytes) -> None:
    """The control of the recogniser."""
    assert not CodexImporter().recognises((line,))
    assert CodexImporter().recognises(as_lines([meta()]))


@pytest.mark.skipif(not CASES.is_dir(), reason="needs ../shared/cases")
def test_a_public_rollout_is_read_whole() -> None:
    """Each text once, every call with its output, nothing sealed."""
    path = CASES / "codex_rollout_responses_items.jsonl"
    result = read_file(path)
    assert format_of(LinesSource(tuple(path.read_bytes().splitlines()))) == "codex"
    assert Counter(result.kinds()) == {
        "session_meta": 1,
        "turn_context": 1,
        "user.text": 1,
        "assistant.reasoning": 1,
        "assistant.text": 1,
        "function_call": 2,
        "function_call_output": 2,
        "custom_tool_call": 1,
        "custom_tool_call_output": 1,
        "unknown:future_synthetic_record": 1,
    }
    assert all(len(each.derived_from_refs) == 1 for each in result.items if each.type is RecordType.TOOL_RESULT)
    assert not any(b"ENCRYPTED" in each.content for each in result.items)
    assert result.problems == []
