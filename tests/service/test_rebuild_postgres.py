"""Rebuild and reindex on PostgreSQL: bounded, resumed and refused just as on SQLite."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from ledger_moves import bring, memory, on_postgres, place
from rebuilding import (  # noqa: F401  # pytest finds the fixtures here
    dump,
    few_events_fixture,
    head_of,
    interrupted,
    killed,
    lived_fixture,
    run,
    session_at,
    spoil,
)
from test_reindex import Lengths, few_rows, lacking, session_with, vectors  # noqa: F401  # fixtures
from test_reindex import run as run_reindex
from worlds import QUESTION, code_of

from heedful.ports.store import VectorModel
from heedful.service.whole import beneath


@pytest.fixture(scope="module", name="file")
def file_fixture(lived: Path) -> Path:
    """The ledger of a store in which something of everything happened."""
    with place(lived) as app:
        memory(app).export_ledger(lived / "out.jsonl")
    return lived / "out.jsonl"


def test_one_that_was_stopped_goes_on(lived: Path, file: Path, database: str, tmp_path: Path) -> None:
    """Meanwhile nobody is answered, after it everybody; and the views are what they were, byte for byte."""
    with place(tmp_path, on_postgres(database)) as app:
        bring(app, file, keys_of=lived)
        session = session_at(app)
        before = dump(session.store)
        interrupted(session, after=8)
        assert code_of(lambda: memory(app)) == "views_rebuilding"
    with place(tmp_path, on_postgres(database)) as app:
        session = session_at(app)
        assert code_of(lambda: memory(app).recall(QUESTION)) == "views_rebuilding"
        assert run(session).resumed_from == 8
        assert dump(session.store) == before
        assert run(session).resumed_from is None
        assert dump(session.store) == before
        memory(app).recall(QUESTION)


@pytest.mark.parametrize("where", ["between", "dropping"])
def test_one_that_is_killed_while_views_are_dropped_goes_on(
    lived: Path, file: Path, database: str, tmp_path: Path, where: str
) -> None:
    """Between two pieces, and within one: nobody is answered till the next has ended, and its views are right."""
    with place(tmp_path, on_postgres(database)) as app:
        bring(app, file, keys_of=lived)
        session = session_at(app)
        before, head = dump(session.store), head_of(session)
        spoil(app)
    stop_at = head + 4 if where == "between" else 3
    for _ in range(2):
        killed(tmp_path, where, stop_at, database)
        stop_at = 3
    with place(tmp_path, on_postgres(database)) as app:
        session = session_at(app)
        assert code_of(lambda: memory(app).recall(QUESTION)) == "views_rebuilding"
        with beneath(session.store).read() as reading:
            assert reading.checkpoint() == 0
            assert reading.modes(), "what goes last is there: the views were half dropped"
        assert run(session).resumed_from == 0
        assert dump(session.store) == before
        memory(app).recall(QUESTION)


def test_vectors_are_the_same_on_both_engines(lived: Path, file: Path, database: str, tmp_path: Path) -> None:
    """Also after a reindex that failed halfway was run again: every hit and every similarity, bit for bit."""
    found = []
    shutil.copytree(lived, tmp_path / "sqlite")
    for place_ in (place(tmp_path / "sqlite"), place(tmp_path / "postgres", on_postgres(database))):
        with place_ as app:
            if not app.store.tenants():
                bring(app, file, keys_of=lived)
            run_reindex(session_with(app, Lengths()))
            session = session_with(app, embedder := Lengths("new-2/3"))
            embedder.fails_at = 3
            assert code_of(lambda: run_reindex(session)) == "embedder_unavailable"  # noqa: B023  # called at once
            embedder.fails_at = None
            run_reindex(session)
            assert lacking(session, embedder.model) == 0
            found.append(vectors(session, "new-2/3", "lengths-1/3"))
    assert found[0] == found[1]
    assert found[0][-1] == (VectorModel("new-2/3", is_active=True),)
