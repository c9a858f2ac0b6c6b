"""Scrub: no byte of deleted rows is left in the tables, their counts and the server's log, as far as the role may.

VACUUM FULL writes each table and its indexes anew; every tenant's rows are in them, so all wait meanwhile. Old rows
stay in it while any transaction of the database is older. The planner's counts hold samples of values, also of those
that were deleted. The log is written over by going once around its files: a switch fills up the one at hand with zeros.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

from psycopg import errors, sql

from heedful.adapters.storage.postgres.connection import Connection
from heedful.adapters.storage.postgres.namesake import SCHEMA
from heedful.adapters.storage.postgres.statements import Q
from heedful.adapters.storage.refusals import scrub_not_let, scrub_waits

# Files of the log that are gone around; a server that keeps more of them is told of.
WAL_FILES_MAX = 256
_NUMBER = re.compile(r"\d+")


def scrub_schema(connection: Connection, *, lock_wait_seconds: float) -> tuple[str, ...]:
    """What could not be done, in sentences; nothing of what was deleted is in the tables and their indexes.

    Raises:
        BusyError: `scrub_waits` where a transaction is older than what was deleted.
        UnavailableError: `scrub_not_let` where the role may not write the tables anew.
        psycopg.Error: to be translated by the caller; a lock that was not to be had in time, for one.
    """
    # Of the whole session, since no VACUUM is in a transaction; the connection is closed afterwards.
    connection.execute(f"SET lock_timeout = {max(1, round(lock_wait_seconds * 1_000))}")
    names = [name for (name,) in connection.execute(Q["tables_of_schema"], (SCHEMA,)).fetchall()]
    for name in names:
        table = sql.Identifier(SCHEMA, name).as_string(connection)
        with _told(connection) as told:
            connection.execute(cast("Any", f"VACUUM (FULL, ANALYZE, VERBOSE) {table}"))
        if told.is_skipped:
            raise scrub_not_let()
        if told.rows_kept != 0:
            raise scrub_waits()
    return (*_scrub_counts(connection), *_scrub_log(connection), *_beyond(connection))


class _Told:
    """What a VACUUM told.

    Attributes:
        is_skipped: the role may not.
        rows_kept: dead rows that it had to keep; None where it did not say.
    """

    def __init__(self) -> None:
        self.is_skipped = False
        self.rows_kept: int | None = None

    def hear(self, notice: errors.Diagnostic) -> None:
        """A notice of the server, in whatever language it speaks."""
        if notice.severity_nonlocalized == "WARNING":
            self.is_skipped = True
        # Of the table and of what of it lies out of line, one line each; it begins with the number of rows.
        found = _NUMBER.search(notice.message_detail or "")
        if notice.severity_nonlocalized == "INFO" and found is not None:
            self.rows_kept = (self.rows_kept or 0) + int(found[0])


@contextmanager
def _told(connection: Connection) -> Iterator[_Told]:
    told = _Told()
    connection.add_notice_handler(told.hear)
    try:
        yield told
    finally:
        connection.remove_notice_handler(told.hear)


def _scrub_counts(connection: Connection) -> tuple[str, ...]:
    """The planner's counts were made anew with the tables; what they said before goes from their own table."""
    with _told(connection) as told:
        try:
            connection.execute("VACUUM (FULL, VERBOSE) pg_catalog.pg_statistic")
        except errors.InsufficientPrivilege:
            told.is_skipped = True
    if told.is_skipped:
        return ("the planner's old counts (pg_statistic): the role does not own the database",)
    return ("the planner's old counts (pg_statistic): an older transaction keeps them",) if told.rows_kept else ()


def _scrub_log(connection: Connection) -> tuple[str, ...]:
    """The server's write-ahead log, which it keeps files of to use again."""
    try:
        connection.execute("CHECKPOINT")
        connection.execute("SELECT pg_catalog.pg_switch_wal()")
        connection.execute("CHECKPOINT")
        last = connection.execute(Q["last_wal_file"]).fetchone()
        assert last is not None, "the file at hand is there"
        for _ in range(WAL_FILES_MAX):
            row = connection.execute(Q["next_wal_file"]).fetchone()
            assert row is not None
            if row[0] > last[0]:
                connection.execute("CHECKPOINT")
                return ()
    except errors.InsufficientPrivilege:
        return ("the server's write-ahead log (pg_wal): the role may not see to it (CHECKPOINT, pg_switch_wal)",)
    return (f"the server's write-ahead log (pg_wal): it keeps more than {WAL_FILES_MAX} files",)


def _beyond(connection: Connection) -> Iterator[str]:
    """What holds copies of the log or of the rows, that only the server's operator can see to."""
    row = connection.execute(Q["copies_kept"]).fetchone()
    assert row is not None
    archives, slots, keeps_size, standbys, logs = row
    if archives:
        yield "archived files of the write-ahead log (archive_mode is on): the operator's to expire"
    if slots or keeps_size:
        yield "files of the write-ahead log that are kept (replication slots, wal_keep_size): the operator's to let go"
    if standbys:
        yield "standbys: they replay what was done here, and keep a log of their own"
    if logs:
        yield "the server's text log: it is set to write statements with their values"
