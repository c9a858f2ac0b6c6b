"""The driver's errors as ours."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import TracebackType
from typing import Self

import psycopg
from psycopg import errors

from heedful.adapters.storage.postgres.connection import STATEMENT_SECONDS_MAX
from heedful.adapters.storage.refusals import (
    database_read_only,
    database_unreachable,
    server_full,
    session_ended,
    statement_ended,
    store_busy,
    value_too_big,
    work_undone,
)
from heedful.kernel.errors import FaultError, HeedfulError, UnavailableError

RETRYABLE = (errors.SerializationFailure, errors.DeadlockDetected)
"""The database undid a transaction to end a clash: the same may succeed when it is run again."""
_FULL = (errors.DiskFull, errors.OutOfMemory)
_CORRUPT = (errors.DataCorrupted, errors.IndexCorrupted)
_NOT_OURS = (errors.InsufficientPrivilege, errors.UndefinedObject, errors.UndefinedTable, errors.InvalidSchemaName)
_REFUSALS: tuple[tuple[tuple[type[psycopg.Error], ...], Callable[[], HeedfulError]], ...] = (
    ((errors.LockNotAvailable,), store_busy),
    ((errors.QueryCanceled,), partial(statement_ended, STATEMENT_SECONDS_MAX)),
    ((errors.TooManyConnections,), server_full),
    (RETRYABLE, work_undone),
    ((errors.ProgramLimitExceeded, errors.StringDataRightTruncation), value_too_big),
    ((errors.ReadOnlySqlTransaction,), database_read_only),
    ((errors.TransactionTimeout, errors.IdleInTransactionSessionTimeout, errors.IdleSessionTimeout), session_ended),
)


def translate(error: psycopg.Error) -> HeedfulError:
    """Our error for the driver's, without its text: that may hold statements, addresses and values."""
    for kinds, refusal in _REFUSALS:
        if isinstance(error, kinds):
            return refusal()
    if isinstance(error, _FULL):
        return UnavailableError(
            "store_unavailable", "the disk that holds the store is full", next_step="free some space, then try again"
        )
    if isinstance(error, _CORRUPT):
        return FaultError(
            "store_corrupt", "the database is damaged", next_step="stop writing, and restore it from a backup"
        )
    if isinstance(error, _NOT_OURS):
        return UnavailableError(
            "store_unavailable",
            "the database refuses what Heedful asks, or lacks what it made there",
            next_step="check the roles and grants that docs/postgresql.md names",
        )
    if is_connection_lost(error):
        return database_unreachable()
    return FaultError(
        "store_fault", "the store did not behave as promised", next_step="report this with the log around it"
    )


def is_connection_lost(error: BaseException) -> bool:
    """True where the server is no longer heard, or says so.

    An error that the client library makes itself, as it does when the connection breaks while an answer is awaited,
    has no SQLSTATE, and the driver knows no nearer class for it than DatabaseError.
    """
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        return True
    return type(error) is psycopg.DatabaseError and error.sqlstate is None


class DriverErrors:
    """A `with` block out of which no error of the driver escapes: ours is raised, with the driver's as its cause."""

    __slots__ = ()

    def __enter__(self) -> Self:
        """The block begins."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """An error of the driver becomes ours."""
        if isinstance(error, psycopg.Error):
            raise translate(error) from error


driver_errors = DriverErrors()
"""The one that all share: it has no state."""
