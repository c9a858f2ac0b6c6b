"""LangGraph's database as a file: pickles, extensions, old forms, logs, damage."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from test_langgraph import ASKS, saved_run
from traces_made import SCHEMA, Saved, database, extension, imported_file, imported_from, pack, said, write
from transcripts import LinesSource

from heedful.integrations.importers.detect import FileTraceSource, detect
from heedful.integrations.importers.known import DOCUMENT_FORMATS, LINE_FORMATS
from heedful.integrations.importers.langgraph.database import LangGraphDatabase
from heedful.kernel.errors import UnsupportedError
from heedful.observations.record import RecordType, SourceGrade
from heedful.ports.importer import ImportProblem


def test_a_pickle_is_named_and_never_loaded(tmp_path: Path) -> None:
    """By its type, or where old files have no type; what stands beside it is read."""
    target = tmp_path / "ran"
    bomb = b"\x80\x04cos\nsystem\n(V" + f"touch {target}".encode() + b"\ntR."
    saved = [
        Saved("c1", None, [ASKS]),
        Saved("c2", "c1", blob=("pickle", bomb), step=1),
        Saved("c3", "c2", blob=(None, bomb), step=2),
    ]
    found = imported_file(database(tmp_path / "c.sqlite", saved, [write("c3", "messages", bomb, sort="pickle")]))
    assert found.codes() == ["pickle_not_read"] * 3
    assert said(found) == [("user.text", "When does the café open?")]
    assert not target.exists()


def test_an_extension_becomes_plain_data_and_no_class_is_looked_for(tmp_path: Path) -> None:
    """Whatever module and call it names; secrets that the library writes in the clear are left out."""
    target = tmp_path / "ran"
    values = {
        "id": extension(0, "uuid", "UUID", "0af7"),
        "at": extension(3, "datetime", "datetime", "2026-11-29T00:00:00", "fromisoformat"),
        "run": extension(1, "os", "system", [f"touch {target}"]),
        "fields": extension(2, "subprocess", "Popen", {"args": ["touch", str(target)]}),
        "key": extension(0, "pydantic.types", "SecretStr", "hunter2"),
        "odd": extension(77, 1),
        "nested": [extension(4, "a", "B", {"deep": extension(0, "c", "D", [1.5, b"\x00\x01"])})],
        "wide": float("nan"),
    }
    found = imported_file(database(tmp_path / "c.sqlite", [Saved("c1", None, [], {"plan": values})]))
    assert found.problems == []
    (item,) = found.items
    assert (item.kind, item.type, item.grade) == ("state.plan", RecordType.OBSERVATION, SourceGrade.TOOL)
    assert msgspec.json.decode(item.content) == {
        "at": "2026-11-29T00:00:00",
        "fields": {"args": ["touch", str(target)]},
        "id": "0af7",
        "key": "[secret]",
        "nested": [{"deep": [1.5, {"base64": "AAE="}]}],
        "odd": {"data": [1], "extension": 77},
        "run": {"args": [f"touch {target}"], "type": "system"},
        "wide": "nan",
    }
    assert not target.exists()


def test_a_database_whose_end_is_cut_off_says_so_once_and_gives_what_is_there(tmp_path: Path) -> None:
    """However many checkpoints it has."""
    path = database(tmp_path / "c.sqlite", saved_run())
    whole = path.read_bytes()
    path.write_bytes(whole[:-100])
    found = imported_file(path)
    assert set(found.codes()) == {"database_unreadable"}
    assert len(found.problems) <= 3
    path.write_bytes(whole)
    assert imported_file(path).problems == []


def test_extensions_without_end_are_refused(tmp_path: Path) -> None:
    """However deep they nest, and however deep the lists do."""
    deep = pack(1)
    for _ in range(500):
        deep = pack(msgspec.msgpack.Ext(0, deep))
    saved = [
        Saved("c1", None, blob=("msgpack", deep)),
        Saved("c2", "c1", blob=("msgpack", b"\x91" * 100_000 + b"\x01"), step=1),
        Saved("c3", "c2", blob=("msgpack", b"\x91" * 200 + b"\x01"), step=2),
        Saved("c4", "c3", blob=("msgpack+aes", b"\x01"), step=3),
        Saved("c5", "c4", [ASKS], step=4),
    ]
    found = imported_file(database(tmp_path / "c.sqlite", saved))
    assert found.codes() == ["msgpack_invalid", "msgpack_invalid", "msgpack_invalid", "blob_type_unknown"]
    assert found.kinds() == ["user.text"]


def test_an_old_file_in_json_is_read_as_the_new_ones_are(tmp_path: Path) -> None:
    """Type `json` or none at all; LangChain's constructors are data here too."""
    kwargs = {"content": "hello", "id": "m1", "type": "human"}
    constructor = {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "HumanMessage"], "kwargs": kwargs}
    blob = msgspec.json.encode({"ts": "2024-05-04T06:32:42+00:00", "channel_values": {"messages": [constructor]}})
    saved = [Saved("c1", None, blob=("json", blob)), Saved("c2", "c1", blob=(None, blob))]
    found = imported_file(database(tmp_path / "c.sqlite", saved))
    assert said(found) == [("user.text", "hello")]
    assert found.problems == []


