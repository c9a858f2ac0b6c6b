"""Lines as they come: broken, odd, unknown; none is fatal and none is lost."""

from __future__ import annotations

import json

import pytest
from transcripts import LinesSource, agent, as_lines, read, read_lines, row, text, user

from heedful.integrations.importers.claude_code import plan
from heedful.integrations.importers.claude_code.importer import ClaudeCodeImporter
from heedful.integrations.importers.json_rows import DEPTH_MAX, LINE_BYTES_MAX, ParsedRow, parse_row
from heedful.observations.record import RecordType, SourceGrade
from heedful.ports.importer import ImportedItem, ImportProblem

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
        (rb'{"a":"\ud83d","b":NaN}', "json_not_finite"),
        (rb'{"a":"\ud83d","b":1e999}', "json_not_finite"),
        (b"[1]", "row_not_object"),
        (b"true", "row_not_object"),
        (b'"text"', "row_not_object"),
        (b"null", "row_not_object"),
        (b"12", "row_not_object"),
        (b'{"a":' * DEPTH_MAX + b"{}" + b"}" * DEPTH_MAX, "json_too_deep"),
        (b"[" * 100_000, "json_too_deep"),
        (rb'{"a":"\ud83d","b":' + b"[" * 100_000, "json_too_deep"),
        (b'{"a":' + b"[[1,2]," * DEPTH_MAX + b"{}" + b"]" * DEPTH_MAX + b"}", "json_too_deep"),
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


def test_many_shallow_brackets_are_not_deep() -> None:
    """Width has no limit of its own."""
    assert read(b'{"type":"x","a":[' + b"[]," * 500 + b"{}]}").kinds() == ["unknown:x"]


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


def test_a_number_beside_half_of_a_pair_is_still_a_number() -> None:
    """The slow reader reads numbers as the fast one does."""
    assert parse_row(rb'{"a":"\ud83d","b":1.5}') == ParsedRow({"a": r"\ud83d", "b": 1.5}, escaped=True)


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


def test_a_line_that_changed_between_the_passes_is_read_as_it_is_now() -> None:
    """What was held of the first pass is used only for the very same line."""
    later = as_lines([user("u1", None, 1, "good bye")])[0]

    class Changing(LinesSource):
        def lines(self):  # type: ignore[no-untyped-def]
            given_lines = self.content
            object.__setattr__(self, "content", (later,))
            return iter(given_lines)

    (item,) = ClaudeCodeImporter().read(Changing((GOOD,)))
    assert isinstance(item, ImportedItem)
    assert item.content == b"good bye"


@pytest.mark.parametrize("held_bytes", [0, 400])
def test_lines_beyond_what_is_held_give_the_same_items(monkeypatch: pytest.MonkeyPatch, held_bytes: int) -> None:
    """How much of the first pass is held decides how fast it goes, and nothing else."""
    lines = as_lines(
        [
            user("u1", None, 1, "hello", cwd="/srv", gitBranch="main"),
            agent("a1", "u1", 2, text("half \ud83d of a pair"), message_id="m1"),
            user("u1", None, 1, "hello", cwd="/srv", gitBranch="main"),
            row("mode", "x1", "a1", 3),
            agent("a2", "a1", 4, text("half \ud83d of a pair, and more"), message_id="m1"),
        ]
    )
    held = list(ClaudeCodeImporter().read(LinesSource(lines)))
    monkeypatch.setattr(plan, "READ_BYTES_MAX", held_bytes)
    assert len(plan.plan_trace(iter(lines), "session").read) < len(lines)
    assert list(ClaudeCodeImporter().read(LinesSource(lines))) == held


def test_nothing_at_all_is_an_empty_import() -> None:
    """No lines, no items, no problems."""
    assert read_lines(()).items == []
    assert read_lines((b"", b"")).problems == []


def test_a_system_row_without_a_text_is_kept_raw() -> None:
    """An API error's details stand in fields of their own."""
    (item,) = read(row("system", "y1", None, 1, subtype="api_error", error={"status": 529})).items
    assert (item.kind, item.grade) == ("system.api_error", SourceGrade.TOOL)
    assert json.loads(item.content)["error"] == {"status": 529}
