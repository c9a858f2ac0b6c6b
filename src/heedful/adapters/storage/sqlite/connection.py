"""Connections: how they are opened, how they wait, and the driver's errors as ours. Nothing else knows the driver.

WAL with `synchronous=FULL`: a commit is on disk when it returns (NORMAL loses acknowledged writes at a power cut).
"""

from __future__ import annotations

import random
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import apsw

from heedful.adapters.file_names import create_empty_beside
from heedful.adapters.storage.migrate import Migration, missing
from heedful.adapters.storage.refusals import store_busy, value_too_big
from heedful.adapters.storage.sqlite.matrices import Shelf
from heedful.kernel.errors import FaultError, HeedfulError, UnavailableError

# Pages in the WAL before a commit moves them into the database (4 KiB each); more makes single writes steadier.
WAL_PAGES_MAX = 4_000
WAL_FILE_BYTES_MAX = 64 * 1024 * 1024
STATEMENTS_CACHED_MAX = 200
# Enough for a transaction of a thousand records, which would otherwise spill and be written twice.
PAGE_CACHE_KIBIBYTES = 16_384
# Short and jittered: waiters neither wake together nor oversleep a lock that is held for a fraction of a millisecond.
BUSY_SLEEP_FIRST_SECONDS = 0.000_2
BUSY_SLEEP_MAX_SECONDS = 0.01

_MEMORY = ":memory:"
Row = tuple[Any, ...]


class Session:
    """A connection with its cursor, for one thread at a time.

    Attributes:
        cursor: runs statements one after another; a result must be fetched before the next statement.
        scope_ids: scope key -> its number, for scopes known to be in the database; at most SCOPES_KNOWN_MAX.
        shelf: where what searches by vectors keep in memory is; None: nothing is kept.
        busy_until: monotonic seconds up to which a statement waits for a lock; None: `lock_wait_seconds` from then.
    """

    __slots__ = ("_lock_wait_seconds", "_wal_pages", "busy_until", "connection", "cursor", "scope_ids", "shelf")

    def __init__(
        self, path: str | None, *, lock_wait_seconds: float, image: bytes | None = None, makes_file: bool = True
    ) -> None:
        """A connection to the file at `path`; None: a new database in memory, from `image` if given.

        A file that is not there is made, or with `makes_file` False is an error.

        Raises:
            apsw.Error: to be translated by the caller.
            UnavailableError: `store_unavailable` where the name of its log can't be made durable.
        """
        self._lock_wait_seconds = lock_wait_seconds
        self._wal_pages = 0
        self.busy_until: float | None = None
        self.scope_ids: dict[str, int] = {}
        self.shelf: Shelf | None = None
        if path is not None:
            _keep_log_name(Path(path))
        flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if makes_file else 0)
        self.connection = apsw.Connection(path or _MEMORY, flags=flags, statementcachesize=STATEMENTS_CACHED_MAX)
        self.connection.set_busy_handler(self._wait)
        # A plan never depends on the values bound: else most statements would be compiled again at each new value.
        self.connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        if image is not None:
            self.connection.deserialize("main", image)
        self.cursor = self.connection.cursor()
        self._set_up(in_file=path is not None)

    def _set_up(self, *, in_file: bool) -> None:
        run = self.cursor.execute
        if in_file and run("PRAGMA journal_mode").get != "wal":
            # The removal of the switch's own journal is durable then too: one that came back would undo the switch.
            run("PRAGMA synchronous = EXTRA")
            self._switch_to_wal()
        run("PRAGMA synchronous = FULL")
        run("PRAGMA foreign_keys = ON")
        run("PRAGMA trusted_schema = OFF")
        run(f"PRAGMA cache_size = -{PAGE_CACHE_KIBIBYTES}")
        # Deleted rows leave zeros behind, not their bytes.
        run("PRAGMA secure_delete = ON").fetchall()
        # In place of SQLite's own checkpoints, which pass over what goes wrong in them; see `checkpoint`.
        self.connection.set_wal_hook(self._count_pages)
        run(f"PRAGMA journal_size_limit = {WAL_FILE_BYTES_MAX}").fetchall()

    def _switch_to_wal(self) -> None:
        # SQLite does not call the busy handler for this switch, which several processes may try at once.
        deadline = time.monotonic() + self._lock_wait_seconds
        attempts = 0
        while True:
            try:
                self.cursor.execute("PRAGMA journal_mode = WAL").fetchall()
            except (apsw.BusyError, apsw.LockedError):
                if time.monotonic() >= deadline:
                    raise
                time.sleep(_sleep_seconds(attempts))
                attempts += 1
            else:
                return

    def _wait(self, attempts: int) -> bool:
        now = time.monotonic()
        if attempts == 0 and self.busy_until is None:
            self.busy_until = now + self._lock_wait_seconds
        if self.busy_until is None or now >= self.busy_until:
            return False
        time.sleep(min(_sleep_seconds(attempts), self.busy_until - now))
        return True

    def _count_pages(self, _connection: apsw.Connection, _database: str, pages: int) -> int:
        self._wal_pages = pages
        return apsw.SQLITE_OK

    def checkpoint(self) -> bool:
        """True unless the disk failed; where the WAL is long, what no reader needs of it is in the database now.

        To be called after a commit, which is durable whatever comes of this. A checkpoint that another connection
        makes just now, or for which there is no room, is left to the next commit.
        """
        if self._wal_pages < WAL_PAGES_MAX:
            return True
        self._wal_pages = 0
        try:
            self.connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        except (apsw.BusyError, apsw.LockedError, apsw.FullError):
            return True
        except apsw.Error:
            return False
        return True

    def truncate_log(self) -> bool:
        """True where all of the WAL is in the database, and nothing in the WAL's file; False where a reader needs it.

        It waits as for a lock. Others' readers of the newest moment are in nobody's way.
        """
        self.busy_until = None
        try:
            self.connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        except (apsw.BusyError, apsw.LockedError):
            return False
        return True

    def make_read_only(self) -> None:
        """From now on a statement that would change the database fails."""
        self.cursor.execute("PRAGMA query_only = ON")

    @property
    def in_transaction(self) -> bool:
        """True from BEGIN to COMMIT or ROLLBACK, also one that SQLite did by itself after an error."""
        return not self.connection.get_autocommit()

    def roll_back(self) -> None:
        """No transaction is open."""
        if self.in_transaction:
            self.cursor.execute("ROLLBACK")

    def close(self) -> None:
        """The file is closed, whatever was open on it."""
        self.connection.close(True)  # noqa: FBT003  # the driver takes `force` by position only in old releases