def test_what_is_only_in_the_log_beside_the_file_counts_and_the_files_stay_as_they_are(tmp_path: Path) -> None:
    """A program that still has the database open keeps its newest rows in the log."""
    path = tmp_path / "c.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(SCHEMA)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        rows = [each.row() for each in saved_run()]
        connection.executemany("INSERT INTO checkpoints VALUES (?,?,?,?,?,?,?)", rows)
        connection.commit()
        before = {each.name: each.read_bytes() for each in sorted(tmp_path.iterdir())}
        assert len(imported_file(path).items) == 4
        assert {each.name: each.read_bytes() for each in sorted(tmp_path.iterdir())} == before
        assert len(before["c.sqlite-wal"]) > 0


def test_a_database_without_a_log_is_read_without_a_file_beside_it(tmp_path: Path) -> None:
    """Also where its name means something in an address."""
    path = database(tmp_path / "a?b#c %20.sqlite", saved_run())
    assert len(imported_file(path).items) == 4
    assert list(tmp_path.iterdir()) == [path]


def test_a_foreign_or_damaged_database_is_a_problem_with_a_code(tmp_path: Path) -> None:
    """Never an exception; one of another program is not taken for LangGraph's."""
    foreign = tmp_path / "f.sqlite"
    with closing(sqlite3.connect(foreign)) as connection:
        connection.execute("CREATE TABLE checkpoints (id INTEGER)")
    view = tmp_path / "v.sqlite"
    with closing(sqlite3.connect(view)) as connection:
        columns = "1 AS thread_id, 1 AS checkpoint_ns, 1 AS checkpoint_id, 1 AS parent_checkpoint_id, 1 AS type"
        connection.execute(f"CREATE VIEW checkpoints AS SELECT {columns}, 1 AS checkpoint, 1 AS metadata")
    damaged = database(tmp_path / "d.sqlite", saved_run())
    content = bytearray(damaged.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    damaged.write_bytes(content)
    for path in (foreign, view, damaged):
        found = list(LangGraphDatabase().read(FileTraceSource(path)))
        assert {each.code for each in found if isinstance(each, ImportProblem)} == {"database_unreadable"}
        assert not [each for each in found if not isinstance(each, ImportProblem)]
    with pytest.raises(UnsupportedError):
        detect(FileTraceSource(foreign), LINE_FORMATS, DOCUMENT_FORMATS)
    lines = LinesSource(tuple(database(tmp_path / "s.sqlite", saved_run()).read_bytes().split(b"\n")))
    assert imported_from(lines).codes() == ["database_needs_file"]
