"""LangGraph, OTLP and Langfuse: any damage is told, never raised; again adds nothing; public files count as by hand."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_langfuse import RUN as OBSERVATIONS
from test_langgraph import RUN as MESSAGES
from test_langgraph import history_of_run, saved_run
from test_otlp import RUN as SPANS
from traces_made import Saved, database, export, extension, imported_file, langfuse, message, write
from transcripts import Imported, LinesSource

from heedful import Memory
from heedful.integrations.importers.conversation.payloads import PayloadDocument, PayloadLines
from heedful.integrations.importers.detect import FileTraceSource
from heedful.integrations.importers.document import DocumentImporter
from heedful.integrations.importers.langfuse.importer import LangfuseFormat
from heedful.integrations.importers.langgraph.blobs import decode_blob
from heedful.integrations.importers.langgraph.database import LangGraphDatabase
from heedful.integrations.importers.langgraph.history import LangGraphHistory
from heedful.integrations.importers.otlp.importer import OtlpFormat
from heedful.kernel.canonical import canonical_bytes
from heedful.observations.record import SourceGrade
from heedful.ports.importer import ImportedItem, ImportProblem, TraceImporter
from heedful.settings import Settings

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases" / "traces"
NAMES = (
    "langgraph_checkpoints.sqlite",
    "langgraph_state_history.json",
    "otlp_genai_spans.json",
    "langfuse_langgraph_trace.json",
    "langfuse_pydantic_ai_genai_trace.json",
)
IMPORTERS: tuple[TraceImporter, ...] = (
    DocumentImporter(LangGraphHistory()),
    DocumentImporter(PayloadDocument(OtlpFormat())),
    PayloadLines(OtlpFormat()),
    DocumentImporter(PayloadDocument(LangfuseFormat())),
    PayloadLines(LangfuseFormat()),
)
DOCUMENTS: tuple[Any, ...] = (
    history_of_run(),
    export(*SPANS, service="app"),
    langfuse(*OBSERVATIONS, given="Find it.", gave={"a": 1}, scores=[{"value": 1}]),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


def read_by(importer: TraceImporter, content: bytes) -> Imported:
    found = list(importer.read(LinesSource(tuple(content.split(b"\n")))))
    items = [item for item in found if isinstance(item, ImportedItem)]
    return Imported(items, [each for each in found if isinstance(each, ImportProblem)])


def check(result: Imported) -> None:
    """References and places are unique, and nothing has an authority that no trace can give."""
    assert not [ref for ref, count in Counter(item.source_ref for item in result.items).items() if count > 1]
    assert not [at for at, count in Counter((i.run_id, i.sequence) for i in result.items).items() if count > 1]
    assert not {SourceGrade.SYSTEM, SourceGrade.OPERATOR} & {item.grade for item in result.items}
    for item in result.items:
        assert item.media_type != "application/json" or json.loads(item.content) is not ...


def places_in(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every value inside of this one."""
    pairs = (
        list(value.items()) if isinstance(value, dict) else list(enumerate(value)) if isinstance(value, list) else []
    )
    return [path, *(each for name, inner in pairs for each in places_in(inner, (*path, name)))]


def with_change(value: Any, path: tuple[Any, ...], change: Any) -> Any:
    """The value with what lies at this path replaced."""
    if not path:
        return change
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = with_change(value[path[0]], path[1:], change)
    return copy


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A document with some values replaced by others, its own included, and then perhaps cut or with bytes changed."""
    document = draw(st.sampled_from(DOCUMENTS))
    for _ in range(draw(st.integers(0, 4))):
        paths = places_in(document)
        other = draw(JSON | st.sampled_from(paths).map(lambda path: _at(document, path)))  # noqa: B023
        document = with_change(document, draw(st.sampled_from(paths)), other)
    content = bytearray(json.dumps(document, indent=draw(st.sampled_from([None, 1]))).encode())
    for _ in range(draw(st.sampled_from([0, 0, 0, 3]))):
        content[draw(st.integers(0, len(content) - 1))] = draw(st.integers(0, 255))
    return bytes(content[: draw(st.integers(0, len(content)) | st.just(len(content)))])


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for name in path:
        value = value[name]
    return value


@settings(max_examples=100, deadline=None, suppress_health_check=SLOW)
@given(damaged(), st.sampled_from(IMPORTERS))
def test_no_damage_to_a_document_raises(content: bytes, importer: TraceImporter) -> None:
    """Nor does one format's document given to another; the same bytes give the same items."""
    result = read_by(importer, content)
    check(result)
    assert read_by(importer, content) == result
    importer.recognises(tuple(content.split(b"\n")))


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    saved = [
        *saved_run(),
        Saved(
            "c6", "c2", [*MESSAGES[:2], message("human", "Go on.", "m6")], {"plan": extension(0, "a", "B", [1])}, step=9
        ),
    ]
    writes = [write("c4", "messages", [message("ai", "x", "m8")]), write("c2", "__interrupt__", ["?"])]
    path = tmp_path_factory.mktemp("sound") / "c.sqlite"
    return database(path, saved, writes).read_bytes()