def _keep_log_name(path: Path) -> None:
    """The log of a database that is not empty has a durable name.

    SQLite syncs the folder of a log that it makes, but passes over it where that fails: commits would be acknowledged
    that a power cut takes away with the name. (An empty database has none yet: it would throw away what it finds.)
    """
    try:
        if path.exists() and path.stat().st_size:
            create_empty_beside(path.with_name(path.name + "-wal"), path)
    except OSError as error:
        raise UnavailableError(
            "store_unavailable",
            "the store's files can't be read or written",
            next_step="check the disk and the folder's permissions, then open the store again",
        ) from error


def migrate(session: Session, migrations: tuple[Migration, ...]) -> None:
    """The schema is the newest; nothing is done where it is already. Processes that race take turns.

    Raises:
        UnsupportedError: `schema_newer`.
        FaultError: `migration_changed`.
        apsw.Error: to be translated by the caller.
    """
    run = session.cursor.execute
    while missing(migrations, _applied(session)):
        run("BEGIN IMMEDIATE")
        try:
            # Looked at again: another process may have applied it while this one waited for the lock.
            for migration in missing(migrations, _applied(session))[:1]:
                run(migration.sql).fetchall()
                row = (migration.number, migration.slug, migration.checksum)
                run("INSERT INTO migrations (number, slug, checksum) VALUES (?, ?, ?)", row)
            run("COMMIT")
        finally:
            session.roll_back()


def is_migrated(session: Session) -> bool:
    """True where any step of a schema was ever applied."""
    return bool(_applied(session))


def _applied(session: Session) -> dict[int, str]:
    run = session.cursor.execute
    if run("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'").get is None:
        return {}
    rows: list[Row] = run("SELECT number, checksum FROM migrations").fetchall()
    return {number: checksum for number, checksum in rows}  # noqa: C416  # dict() would lose the types


def _sleep_seconds(attempts: int) -> float:
    longest = min(BUSY_SLEEP_FIRST_SECONDS * 2 ** min(attempts, 10), BUSY_SLEEP_MAX_SECONDS)
    jitter = random.uniform(0.5, 1)  # noqa: S311  # it guards nothing
    return float(longest * jitter)


_BUSY = (apsw.BusyError, apsw.LockedError)
_FULL = (apsw.FullError,)
_NOT_THERE = (
    apsw.IOError,
    apsw.CantOpenError,
    apsw.PermissionsError,
    apsw.ReadOnlyError,
    apsw.NoLFSError,
    apsw.AuthError,
    apsw.NoMemError,
    apsw.InterruptError,
    apsw.AbortError,
)
_CORRUPT = (apsw.CorruptError, apsw.NotADBError, apsw.FormatError)


def translate(error: apsw.Error) -> HeedfulError:
    """Our error for the driver's, without its text: that may hold statements, paths and values."""
    if isinstance(error, _BUSY):
        return store_busy()
    if isinstance(error, _FULL):
        return UnavailableError(
            "store_unavailable", "the disk that holds the store is full", next_step="free some space, then try again"
        )
    if isinstance(error, _NOT_THERE):
        return UnavailableError(
            "store_unavailable",
            "the store's files can't be read or written",
            next_step="check the disk and the folder's permissions, then open the store again",
        )
    if isinstance(error, _CORRUPT):
        return FaultError(
            "store_corrupt", "a file of the store is damaged", next_step="stop writing, and restore it from a backup"
        )
    if isinstance(error, apsw.TooBigError):
        return value_too_big("1 GB")
    return FaultError(
        "store_fault", "the store did not behave as promised", next_step="report this with the log around it"
    )


def is_commit_lost(error: apsw.Error) -> bool:
    """True where a failed commit leaves unknown what is on disk: after that nothing may be acknowledged any more.

    After one failed fsync SQLite would accept the next write as if nothing had happened.
    """
    return isinstance(error, apsw.IOError)


def is_sync_lost(error: apsw.Error) -> bool:
    """True where an fsync failed, at whatever step: a work that fills the cache meets one before its commit."""
    return getattr(error, "extendedresult", 0) in (apsw.SQLITE_IOERR_FSYNC, apsw.SQLITE_IOERR_DIR_FSYNC)


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
        if isinstance(error, apsw.Error):
            raise translate(error) from error


driver_errors = DriverErrors()
"""The one that all share: it has no state."""
