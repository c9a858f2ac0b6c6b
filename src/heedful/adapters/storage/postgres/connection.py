"""Connections: how they are opened, begun and ended.

Every transaction says whose it is for itself alone (SET LOCAL), in one message that also begins it and reads where the
tenant stands: a connection that comes back to the pool knows nothing of who had it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any, NoReturn, cast

import psycopg
from psycopg import adapt, errors, generators
from psycopg.pq import ExecStatus, TransactionStatus
from psycopg.types.array import ListBinaryDumper
from psycopg.types.numeric import Int8BinaryDumper

from heedful.adapters.database_url import database_malformed
from heedful.adapters.storage.refusals import (
    commit_unknown,
    database_refused,
    database_unreachable,
    moment_over,
    server_full,
)
from heedful.kernel.errors import HeedfulError

Connection = psycopg.Connection[tuple[Any, ...]]
Row = tuple[Any, ...]

CONNECT_SECONDS_MAX = 10
# A connection that is silent for this long is asked whether it is still there.
KEEPALIVE_IDLE_SECONDS = 30
# A statement that takes longer is ended; none of ours should.
STATEMENT_SECONDS_MAX = 60
# A transaction in which nothing happens for this long is ended, so that a caller who hangs holds no lock for ever.
IDLE_TRANSACTION_SECONDS_MAX = 300
# Rows that a stream takes from the server at once.
STREAM_ROWS = 500
# Statements that the server keeps prepared for a connection; there are some hundred, few of them in several shapes.
STATEMENTS_PREPARED_MAX = 256

# What PostgreSQL and PgBouncer say under SQLSTATE 53300, which libpq does not hand on where a connection is refused.
# A server that speaks another language is taken to refuse.
_FULL = re.compile(
    r"FATAL:\s+(?:sorry, too many clients already|too many connections for |remaining connection slots are reserved "
    r"|no more connections allowed)"
)


def _dumpers() -> adapt.AdaptersMap:
    """The driver's, but that lists go as bytes and integers have 64 bits: each width would be another statement."""
    made = adapt.AdaptersMap(psycopg.adapters)
    made.register_dumper(int, Int8BinaryDumper)
    made.register_dumper(list, ListBinaryDumper)
    return made


# How statements are read, whatever the URL, the role or the server's file says; client_encoding is a parameter.
_SESSION = "SET standard_conforming_strings = on; SET array_nulls = on; SET backslash_quote = safe_encoding"


class _Context:
    adapters = _dumpers()
    connection = None


def connect(dsn: str) -> Connection:
    """A connection in no transaction; each statement outside of one would be its own.

    Raises:
        InvalidInputError: `database_malformed`.
        BusyError: `store_busy` where the server takes no more connections.
        UnavailableError: `database_refused`; `store_unavailable` where it can't be reached.
        psycopg.Error: of the connection that was made; to be translated by the caller.
    """
    # The driver's error quotes parts of the URL, and holds the rest with its password. So ours is raised where it has
    # that neither as cause nor as context.
    refusal: HeedfulError | None = None
    try:
        connection = psycopg.connect(
            dsn,
            autocommit=True,
            context=_Context(),
            connect_timeout=CONNECT_SECONDS_MAX,
            application_name="heedful",
            client_encoding="UTF8",
            keepalives_idle=KEEPALIVE_IDLE_SECONDS,
        )
    except (psycopg.ProgrammingError, ValueError):
        refusal = database_malformed()
    except psycopg.Error as error:
        refusal = _refusal_of(error)
    if refusal is not None:
        raise refusal
    try:
        connection.execute(_SESSION)
    except BaseException:
        connection.close()
        raise
    connection.prepared_max = STATEMENTS_PREPARED_MAX
    return connection


def _refusal_of(error: psycopg.Error) -> HeedfulError:
    if _FULL.search(str(error)):
        return server_full()
    # Where a password was asked for, the server was reached.
    if error.pgconn is not None and error.pgconn.used_password:
        return database_refused()
    return database_unreachable()


def in_transaction(connection: Connection) -> bool:
    """True from BEGIN to COMMIT or ROLLBACK, also after an error in between; False where the connection is lost."""
    return connection.info.transaction_status in {TransactionStatus.INTRANS, TransactionStatus.INERROR}


