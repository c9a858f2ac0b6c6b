"""The databases that are open: few at once, the least recently used closed first, never one in use."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType

from heedful.adapters.storage.refusals import store_closed
from heedful.adapters.storage.sqlite.connection import Session, driver_errors
from heedful.adapters.storage.sqlite.database import Database
from heedful.adapters.storage.sqlite.reading import SqliteReading
from heedful.adapters.storage.sqlite.state import load_state
from heedful.kernel.ids import TenantId

# Each open database holds up to three file descriptors a connection.
OPEN_DATABASES_MAX = 64

# A forked child must neither use nor close what its parent opened, so it keeps those here, untouched.
_LEFT_TO_PARENT: list[object] = []


class _Entry:
    __slots__ = ("database", "lock", "users")

    def __init__(self) -> None:
        self.database: Database | None = None
        self.lock = threading.Lock()
        self.users = 0


class Pool:
    """Open databases by tenant."""

    def __init__(self, open_database: Callable[[TenantId], Database], *, open_max: int | None) -> None:
        """An empty pool; `open_max` None: nothing is ever closed before the pool is."""
        self._open_database = open_database
        self._open_max = open_max
        self._entries: OrderedDict[TenantId, _Entry] = OrderedDict()
        self._dropped: list[_Entry] = []
        self._lock = threading.Lock()
        self._is_closed = False
        self._process_id = os.getpid()

    def borrow(self, tenant_id: TenantId) -> _Entry:
        """The tenant's entry with its database open; it stays open until `give_back`."""
        # What is in memory alone was copied by the fork, and is the child's own.
        if self._process_id != os.getpid() and self._open_max is not None:
            self._start_over()
        with self._lock:
            if self._is_closed:
                raise store_closed()
            entry = self._entries.get(tenant_id)
            if entry is None:
                entry = self._entries[tenant_id] = _Entry()
            else:
                self._entries.move_to_end(tenant_id)
            entry.users += 1
        if entry.database is None:
            try:
                self._open(tenant_id, entry)
            except BaseException:
                self.give_back(entry)
                raise
        return entry

    def give_back(self, entry: _Entry) -> None:
        """One user fewer; what is too much, or belongs to a closed pool, is closed."""
        with self._lock:
            entry.users -= 1
            surplus = self._take_surplus()
            if entry in self._dropped and not entry.users:
                self._dropped.remove(entry)
                surplus += [] if entry.database is None else [entry.database]
        for database in surplus:
            database.close()

    @contextmanager
    def database(self, tenant_id: TenantId) -> Iterator[Database]:
        """The tenant's database, open while the block runs."""
        entry = self.borrow(tenant_id)
        try:
            assert entry.database is not None
            yield entry.database
        finally:
            self.give_back(entry)

    def drop(self, tenant_id: TenantId) -> None:
        """The tenant's database is closed, by its last user where somebody has it just now."""
        with self._lock:
            entry = self._entries.pop(tenant_id, None)
            if entry is None:
                return
            if entry.users:
                self._dropped.append(entry)
                return
        if entry.database is not None:
            entry.database.close()

    def close(self) -> None:
        """Idle databases are closed, others when their last user is done."""
        with self._lock:
            self._is_closed = True
            surplus = self._take_surplus()
            busy = [entry.database for entry in self._entries.values() if entry.database is not None]
        for database in surplus:
            database.close()
        for database in busy:
            database.writer.is_closed = True

    def _open(self, tenant_id: TenantId, entry: _Entry) -> None:
        with entry.lock:
            if entry.database is None:
                entry.database = self._open_database(tenant_id)

    def _take_surplus(self) -> list[Database]:
        limit = 0 if self._is_closed else self._open_max
        if limit is None or len(self._entries) <= limit:
            return []
        surplus: list[Database] = []
        for tenant_id, entry in list(self._entries.items()):
            if len(self._entries) <= limit:
                break
            # One that went read-only stays: opened anew it would have forgotten that.
            is_latched = entry.database is not None and entry.database.writer.is_read_only
            if entry.users == 0 and (self._is_closed or not is_latched):
                del self._entries[tenant_id]
                if entry.database is not None:
                    surplus.append(entry.database)
        return surplus

    def _start_over(self) -> None:
        _LEFT_TO_PARENT.append(self._entries)
        self._entries = OrderedDict()
        self._dropped = []
        self._lock = threading.Lock()
        self._process_id = os.getpid()


class Moment:
    """A `with` block that reads one moment of one tenant; see TenantStore.read."""

    __slots__ = ("_entry", "_pool", "_reading", "_session", "_tenant_id")

    def __init__(self, pool: Pool, tenant_id: TenantId) -> None:
        """A moment that begins with the block."""
        self._pool = pool
        self._tenant_id = tenant_id

    def __enter__(self) -> SqliteReading:
        """The reading."""
        self._entry = self._pool.borrow(self._tenant_id)
        try:
            with driver_errors:
                self._session = self._begin()
        except BaseException:
            self._pool.give_back(self._entry)
            raise
        return self._reading

    def _begin(self) -> Session:
        database = self._entry.database
        assert database is not None
        database.writer.refuse_nesting()
        session = database.lend_reader()
        try:
            session.cursor.execute("BEGIN")
            self._reading = SqliteReading(self._tenant_id, session, load_state(session, self._tenant_id))
        except BaseException:
            session.close()
            raise
        return session

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """The moment is over; an error of the driver becomes ours."""
        self._reading.end()
        database = self._entry.database
        assert database is not None
        try:
            with driver_errors:
                self._session.roll_back()
                database.take_back(self._session)
        finally:
            self._pool.give_back(self._entry)
        driver_errors.__exit__(kind, error, traceback)
