"""The Agents SDK: states of runs, where everything is repeated, and sessions in SQLite."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from read_traces import CASES, attributes, format_of, read_document, read_file
from transcripts import LinesSource

from heedful.integrations.importers.databases import DatabaseUnreadableError, rows_of
from heedful.integrations.importers.detect import FileTraceSource, first_lines
from heedful.integrations.importers.openai.agents_sessions import AgentsSessionsImporter
from heedful.kernel.errors import UnsupportedError
from heedful.observations.record import RecordType, SourceGrade
from heedful.ports.importer import ImportProblem

ANSWER = {"type": "message", "id": "m1", "role": "assistant", "content": [{"type": "output_text", "text": "Sunny."}]}
CALL = {"type": "function_call", "id": "f1", "call_id": "c1", "name": "weather", "arguments": '{"city":"Basel"}'}
OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "sun"}
ASK = {"role": "user", "content": "How is the weather?"}


def run_item(sort: str, raw: dict[str, Any]) -> dict[str, Any]:
    return {"type": sort, "agent": {"name": "meteo"}, "raw_item": raw}


ITEMS = [
    run_item("tool_call_item", CALL),
    run_item("tool_call_output_item", OUTPUT),
    run_item("message_output_item", ANSWER),
]


def state(**more: Any) -> dict[str, Any]:
    return {
        "$schemaVersion": "1.13",
        "current_agent": {"name": "meteo"},
        "current_turn": 2,
        "original_input": ASK["content"],
        "session_items": ITEMS,
        "generated_items": ITEMS[1:],
        "model_responses": [
            {"output": [CALL], "usage": {"input_tokens": 5}},
            {"output": [ANSWER], "usage": {"input_tokens": 9}},
        ],
        "context": {"approvals": {}, "usage": {"requests": 2}},
        "trace": {"id": "trace_1"},
        **more,
    }


def test_what_the_lists_of_a_state_repeat_is_kept_once() -> None:
    """With the agent that one list names and the usage that another does."""
    result = read_document(state())
    assert result.kinds() == ["user.text", "function_call", "function_call_output", "assistant.text", "run_state"]
    asked, call, output, answer, rest = result.items
    assert [each.grade for each in result.items[:4]] == [
        SourceGrade.USER,
        SourceGrade.AGENT,
        SourceGrade.TOOL,
        SourceGrade.AGENT,
    ]
    assert (asked.run_id, asked.sequence, rest.sequence) == ("trace_1", 0, 4)
    assert output.derived_from_refs == (call.source_ref,)
    assert attributes(call) == {
        "call_id": "c1",
        "tool": "weather",
        "agent": "meteo",
        "run_item": "tool_call_item",
        "input_tokens": 5,
    }
    assert attributes(answer)["input_tokens"] == 9
    assert (attributes(rest)["turn"], attributes(rest)["requests"]) == (2, 2)
    assert b"Sunny" not in rest.content


def test_the_same_words_twice_in_one_list_are_said_twice() -> None:
    """The control: without ids of their own, and with the id that the SDK writes where there is none."""
    yes = {"role": "user", "content": "yes"}
    no_id = {**ANSWER, "id": "__fake_id__"}
    result = read_document(state(original_input=[yes, yes, no_id, no_id], session_items=[], generated_items=[]))
    assert result.kinds()[:4] == ["user.text", "user.text", "assistant.text", "assistant.text"]
    assert len({each.source_ref for each in result.items}) == len(result.items)


def test_a_state_of_the_same_run_later_adds_only_what_is_new() -> None:
    """References do not depend on how far the run is."""
    early = read_document(state(session_items=ITEMS[:1], generated_items=[], model_responses=[]))
    late = read_document(state())
    assert {each.source_ref for each in early.items[:2]} <= {each.source_ref for each in late.items}


@pytest.mark.skipif(not CASES.is_dir(), reason="needs ../shared/cases")
def test_a_public_state_holds_its_message_once() -> None:
    """It stands there three times."""
    result = read_file(CASES / "openai_agents_run_state.json")
    assert result.kinds() == ["assistant.text", "run_state"]
    assert result.items[0].content == b"owned history"


def database(path: Path, rows: list[tuple[str, object]], *, table: str = "agent_messages") -> Path:
    """As `SQLiteSession` makes it."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TABLE agent_sessions (session_id TEXT PRIMARY KEY, created_at TIMESTAMP, updated_at TIMESTAMP);"
            f"CREATE TABLE {table} (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL,"
            " message_data TEXT NOT NULL, created_at TIMESTAMP);"
        )
        for place, (session, message) in enumerate(rows):
            given = message if isinstance(message, str | bytes) else json.dumps(message)
            values = (session, given, f"2026-01-02 03:04:{50 - place:02d}")
            connection.execute(f"INSERT INTO {table} (session_id, message_data, created_at) VALUES (?, ?, ?)", values)
        connection.commit()
    return path


