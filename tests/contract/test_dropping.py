"""Dropping views piece by piece, counted in the databases themselves: no piece takes more, and no table is passed over."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import apsw
import psycopg
import pytest
from psycopg import sql

from heedful.adapters.storage.postgres.store import PostgresStore
from heedful.adapters.storage.sqlite.store import SqliteStore
from heedful.ports.store import DropPoint, Store, TenantStore, Writing
from heedful.testing.builders import build_tenant
from heedful.testing.factory import add_tenant
from heedful.testing.postgres import PostgresServer
from heedful.testing.store_contract.dropping import fill

LIMIT = 60
# What is no view, and what is of a few rows and goes with clear_views.
STAYS = {"migrations", "state", "ledger_events", "access_events", "scopes", "blobs", "store", "tenants", "jobs"}
FEW = {
    "modes": 1,
    "bridge_approvals": 1,
    "bridge_proposals": 1,
    "erasures": 1,
    "holds": 1,
    "vector_models": 1,
    "search_terms_config": 2,
}
# Two rows of the full-text index say what it consists of.
LEFT = FEW | {"search_terms_data": 2}

Count = Callable[[], dict[str, int]]


@pytest.fixture(params=["sqlite", "postgres"], name="counted")
def counted_fixture(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Store, Count]:
    """An empty store, and what counts the rows of each table of views in its one database."""
    if request.param == "sqlite":
        return SqliteStore.open(tmp_path), partial(_count_in_file, tmp_path)
    server: PostgresServer = request.getfixturevalue("postgres")
    database: str = request.getfixturevalue("database")
    return PostgresStore.open(database), partial(_count_on_server, server.superuser_dsn(database.rpartition("/")[2]))


def test_each_piece_takes_as_many_rows_as_its_limit_and_no_table_that_grows_is_left(
    counted: tuple[Store, Count],
) -> None:
    """Of all tables together; what is left for clear_views is few, however many records there were."""
    store, count = counted
    tenant_store = _filled(store)
    before = count()
    # Any other that has rows and is passed over would show; a tenant that is there has no tombstone.
    empty = {table for table, rows in before.items() if not rows}
    assert empty <= {"registry_bodies", "search_pending", "tombstones"}
    point: DropPoint | None = None
    taken, goes_on = [], True
    while goes_on:
        had = sum(count().values())
        point = tenant_store.write(partial(_drop, start=point))
        goes_on = point is not None
        taken.append(had - sum(count().values()))
    assert set(taken[:-1]) == {LIMIT}
    assert 0 <= taken[-1] <= LIMIT
    assert {table: rows for table, rows in count().items() if rows} == {
        table: rows for table, rows in LEFT.items() if table in before
    }
    store.close()


def test_the_control_clear_views_alone_takes_all_at_once(counted: tuple[Store, Count]) -> None:
    """Many times the limit in one transaction, which the count sees."""
    store, count = counted
    tenant_store = _filled(store)
    had = sum(count().values())
    tenant_store.write(lambda writing: writing.clear_views())
    assert had - sum(count().values()) > 10 * LIMIT
    store.close()


def _drop(writing: Writing, start: DropPoint | None) -> DropPoint | None:
    return writing.drop_view_rows(start, limit=LIMIT)


def _filled(store: Store) -> TenantStore:
    tenant_store = add_tenant(store, build_tenant())
    tenant_store.write(partial(fill, tenant=build_tenant()))
    return tenant_store


def _count_in_file(folder: Path) -> dict[str, int]:
    (path,) = (folder / "tenants").glob("*.db")
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    names = connection.execute("SELECT name FROM sqlite_schema WHERE rootpage > 0 AND type = 'table'").fetchall()
    counts = {
        str(name): int(connection.execute(f"SELECT count(*) FROM {name}").get) for (name,) in names if name not in STAYS
    }
    connection.close()
    return counts


def _count_on_server(dsn: str) -> dict[str, int]:
    counts = {}
    with psycopg.connect(dsn) as connection:
        names = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'heedful'").fetchall()
        for (name,) in names:
            if name not in STAYS:
                statement = sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier("heedful", name))
                ((counts[name],),) = connection.execute(statement).fetchall()
    return counts
