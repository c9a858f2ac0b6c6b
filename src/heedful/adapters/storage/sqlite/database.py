"""A database in use: its writer, and read connections that are lent out one caller each."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from heedful.adapters.file_names import SyncError, sync_folder
from heedful.adapters.storage.migrate import Migration, load_migrations
from heedful.adapters.storage.refusals import tenant_erased
from heedful.adapters.storage.sqlite.connection import Session, driver_errors, is_migrated, migrate
from heedful.adapters.storage.sqlite.matrices import Shelf
from heedful.adapters.storage.sqlite.scrub import merge_indexes, scrub_database
from heedful.adapters.storage.sqlite.state import load_state
from heedful.adapters.storage.sqlite.statements import Q
from heedful.adapters.storage.sqlite.writer import Writer
from heedful.adapters.storage.transaction import Limits
from heedful.kernel.errors import UnavailableError
from heedful.kernel.ids import TenantId

# Read connections kept open while nobody reads. More are opened where more threads read at once.
IDLE_READERS_MAX = 8


class Database(Protocol):
    """One tenant's database, open."""

    writer: Writer

    def lend_reader(self) -> Session:
        """A read-only session for one caller, in no transaction."""
        ...

    def take_back(self, session: Session) -> None:
        """The session is free for others."""
        ...

    def scrub_indexes(self) -> None:
        """See TenantStore.scrub_indexes."""
        ...

    def scrub_storage(self) -> None:
        """See TenantStore.scrub_storage."""
        ...

    def close(self) -> None:
        """Nothing of it is open; sessions that are lent out close when they come back."""
        ...


def tenant_migrations() -> tuple[Migration, ...]:
    """The steps of a tenant's schema."""
    return load_migrations(__package__ or "", "migrations")


class FileDatabase:
    """A database in a file; see Database."""

    def __init__(
        self, tenant_id: TenantId, path: Path, limits: Limits, *, is_new: bool, is_buried: Callable[[], bool]
    ) -> None:
        """This tenant's database at `path`, migrated; with `is_new` it is made, else it must be there.

        Raises:
            UnsupportedError: `schema_newer`.
            UnavailableError: `store_unavailable` where it is not there, or is empty.
            ConflictError: `tenant_erased` where it is not there, and the tenant `is_buried`.
            FaultError: `tenant_mismatch` where it is another tenant's.
        """
        self._path = str(path)
        self._limits = limits
        self._shelf = Shelf()
        self._idle: list[Session] = []
        self._is_closed = False
        self._is_buried = is_buried
        if not is_new:
            self._require_file()
        with driver_errors:
            session = Session(self._path, lock_wait_seconds=limits.lock_wait_seconds, makes_file=is_new)
            closing_on_error(session, lambda: _prepare(session, tenant_id, is_new=is_new))
        self.writer = Writer(tenant_id, session, limits)

    def lend_reader(self) -> Session:
        """See Database.lend_reader."""
        try:
            session = self._idle.pop()
        except IndexError:
            self._require_file()
            session = Session(self._path, lock_wait_seconds=self._limits.lock_wait_seconds, makes_file=False)
            session.make_read_only()
            session.shelf = self._shelf
        session.busy_until = None
        return session

    def _require_file(self) -> None:
        if not has_content(Path(self._path)):
            raise tenant_erased() if self._is_buried() else _gone()

    def take_back(self, session: Session) -> None:
        """See Database.take_back."""
        if self._is_closed or len(self._idle) >= IDLE_READERS_MAX:
            session.close()
        else:
            self._idle.append(session)

    def scrub_indexes(self) -> None:
        """See TenantStore.scrub_indexes."""
        self.writer.alone(merge_indexes)
        self._shelf.clear()

    def scrub_storage(self) -> None:
        """See TenantStore.scrub_storage."""
        self.writer.alone(lambda session: scrub_database(session, Path(self._path)))

    def close(self) -> None:
        """See Database.close."""
        self._is_closed = True
        while self._idle:
            self._idle.pop().close()
        self._shelf.clear()
        self.writer.close()