def test_a_session_is_read_in_the_order_of_its_ids(tmp_path: Path) -> None:
    """Not of its times; two sessions are two runs."""
    path = database(tmp_path / "s.db", [("a", ASK), ("a", CALL), ("b", ASK), ("a", OUTPUT), ("a", ANSWER)])
    result = read_file(path)
    own = [each for each in result.items if each.run_id == "a"]
    assert [each.kind for each in own] == ["user.text", "function_call", "function_call_output", "assistant.text"]
    assert [each.sequence for each in own] == [0, 1, 2, 3]
    assert own[2].derived_from_refs == (own[1].source_ref,)
    times = [each.occurred.at_us for each in own if each.occurred]
    assert times == sorted(times, reverse=True)
    assert len(times) == 4
    assert {each.run_id for each in result.items} == {"a", "b"}
    assert result.problems == []


def test_a_row_that_is_no_message_is_a_problem_and_the_rest_is_read(tmp_path: Path) -> None:
    """Cut JSON, bytes, a list, something of an unknown type."""
    path = database(tmp_path / "s.db", [("a", '{"ro'), ("a", b"\xff"), ("a", "[1]"), ("a", {"type": "x"}), ("a", ASK)])
    result = read_file(path)
    assert result.codes() == ["json_invalid", "encoding_invalid", "row_not_object"]
    assert result.kinds() == ["unknown:x", "user.text"]


def test_a_database_is_read_without_a_trace_in_it_or_beside_it(tmp_path: Path) -> None:
    """Opened to read alone, also where nothing may be written beside it."""
    path = database(tmp_path / "s.db", [("a", ASK)])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
    before = path.read_bytes()
    assert read_file(path).kinds() == ["user.text"]
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_what_a_writer_has_not_yet_put_into_the_file_is_read_too(tmp_path: Path) -> None:
    """A session that goes on: its newest rows stand in the log beside the database."""
    path = database(tmp_path / "s.db", [("a", ASK)])
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("PRAGMA journal_mode=WAL")
        writer.execute("INSERT INTO agent_messages (session_id, message_data) VALUES ('a', ?)", (json.dumps(ANSWER),))
        writer.commit()
        assert read_file(path).kinds() == ["user.text", "assistant.text"]


def test_damage_to_a_database_is_a_problem_never_a_fault(tmp_path: Path) -> None:
    """Whatever is cut off or overwritten behind its first bytes; the rows before it are kept."""
    whole = database(tmp_path / "s.db", [("a", {**ASK, "content": "x" * 3000})] * 20).read_bytes()
    path = tmp_path / "damaged.db"
    for cut in (16, 100, 600, 4096, 5000, len(whole) - 1):
        path.write_bytes(whole[:cut])
        found = list(AgentsSessionsImporter().read(FileTraceSource(path)))
        assert isinstance(found[-1], ImportProblem)
        assert found[-1].code == "database_unreadable"
    path.write_bytes(whole[:9000] + b"\xa5" * 20_000 + whole[29_000:])
    found = list(AgentsSessionsImporter().read(FileTraceSource(path)))
    assert any(isinstance(each, ImportProblem) for each in found)


def test_a_foreign_database_is_refused_and_a_foreign_table_is_a_problem(tmp_path: Path) -> None:
    """A view is no table: what it would compute has no bound."""
    foreign = database(tmp_path / "f.db", [("a", ASK)], table="notes")
    with pytest.raises(UnsupportedError, match="openai-agents-session"):
        read_file(foreign)
    with closing(sqlite3.connect(foreign)) as connection:
        connection.execute(
            "CREATE VIEW agent_messages AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n)"
            " SELECT id, 'a' AS session_id, '{}' AS message_data, '' AS created_at FROM n"
        )
    assert [each.code for each in read_file(foreign).problems] == ["database_unreadable"]
    with pytest.raises(DatabaseUnreadableError, match="no table"):
        list(rows_of(str(foreign), "nothing", "SELECT 1"))


def test_a_database_in_a_stream_is_a_problem(tmp_path: Path) -> None:
    """It has to be a file."""
    lines = first_lines(FileTraceSource(database(tmp_path / "s.db", [("a", ASK)])))
    assert format_of(LinesSource(lines)) == "openai-agents-session"
    (problem,) = AgentsSessionsImporter().read(LinesSource(lines))
    assert isinstance(problem, ImportProblem)
    assert problem.code == "database_not_a_file"


def test_tools_of_the_api_hold_call_and_result_in_one_item() -> None:
    """A picture that was made is bytes; an error is told as one."""
    made = {"type": "image_generation_call", "id": "i1", "status": "completed", "result": "iVBORw0KGgo="}
    failed = {"type": "mcp_call", "id": "p1", "name": "look", "arguments": "{}", "output": None, "error": "gone"}
    found = {"type": "web_search_call", "id": "w1", "action": {"query": "x"}}
    items = read_document(state(original_input=[made, failed, found], session_items=[], generated_items=[])).items[:5]
    assert [each.kind for each in items] == [
        "image_generation_call",
        "image_generation_call.image",
        "mcp_call",
        "mcp_call.output",
        "web_search_call",
    ]
    assert (items[1].media_type, items[1].type) == ("image/png", RecordType.TOOL_RESULT)
    assert items[3].derived_from_refs == (items[2].source_ref,)
    assert attributes(items[3])["is_error"] is True
