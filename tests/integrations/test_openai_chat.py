"""Chat completions: each message once, however often requests repeat it."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from read_traces import CASES, attributes, format_of, read_document, read_file, read_rows
from transcripts import LinesSource, as_lines

from heedful.integrations.importers.openai.chat_format import ChatDocument, ChatLinesImporter
from heedful.observations.record import RecordType, SourceGrade

SYSTEM = {"role": "system", "content": "You are careful."}
ASK = {"role": "user", "content": "What is in a.txt?"}
CALL = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"path":"a.txt"}'}}],
}
OUTPUT = {"role": "tool", "tool_call_id": "c1", "content": "secret plans"}
ANSWER = {"role": "assistant", "content": "Plans."}


def log(messages: list[Any], answer: dict[str, Any] | None, **more: Any) -> dict[str, Any]:
    """One request and its response, as clients write them."""
    found: dict[str, Any] = {"model": "m-1", "messages": messages, "timestamp": 1757015025.5, **more}
    if answer is not None:
        usage = {"prompt_tokens": 10, "completion_tokens": 3}
        choice = {"index": 0, "finish_reason": "stop", "message": answer}
        found["response"] = {"id": "r1", "created": 1757015025, "model": "m-1", "choices": [choice], "usage": usage}
    return found


def test_each_role_stands_on_its_own_word() -> None:
    """A system prompt is a document here, whatever it may order."""
    result = read_document([SYSTEM, ASK, CALL, OUTPUT, ANSWER])
    assert [(each.kind, each.type, each.grade) for each in result.items] == [
        ("system.text", RecordType.DOCUMENT, SourceGrade.DOCUMENT),
        ("user.text", RecordType.MESSAGE, SourceGrade.USER),
        ("tool_call", RecordType.TOOL_CALL, SourceGrade.AGENT),
        ("tool", RecordType.TOOL_RESULT, SourceGrade.TOOL),
        ("assistant.text", RecordType.MESSAGE, SourceGrade.AGENT),
    ]
    call, output = result.items[2:4]
    assert call.content == b'{"input":{"path":"a.txt"},"name":"read"}'
    assert output.derived_from_refs == (call.source_ref,)
    assert attributes(output) == {"call_id": "c1", "tool": "read"}
    assert result.problems == []


def test_a_response_has_its_time_its_model_and_its_usage_once() -> None:
    """On the last of its parts, so that a sum counts it once."""
    both = {**CALL, "content": "I look."}
    request, asked, text, call = read_document(log([ASK], both, cost=0.5)).items
    assert (request.kind, request.content) == ("request", b'{"model":"m-1"}')
    assert asked.occurred is None
    assert text.occurred is not None
    assert text.occurred.at_us == 1_757_015_025_500_000
    assert attributes(text) == {"response_id": "r1", "model": "m-1", "finish_reason": "stop"}
    counted = {"prompt_tokens": 10, "completion_tokens": 3, "cost": 0.5}
    assert counted.items() <= attributes(call).items()


def test_what_every_request_repeats_is_kept_once() -> None:
    """Also where the answer comes back as blocks of text, and in another file."""
    again = {**ANSWER, "content": [{"type": "text", "text": "Plans."}]}
    thanks = {"role": "user", "content": "Thanks."}
    first, second = log([SYSTEM, ASK], ANSWER), log([SYSTEM, ASK, again, thanks], {**ANSWER, "content": "Sure."})
    result = read_rows(first, second)
    assert result.kinds() == ["request", "system.text", "user.text", "assistant.text", "user.text", "assistant.text"]
    assert [each.sequence for each in result.items] == list(range(6))
    alone = read_document(second, name="other.json")
    assert {each.source_ref for each in alone.items} == {each.source_ref for each in result.items}
    assert {each.run_id for each in alone.items} == {each.run_id for each in result.items}


def test_the_same_words_later_in_a_conversation_are_said_again() -> None:
    """The control: only what is repeated at its own place is a copy."""
    yes = {"role": "user", "content": "yes"}
    result = read_document([ASK, yes, ANSWER, yes])
    assert len({each.source_ref for each in result.items}) == 4


def test_a_conversation_that_names_itself_is_its_own_run() -> None:
    """Two people who begin alike stay two; without a name what is alike is one."""
    one, two = log([ASK], ANSWER, conversation_id="a"), log([ASK], ANSWER, metadata={"session_id": "b"})
    assert {each.run_id for each in read_rows(one, two).items} == {"a", "b"}
    assert len({each.run_id for each in read_rows(log([ASK], ANSWER), log([ASK], ANSWER)).items}) == 1


def test_messages_a_line_are_one_conversation() -> None:
    """The same one as in a document; a row of another kind is kept raw."""
    rows = [SYSTEM, ASK, {"odd": 1}, ANSWER]
    result = read_rows(*rows)
    assert result.kinds() == ["system.text", "user.text", "unknown:none", "assistant.text"]
    refs = [each.source_ref for each in result.items if each.kind != "unknown:none"]
    assert refs == [each.source_ref for each in read_document([SYSTEM, ASK, ANSWER]).items]


def test_pictures_and_sounds_are_bytes_and_links_stay_raw() -> None:
    """A link tells what was shown, though its bytes are not here."""
    blocks = [
        {"type": "text", "text": "see"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
        {"type": "image_url", "image_url": {"url": "https://example.org/x.png"}},
        {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
        {"type": "smell", "z": 1},
    ]
    result = read_document([{"role": "user", "content": blocks}])
    assert result.kinds() == ["user.text", "user.image", "user.image", "user.audio", "unknown:smell"]
    assert [each.media_type for each in result.items[1:4]] == ["image/png", "application/json", "audio/wav"]
    assert result.items[1].content == b"\x89PNG\r\n\x1a\n"
    assert {each.grade for each in result.items[1:4]} == {SourceGrade.DOCUMENT}


def test_the_programs_marks_in_a_users_message_are_not_the_persons_words() -> None:
    """What stands before a reminder is."""
    text = "fix it <system-reminder>remember: release.freeze: x</system-reminder>"
    said, reminder = read_document([{"role": "user", "content": text}]).items
    assert (said.content, said.grade) == (b"fix it ", SourceGrade.USER)
    assert reminder.grade is SourceGrade.TOOL


def test_old_function_calls_other_choices_thoughts_and_refusals_are_kept() -> None:
    """Every part of a message becomes an item."""
    message = {
        "role": "assistant",
        "reasoning_content": "hm",
        "refusal": "No.",
        "function_call": {"name": "f", "arguments": "{}"},
    }
    result = read_document([ASK, {**message, "content": ""}, {"role": "function", "name": "f", "content": "out"}])
    assert result.kinds()[1:] == ["assistant.reasoning", "assistant.text", "function_call", "tool"]
    two = log([ASK], ANSWER)
    two["response"]["choices"].append({"index": 1, "message": ANSWER})
    assert [attributes(each).get("choice") for each in read_document(two).items[2:]] == [None, 1]
    failed = {**log([ASK], None), "response": {"error": {"code": 429}}}
    assert read_document(failed).kinds()[-1] == "response"


def test_an_empty_message_and_an_empty_output_are_kept_raw() -> None:
    """That nothing came back is evidence too."""
    result = read_document([ASK, {"role": "assistant", "content": ""}, {**OUTPUT, "content": ""}])
    assert result.kinds()[1:] == ["assistant.empty", "tool"]
    assert json.loads(result.items[2].content)["tool_call_id"] == "c1"
    assert result.items[2].flags == ("call-missing",)


@pytest.mark.parametrize(
    "document",
    [
        {},
        [],
        [1],
        {"messages": []},
        {"messages": [ASK], "trajectory_format": "x", "info": {}},
        [{"source": "user", "message": "x"}],
        {"messages": [ASK, 5]},
    ],
)
def test_what_is_no_conversation_is_left_to_other_formats(document: Any) -> None:
    """The control: a conversation in its place is recognised."""
    assert not ChatDocument().recognises(document)
    assert not ChatLinesImporter().recognises(as_lines([document]))
    assert ChatDocument().recognises([log([ASK], ANSWER)])


def test_a_document_over_several_lines_is_no_jsonl() -> None:
    """Though one of its lines may be an object by itself."""
    document = (b"[", b'{"role": "user", "content": "a"},', b'{"role": "user", "content": "b"}', b"]")
    assert not ChatLinesImporter().recognises(document)
    assert format_of(LinesSource(document)) == "openai-chat"


def test_lines_that_are_cut_or_odd_are_named_and_the_rest_is_read() -> None:
    """A cut line, half of a surrogate pair, an entry of a list that is no conversation."""
    result = read_rows(ASK, b'{"role": "assis', rb'{"role":"assistant","content":"so \ud83d"}')
    assert result.kinds() == ["user.text", "assistant.text"]
    assert result.codes() == ["json_invalid", "surrogate_escaped"]
    assert result.items[1].flags == ("escaped-surrogate",)
    assert read_document([log([ASK], ANSWER), {"x": 1}]).codes() == ["row_unknown"]


def test_an_output_of_texts_and_pictures_is_an_item_each() -> None:
    """All of them the tool's, all of them of the same call."""
    blocks = [
        {"type": "text", "text": "see"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
    ]
    result = read_document([ASK, CALL, {**OUTPUT, "content": blocks}])
    assert result.kinds()[2:] == ["tool", "tool.image"]
    assert {each.grade for each in result.items[2:]} == {SourceGrade.TOOL}
    assert {each.derived_from_refs for each in result.items[2:]} == {(result.items[1].source_ref,)}


@pytest.mark.skipif(not CASES.is_dir(), reason="needs ../shared/cases")
def test_a_public_log_is_read_whole() -> None:
    """Request, prompt, question, and an answer with its call."""
    result = read_file(CASES / "openai_chat_completions_llm_log.json")
    assert Counter(result.kinds()) == Counter(["request", "system.text", "user.text", "assistant.text", "tool_call"])
    assert attributes(result.items[-1])["completion_tokens"] == 146
    assert result.problems == []
