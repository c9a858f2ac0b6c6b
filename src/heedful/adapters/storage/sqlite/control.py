"""The store's own small database: which tenants there are."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from heedful.adapters.storage.codec import is_storable
from heedful.adapters.storage.migrate import Migration, load_migrations
from heedful.adapters.storage.queries import load_queries
from heedful.adapters.storage.sqlite.connection import Row, Session, driver_errors, migrate
from heedful.adapters.storage.sqlite.database import closing_on_error
from heedful.kernel.errors import ConflictError, InvalidInputError
from heedful.kernel.ids import TenantId
from heedful.ports.store import Tenant

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
        with driver_errors:
            self._session = Session(None if path is None else str(path), lock_wait_seconds=lock_wait_seconds)
            closing_on_error(self._session, lambda: migrate(self._session, control_migrations()))

    def insert(self, tenant: Tenant, make_database: Callable[[], None]) -> None:
        """See Store.create_tenant. The tenant is there once its database is made, and never without it."""
        if not is_storable(tenant.name) or not is_storable(tenant.tenant_id):
            raise InvalidInputError(
                "name_malformed", "tenant has half of a surrogate pair in its name or id", details={"field": "tenant"}
            )
        with self._lock, driver_errors:
            self._session.busy_until = None
            run = self._session.cursor.execute
            run("BEGIN IMMEDIATE")
            try:
                run(_Q["insert_tenant"], (tenant.tenant_id, tenant.name, tenant.created_at_us))
                if not self._session.connection.changes():
                    raise ConflictError(
                        "tenant_taken", "a tenant of this name or id is there already", next_step="choose another name"
                    )
                # Inside the transaction: a tenant whose database is gone has lost it, and was not made by half.
                make_database()
                run("COMMIT")
            finally:
                self._session.roll_back()

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

    def close(self) -> None:
        """The file is closed."""
        with self._lock:
            self._session.close()
