"""The store's own small database: which tenants there are."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
from msgspec.structs import astuple

from heedful.adapters.file_names import SyncError
from heedful.adapters.storage.codec import is_storable
from heedful.adapters.storage.migrate import Migration, load_migrations
from heedful.adapters.storage.queries import load_queries
from heedful.adapters.storage.refusals import (
    store_read_only,
    tenant_name_malformed,
    tenant_not_found,
    tenant_taken,
)
from heedful.adapters.storage.sqlite.connection import Row, Session, driver_errors, migrate
from heedful.adapters.storage.sqlite.database import closing_on_error, has_content, making_name
from heedful.adapters.storage.tombstones import refuse_erased
from heedful.kernel.errors import UnavailableError
from heedful.kernel.ids import TenantId
from heedful.ledger.tombstone import Tombstone
from heedful.ports.store import Tenant

_LOST = (apsw.IOError, SyncError)
_Q = load_queries(__package__ or "", "control_queries.sql")


def control_migrations() -> tuple[Migration, ...]:
    """The steps of the control database's schema."""
    return load_migrations(__package__ or "", "control_migrations")


class Control:
    """The tenants table, on one connection that callers take in turns."""

    def __init__(self, path: Path | None, *, lock_wait_seconds: float) -> None:
        """The database at `path`, made if need be, and migrated; None: in memory.

        Raises:
            UnsupportedError: `schema_newer`.
            UnavailableError: `store_unavailable`.
        """
        self._lock = threading.Lock()
        self._is_read_only = False
        if path is not None and not has_content(path):
            with making_name(path):
                _open(str(path), lock_wait_seconds).close()
        self._session = _open(None if path is None else str(path), lock_wait_seconds)

    def insert(self, tenant: Tenant, make_database: Callable[[], None], *, anew: bool) -> None:
        """See Store.create_tenant. The tenant is there once its database is made, and never without it."""
        if not is_storable(tenant.name) or not is_storable(tenant.tenant_id):
            raise tenant_name_malformed()
        with self._changing() as run:
            run("BEGIN IMMEDIATE")
            try:
                refuse_erased(self._tombstones(), tenant.tenant_id, tenant.name, anew=anew)
                run(_Q["insert_tenant"], (tenant.tenant_id, tenant.name, tenant.created_at_us))
                if not self._session.connection.changes():
                    raise tenant_taken()
                # Inside the transaction: a tenant whose database is gone has lost it, and was not made by half.
                make_database()
                run("COMMIT")
            finally:
                self._session.roll_back()

    def rename(self, tenant_id: TenantId, name: str) -> None:
        """See Store.rename_tenant."""
        if not is_storable(name):
            raise tenant_name_malformed()
        if self.tenant(tenant_id) is None:
            raise tenant_not_found()
        with self._changing() as run:
            refuse_erased(self._tombstones(), tenant_id, name)
            run(_Q["rename_tenant"], (tenant_id, name)).fetchall()
            if not self._session.connection.changes():
                raise tenant_taken()

    def tenants(self) -> tuple[Tenant, ...]:
        """See Store.tenants."""
        with self._lock, driver_errors:
            self._session.busy_until = None
            rows: list[Row] = self._session.cursor.execute(_Q["tenants"]).fetchall()
        return tuple(Tenant(*row) for row in rows)

    def tenant(self, tenant_id: TenantId) -> Tenant | None:
        """That tenant, or None."""
        if not is_storable(tenant_id):
            return None
        with self._lock, driver_errors:
            self._session.busy_until = None
            rows: list[Row] = self._session.cursor.execute(_Q["tenant"], (tenant_id,)).fetchall()
        return Tenant(*rows[0]) if rows else None

    def bury(self, tombstone: Tombstone) -> None:
        """See Burying.bury. The log goes too, since the tenant's name stands in it."""
        row = (*astuple(tombstone)[:-1], int(tombstone.is_done))
        with self._changing() as run:
            run("BEGIN IMMEDIATE")
            try:
                run(_Q["delete_tenant"], (tombstone.tenant_id,)).fetchall()
                run(_Q["put_tombstone"], row).fetchall()
                run("COMMIT")
            finally:
                self._session.roll_back()
            self._session.truncate_log()

    def tombstones(self) -> tuple[Tombstone, ...]:
        """See Burying.tombstones."""
        with self._lock, driver_errors:
            self._session.busy_until = None
            return self._tombstones()

    def is_buried(self, tenant_id: TenantId) -> bool:
        """True where that tenant was erased."""
        if not is_storable(tenant_id):
            return False
        with self._lock, driver_errors:
            self._session.busy_until = None
            return self._session.cursor.execute(_Q["is_buried"], (tenant_id,)).get is not None

    def _tombstones(self) -> tuple[Tombstone, ...]:
        rows: list[Row] = self._session.cursor.execute(_Q["tombstones"]).fetchall()
        return tuple(
            Tombstone(TenantId(key), salt, digest, body, bool(is_done)) for key, salt, digest, body, is_done in rows
        )

    @contextmanager
    def _changing(self) -> Iterator[Callable[..., apsw.Cursor]]:
        """How statements run that change something. After a failed commit or fsync none does any more."""
        with self._lock, driver_errors:
            if self._is_read_only:
                raise store_read_only()
            self._session.busy_until = None
            try:
                yield self._session.cursor.execute
            except (apsw.Error, UnavailableError) as error:
                # A tenant's database that could not be made has what its disk or driver said as the cause.
                self._is_read_only = any(isinstance(each, _LOST) for each in (error, error.__cause__))
                raise
            self._is_read_only = not self._session.checkpoint()

    def close(self) -> None:
        """The file is closed."""
        with self._lock:
            self._session.close()


def _open(path: str | None, lock_wait_seconds: float) -> Session:
    with driver_errors:
        session = Session(path, lock_wait_seconds=lock_wait_seconds)
        closing_on_error(session, lambda: migrate(session, control_migrations()))
    return session
