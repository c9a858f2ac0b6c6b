"""From SQLite to PostgreSQL and back: the same heads, views, packets and verdicts, and the same file."""

from __future__ import annotations

from pathlib import Path

import pytest
from ledger_moves import (
    REQUESTS,
    answers,
    bring,
    heads,
    key_in,
    killed,
    lived,
    memory,
    on_postgres,
    on_sqlite,
    place,
    views,
)
from worlds import PROJECT, code_of

from heedful.bootstrap import App
from heedful.kernel.ids import PrincipalId
from heedful.kernel.ladder import Classification
from heedful.kernel.scope import Scope
from heedful.ports.rows import NearHit, SearchFilter, VectorModel, Visible


@pytest.fixture(scope="module", name="source")
def source_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store on SQLite in which something of everything happened, and its export."""
    folder = tmp_path_factory.mktemp("sqlite")
    lived(folder)
    with place(folder) as app:
        memory(app).export_ledger(folder / "out.jsonl")
    return folder


def test_there_and_back_is_the_same_file(source: Path, database: str, tmp_path: Path) -> None:
    """Heads and views are the same on both, and a refold on PostgreSQL gives them too."""
    with place(source) as there, place(tmp_path / "keys-only", on_postgres(database)) as here:
        bring(here, source / "out.jsonl", keys_of=source)
        assert heads(here) == heads(there)
        assert views(here) == views(there)
        assert memory(here).verify(views=True).holds
        memory(here).export_ledger(tmp_path / "again.jsonl.gz")
    with place(tmp_path / "back") as back:
        bring(back, tmp_path / "again.jsonl.gz", keys_of=source)
        memory(back).export_ledger(tmp_path / "back.jsonl")
    assert (tmp_path / "back.jsonl").read_bytes() == (source / "out.jsonl").read_bytes()


def test_both_answer_alike(source: Path, database: str, tmp_path: Path) -> None:
    """Packets and verdicts for the same requests at the same moment, byte for byte; and what follows from them."""
    first: list[list[bytes]] = []
    kept: list[object] = []
    changed: list[list[bytes]] = []
    for folder, opened in ((tmp_path / "sqlite", on_sqlite), (tmp_path / "postgres", on_postgres(database))):
        with place(folder, opened) as app:
            bring(app, source / "out.jsonl", keys_of=source)
        with place(folder, opened) as app:
            first.append(answers(app))
            kept.append((heads(app), views(app), neighbours(app)))
            memory(app).remember("The corrected invoices go live on Monday.")
            changed.append(answers(app))
    assert first[0] == first[1]
    assert kept[0] == kept[1]
    # The control: answers are of what is known.
    assert changed[0] == changed[1]
    assert len({*changed[0]} & {*first[0]}) < len(first[0]) // 2


def neighbours(app: App) -> tuple[tuple[NearHit, ...], ...]:
    """The rows nearest to each question, by the vectors of the model that the tenant goes by."""
    embedder = app.embedders.configured
    assert embedder is not None
    everything = Visible(scopes=(Scope(PROJECT), Scope(("user:ana",))), clearance=Classification.RESTRICTED)
    search_filter = SearchFilter(None, (), (), 1_795_856_400_000_000, unreviewed=True)
    with app.session(principal="person:ana", adopts=False).store.read() as reading:
        assert reading.vector_models() == (VectorModel(embedder.model, is_active=True),)
        found = tuple(
            reading.nearest(everything, embedder.model, components, search_filter, limit=9)
            for components in embedder.embed(REQUESTS[:-1], purpose="query")
        )
    assert all(found)
    return found


def test_a_store_that_was_made_on_postgres_moves_to_sqlite(source: Path, database: str, tmp_path: Path) -> None:
    """What was written there after it came; and it goes on living where it came to."""
    with place(tmp_path / "postgres", on_postgres(database)) as app:
        bring(app, source / "out.jsonl", keys_of=source)
        memory(app).remember("written on PostgreSQL: 生产 🥜 \x00 end", kind="note")
        memory(app).remember("long " * 40_000, source_ref="long-2")
        memory(app).export_ledger(tmp_path / "later.jsonl")
        expected = heads(app), views(app)
    with place(tmp_path / "sqlite") as app:
        bring(app, tmp_path / "later.jsonl", keys_of=source)
        assert (heads(app), views(app)) == expected
        memory(app).remember("written on SQLite", kind="note")
        assert memory(app).verify(views=True).holds


@pytest.mark.parametrize("share", [4, 2])
def test_an_import_to_postgres_that_was_killed_goes_on(source: Path, database: str, tmp_path: Path, share: int) -> None:
    """Its tenant can not be asked for before; afterwards it is whole."""
    file, key = source / "out.jsonl", key_in(source, source / "out.jsonl")
    items = len(file.read_bytes().splitlines())
    assert killed("import", tmp_path, file, key, items + items // share, database=database)
    with place(tmp_path, on_postgres(database)) as app:
        assert code_of(lambda: memory(app)) == "tenant_not_found"
        app.add_tenant("spare", PrincipalId("person:ana"))
        came = memory(app, tenant="spare").import_ledger(file, key_file=key)
        assert (came.resumed_from or 0) > 0
        memory(app).export_ledger(tmp_path / "again.jsonl")
        assert memory(app).verify(views=True).holds
    assert (tmp_path / "again.jsonl").read_bytes() == file.read_bytes()
