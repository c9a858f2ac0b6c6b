"""The PostgreSQL store: one database for all tenants, any number of processes and machines."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Self, TypeVar

from heedful.adapters.storage.group_commit import GroupCommit
from heedful.adapters.storage.handles import Handles
from heedful.adapters.storage.postgres.connection import Row, Session, connect
from heedful.adapters.storage.postgres.control import Control
from heedful.adapters.storage.postgres.driver_errors import driver_errors
from heedful.adapters.storage.postgres.pool import CONNECTIONS_MAX, Moment, Pool
from heedful.adapters.storage.postgres.reading import PostgresReading
from heedful.adapters.storage.postgres.schema import prepare
from heedful.adapters.storage.postgres.scrub import scrub_schema
from heedful.adapters.storage.postgres.state import Place, State, state_of
from heedful.adapters.storage.postgres.statements import Q, ScopeNumbers
from heedful.adapters.storage.postgres.tenant_rows import beside, delete_rows
from heedful.adapters.storage.postgres.writer import PostgresTransaction
from heedful.adapters.storage.refusals import store_closed, tenant_not_found
from heedful.adapters.storage.transaction import GROUP_COMMIT_JOBS_MAX, LOCK_WAIT_SECONDS, WRITE_QUEUE_MAX, Limits
from heedful.kernel.errors import UnavailableError
from heedful.kernel.ids import TenantId
from heedful.ledger.tombstone import Tombstone
from heedful.ports.erasure import Scrubbed
from heedful.ports.store import Tenant, Writing

T = TypeVar("T")

_NOT_LET = ("deleted rows in the tables' files: the role may not write the tables anew (VACUUM FULL)",)


class PostgresTenantStore:
    """See TenantStore."""

    def __init__(
        self,
        tenant: Tenant,
        number: int,
        place: Place,
        pool: Pool,
        limits: Limits,
        *,
        touch: Callable[[PostgresTenantStore], None],
    ) -> None:
        """A handle on the tenant of that number; connections are the pool's. `touch` is told when it is used."""
        self._tenant = tenant
        self.number = number
        self._place = place
        self._pool = pool
        self._limits = limits
        self._touch = touch
        self._reading_statements = place.begin_reading(number)
        # Numbers of scopes that committed moments have: they never change.
        self._scope_ids = ScopeNumbers()
        self._writer = self._new_writer()
        self._process_id = os.getpid()

    @property
    def tenant(self) -> Tenant:
        """See TenantStore.tenant."""
        return self._tenant

    @property
    def writer(self) -> GroupCommit[State]:
        """The tenant's only one in this process; a forked child makes its own, for its parent's locks may be held."""
        if self._process_id != os.getpid():
            self._writer = self._new_writer()
            self._process_id = os.getpid()
        return self._writer

    def read(self) -> Moment:
        """See TenantStore.read."""
        self._touch(self)
        self.writer.refuse_nesting()
        return Moment(self._pool, self._reading_statements, self._reading)

    def write(self, work: Callable[[Writing], T]) -> T:
        """See TenantStore.write."""
        self._touch(self)
        return self.writer.write(work)

    def scrub_indexes(self) -> Scrubbed:
        """See TenantStore.scrub_indexes: a row is deleted from every index with it."""
        return Scrubbed()

    def scrub_storage(self) -> Scrubbed:
        """See TenantStore.scrub_storage."""
        self._touch(self)
        with driver_errors, self._pool.alone() as connection:
            return Scrubbed(scrub_schema(connection, lock_wait_seconds=self._limits.lock_wait_seconds))

    def forget(self) -> None:
        """Nothing is known of numbers of scopes any more; they are asked for again, also by what goes on just now."""
        self._scope_ids.clear()
        self._transaction.forget()

    def _reading(self, session: Session, row: Row | None) -> PostgresReading:
        return PostgresReading(self._tenant.tenant_id, session, state_of(row), self._scope_ids)

    def _new_writer(self) -> GroupCommit[State]:
        self._transaction = PostgresTransaction(self._tenant.tenant_id, self.number, self._place, self._pool)
        return GroupCommit(self._transaction, self._limits)


