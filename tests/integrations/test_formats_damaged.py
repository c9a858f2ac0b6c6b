"""Any damage to a trace of any format: never a fault, refs unique, the same file the same items, nothing promoted."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_codex import item, meta, said, shown
from test_codex import row as rollout_row
from test_openai_agents import ASK, CALL, OUTPUT, database, state
from test_openai_chat import ANSWER, SYSTEM, log
from test_openai_chat import CALL as CHAT_CALL
from test_openai_chat import OUTPUT as CHAT_OUTPUT
from test_plain_rows import event
from transcripts import LinesSource, as_lines

from heedful.integrations.importers.detect import FileTraceSource, detect
from heedful.integrations.importers.document import DocumentFormat, DocumentImporter
from heedful.integrations.importers.known import DOCUMENT_FORMATS, LINE_FORMATS
from heedful.integrations.importers.openai.agents_sessions import AgentsSessionsImporter
from heedful.integrations.importers.openai.agents_state import AgentsState
from heedful.integrations.importers.openai.chat_format import ChatDocument, ChatLinesImporter
from heedful.integrations.importers.openai.codex import CodexImporter
from heedful.integrations.importers.plain.format import PlainDocument, PlainLinesImporter
from heedful.kernel.errors import UnsupportedError
from heedful.observations.record import SourceGrade
from heedful.ports.importer import ImportedItem, TraceImporter, TraceSource

PICTURE = {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo="}
ROLLOUT = [
    meta(),
    rollout_row("turn_context", 1, model="m"),
    shown(2, "user_message", "a", images=[PICTURE["image_url"]]),
    said(2.1, "user", "a", "b"),
    item(3, "reasoning", summary=[{"type": "summary_text", "text": "t"}], content=[], encrypted_content="x"),
    item(4, "function_call", name="n", arguments='{"a":1}', call_id="c"),
    item(5, "function_call_output", call_id="c", output=[{"type": "output_text", "text": "o"}, PICTURE]),
    item(6, "function_call_output", call_id="c", output='{"metadata":{"exit_code":1}}'),
    rollout_row("event_msg", 7, type="exec_command_end", call_id="c"),
    meta(8, "another"),
    rollout_row("compacted", 9, message="m", replacement_history=[]),
]
CHAT = [SYSTEM, ASK, CHAT_CALL, CHAT_OUTPUT, {**ANSWER, "reasoning": "r", "name": "n"}]
CHAT_LOG = log([*CHAT, {"role": "user", "content": [{"type": "text", "text": "t"}, PICTURE]}], ANSWER, tools=[])
PLAIN = [
    {"content": "x", "record_type": "message", "subjects": [["a", "b"]], "attributes": {"c": 1}, "derived_from": ["e"]},
    {"content_base64": "AAAA", "media_type": "image/png"},
    event("tool-call", {"tool": "t", "call_id": "c"}, subject=[{"type": "a", "id": "b"}], occurred_at="2026-01-01"),
    event("tool-result", {"call_id": "c", "is_error": False, "content_base64": "AAAA"}),
    event("human-note", {"text": "x"}, attributes={"approves": 1}),
]
LINES: list[tuple[TraceImporter, list[Any]]] = [
    (CodexImporter(), ROLLOUT),
    (ChatLinesImporter(), [*CHAT, CHAT_LOG]),
    (PlainLinesImporter(), PLAIN),
]
DOCUMENTS: list[tuple[DocumentFormat, Any]] = [
    (AgentsState(), state()),
    (ChatDocument(), CHAT_LOG),
    (PlainDocument(), {"records": PLAIN}),
]
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=12)
    | st.sampled_from(["message", "user", "tool", "data:image/png;base64,AA", "c", "\x00", "a" * 300, "2026-01-01"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
SETTINGS = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to every value in this one."""
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [at, *(place for key in keys for place in places(value[key], (*at, key)))]


