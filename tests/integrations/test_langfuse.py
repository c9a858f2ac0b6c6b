"""Langfuse exports: JSON in JSON, no order of time, every generation with all that was said before it."""

from __future__ import annotations

import json
import random

from traces_made import (
    attributes,
    imported_document,
    imported_lines,
    langfuse,
    message,
    observation,
    said,
)

from heedful.observations.record import RecordType, SourceGrade

USER = {"role": "user", "content": "Find it."}
CALL = {
    "role": "assistant",
    "content": "",
    "additional_kwargs": {
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"q":"x"}'}}]
    },
}
ANSWER = {"role": "tool", "content": "found", "tool_call_id": "c1"}
SAYS = {"role": "assistant", "content": "Here it is."}
HUMAN = message("human", "Find it.", "h1")
TOOL = message("tool", "found", None, tool_call_id="c1", name="search", status="success")
RUN = (
    observation("graph", None, 1, given={"messages": [HUMAN]}),
    observation("g1", "graph", 2, "GENERATION", [USER], CALL, model="m", usageDetails={"input": 9, "output": 4}),
    observation("search", "graph", 3, "SPAN", "{'q': 'x'}", TOOL),
    observation("g2", "graph", 4, "GENERATION", [USER, CALL, ANSWER], SAYS, model="m"),
)
TOLD = [
    ("user.text", "Find it."),
    ("assistant.tool_call", '{"input":{"q":"x"},"name":"search"}'),
    ("tool.result", "found"),
    ("assistant.text", "Here it is."),
]


def test_a_trace_becomes_what_was_said_and_done_once_each() -> None:
    """The trace, its graph and two generations repeat it in three shapes, with and without ids."""
    given = {"messages": [message("human", "Find it.")]}
    found = imported_document(langfuse(*RUN, given=given, gave="Here it is."))
    assert said(found) == TOLD
    asked, call, result, _ = found.items
    assert (asked.grade, asked.speaker) == (SourceGrade.USER, "user")
    assert (call.type, attributes(call)["tool"], attributes(call)["output_tokens"]) == (
        RecordType.TOOL_CALL,
        "search",
        4,
    )
    assert (result.type, result.grade, result.derived_from_refs) == (
        RecordType.TOOL_RESULT,
        SourceGrade.TOOL,
        (call.source_ref,),
    )
    assert attributes(result)["is_error"] is False
    assert found.problems == []


def test_observations_in_any_order_give_the_same_items() -> None:
    """Their times and parents put them right."""
    expected = imported_document(langfuse(*RUN, given="Find it.")).items
    for seed in range(5):
        shuffled = random.Random(seed).sample(RUN, len(RUN))
        assert imported_document(langfuse(*shuffled, given="Find it.")).items == expected


def test_a_trace_with_its_observations_in_it_and_one_trace_a_line_are_exports_too() -> None:
    """The public interface gives the first; lines have several traces."""
    wrapped = langfuse(*RUN)
    bare = {**wrapped["trace"], "observations": list(RUN)}
    assert said(imported_document(bare)) == TOLD
    other = langfuse(observation("g", None, 1, "GENERATION", [USER], SAYS, traceId="trace-2"), id="trace-2")
    found = imported_lines(wrapped, other)
    assert [item.run_id for item in found.items] == ["trace-1"] * 4 + ["trace-2"] * 2
    assert len({item.source_ref for item in found.items}) == 6


def test_what_only_a_model_is_told_in_the_users_name_is_a_prompt() -> None:
    """The trace says what the user said; without that the generation is all there is."""
    generation = observation("g", None, 1, "GENERATION", [{"role": "user", "content": "Be helpful!"}, USER], SAYS)
    found = imported_document(langfuse(generation, given="Find it."))
    assert [(item.kind, item.grade) for item in found.items] == [
        ("user.text", SourceGrade.USER),
        ("user.prompt", SourceGrade.AGENT),
        ("assistant.text", SourceGrade.AGENT),
    ]
    assert imported_document(langfuse(generation)).kinds() == ["user.text", "user.text", "assistant.text"]


