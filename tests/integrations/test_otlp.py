"""OTLP JSON: both dialects, every version of the GenAI conventions, whatever order the spans arrive in."""

from __future__ import annotations

import base64
import copy
import json
import random
from typing import Any

from traces_made import (
    TRACE_ID,
    attributes,
    export,
    imported_document,
    imported_from,
    imported_lines,
    parts,
    said,
    span,
)
from transcripts import Imported, LinesSource

from heedful.observations.record import RecordType, SourceGrade

ASKS = parts("user", "list the files")
CALL = {"role": "assistant", "parts": [{"type": "tool_call", "id": "c1", "name": "ls", "arguments": {"path": "/"}}]}
ANSWER = {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "README"}]}
SAYS = parts("assistant", "One file: README.")
RUN = (
    span(1, start=0, end=90, operation__name="invoke_agent", agent__name="solver", conversation__id="conv-1"),
    span(
        2,
        1,
        start=1,
        end=20,
        operation__name="chat",
        request__model="m",
        usage__input_tokens=12,
        usage__output_tokens=5,
        system_instructions=json.dumps([{"type": "text", "content": "Be brief."}]),
        input__messages=json.dumps([ASKS]),
        output__messages=json.dumps([CALL]),
    ),
    span(
        3,
        1,
        start=21,
        end=30,
        operation__name="execute_tool",
        tool__name="ls",
        tool__call__id="c1",
        tool__call__arguments={"path": "/"},
        tool__call__result="README",
    ),
    span(
        4,
        1,
        start=31,
        end=50,
        operation__name="chat",
        request__model="m",
        input__messages=[ASKS, CALL, ANSWER],
        output__messages=[SAYS],
    ),
)
TOLD = [
    ("system.text", "Be brief."),
    ("user.text", "list the files"),
    ("assistant.tool_call", '{"input":{"path":"/"},"name":"ls"}'),
    ("tool.result", "README"),
    ("assistant.text", "One file: README."),
]


def messages_of(imported: Imported) -> list[tuple[str, str]]:
    return [each for each in said(imported) if not each[0].startswith(("span.", "unknown:span"))]


def in_protobufs_dialect(document: dict[str, Any]) -> dict[str, Any]:
    """As protobuf's own printer writes it: ids in base64, enums by name."""
    found = copy.deepcopy(document)
    for each in found["resourceSpans"][0]["scopeSpans"][0]["spans"]:
        for name in ("traceId", "spanId", "parentSpanId"):
            if name in each:
                each[name] = base64.b64encode(bytes.fromhex(each[name])).decode()
        each["kind"], each["status"] = "SPAN_KIND_INTERNAL", {"code": "STATUS_CODE_OK"}
    return found


def test_a_run_becomes_what_was_said_and_done_once_each() -> None:
    """The second call of the model repeats the first; the tool's span is the call that the model asked for."""
    found = imported_document(export(*RUN, service="app"))
    assert messages_of(found) == TOLD
    call, result = found.of_kind("assistant.tool_call")[0], found.of_kind("tool.result")[0]
    assert (call.type, call.grade, attributes(call)["tool"]) == (RecordType.TOOL_CALL, SourceGrade.AGENT, "ls")
    assert (result.type, result.grade, attributes(result)["is_error"]) == (
        RecordType.TOOL_RESULT,
        SourceGrade.TOOL,
        False,
    )
    assert (attributes(result)["call_id"], result.derived_from_refs) == ("c1", (call.source_ref,))
    assert (attributes(call)["input_tokens"], attributes(call)["output_tokens"]) == (12, 5)
    (asked,) = found.of_kind("user.text")
    assert (asked.grade, asked.speaker) == (SourceGrade.USER, "user")
    assert found.of_kind("system.text")[0].grade == SourceGrade.DOCUMENT
    assert found.problems == []


def test_both_dialects_name_every_item_alike() -> None:
    """Hexadecimal ids and numbers, or base64 ids and names."""
    document = export(*RUN, service="app")
    expected = [(item.source_ref, item.run_id, item.sequence) for item in imported_document(document).items]
    other = imported_document(in_protobufs_dialect(document)).items
    assert [(item.source_ref, item.run_id, item.sequence) for item in other] == expected
    assert {run_id for _, run_id, _ in expected} == {TRACE_ID}


def test_spans_in_any_order_and_over_several_exports_give_the_same_items() -> None:
    """One export a line, one span an export, shuffled; and all in one document."""
    expected = messages_of(imported_document(export(*RUN)))
    refs = [item.source_ref for item in imported_document(export(*RUN)).items]
    for seed in range(5):
        spans = random.Random(seed).sample(RUN, len(RUN))
        found = imported_lines(*(export(each) for each in spans))
        assert messages_of(found) == expected
        assert [item.source_ref for item in sorted(found.items, key=lambda each: each.sequence)] == refs


def test_a_line_that_is_no_export_of_spans_is_kept_raw_and_a_broken_one_is_named() -> None:
    """Neither stops the import."""
    found = imported_lines(export(*RUN), {"resourceLogs": []}, [1])
    assert found.kinds().count("unknown:payload") == 2
    assert [each for each in messages_of(found) if each[0] != "unknown:payload"] == TOLD
    assert imported_lines(export(*RUN), {"a": 1}).codes() == []
    damaged = LinesSource((json.dumps(export(*RUN)).encode(), b'{"resourceSpans": [', b"", b"\xff"))
    assert imported_from(damaged).codes() == ["json_invalid", "encoding_invalid"]


