"""Ownership: whose store a database holds, looked up without making anything in it, and a store's removal."""

from __future__ import annotations

from heedful.adapters.storage.postgres.connection import Connection, connect, in_transaction
from heedful.adapters.storage.postgres.driver_errors import driver_errors
from heedful.adapters.storage.postgres.namesake import SCHEMA
from heedful.adapters.storage.postgres.schema import MIGRATION_LOCK, control_rows


def owner_of(dsn: str) -> str | None:
    """The id of the store that the database holds; None where it holds none. Nothing is made or changed.

    Raises:
        InvalidInputError: `database_malformed`.
        ConflictError: `schema_taken` where something else has its schema's name.
        BusyError: `store_busy` where the server takes no more connections.
        UnavailableError: `store_unavailable`, `database_refused`.
    """
    with driver_errors, connect(dsn) as connection:
        connection.execute("BEGIN READ ONLY")
        try:
            return _owner(connection)
        finally:
            _end(connection)


def remove_store(dsn: str, store_id: str, *, lock_wait_seconds: float) -> bool:
    """True where the store of that id was there, and nothing of it is left; another store stays as it is.

    Raises:
        BusyError: `store_busy` where others use it for longer than `lock_wait_seconds`, or the server takes no
            more connections.
        UnavailableError: `store_unavailable`, `database_refused`.
    """
    wait = max(1, round(lock_wait_seconds * 1_000))
    with driver_errors, connect(dsn) as connection:
        connection.execute(f"BEGIN; SET LOCAL lock_timeout = {wait}; SELECT pg_advisory_xact_lock({MIGRATION_LOCK})")
        try:
            is_there = _owner(connection) == store_id
            if is_there:
                connection.execute(f"DROP SCHEMA {SCHEMA} CASCADE; COMMIT")
            return is_there
        finally:
            _end(connection)


def _owner(connection: Connection) -> str | None:
    return next((str(store_id) for (store_id,) in control_rows(connection, "store_id")), None)


def _end(connection: Connection) -> None:
    """The transaction is undone, where it was not ended."""
    if in_transaction(connection):
        connection.execute("ROLLBACK")