def test_a_tool_that_failed_and_one_that_nobody_asked_for() -> None:
    """Type TOOL: its input is the call, its output the result; an error is what it says."""
    ran = [
        observation("t1", None, 1, "TOOL", {"q": 1}, {"rows": []}),
        observation("t2", None, 2, "TOOL", {"q": 2}, None, level="ERROR", statusMessage="no such table"),
    ]
    found = imported_document(langfuse(*ran))
    assert said(found) == [
        ("assistant.tool_call", '{"input":{"q":1},"name":"t1"}'),
        ("tool.result", '{"rows":[]}'),
        ("assistant.tool_call", '{"input":{"q":2},"name":"t2"}'),
        ("tool.result", "no such table"),
    ]
    assert [attributes(item)["is_error"] for item in found.of_kind("tool.result")] == [False, True]


def test_the_definition_of_a_tool_is_no_result_of_one() -> None:
    """Some frameworks list their tools among the messages, as messages of a tool."""
    definition = {"role": "tool", "content": {"type": "function", "function": {"name": "search"}}}
    found = imported_document(langfuse(observation("g", None, 1, "GENERATION", [USER, definition], SAYS)))
    assert found.kinds() == ["user.text", "unknown:tool_definition", "assistant.text"]
    assert found.of_kind("unknown:tool_definition")[0].type == RecordType.OBSERVATION


def test_what_is_no_message_is_kept_raw() -> None:
    """Inputs and outputs of steps, what stands beside messages, unknown types, scores, empty steps."""
    steps = [
        observation("route", None, 1, given={"a": 1}, gave="continue"),
        observation("chain", None, 2, "CHAIN", {"messages": [USER], "documents": ["d"]}),
        observation("odd", None, 3, "ODDITY", gave={"b": 2}),
        observation("empty", None, 4),
    ]
    found = imported_document(langfuse(*steps, scores=[{"name": "toxicity", "value": 0}]))
    kinds = [kind for kind, _ in said(found)]
    assert kinds == [
        "observation.span",
        "user.text",
        "observation.chain",
        "unknown:ODDITY",
        "observation.span",
        "trace.scores",
    ]
    texts = [json.loads(text) for kind, text in said(found) if kind != "user.text"]
    assert texts[:2] == [
        {"input": {"a": 1}, "name": "route", "output": "continue"},
        {"input": {"documents": ["d"]}, "name": "chain", "output": None},
    ]


def test_names_and_types_may_be_anything() -> None:
    """An id that is an object, a type that is a list: kept raw, under a name of its own."""
    odd = observation("x", None, 1, "GENERATION", [{"role": "user", "content": [{"type": ["text"], "text": "?"}]}])
    found = imported_document(langfuse({**odd, "id": {"a": 1}, "type": [1]}, odd))
    assert "unknown:other" in found.kinds()
    assert len({item.source_ref for item in found.items}) == len(found.items)


def test_traces_of_one_session_repeat_what_was_said_before() -> None:
    """What the first has is not told again by the second; a new trace that begins with the same words says them anew."""
    more = [USER, SAYS, {"role": "user", "content": "Thanks."}]
    first = langfuse(observation("g", None, 1, "GENERATION", [USER], SAYS), sessionId="s")
    second = langfuse(observation("g", None, 5, "GENERATION", more, None, traceId="t2"), id="t2", sessionId="s")
    second["trace"]["timestamp"] = "2026-11-22T09:38:05Z"
    third = langfuse(
        observation("g", None, 9, "GENERATION", [USER], None, traceId="t3"),
        id="t3",
        sessionId="s",
        timestamp="2026-11-22T09:39:00Z",
    )
    assert [text for _, text in said(imported_lines(first, second))] == ["Find it.", "Thanks.", "Here it is."]
    found = imported_lines(first, second, third)
    assert [(item.run_id, item.content) for item in found.items][-1] == ("t3", b"Find it.")
    assert len(found.items) == 4