@settings(max_examples=60, deadline=None, suppress_health_check=SLOW)
@given(st.data())
def test_no_damage_to_a_database_raises(sound: bytes, data: st.DataObject) -> None:
    """Bytes changed anywhere, also in its header; cut anywhere."""
    content = bytearray(sound)
    for _ in range(data.draw(st.integers(0, 12))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "c.sqlite"
        path.write_bytes(content[: data.draw(st.integers(0, len(content)) | st.just(len(content)))])
        found = list(LangGraphDatabase().read(FileTraceSource(path)))
        items = [item for item in found if isinstance(item, ImportedItem)]
        check(Imported(items, []))


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=80), st.sampled_from(["msgpack", "json", None, "null", "bytes", "pickle", "other", 7]))
def test_any_bytes_of_a_database_are_plain_json_or_a_reason(content: bytes, sort: object) -> None:
    """Whatever type they are said to be of."""
    found = decode_blob(sort, content)
    if hasattr(found, "value") and not isinstance(found.value, bytes):
        canonical_bytes(found.value)


@pytest.mark.parametrize("name", ["checkpoints", "history", "otlp", "otlp-lines", "langfuse"])
def test_importing_again_adds_nothing(tmp_path: Path, name: str) -> None:
    """On a real store; every reference is found again, and a result names the record of its call."""
    path = tmp_path / "trace"
    if name == "checkpoints":
        database(path, saved_run())
    elif name == "otlp-lines":
        path.write_text("\n".join(json.dumps(export(each)) for each in SPANS))
    else:
        path.write_text(json.dumps(DOCUMENTS[["history", "otlp", "langfuse"].index(name)], indent=1))
    given_settings = Settings(keys_dir=str(tmp_path / "keys"), principal="person:ana", router="none")
    with Memory.init(tmp_path / "store", scope=["project:x"], settings=given_settings) as memory:
        first = memory.import_trace(str(path))
        again = memory.import_trace(str(path))
        assert memory.verify(views=True).holds
    assert first.admitted == len(imported_file(path).items) >= 4
    assert (first.pending, first.refused, first.duplicates, first.problems) == (0, 0, 0, ())
    assert (again.admitted, again.duplicates) == (0, first.admitted)


def test_a_history_after_its_database_adds_nothing(tmp_path: Path) -> None:
    """Both name the messages of a thread alike."""
    path = tmp_path / "history.json"
    path.write_text(json.dumps(history_of_run()))
    given_settings = Settings(keys_dir=str(tmp_path / "keys"), principal="person:ana", router="none")
    with Memory.init(tmp_path / "store", scope=["project:x"], settings=given_settings) as memory:
        memory.import_trace(str(database(tmp_path / "c.sqlite", saved_run())))
        assert memory.import_trace(str(path)).admitted == 0


@pytest.mark.skipif(not CASES.is_dir(), reason="needs ../shared/cases")
@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        (NAMES[0], {"user.text": 1, "assistant.tool_call": 1, "tool.result": 1, "assistant.text": 1}),
        (NAMES[1], {"user.text": 1, "assistant.tool_call": 1, "tool.result": 1, "assistant.text": 1}),
        (
            NAMES[2],
            {
                "user.text": 1,
                "assistant.tool_call": 2,
                "tool.result": 2,
                "unknown:span": 1,
                "span.chat": 1,
                "span.invoke_agent": 1,
            },
        ),
        (
            NAMES[3],
            {
                "user.text": 1,
                "user.prompt": 1,
                "unknown:tool_definition": 1,
                "assistant.tool_call": 1,
                "tool.result": 1,
                "assistant.text": 1,
                "observation.span": 2,
                "trace.scores": 2,
            },
        ),
        (
            NAMES[4],
            {"user.text": 1, "system.text": 1, "assistant.text": 1, "observation.span": 1, "trace.corrections": 1},
        ),
    ],
)
def test_public_files_hold_what_was_counted_by_hand(name: str, kinds: dict[str, int]) -> None:
    """Every message once, though the files repeat each up to nine times."""
    result = imported_file(CASES / name)
    assert Counter(result.kinds()) == kinds
    assert result.problems == []
    check(result)
