"""Lines as they come: broken, odd, unknown; none is fatal and none is lost."""

from __future__ import annotations

import base64
import json

import pytest
from transcripts import LinesSource, agent, answer, as_lines, call, read, read_lines, row, text, user

from heedful.integrations.importers.claude_code import ClaudeCodeImporter
from heedful.integrations.importers.json_rows import DEPTH_MAX, LINE_BYTES_MAX, ParsedRow, parse_row
from heedful.observations.record import RecordType, SourceGrade, Subject
from heedful.ports.importer import ImportProblem

GOOD = as_lines([user("u1", None, 1, "hello")])[0]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (GOOD[:-20], "json_invalid"),
        (b"{", "json_invalid"),
        (b'{"a":1} {"b":2}', "json_invalid"),
        (b'{"a":"\t"}', "json_invalid"),
        (b'{"a":"\xff"}', "encoding_invalid"),
        (b'{"a":"\xed\xa0\xbd"}', "encoding_invalid"),
        (b'{"a":NaN}', "json_not_finite"),
        (b'{"a":-Infinity}', "json_not_finite"),
        (b'{"a":1e999}', "json_not_finite"),
        (b'{"a":' + b"9" * 5000 + b"}", "json_invalid"),
        (b"[1]", "row_not_object"),
        (b'"text"', "row_not_object"),
        (b"null", "row_not_object"),
        (b"12", "row_not_object"),
        (b'{"a":' * DEPTH_MAX + b"{}" + b"}" * DEPTH_MAX, "json_too_deep"),
        (b"[" * 100_000, "json_too_deep"),
        (b" " * (LINE_BYTES_MAX + 1) + b"x", "line_too_long"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_line_that_cannot_be_taken_is_a_problem_that_names_it(line: bytes, code: str) -> None:
    """The rows around it are read."""
    result = read(GOOD, line, user("u2", "u1", 2, "on"))
    assert [(problem.line_number, problem.code) for problem in result.problems] == [(2, code)]
    assert [item.line_number for item in result.items] == [1, 3]


def test_as_deep_as_the_limit_is_read() -> None:
    """The control of the depth limit."""
    deep = b'{"type":"x","a":' + b"[" * (DEPTH_MAX - 1) + b"]" * (DEPTH_MAX - 1) + b"}"
    assert read(deep).kinds() == ["unknown:x"]


def test_empty_lines_and_a_byte_order_mark_are_nothing() -> None:
    """They are skipped without a word; line numbers still count them."""
    result = read(b"\xef\xbb\xbf" + GOOD, b"", b"  ", user("u2", "u1", 2, "on"))
    assert [item.line_number for item in result.items] == [1, 4]
    assert result.problems == []


@pytest.mark.parametrize("half", [r"\ud83d", r"\ude00", r"\ud83d\ud83d", r"\uDE00 x"])
def test_half_of_a_surrogate_pair_is_kept_as_its_escape(half: str) -> None:
    """Plain text, a flag on the item, and a warning that names the line."""
    line = GOOD.replace(b"hello", f"so {half} it is".encode())
    result = read(line)
    assert result.text().lower() == f"so {half} it is".lower()
    assert result.items[0].flags == ("escaped-surrogate",)
    assert [(problem.line_number, problem.code) for problem in result.problems] == [(1, "surrogate_escaped")]


def test_a_whole_surrogate_pair_and_a_nul_are_ordinary_text() -> None:
    """The control: an emoji as two escapes, and NUL, arrive as they are."""
    result = read(GOOD.replace(b"hello", rb"\ud83d\ude00 \u0000"))
    assert result.text() == "\U0001f600 \0"
    assert result.problems == []
    assert result.items[0].flags == ()


def test_a_surrogate_in_a_name_of_a_field_is_escaped_too() -> None:
    """Nothing that is stored can hold one."""
    parsed = parse_row(rb'{"\ud83d": ["\ude00"]}')
    assert isinstance(parsed, ParsedRow)
    assert parsed.row == {r"\ud83d": [r"\ude00"]}


def test_unknown_rows_and_blocks_are_kept_raw_and_counted_by_their_type() -> None:
    """As canonical JSON, so that a later version can read them again."""
    block = {"type": "hologram", "z": 1, "a": [True, None]}
    rows = [
        {"type": "mode", "mode": "plan"},
        {"no": "type"},
        {"type": 7},
        {"type": "user"},
        agent("a1", None, 1, block),
    ]
    result = read(*rows, user("u1", "a1", 2, [block, "text", 5]))
    assert result.kinds() == [
        "unknown:mode",
        "unknown:none",
        "unknown:other",
        "unknown:user",
        "unknown:hologram",
        "unknown:hologram",
        "unknown:none",
        "unknown:none",
    ]
    assert result.items[4].content == b'{"a":[true,null],"type":"hologram","z":1}'
    assert {item.type for item in result.items} == {RecordType.OBSERVATION}
    assert {item.media_type for item in result.items} == {"application/json"}


@pytest.mark.parametrize(
    "message", [None, "text", [], {"content": None}, {"content": 5}, {"content": []}, {"content": {}}]
)
@pytest.mark.parametrize("sort", ["user", "assistant"])
def test_a_row_with_no_usable_message_is_kept_raw(sort: str, message: object) -> None:
    """One item, whatever stands where the message should."""
    (item,) = read(row(sort, "u1", None, 1, message=message)).items
    assert item.grade is SourceGrade.TOOL
    assert json.loads(item.content)["uuid"] == "u1"


def test_a_tool_call_is_canonical_json_about_its_file() -> None:
    """Name and input; a path that is a name is a subject, a shell command has none."""
    blocks = [call("t1", "Edit", file_path="/a/b.py", new="x"), call("t2", "Bash", command="cat /a/b.py")]
    edit, shell = read(agent("a1", None, 1, *blocks)).items
    assert edit.type is RecordType.TOOL_CALL
    assert edit.content == b'{"input":{"file_path":"/a/b.py","new":"x"},"name":"Edit"}'
    assert edit.subjects == (Subject("file", "/a/b.py"),)
    assert shell.subjects == ()
    assert dict(edit.attributes)["tool_use_id"] == "t1"


def test_a_tool_result_is_linked_with_its_call_and_taken_once() -> None:
    """Its text, its tool, its error mark; the repetition beside it is not a second item, its numbers are kept."""
    rows = [
        agent("a1", None, 1, call("t1", "Read", file_path="/a.py")),
        user(
            "u1",
            "a1",
            2,
            [answer("t1", "line", is_error=True)],
            toolUseResult={"file": {"content": "line"}, "lines": 1},
        ),
    ]
    result = read(*rows).items[1]
    found = dict(result.attributes)
    assert (result.type, result.content) == (RecordType.TOOL_RESULT, b"line")
    assert (found["tool_use_id"], found["tool"], found["is_error"]) == ("t1", "Read", True)
    assert (found["result.lines"], found["result_fields_dropped"]) == (1, 1)
    assert result.subjects == (Subject("file", "/a.py"),)


def test_no_text_of_a_tools_answer_becomes_an_attribute() -> None:
    """Attributes are not searched for secrets as content is; only a few words such as a status are kept."""
    answers = {"stdout": "password=hunter2", "status": "completed", "url": "https://u:p@h.test"}
    result = read(user("u1", None, 1, [answer("t1", "password=hunter2")], toolUseResult=answers)).items[0]
    assert "hunter2" not in str(result.attributes)
    assert "h.test" not in str(result.attributes)
    assert dict(result.attributes)["result.status"] == "completed"


@pytest.mark.parametrize(
    ("said", "count"),
    [("line", 1), ("Error: line", 1), ("the whole line", 1), ("something else", 2), ("", 1), (None, 1)],
)
def test_an_answer_that_says_something_else_is_kept_beside_the_result(said: str | None, count: int) -> None:
    """Only a repetition is left out."""
    result = read(user("u1", None, 1, [answer("t1", "line")], toolUseResult=said))
    assert len(result.of_kind("user.tool_result") + result.of_kind("user.tool_use_result")) == count


def test_an_answer_without_a_tool_result_is_kept_raw() -> None:
    """Nothing else of the row holds it."""
    assert "user.tool_use_result" in read(user("u1", None, 1, "x", toolUseResult={"a": 1})).kinds()


PNG = b"\x89PNG\r\n\x1a\n\x00\x01\xff"


def image(content: str, media: object = "image/png") -> dict[str, object]:
    return {"type": "image", "source": {"type": "base64", "media_type": media, "data": content}}


def test_a_picture_is_bytes_once_though_the_row_repeats_it() -> None:
    """Decoded, with its media type; the text beside it is a result of its own."""
    encoded = base64.b64encode(PNG).decode()
    repeated = {"type": "image", "file": {"base64": encoded}}
    rows = [agent("a1", None, 1, call("t1", "Read", file_path="/a.png"))]
    content = [text("seen"), image(encoded), image(encoded)]
    rows.append(user("u1", "a1", 2, [answer("t1", content), image(encoded)], toolUseResult=repeated))
    words, picture = read(*rows).items[1:]
    assert words.content == b"seen"
    assert (picture.content, picture.media_type) == (PNG, "image/png")
    assert dict(picture.attributes)["tool_use_id"] == "t1"
    assert picture.type is RecordType.TOOL_RESULT


def test_a_persons_picture_is_a_document_of_their_message() -> None:
    """Data that they showed, not words that they said."""
    words, picture = read(user("u1", None, 1, [text("see"), image(base64.b64encode(PNG).decode())])).items
    assert (words.grade, picture.grade) == (SourceGrade.USER, SourceGrade.DOCUMENT)
    assert picture.content == PNG


@pytest.mark.parametrize("media", [None, 5, "text/html; charset=x\r\n", "../x"])
def test_a_media_type_that_is_none_is_not_passed_on(media: object) -> None:
    """The bytes are kept under the type of unknown bytes."""
    (picture,) = read(user("u1", None, 1, [image(base64.b64encode(PNG).decode(), media)])).items
    assert picture.media_type == "application/octet-stream"


@pytest.mark.parametrize("encoded", ["!!!", "AAA", "é"])
def test_a_picture_that_cannot_be_decoded_is_kept_raw_with_a_problem(encoded: str) -> None:
    """Its block stands as it came."""
    result = read(user("u1", None, 1, [image(encoded)]))
    assert result.codes() == ["base64_invalid"]
    assert json.loads(result.items[0].content) == image(encoded)


def test_a_document_by_address_or_as_text_is_kept() -> None:
    """Text as text, an address as it stands."""
    by_text = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "words"}}
    by_address = {"type": "document", "source": {"type": "url", "url": "https://example.test/a.pdf"}}
    first, second = read(user("u1", None, 1, [by_text, by_address])).items
    assert (first.content, first.grade) == (b"words", SourceGrade.DOCUMENT)
    assert json.loads(second.content) == by_address


