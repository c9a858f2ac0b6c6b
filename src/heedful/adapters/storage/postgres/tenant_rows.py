"""The rows of an erased tenant, which go; what is left of them is one that says that it was erased."""

from __future__ import annotations

import time

from heedful.adapters.storage.postgres.connection import Session, commit
from heedful.adapters.storage.postgres.driver_errors import driver_errors
from heedful.adapters.storage.postgres.pool import Pool
from heedful.adapters.storage.postgres.state import Place
from heedful.adapters.storage.postgres.statements import Q
from heedful.adapters.storage.refusals import store_busy

# Every table of a tenant but `state`, whose row stays.
_TABLES = """
SELECT c.relname FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid
WHERE c.relnamespace = 'heedful'::regnamespace AND c.relkind = 'r' AND a.attname = 'tenant_id'
    AND c.relname NOT IN ('state', 'tenants')
ORDER BY c.relname
"""
_POLL_SECONDS = 0.02


def delete_rows(pool: Pool, place: Place, number: int, *, wait_seconds: float) -> None:
    """Nothing of the tenant of that number is in the tables of tenants; it is marked as erased before.

    Each table is a transaction of its own, so that whoever comes next goes on where one was stopped.

    Raises:
        BusyError: `store_busy` where a transaction that was begun before goes on for longer than `wait_seconds`: it may
            yet put something there.
        UnavailableError: `store_unavailable`, `store_closed`.
    """
    _see_others_end(pool, place, number, time.monotonic() + wait_seconds)
    for table in _tables(pool, place, number):
        _run(pool, place, number, f"DELETE FROM {table}")
    _run(pool, place, number, Q["empty_state"])


def _tables(pool: Pool, place: Place, number: int) -> list[str]:
    with driver_errors:
        connection, _ = pool.begin(place.begin_beside(number))
        try:
            return [str(name) for (name,) in Session(connection).rows(_TABLES)]
        finally:
            pool.give_back(connection)


def _run(pool: Pool, place: Place, number: int, statement: str) -> None:
    with driver_errors:
        connection, _ = pool.begin(place.begin_beside(number))
        try:
            session = Session(connection)
            session.run_all("SET LOCAL statement_timeout = 0")
            session.run(statement)
            commit(connection)
        finally:
            pool.give_back(connection)


def _see_others_end(pool: Pool, place: Place, number: int, deadline: float) -> None:
    """Whoever looked before the tenant was marked as erased has ended; a content may be put without a lock."""
    with driver_errors:
        connection, _ = pool.begin(place.begin_beside(number))
        try:
            session = Session(connection)
            row = session.row("SELECT pg_current_xact_id()::text::bigint")
            assert row is not None
            commit(connection)
        finally:
            pool.give_back(connection)
    while True:
        with driver_errors:
            connection, _ = pool.begin(place.begin_beside(number))
            try:
                oldest = Session(connection).row("SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint")
            finally:
                pool.give_back(connection)
        assert oldest is not None
        if oldest[0] >= row[0]:
            return
        if time.monotonic() >= deadline:
            raise store_busy()
        time.sleep(_POLL_SECONDS)
