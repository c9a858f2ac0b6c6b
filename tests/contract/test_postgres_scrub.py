"""Scrubbing on PostgreSQL: what was deleted leaves tables, counts and log, as far as the role may, and else it is said."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest

from heedful.adapters.storage.postgres.store import PostgresStore
from heedful.kernel.errors import BusyError, UnavailableError
from heedful.observations.record import RecordStatus
from heedful.ports.store import StoredRecord, TenantStore
from heedful.testing.builders import build_record, build_tenant
from heedful.testing.postgres import PostgresServer

WORDS = b"quaysidelanterns"
GRANTS = ("pg_checkpoint, pg_monitor", "EXECUTE ON FUNCTION pg_switch_wal()")


@contextmanager
def deleted(dsn: str) -> Iterator[tuple[PostgresStore, TenantStore]]:
    """A store in which a record was, was counted by the planner, and was deleted."""
    store = PostgresStore.open(dsn)
    tenant = build_tenant(1)
    store.create_tenant(tenant)
    handle = store.tenant_store(tenant.tenant_id)
    record = build_record(1, content=WORDS.decode())
    handle.write(lambda writing: writing.put_record(StoredRecord(record, RecordStatus.ADMITTED, 1, 5, "kept")))
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("ANALYZE heedful.records")
    handle.write(lambda writing: writing.delete_records([record.record_id]))
    yield store, handle
    store.close()


def files_with_it(server: PostgresServer) -> set[str]:
    """Folders of the server's files in which the words are."""
    server.run_sql("postgres", "CHECKPOINT")
    return {
        path.relative_to(server.folder / "cluster").parts[0]
        for path in (server.folder / "cluster").rglob("*")
        if path.is_file() and WORDS in path.read_bytes()
    }


@pytest.fixture(name="granted")
def granted_fixture(postgres: PostgresServer, database: str) -> Iterator[str]:
    """A database in which the role may see to the log as well."""
    name = database.rpartition("/")[2]
    postgres.run_sql(name, *(f"GRANT {each} TO heedful" for each in GRANTS))
    yield database
    postgres.run_sql(name, *(f"REVOKE {each} FROM heedful" for each in GRANTS))


def test_nothing_is_left_in_tables_counts_and_log(postgres: PostgresServer, granted: str) -> None:
    """The control: it is in tables and log before."""
    with deleted(granted) as (_, handle):
        assert files_with_it(postgres) >= {"base", "pg_wal"}
        assert handle.scrub_storage().could_not == ()
        assert files_with_it(postgres) == set()


def test_what_the_role_may_not_do_is_said(postgres: PostgresServer, database: str) -> None:
    """The tables are clean all the same; the log is not."""
    with deleted(database) as (_, handle):
        (sentence,) = handle.scrub_storage().could_not
        assert "pg_wal" in sentence
        assert files_with_it(postgres) == {"pg_wal"}


def test_a_transaction_that_is_older_is_waited_for(database: str) -> None:
    """Its rows would be kept, and nothing would tell. The control: once it has ended."""
    with deleted(database) as (_, handle), psycopg.connect(database) as older:
        older.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM pg_class")
        handle.write(lambda writing: writing.delete_records([]))
        record = build_record(2)
        handle.write(lambda writing: writing.put_record(StoredRecord(record, RecordStatus.ADMITTED, 2, 5, "kept")))
        handle.write(lambda writing: writing.delete_records([record.record_id]))
        with pytest.raises(BusyError, match="somebody still reads"):
            handle.scrub_storage()
        older.rollback()
        handle.scrub_storage()


def test_a_role_that_does_not_own_the_tables_is_not_taken_at_its_word(postgres: PostgresServer, database: str) -> None:
    """PostgreSQL skips such a table with a mere warning."""
    name = database.rpartition("/")[2]
    with deleted(database) as (_, handle):
        postgres.run_sql(
            name, "ALTER TABLE heedful.records OWNER TO postgres", f"ALTER DATABASE {name} OWNER TO postgres"
        )
        with pytest.raises(UnavailableError) as refused:
            handle.scrub_storage()
        assert refused.value.code == "scrub_not_let"
