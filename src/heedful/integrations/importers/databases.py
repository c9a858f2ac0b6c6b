"""Traces that are SQLite databases: opened to read alone, every fault of the file an error of one type."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

MAGIC = b"SQLite format 3\0"
"""The first bytes of every SQLite database (sqlite.org/fileformat.html, section 1.3)."""
_BUSY_SECONDS = 5.0
_PLAIN_TABLE = "SELECT 1 FROM sqlite_master WHERE name = ? AND type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"


class DatabaseUnreadableError(Exception):
    """The file is damaged, locked for long, or lacks a table or a column that was asked for."""


def is_database(first_lines: tuple[bytes, ...]) -> bool:
    """True where the trace is an SQLite database."""
    return bool(first_lines) and first_lines[0].startswith(MAGIC)


def rows_of(path: str, table: str, query: str, parameters: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
    """The rows of the query, one after another; nothing is written, and texts that are no UTF-8 come as bytes.

    `table` must be a plain table: what a view or a virtual table would do is not known beforehand.

    Raises:
        DatabaseUnreadableError: see there.
    """
    try:
        with closing(_opened(path)) as connection:
            connection.text_factory = _text
            connection.execute("PRAGMA trusted_schema=OFF")
            if connection.execute(_PLAIN_TABLE, (table,)).fetchone() is None:
                raise DatabaseUnreadableError(f"it has no table {table}")
            yield from connection.execute(query, parameters)
            _require_whole(connection, path)
    except (sqlite3.Error, OSError, OverflowError, ValueError) as error:
        raise DatabaseUnreadableError(str(error)[:200]) from error


def _opened(path: str) -> sqlite3.Connection:
    """Without a log beside it the file is all there is, and SQLite is kept from making a log; else a reader of both."""
    address = f"{Path(path).absolute().as_uri()}?mode=ro"
    if not _has_log(path):
        return _connected(f"{address}&immutable=1")
    connection = _connected(address)
    try:
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()
    except sqlite3.OperationalError:
        # A database in a folder that may not be written in can't take part in the log of its writer.
        connection.close()
        return _connected(f"{address}&immutable=1")
    return connection


def _connected(address: str) -> sqlite3.Connection:
    return sqlite3.connect(address, uri=True, timeout=_BUSY_SECONDS)


def _has_log(path: str) -> bool:
    return Path(f"{path}-wal").exists()


def _require_whole(connection: sqlite3.Connection, path: str) -> None:
    """SQLite reads zeros where the last page is cut off; with a log beside it, pages may stand there instead."""
    (page_bytes,), (pages,) = (connection.execute(f"PRAGMA {name}").fetchone() for name in ("page_size", "page_count"))
    if Path(path).stat().st_size < page_bytes * pages and not _has_log(path):
        raise DatabaseUnreadableError("its end is cut off; of what is there the last may be wrong")


def _text(content: bytes) -> str | bytes:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content
