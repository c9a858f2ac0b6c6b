"""The documented views for auditors: the same rows on both engines, and on PostgreSQL each tenant's own alone."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg

from heedful.adapters.storage.postgres.store import PostgresStore
from heedful.adapters.storage.sqlite.store import SqliteStore
from heedful.kernel.ids import RunId
from heedful.kernel.ladder import Tier
from heedful.observations.record import SourceGrade
from heedful.ports.store import Tenant, TenantStore, Writing
from heedful.testing.builders import NOON_US, build_claim, build_stored, build_tenant
from heedful.testing.factory import add_tenant
from heedful.testing.store_contract.beliefs import build_conflict, ended, put_all

ANA, BEN = build_tenant(1), build_tenant(2)
TOOLS = "SELECT source_type, count(DISTINCT claim_id) FROM memory_provenance WHERE source_type LIKE 'tool:%' GROUP BY 1"
PROVENANCE = "SELECT * FROM memory_provenance ORDER BY wrote_at, source_type, source_id"
CONFLICTS = "SELECT * FROM memory_conflicts ORDER BY detected_at"


def filled(tenant_store: TenantStore) -> None:
    """A claim of a tool's output and of a summary of it, twice the same call; and two conflicts."""
    tool: dict[str, Any] = {"grade": SourceGrade.TOOL, "attributes": (("tool", "Bash"), ("call_id", "c1"))}
    output = build_stored(1, **tool)
    again = build_stored(2, **tool)
    summary = build_stored(
        3, grade=SourceGrade.SUMMARY, derived_from=(output.record.record_id,), run_id=RunId("run-1"), content="a\x00b"
    )
    claim = build_claim(1, evidence=(again.record.record_id, summary.record.record_id), tier=Tier.CORROBORATED)

    def work(writing: Writing) -> None:
        put_all(writing.put_record, (output, again, summary))
        writing.put_claim(replace(claim, known_from_us=NOON_US + 500_000, tier_at_write=Tier.UNVERIFIED))
        put_all(writing.put_conflict, (build_conflict(1, 1, 2), ended(build_conflict(2, 2, 3))))

    tenant_store.write(work)


def claim_id() -> str:
    """The claim's."""
    return build_claim(1).claim_id


def expected() -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
    """The rows of both views."""
    at = (NOON_US + 500_000) / 1_000_000
    first, second = build_conflict(1, 1, 2), ended(build_conflict(2, 2, 3))
    ids = [[each.conflict_id, each.standing_id, each.newcomer_id] for each in (first, second)]
    return (
        [(claim_id(), "inference", "run-1", 1, at), (claim_id(), "tool:Bash", "c1", 1, at)],
        [
            (*ids[0], (NOON_US + 1) / 1e6, "ask", None, None),
            (*ids[1], (NOON_US + 2) / 1e6, "ask", "b_wins", (NOON_US + 100) / 1e6),
        ],
    )


def test_on_sqlite_any_client_reads_them(tmp_path: Path) -> None:
    """What came of which tool is one query."""
    store = SqliteStore.open(tmp_path)
    filled(add_tenant(store, ANA))
    store.close()
    with closing(sqlite3.connect(next((tmp_path / "tenants").glob("*.db")))) as connection:
        found = [connection.execute(each).fetchall() for each in (PROVENANCE, CONFLICTS, TOOLS)]
    assert found == [*expected(), [("tool:Bash", 1)]]


def test_on_postgresql_each_tenant_reads_its_own(database: str) -> None:
    """Through a connection of the working role; without a tenant, nothing. The control: the tables have both tenants'."""

    def read(
        connection: psycopg.Connection[tuple[object, ...]], tenant: Tenant | None
    ) -> list[list[tuple[object, ...]]]:
        connection.execute("SET LOCAL search_path = pg_catalog, heedful")
        number = ""
        if tenant is not None:
            connection.execute("SET LOCAL ROLE heedful_control")
            statement = "SELECT tenant_id FROM tenants WHERE public_id = %s"
            number = str((connection.execute(statement, (tenant.tenant_id.encode(),)).fetchone() or ("",))[0])
        connection.execute("SET LOCAL ROLE heedful_app")
        connection.execute("SELECT set_config('heedful.tenant_id', %s, true)", (number,))
        found = [connection.execute(each.encode()).fetchall() for each in (PROVENANCE, CONFLICTS, TOOLS)]
        connection.rollback()
        return found

    store = PostgresStore.open(database)
    filled(add_tenant(store, ANA))
    add_tenant(store, BEN).write(lambda writing: writing.put_record(build_stored(1)))
    store.close()
    with psycopg.connect(database) as connection:
        assert read(connection, ANA) == [*expected(), [("tool:Bash", 1)]]
        assert read(connection, BEN) == [[], [], []]
        assert read(connection, None) == [[], [], []]
