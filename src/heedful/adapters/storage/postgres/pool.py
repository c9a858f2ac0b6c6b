"""The connections of a store: few kept, more opened where more threads ask at once, broken ones replaced.

A connection is opened in the thread that wants it, so a database that is not there is an error at once and not a wait,
and a forked child opens its own.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from types import TracebackType

import psycopg
from psycopg.pq import TransactionStatus

from heedful.adapters.storage.postgres.connection import (
    Connection,
    Row,
    Session,
    begin,
    connect,
    end_reading,
    in_transaction,
    run_unseen,
    settle,
)
from heedful.adapters.storage.postgres.driver_errors import driver_errors, is_connection_lost
from heedful.adapters.storage.postgres.reading import PostgresReading
from heedful.adapters.storage.refusals import connections_lost, connections_taken, store_closed

# Connections kept open while nobody uses them.
IDLE_CONNECTIONS_MAX = 16
# Of one process; a server takes 100 by default, of all processes together.
CONNECTIONS_MAX = 32

# A forked child must neither use nor close what its parent opened, so it keeps those here, untouched.
_LEFT_TO_PARENT: list[object] = []


class Pool:
    """Connections that are lent out, one caller each, in a transaction."""

    def __init__(self, dsn: str, *, lock_wait_seconds: float, connections_max: int) -> None:
        """An empty pool; connections are opened when they are wanted."""
        self._dsn = dsn
        self._lock_wait_seconds = lock_wait_seconds
        self._connections_max = connections_max
        self._is_closed = False
        self._start_over()

    def begin(self, statements: str, deadline: float | None = None) -> tuple[Connection, list[Row]]:
        """A connection on which `statements` were run in one message, which begin a transaction; and their last rows.

        Raises:
            BusyError: `store_busy` where all connections were in use until `deadline` (monotonic seconds), or the
                server takes no more of them.
            UnavailableError: `store_closed`, `database_refused`; `store_unavailable` where it can't be reached, or one
                connection after another had ended.
            psycopg.Error: to be translated by the caller; the connection is back then.
        """
        if self._process_id != os.getpid():
            _LEFT_TO_PARENT.append(self._idle)
            self._start_over()
        until = time.monotonic() + self._lock_wait_seconds if deadline is None else deadline
        if self._is_closed:
            raise store_closed()
        if not self._places.acquire(timeout=max(0.0, until - time.monotonic())):
            raise connections_taken(self._connections_max)
        try:
            return self._begin(statements)
        except BaseException:
            self._places.release()
            raise

    @contextmanager
    def alone(self) -> Iterator[Connection]:
        """A connection of one's own, in no transaction, while the block runs; nobody gets it afterwards.

        Raises:
            BusyError, UnavailableError: see `begin`.
        """
        if self._is_closed:
            raise store_closed()
        if not self._places.acquire(timeout=self._lock_wait_seconds):
            raise connections_taken(self._connections_max)
        try:
            with closing(connect(self._dsn)) as connection:
                yield connection
        finally:
            self._places.release()

    def give_back(self, connection: Connection, *, is_done: bool = False) -> None:
        """The connection is in no transaction, and free for others; a broken one is closed, whatever it was doing.

        `is_done`: it only read, and all that was asked is answered, so its end need not be waited for.
        """
        is_sound = False
        try:
            if is_done and connection.info.transaction_status is TransactionStatus.INTRANS:
                end_reading(connection)
                is_sound = True
            else:
                if in_transaction(connection):
                    run_unseen(connection, "ROLLBACK")
                is_sound = connection.info.transaction_status is TransactionStatus.IDLE
        except psycopg.Error:
            # Of a connection that is lost there is nothing to undo: the server has done so.
            is_sound = False
        finally:
            self._take_back(connection, is_sound=is_sound)

    def close(self) -> None:
        """Idle connections are closed, others when they come back."""
        self._is_closed = True
        while self._idle:
            self._idle.pop().close()

    def _take_back(self, connection: Connection, *, is_sound: bool) -> None:
        if is_sound and not self._is_closed and len(self._idle) < IDLE_CONNECTIONS_MAX:
            self._idle.append(connection)
        else:
            connection.close()
        self._places.release()

    def _begin(self, statements: str) -> tuple[Connection, list[Row]]:
        # At most once for each that was idle: a fresh one that fails is the answer.
        for _ in range(IDLE_CONNECTIONS_MAX + 1):
            try:
                connection, is_fresh = self._idle.pop(), False
            except IndexError:
                connection, is_fresh = connect(self._dsn), True
            try:
                settle(connection)
                return connection, begin(connection, statements)
            except BaseException as error:
                is_lost = connection.closed
                self._restore(connection)
                if is_fresh or not is_lost or not is_connection_lost(error):
                    raise
        raise connections_lost()

    def _restore(self, connection: Connection) -> None:
        """The connection is in no transaction or closed."""
        try:
            if in_transaction(connection):
                run_unseen(connection, "ROLLBACK")
                self._idle.append(connection)
                return
        except psycopg.Error:
            connection.close()
            return
        connection.close()

    def _start_over(self) -> None:
        self._process_id = os.getpid()
        self._idle: list[Connection] = []
        self._places = threading.BoundedSemaphore(self._connections_max)


class Moment:
    """A `with` block that reads one moment of one tenant; see TenantStore.read."""

    __slots__ = ("_connection", "_make", "_pool", "_reading", "_statements")

    def __init__(self, pool: Pool, statements: str, make: Callable[[Session, Row | None], PostgresReading]) -> None:
        """A moment that begins with the block, by `statements`; `make` makes its reading of the tenant's state."""
        self._pool = pool
        self._statements = statements
        self._make = make

    def __enter__(self) -> PostgresReading:
        """The reading."""
        with driver_errors:
            self._connection, rows = self._pool.begin(self._statements)
        try:
            self._reading = self._make(Session(self._connection), rows[0] if rows else None)
        except BaseException:
            self._pool.give_back(self._connection)
            raise
        return self._reading

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """The moment is over; an error of the driver becomes ours."""
        self._reading.end()
        self._pool.give_back(self._connection, is_done=error is None)
        driver_errors.__exit__(kind, error, traceback)