class MemoryDatabase:
    """A database that ends with the process; see Database.

    SQLite's databases in memory know no snapshots beside a writer, so a reader gets a copy of the last commit. Copies
    are lent again until something is written.
    """

    def __init__(self, tenant_id: TenantId, limits: Limits) -> None:
        """An empty database."""
        self._lock_wait_seconds = limits.lock_wait_seconds
        self._lock = threading.Lock()
        self._shelf = Shelf()
        self._idle: list[Session] = []
        self._lent: dict[int, int] = {}
        self._changes = -1
        self._is_closed = False
        with driver_errors:
            session = Session(None, lock_wait_seconds=limits.lock_wait_seconds)
            _prepare(session, tenant_id, is_new=True)
        self._session = session
        self.writer = Writer(tenant_id, session, limits)

    def lend_reader(self) -> Session:
        """See Database.lend_reader."""
        return self.writer.between_commits(self._copy)

    def _copy(self) -> Session:
        session = self._session
        changes = session.connection.total_changes()
        with self._lock:
            if changes != self._changes:
                self._changes = changes
                while self._idle:
                    self._idle.pop().close()
            copy = self._idle.pop() if self._idle else None
            if copy is None:
                image = session.connection.serialize("main")
                copy = Session(None, lock_wait_seconds=self._lock_wait_seconds, image=image)
                copy.make_read_only()
                copy.shelf = self._shelf
            self._lent[id(copy)] = changes
        return copy

    def take_back(self, session: Session) -> None:
        """See Database.take_back."""
        with self._lock:
            is_current = self._lent.pop(id(session)) == self._changes
            if is_current and not self._is_closed and len(self._idle) < IDLE_READERS_MAX:
                self._idle.append(session)
            else:
                session.close()

    def scrub_indexes(self) -> None:
        """See TenantStore.scrub_indexes."""
        self.writer.alone(merge_indexes)
        self._drop_idle()
        self._shelf.clear()

    def scrub_storage(self) -> None:
        """See TenantStore.scrub_storage."""
        self.writer.alone(lambda session: scrub_database(session, None))
        self._drop_idle()

    def _drop_idle(self) -> None:
        """The copies that nobody reads are gone: they are as the database was."""
        with self._lock:
            self._changes = -1
            while self._idle:
                self._idle.pop().close()

    def close(self) -> None:
        """See Database.close."""
        self._is_closed = True
        with self._lock:
            while self._idle:
                self._idle.pop().close()
        self._shelf.clear()
        self.writer.close()


def closing_on_error(session: Session, action: Callable[[], object]) -> None:
    """The action is done, or the session is closed and the error raised."""
    try:
        action()
    except BaseException:
        session.close()
        raise


@contextmanager
def making_name(path: Path) -> Iterator[None]:
    """While the block runs a database is made at `path` and closed again; its name is durable before.

    SQLite passes over a failed fsync of a folder.

    Raises:
        UnavailableError: `store_unavailable`.
    """
    try:
        path.touch()
        sync_folder(path.parent)
        yield
    except OSError as error:
        raise UnavailableError(
            "store_unavailable", "the store's folder can't be written", next_step="check the disk"
        ) from error


@contextmanager
def making_file(path: Path) -> Iterator[None]:
    """As `making_name`, and all of it is durable after the block. Nobody else may have the database open.

    SQLite also passes over what fails in the checkpoint at close, and leaves the log then.
    """
    with making_name(path):
        yield
        if path.with_name(path.name + "-wal").exists():
            raise SyncError("the checkpoint at close failed")


def has_content(path: Path) -> bool:
    """True where a database file is there and not empty.

    Raises:
        UnavailableError: `store_unavailable` where that can't be told.
    """
    try:
        return path.stat().st_size > 0
    except FileNotFoundError:
        return False
    except OSError as error:
        raise UnavailableError(
            "store_unavailable",
            "the store's files can't be read or written",
            next_step="check the disk and the folder's permissions, then open the store again",
        ) from error


def _prepare(session: Session, tenant_id: TenantId, *, is_new: bool) -> None:
    """The database is migrated and this tenant's; one that is not new must have been before."""
    if not is_new and not is_migrated(session):
        raise _gone()
    migrate(session, tenant_migrations())
    if is_new:
        session.cursor.execute(Q["claim_database"], (tenant_id,)).fetchall()
    # Each transaction looks by itself whether the tenant was erased; whoever erases it goes on here.
    load_state(session, tenant_id, also_erased=True)


def _gone() -> UnavailableError:
    return UnavailableError(
        "store_unavailable",
        "this tenant's database is missing from the store, or empty",
        next_step="restore it from a backup, in the store's tenants/ folder",
    )