def test_a_failed_tool_is_an_error_and_says_why() -> None:
    """By the status, as a number or a name, or by `error.type`; without any status nothing is said of it."""
    failed = span(1, start=0, end=1, operation__name="execute_tool", tool__name="rm", tool__call__id="c9")
    failed["status"] = {"code": 2, "message": "read-only filesystem"}
    found = imported_document(export(failed))
    assert [item.kind for item in found.items] == ["assistant.tool_call", "tool.result"]
    assert found.text(1) == "read-only filesystem"
    assert attributes(found.items[1])["is_error"] is True


def test_a_tool_span_without_a_call_id_is_the_oldest_call_of_it_that_has_no_output() -> None:
    """And one that nobody asked for is a call of its own."""
    asks = span(1, start=0, end=1, operation__name="chat", output__messages=[CALL])
    runs = [
        span(2, start=2, end=3, operation__name="execute_tool", tool__name="ls", tool__call__result="README"),
        span(3, start=4, end=5, operation__name="execute_tool", tool__name="ls", tool__call__result="README"),
    ]
    found = imported_document(export(asks, *runs))
    calls = found.of_kind("assistant.tool_call")
    assert [result.derived_from_refs for result in found.of_kind("tool.result")] == [(c.source_ref,) for c in calls]
    assert len(calls) == 2


def test_the_same_words_said_again_are_new_where_they_are_said_and_not_where_they_are_repeated() -> None:
    """A model that answers `ok` twice has said it twice; its history, and an agent's own account, repeat that."""
    ok, yes = parts("assistant", "ok"), parts("user", "yes")
    chats = [
        span(2, 1, start=1, end=2, operation__name="chat", input__messages=[yes], output__messages=[ok]),
        span(3, 1, start=3, end=4, operation__name="chat", input__messages=[yes, ok, yes], output__messages=[ok]),
    ]
    agent = span(
        1,
        start=0,
        end=9,
        operation__name="invoke_agent",
        input__messages=[yes],
        output__messages=[ok],
    )
    found = imported_document(export(agent, *chats))
    assert [text for _, text in said(found)] == ["yes", "ok", "yes", "ok"]


def test_traces_of_one_conversation_repeat_what_was_said_before() -> None:
    """Each has a run of its own; what the first holds is no new evidence in the second, whatever file holds it."""
    later = "0" * 31 + "7"
    first = span(1, start=0, end=1, operation__name="chat", conversation__id="c", input__messages=[ASKS])
    second = span(
        2,
        start=5,
        end=6,
        operation__name="chat",
        conversation__id="c",
        input__messages=[ASKS, SAYS, parts("user", "thanks")],
        trace_id=later,
    )
    found = imported_document(export(first, second))
    assert [(text, item.run_id) for item, (_, text) in zip(found.items, said(found), strict=True)][:1] == [
        ("list the files", TRACE_ID)
    ]
    assert [item.content for item in found.items] == [b"list the files", b"One file: README.", b"thanks"]
    alone = imported_document(export(second))
    assert [item.source_ref for item in alone.items] == [item.source_ref for item in found.items]


def test_what_an_agent_tells_another_is_not_the_users() -> None:
    """Below a tool, or an agent within an agent; and what only the model is told in the user's name."""
    inner = parts("user", "You are a searcher: find the files.")
    spans = [
        span(1, start=0, end=90, operation__name="invoke_agent", input__messages=[ASKS]),
        span(
            2,
            1,
            start=1,
            end=5,
            operation__name="chat",
            input__messages=[parts("user", "Think step by step."), ASKS],
        ),
        span(3, 1, start=6, end=80, operation__name="execute_tool", tool__name="delegate", tool__call__id="d"),
        span(4, 3, start=7, end=70, operation__name="invoke_agent", input__messages=[inner]),
        span(5, 4, start=8, end=60, operation__name="chat", input__messages=[inner]),
    ]
    found = imported_document(export(*spans))
    assert [(item.grade, item.kind) for item in found.items if item.type == RecordType.MESSAGE] == [
        (SourceGrade.USER, "user.text"),
        (SourceGrade.AGENT, "user.prompt"),
        (SourceGrade.AGENT, "user.prompt"),
    ]
    assert found.of_kind("user.prompt")[1].flags == ("sidechain",)


def test_a_span_of_anything_else_is_kept_raw() -> None:
    """HTTP, an operation that is not known, an agent that said nothing; and tokens of a model without its words."""
    spans = [
        span(1, start=0, end=9),
        span(2, 1, start=1, end=2, operation__name="juggle"),
        span(3, 1, start=3, end=4, operation__name="invoke_agent"),
        span(4, 1, start=5, end=6, operation__name="chat", usage__input_tokens=7),
    ]
    found = imported_document(export(*spans))
    assert sorted(found.kinds()) == ["span.chat", "span.invoke_agent", "unknown:juggle", "unknown:span"]
    assert {item.grade for item in found.items} == {SourceGrade.TOOL}


def test_a_span_that_came_twice_is_taken_once_and_rings_of_parents_are_cut() -> None:
    """An export that was sent again; spans that are each other's parents."""
    ring = [
        span(7, 8, start=0, end=1, operation__name="chat", input__messages=[ASKS]),
        span(8, 7, start=2, end=3, operation__name="chat", output__messages=[SAYS]),
        span(9, 9, start=4, end=5),
    ]
    found = imported_lines(export(*ring), export(*ring))
    assert [kind for kind, _ in said(found)] == ["unknown:span", "user.text", "assistant.text"]
    assert found.codes() == ["row_repeated"] * 3