@pytest.mark.parametrize("content", [None, "", [], [text("")], {"odd": 1}, 5])
def test_a_tool_result_without_text_is_still_a_result(content: object) -> None:
    """That the tool said nothing is evidence too."""
    (item,) = read(user("u1", None, 1, [answer("t1", content)])).items
    assert item.kind == "user.tool_result"
    assert item.flags == ("call-missing",)


def test_thinking_is_flagged_and_its_signature_left_out() -> None:
    """Redacted thinking is kept as it stands."""
    thought = {"type": "thinking", "thinking": "hm", "signature": "opaque"}
    first, second = read(agent("a1", None, 1, thought, {"type": "redacted_thinking", "data": "x"})).items
    assert (first.content, first.flags, first.grade) == (b"hm", ("thinking",), SourceGrade.AGENT)
    assert second.flags == ("thinking",)


def test_server_tools_are_calls_and_results_too() -> None:
    """The API's own web search, in one assistant row."""
    blocks = [
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}},
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []},
    ]
    items = read(agent("a1", None, 1, *blocks)).items
    assert [item.type for item in items] == [RecordType.TOOL_CALL, RecordType.TOOL_RESULT]
    assert items[1].grade is SourceGrade.TOOL


@pytest.mark.parametrize("stamp", ["yesterday", 5, {}, "2026-13-45T00:00:00Z", ""])
def test_a_timestamp_that_is_none_is_not_known_and_said_so(stamp: object) -> None:
    """The row is kept, without a time."""
    result = read({**user("u1", None, 1, "x"), "timestamp": stamp})
    assert result.items[0].occurred is None
    assert result.codes() == ["time_malformed"]


