"""The SQLite store: `control.db` and one file for each tenant, in one folder, or all of it in memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Self, TypeVar

from heedful.adapters.file_names import file_name, make_folder
from heedful.adapters.storage.handles import Handles
from heedful.adapters.storage.refusals import store_closed, tenant_erased, tenant_not_found
from heedful.adapters.storage.sqlite.connection import driver_errors
from heedful.adapters.storage.sqlite.control import Control
from heedful.adapters.storage.sqlite.database import Database, FileDatabase, MemoryDatabase, has_content, making_file
from heedful.adapters.storage.sqlite.pool import OPEN_DATABASES_MAX, Moment, Pool
from heedful.adapters.storage.sqlite.statements import Q
from heedful.adapters.storage.sqlite.tenant_files import remove_files
from heedful.adapters.storage.transaction import GROUP_COMMIT_JOBS_MAX, LOCK_WAIT_SECONDS, WRITE_QUEUE_MAX, Limits
from heedful.kernel.errors import UnavailableError
from heedful.kernel.ids import TenantId
from heedful.ledger.tombstone import Tombstone
from heedful.ports.erasure import Scrubbed
from heedful.ports.store import Tenant, Writing

T = TypeVar("T")

CONTROL_FILE = "control.db"
TENANTS_FOLDER = "tenants"


class SqliteTenantStore:
    """See TenantStore."""

    def __init__(self, tenant: Tenant, pool: Pool) -> None:
        """A handle; its database is opened by the pool when it is used."""
        self._tenant = tenant
        self._pool = pool

    @property
    def tenant(self) -> Tenant:
        """See TenantStore.tenant."""
        return self._tenant

    def read(self) -> Moment:
        """See TenantStore.read."""
        return Moment(self._pool, self._tenant.tenant_id)

    def write(self, work: Callable[[Writing], T]) -> T:
        """See TenantStore.write."""
        entry = self._pool.borrow(self._tenant.tenant_id)
        try:
            assert entry.database is not None
            return entry.database.writer.write(work)
        finally:
            self._pool.give_back(entry)

    def scrub_indexes(self) -> Scrubbed:
        """See TenantStore.scrub_indexes."""
        with self._pool.database(self._tenant.tenant_id) as database:
            database.scrub_indexes()
        return Scrubbed()

    def scrub_storage(self) -> Scrubbed:
        """See TenantStore.scrub_storage."""
        with self._pool.database(self._tenant.tenant_id) as database:
            database.scrub_storage()
        return Scrubbed()


class SqliteStore:
    """See Store. Made by `open` or `in_memory`."""

    def __init__(
        self,
        control: Control,
        pool: Pool,
        make_database: Callable[[TenantId], None],
        remove_database: Callable[[TenantId], Scrubbed],
    ) -> None:
        """A store from its parts; `make_database` makes a new tenant's, durably, and `remove_database` removes one."""
        self._remove_database = remove_database
        self._control = control
        self._pool = pool
        self._make_database = make_database
        # What a tenant has in memory is its database's, which the pool bounds.
        self._handles: Handles[SqliteTenantStore] = Handles(lambda _handle: None)
        self._is_closed = False

    @classmethod
    def open(
        cls,
        folder: Path | str,
        *,
        lock_wait_seconds: float = LOCK_WAIT_SECONDS,
        group_commit_jobs_max: int = GROUP_COMMIT_JOBS_MAX,
        write_queue_max: int = WRITE_QUEUE_MAX,
        open_databases_max: int = OPEN_DATABASES_MAX,
    ) -> Self:
        """The store in `folder`, made where there is none. Any number of processes may open it at once.

        Raises:
            UnsupportedError: `schema_newer` where a newer release wrote it.
            UnavailableError: `store_unavailable` where the folder can't be made or used, or has lost `control.db`.
        """
        tenants_folder, control_path = Path(folder) / TENANTS_FOLDER, Path(folder) / CONTROL_FILE
        try:
            make_folder(tenants_folder)
        except OSError as error:
            raise UnavailableError(
                "store_unavailable",
                "the store's folder can't be made",
                next_step="check its place and permissions",
            ) from error
        # A tenant's database is never made before the list of tenants.
        if not has_content(control_path) and any(tenants_folder.glob("*.db")):
            raise UnavailableError(
                "store_unavailable",
                f"the store has tenants' databases, but the list of its tenants, {CONTROL_FILE}, is missing or empty",
                next_step=f"restore {CONTROL_FILE} from a backup",
            )
        limits = Limits(lock_wait_seconds, group_commit_jobs_max, write_queue_max)

        def path_of(tenant_id: TenantId) -> Path:
            return tenants_folder / f"{file_name(tenant_id)}.db"

        def open_database(tenant_id: TenantId, *, is_new: bool = False) -> Database:
            path = path_of(tenant_id)
            return FileDatabase(tenant_id, path, limits, is_new=is_new, is_buried=lambda: control.is_buried(tenant_id))

        def make_database(tenant_id: TenantId) -> None:
            with making_file(path_of(tenant_id)):
                open_database(tenant_id, is_new=True).close()

        def remove_database(tenant_id: TenantId) -> Scrubbed:
            return remove_files(path_of(tenant_id), lock_wait_seconds=lock_wait_seconds)

        control = Control(control_path, lock_wait_seconds=lock_wait_seconds)
        return cls(control, Pool(open_database, open_max=open_databases_max), make_database, remove_database)

    @classmethod
    def in_memory(
        cls,
        *,
        lock_wait_seconds: float = LOCK_WAIT_SECONDS,
        group_commit_jobs_max: int = GROUP_COMMIT_JOBS_MAX,
        write_queue_max: int = WRITE_QUEUE_MAX,
    ) -> Self:
        """An empty store that ends with the process and touches no file."""
        limits = Limits(lock_wait_seconds, group_commit_jobs_max, write_queue_max)
        control = Control(None, lock_wait_seconds=lock_wait_seconds)

        def open_database(tenant_id: TenantId) -> Database:
            if control.is_buried(tenant_id):
                raise tenant_erased()
            return MemoryDatabase(tenant_id, limits)

        pool = Pool(open_database, open_max=None)
        return cls(control, pool, lambda _tenant_id: None, lambda _tenant_id: Scrubbed())

    def create_tenant(self, tenant: Tenant, *, anew: bool = False) -> None:
        """See Store.create_tenant."""
        self._refuse_if_closed()
        self._control.insert(tenant, lambda: self._make_database(tenant.tenant_id), anew=anew)
        with self._pool.database(tenant.tenant_id):
            pass

    def adopt_tenant(self, tenant: Tenant) -> None:
        """The tenant is listed; its database was laid into the folder before, and is opened and migrated.

        Raises:
            ConflictError: `tenant_taken`.
            UnavailableError, FaultError, UnsupportedError: the database is not there, not this tenant's, or too new.
        """
        self._refuse_if_closed()
        self._control.insert(tenant, lambda: None, anew=False)
        with self._pool.database(tenant.tenant_id):
            pass

    def rename_tenant(self, tenant_id: TenantId, name: str) -> None:
        """See Store.rename_tenant."""
        self._refuse_if_closed()
        self._control.rename(tenant_id, name)
        self._handles.drop(tenant_id)

    def tenants(self) -> tuple[Tenant, ...]:
        """See Store.tenants."""
        self._refuse_if_closed()
        return self._control.tenants()

    def tenant_store(self, tenant_id: TenantId) -> SqliteTenantStore:
        """See Store.tenant_store."""
        self._refuse_if_closed()
        handle = self._handles.get(tenant_id)
        if handle is not None:
            return handle
        tenant = self._control.tenant(tenant_id)
        if tenant is None:
            raise tenant_erased() if self._control.is_buried(tenant_id) else tenant_not_found()
        with self._pool.database(tenant_id):
            pass
        return self._handles.keep(SqliteTenantStore(tenant, self._pool))

    def erased_mark(self, tenant_id: TenantId) -> str | None:
        """See Burying.erased_mark."""
        self._refuse_if_closed()
        if self._control.tenant(tenant_id) is None:
            raise tenant_not_found()
        with self._pool.database(tenant_id) as database, driver_errors:
            session = database.lend_reader()
            try:
                mark: str | None = session.cursor.execute(Q["erased_mark"]).get
            finally:
                database.take_back(session)
        return mark

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
        if not self._control.is_buried(tenant_id):
            raise tenant_not_found()
        self._pool.drop(tenant_id)
        self._handles.drop(tenant_id)
        return self._remove_database(tenant_id)

    def close(self) -> None:
        """See Store.close. A read or write that goes on ends first; its file is closed with it."""
        if not self._is_closed:
            self._is_closed = True
            self._pool.close()
            self._control.close()

    def _refuse_if_closed(self) -> None:
        if self._is_closed:
            raise store_closed()