class PostgresStore:
    """See Store. Made by `open`."""

    def __init__(self, control: Control, place: Place, pool: Pool, limits: Limits) -> None:
        """A store from its parts."""
        self._control = control
        self._place = place
        self._pool = pool
        self._limits = limits
        self._handles: Handles[PostgresTenantStore] = Handles(PostgresTenantStore.forget)
        self._is_closed = False

    @classmethod
    def open(
        cls,
        dsn: str,
        *,
        lock_wait_seconds: float = LOCK_WAIT_SECONDS,
        group_commit_jobs_max: int = GROUP_COMMIT_JOBS_MAX,
        write_queue_max: int = WRITE_QUEUE_MAX,
        connections_max: int = CONNECTIONS_MAX,
        needs_sync: bool = True,
    ) -> Self:
        """The store in the database of `dsn`, made where there is none. Any number of processes may open it at once.

        The role of the DSN works as heedful_app and heedful_control, and makes the schema, so it owns it or is let to.
        `needs_sync` False: also on a server that may lose what it acknowledged (`fsync = off`), for tests.

        Raises:
            UnsupportedError: `schema_newer` where a newer release wrote it; `server_unfit` where the server is too old
                or may lose what it acknowledges.
            BusyError: `store_busy` where the server takes no more connections.
            UnavailableError: `store_unavailable` where it can't be reached, or roles or the extension are missing;
                `database_refused`.
            ConflictError: `schema_taken` where something else has its schema's name.
            FaultError: `role_bypasses` where a role would see every tenant's rows.
        """
        limits = Limits(lock_wait_seconds, group_commit_jobs_max, write_queue_max)
        with driver_errors, connect(dsn) as connection:
            place = prepare(connection, lock_wait_seconds=lock_wait_seconds, needs_sync=needs_sync)
        pool = Pool(dsn, lock_wait_seconds=lock_wait_seconds, connections_max=connections_max)
        return cls(Control(pool, place, lock_wait_seconds=lock_wait_seconds), place, pool, limits)

    def store_id(self) -> str | None:
        """The id of the store that owns the database, or None where none does.

        Raises:
            UnavailableError: `store_unavailable`, `store_closed`.
        """
        self._refuse_if_closed()
        return self._control.store_id()

    def own(self, store_id: str) -> str:
        """The id of the store that owns the database from now on, durably: this one, unless another did before.

        Raises:
            UnavailableError: `store_unavailable`, `store_closed`.
        """
        self._refuse_if_closed()
        return self._control.own(store_id)

    def create_tenant(self, tenant: Tenant, *, anew: bool = False) -> None:
        """See Store.create_tenant."""
        self._refuse_if_closed()
        self._control.insert(tenant, anew=anew)

    def rename_tenant(self, tenant_id: TenantId, name: str) -> None:
        """See Store.rename_tenant."""
        self._refuse_if_closed()
        self._control.rename(tenant_id, name)
        self._handles.drop(tenant_id)

    def tenants(self) -> tuple[Tenant, ...]:
        """See Store.tenants."""
        self._refuse_if_closed()
        return self._control.tenants()

    def tenant_store(self, tenant_id: TenantId) -> PostgresTenantStore:
        """See Store.tenant_store."""
        self._refuse_if_closed()
        handle = self._handles.get(tenant_id)
        if handle is not None:
            return handle
        found = self._control.tenant(tenant_id)
        if found is None:
            raise tenant_not_found()
        number, tenant = found
        handle = PostgresTenantStore(tenant, number, self._place, self._pool, self._limits, touch=self._handles.touch)
        return self._handles.keep(handle)

    def erased_mark(self, tenant_id: TenantId) -> str | None:
        """See Burying.erased_mark."""
        self._refuse_if_closed()
        if self._control.number_buried(tenant_id) is not None:
            raise tenant_not_found()
        with self.beside(tenant_id) as session:
            row = session.row(Q["erased_mark"])
        return None if row is None or row[0] is None else str(row[0].decode())

    def bury(self, tombstone: Tombstone) -> None:
        """See Burying.bury."""
        self._refuse_if_closed()
        self._control.bury(tombstone)

    def tombstones(self) -> tuple[Tombstone, ...]:
        """See Burying.tombstones."""
        self._refuse_if_closed()
        return self._control.tombstones()

    def delete_tenant(self, tenant_id: TenantId) -> Scrubbed:
        """See Burying.delete_tenant."""
        self._refuse_if_closed()
        number = self._control.number_buried(tenant_id)
        if number is None:
            raise tenant_not_found()
        self._handles.drop(tenant_id)
        delete_rows(self._pool, self._place, number, wait_seconds=self._limits.lock_wait_seconds)
        try:
            with driver_errors, self._pool.alone() as connection:
                could_not = scrub_schema(connection, lock_wait_seconds=self._limits.lock_wait_seconds)
        except UnavailableError as error:
            if error.code != "scrub_not_let":
                raise
            could_not = _NOT_LET
        return Scrubbed(could_not)

    @contextmanager
    def beside(self, tenant_id: TenantId) -> Iterator[Session]:
        """A block whose changes to the tenant's rows beside chains and views are durable after it.

        Raises:
            NotFoundError: `tenant_not_found`.
            UnavailableError: `store_unavailable`, `store_closed`.
        """
        with beside(self._pool, self._place, self.tenant_store(tenant_id).number) as session:
            yield session

    def close(self) -> None:
        """See Store.close. A read or write that goes on ends first; its connection is closed with it."""
        if not self._is_closed:
            self._is_closed = True
            for handle in self._handles.all():
                handle.writer.is_closed = True
            self._pool.close()

    def _refuse_if_closed(self) -> None:
        if self._is_closed:
            raise store_closed()
