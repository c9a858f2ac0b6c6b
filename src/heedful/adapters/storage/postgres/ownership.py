"""Ownership: whose store a database holds, looked up without making anything in it, and a store's removal."""

from __future__ import annotations

from heedful.adapters.storage.postgres.connection import Connection, connect, driver_errors, in_transaction
from heedful.adapters.storage.postgres.schema import CONTROL_Q, MIGRATION_LOCK, SCHEMA
from heedful.adapters.storage.postgres.state import CONTROL_ROLE


def owner_of(dsn: str) -> str | None:
    """The id of the store that the database holds; None where it holds none. Nothing is made or changed.

    Raises:
        InvalidInputError: `database_malformed`.
        UnavailableError: `store_unavailable`, `database_refused`.
    """
    with driver_errors, connect(dsn) as connection:
        connection.execute("BEGIN READ ONLY")
        try:
            return _claimed(connection)
        finally:
            _end(connection)


def remove_store(dsn: str, store_id: str, *, lock_wait_seconds: float) -> bool:
    """True where the store of that id was there, and nothing of it is left; another store stays as it is.

    Raises:
        BusyError: `store_busy` where others use it for longer than `lock_wait_seconds`.
        UnavailableError: `store_unavailable`, `database_refused`.
    """
    wait = max(1, round(lock_wait_seconds * 1_000))
    with driver_errors, connect(dsn) as connection:
        connection.execute(f"BEGIN; SET LOCAL lock_timeout = {wait}; SELECT pg_advisory_xact_lock({MIGRATION_LOCK})")
        try:
            is_there = _claimed(connection) == store_id
            if is_there:
                connection.execute(f"DROP SCHEMA {SCHEMA} CASCADE; COMMIT")
            return is_there
        finally:
            _end(connection)


def _claimed(connection: Connection) -> str | None:
    found = connection.execute(
        "SELECT 1 FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace "
        "WHERE n.nspname = %s AND c.relname = 'store'",
        (SCHEMA,),
    ).fetchone()
    if found is None:
        return None
    connection.execute(f"SET LOCAL search_path = pg_catalog, {SCHEMA}; SET LOCAL ROLE {CONTROL_ROLE}")
    row = connection.execute(CONTROL_Q["store_id"]).fetchone()
    connection.execute("RESET ROLE")
    return None if row is None else str(row[0])


def _end(connection: Connection) -> None:
    """The transaction is undone, where it was not ended."""
    if in_transaction(connection):
        connection.execute("ROLLBACK")