@st.composite
def mutated(draw: st.DrawFn, whole: Any) -> Any:
    """The value with one to three of the values in it replaced, whatever they were."""
    found = json.loads(json.dumps(whole))
    for _ in range(draw(st.integers(1, 3))):
        way = draw(st.sampled_from(places(found)))
        if not way:
            return draw(JSON)
        inner = found
        for key in way[:-1]:
            inner = inner[key]
        inner[way[-1]] = draw(JSON)
    return found


@st.composite
def damaged_lines(draw: st.DrawFn, rows: list[Any]) -> tuple[bytes, ...]:
    found = []
    for chosen in draw(st.lists(st.sampled_from(rows), min_size=1, max_size=12)):
        sort = draw(st.sampled_from(["whole", "cut", "bytes", "mutated", "mutated"]))
        line = as_lines([draw(mutated(chosen)) if sort == "mutated" else chosen])[0]
        if sort == "cut":
            line = line[: draw(st.integers(0, len(line)))]
        found.append(draw(st.binary(max_size=40)).replace(b"\n", b"") if sort == "bytes" else line)
    return tuple(found)


def require_in_order(importer: TraceImporter, source: TraceSource) -> None:
    """The claims of this page, for one damaged trace."""
    found = list(importer.read(source))
    assert list(importer.read(source)) == found
    items = [each for each in found if isinstance(each, ImportedItem)]
    assert not [ref for ref, count in Counter(each.source_ref for each in items).items() if count > 1]
    # A plain record says its grade and its content itself, and the gate judges both.
    if importer.name != "heedful":
        assert not {SourceGrade.SYSTEM, SourceGrade.OPERATOR} & {each.grade for each in items}
        assert all(each.content for each in items)


@pytest.mark.parametrize(("importer", "rows"), LINES, ids=["codex", "chat", "plain"])
def test_damaged_lines_never_raise(importer: TraceImporter, rows: list[Any]) -> None:
    """Lines cut, repeated, dropped, in any order, any value in them replaced."""

    @SETTINGS
    @given(damaged_lines(rows))
    def check(lines: tuple[bytes, ...]) -> None:
        importer.recognises(lines)
        require_in_order(importer, LinesSource(lines))
        assert {each.line_number for each in importer.read(LinesSource(lines))} <= set(range(1, len(lines) + 1))

    check()


@pytest.mark.parametrize(("document_format", "whole"), DOCUMENTS, ids=["agents", "chat", "plain"])
def test_damaged_documents_never_raise(document_format: DocumentFormat, whole: Any) -> None:
    """Any value replaced, the document cut anywhere."""
    text = json.dumps(whole).encode()

    @SETTINGS
    @given(
        mutated(whole).map(lambda value: json.dumps(value).encode())
        | st.integers(0, len(text)).map(lambda at: text[:at])
    )
    def check(content: bytes) -> None:
        document_format.recognises(json.loads(content) if content != text[: len(content)] else whole)
        require_in_order(DocumentImporter(document_format), LinesSource((content,)))

    check()


def test_a_damaged_database_never_raises(tmp_path: Path) -> None:
    """Cut anywhere, any stretch of it overwritten."""
    whole = database(tmp_path / "s.db", [("a", ASK), ("b", CALL), ("a", OUTPUT), ("a", {"x": "y" * 5000})]).read_bytes()
    path = tmp_path / "damaged.db"

    @SETTINGS
    @given(st.integers(16, len(whole)), st.integers(16, len(whole)), st.binary(max_size=200))
    def check(end: int, start: int, content: bytes) -> None:
        path.write_bytes((whole[:start] + content + whole[start + len(content) :])[:end])
        require_in_order(AgentsSessionsImporter(), FileTraceSource(path))

    check()


@SETTINGS
@given(st.lists(st.binary(max_size=80) | JSON.map(lambda value: json.dumps(value).encode()), max_size=6))
def test_whatever_is_offered_is_detected_or_refused(lines: list[bytes]) -> None:
    """A recogniser never raises; what is recognised is read."""
    source = LinesSource(tuple(line.replace(b"\n", b"") for line in lines))
    with contextlib.suppress(UnsupportedError):
        list(detect(source, LINE_FORMATS, DOCUMENT_FORMATS).read(source))