class Session:
    """A connection in a transaction, for one thread at a time, until `end`."""

    __slots__ = ("_cursor", "_streams", "connection")

    def __init__(self, connection: Connection) -> None:
        """The transaction that `connection` has open."""
        self.connection = connection
        self._cursor: Any = connection.cursor(binary=True)
        self._streams = 0

    def rows(self, statement: str, values: tuple[object, ...] = (), *, prepare: bool = True) -> list[Row]:
        """All rows. `prepare` False for a statement that does not come again; others are kept at their first use."""
        found: list[Row] = self._cursor.execute(statement, values, prepare=prepare).fetchall()
        return found

    def row(self, statement: str, values: tuple[object, ...] = ()) -> Row | None:
        """The first row, or None."""
        found: Row | None = self._cursor.execute(statement, values, prepare=True).fetchone()
        return found

    def run(self, statement: str, values: tuple[object, ...] = ()) -> int:
        """How many rows it changed."""
        changed: int = self._cursor.execute(statement, values, prepare=True).rowcount
        return changed

    def run_together(self, *asked: tuple[str, tuple[object, ...]]) -> list[list[Row]]:
        """The rows of each of these statements, which are sent at once; an error in one is raised after all."""
        self.refuse_if_ended()
        cursors = [self.connection.cursor(binary=True) for _ in asked]
        # The driver takes longer for a pipeline than for one statement.
        with self.connection.pipeline() if len(asked) > 1 else nullcontext():
            for cursor, (statement, values) in zip(cursors, asked, strict=True):
                cursor.execute(cast("Any", statement), values, prepare=True)
        return [cursor.fetchall() if cursor.description is not None else [] for cursor in cursors]

    def run_all(self, statements: str) -> None:
        """Several statements without values, in one message."""
        self._cursor.connection.execute(statements)

    def stream(self, statement: str) -> Iterator[Row]:
        """The rows, taken STREAM_ROWS at a time while they are asked for."""
        self._streams += 1
        name = f"stream_{self._streams}"
        self._cursor.execute(f"DECLARE {name} NO SCROLL CURSOR FOR {statement}", prepare=False)
        return self._fetched(name)

    def _fetched(self, name: str) -> Iterator[Row]:
        while page := self.rows(f"FETCH {STREAM_ROWS} FROM {name}", prepare=False):
            yield from page
        self._cursor.execute(f"CLOSE {name}", prepare=False)

    def refuse_if_ended(self) -> None:
        """Nothing, while the transaction is open.

        Raises:
            FaultError: `moment_over`.
        """
        if isinstance(self._cursor, _Ended):
            raise moment_over()

    def end(self) -> None:
        """Every later call raises `moment_over`; the connection serves others."""
        self._cursor = _Ended()


class _Ended:
    """In place of a cursor whose transaction is over."""

    @property
    def connection(self) -> NoReturn:
        raise moment_over()

    def execute(self, *_arguments: object, **_options: object) -> NoReturn:
        raise moment_over()


def commit(connection: Connection, statements: str = "") -> None:
    """All is durable, after `statements` were run.

    Raises:
        UnavailableError: `commit_unknown` where the connection ended before the answer, or the server committed and
            says that it stopped waiting for a standby.
        psycopg.Error: nothing of it is kept.
    """
    warnings: list[object] = []

    def keep_warning(notice: errors.Diagnostic) -> None:
        if notice.severity_nonlocalized == "WARNING":
            warnings.append(notice)

    connection.add_notice_handler(keep_warning)
    try:
        # A statement timeout must not end the wait for a standby, which the server would tell as a mere warning.
        connection.execute(cast("Any", f"{statements}SET LOCAL statement_timeout = 0; COMMIT"))
    except psycopg.Error as error:
        if connection.closed:
            raise commit_unknown() from error
        raise
    finally:
        connection.remove_notice_handler(keep_warning)
    if warnings:
        raise commit_unknown()


def begin(connection: Connection, statements: str) -> list[Row]:
    """The rows of the last of these statements, which begin a transaction in one message."""
    cursor = connection.execute(cast("Any", statements))
    while cursor.nextset():
        pass
    return cursor.fetchall() if cursor.description is not None else []


def run_unseen(connection: Connection, statement: str) -> None:
    """The statement is done. The driver is not told: at a rollback it would drop all statements that it prepared.

    Raises:
        psycopg.Error: it is not.
    """
    result = connection.pgconn.exec_(statement.encode())
    if result.status != ExecStatus.COMMAND_OK:
        raise errors.error_from_result(result)


def end_reading(connection: Connection) -> None:
    """The server ends the transaction, which only read; that is not waited for here, but by `settle`.

    Raises:
        psycopg.Error: the connection is lost.
    """
    connection.pgconn.send_query(b"COMMIT")
    connection.pgconn.flush()


def settle(connection: Connection) -> None:
    """The connection waits for nothing.

    Raises:
        psycopg.Error: it is lost.
    """
    if connection.info.transaction_status is TransactionStatus.ACTIVE:
        connection.wait(generators.execute(connection.pgconn))