def test_a_row_without_a_timestamp_takes_none_and_no_problem() -> None:
    """And stays where its parent puts it."""
    later = {**user("u2", "u1", 2, "b"), "timestamp": None}
    result = read(later, user("u1", None, 1, "a"))
    assert result.items[0].occurred is None
    assert [item.sequence for item in result.items] == [1, 0]
    assert result.problems == []


def test_odd_names_are_left_out_and_the_row_is_kept() -> None:
    """Ids with control characters, of other types, far too long: none reaches a name."""
    odd = {
        **agent("a\n1", None, 1, {"type": "tool_use", "id": "t\0", "name": "N" * 999, "input": None}),
        "sessionId": "s\r",
    }
    (item,) = read(odd).items
    assert "\n" not in item.source_ref + item.run_id
    assert "tool" not in dict(item.attributes)
    assert item.run_id == "session"


def test_a_file_that_changed_between_the_passes_is_a_problem_not_a_fault() -> None:
    """The source promises the same lines twice; one that breaks it is told so."""

    class Changing(LinesSource):
        def lines(self):  # type: ignore[no-untyped-def]
            object.__setattr__(self, "content", (*self.content, GOOD))
            return iter(self.content)

    found = list(ClaudeCodeImporter().read(Changing((GOOD,))))
    assert [problem.code for problem in found if isinstance(problem, ImportProblem)][-1] == "trace_changed"


def test_nothing_at_all_is_an_empty_import() -> None:
    """No lines, no items, no problems."""
    assert read_lines(()).items == []
    assert read_lines((b"", b"")).problems == []
