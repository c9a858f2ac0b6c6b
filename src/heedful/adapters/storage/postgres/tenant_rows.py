"""The rows of an erased tenant, which go; what is left of them is one that says that it was erased."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import LiteralString

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
    with beside(pool, place, number) as session:
        return [str(name) for (name,) in session.rows(_TABLES)]


def _run(pool: Pool, place: Place, number: int, statement: str) -> None:
    with beside(pool, place, number) as session:
        session.run_all("SET LOCAL statement_timeout = 0")
        session.run(statement)


def _see_others_end(pool: Pool, place: Place, number: int, deadline: float) -> None:
    """Whoever looked before the tenant was marked as erased has ended; a content may be put without a lock."""
    ours = _transaction(pool, place, number, "pg_current_xact_id()")
    while _transaction(pool, place, number, "pg_snapshot_xmin(pg_current_snapshot())") < ours:
        if time.monotonic() >= deadline:
            raise store_busy()
        time.sleep(_POLL_SECONDS)


def _transaction(pool: Pool, place: Place, number: int, which: LiteralString) -> int:
    with beside(pool, place, number) as session:
        row = session.row(f"SELECT {which}::text::bigint")
    assert row is not None, "it is one row"
    return int(row[0])


@contextmanager
def beside(pool: Pool, place: Place, number: int) -> Iterator[Session]:
    """A block whose changes to the tenant's rows beside chains and views are durable after it."""
    with driver_errors:
        connection, _ = pool.begin(place.begin_beside(number))
        try:
            yield Session(connection)
            commit(connection)
        finally:
            pool.give_back(connection)
