"""What the store knows of all its tenants: which there are, and which store it is."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from heedful.adapters.storage.codec import is_storable
from heedful.adapters.storage.postgres.connection import Row, Session, commit
from heedful.adapters.storage.postgres.driver_errors import driver_errors
from heedful.adapters.storage.postgres.pool import Pool
from heedful.adapters.storage.postgres.schema import CONTROL_Q
from heedful.adapters.storage.postgres.state import Place
from heedful.adapters.storage.refusals import (
    tenant_erased,
    tenant_name_malformed,
    tenant_not_found,
    tenant_taken,
)
from heedful.adapters.storage.tombstones import refuse_erased
from heedful.kernel.errors import FaultError
from heedful.kernel.ids import TenantId
from heedful.ledger.seal import EMPTY_HEAD
from heedful.ledger.tombstone import Tombstone
from heedful.ports.store import Tenant

_Q = CONTROL_Q
# A name that is given never has a control character.
_ERASED = b"\x01erased "


class Control:
    """The tenants table and the store's id, as the role that sees these and no tenant's rows."""

    def __init__(self, pool: Pool, place: Place, *, lock_wait_seconds: float) -> None:
        """On connections of `pool`."""
        self._pool = pool
        self._place = place
        self._lock_wait_seconds = lock_wait_seconds

    def insert(self, tenant: Tenant, *, anew: bool) -> None:
        """See Store.create_tenant. The tenant and the row of its state are there together, or not at all."""
        _refuse_halves(tenant.tenant_id, tenant.name)
        row = (tenant.tenant_id.encode(), tenant.name.encode(), tenant.created_at_us)
        with self._transaction() as session:
            found = session.row(_Q["insert_tenant"], row)
            # After it: a tenant of that name that is erased meanwhile is seen then.
            refuse_erased(_tombstones(session), tenant.tenant_id, tenant.name, anew=anew)
            if found is None:
                raise tenant_taken()
            session.run_all(self._place.become_tenant(found[0]))
            empty = bytes.fromhex(EMPTY_HEAD.digest)
            session.run(_Q["insert_state"], (found[0], empty, empty))

    def rename(self, tenant_id: TenantId, name: str) -> None:
        """See Store.rename_tenant."""
        _refuse_halves(name)
        try:
            with self._transaction() as session:
                row = session.row(_Q["tenant"], (tenant_id.encode(),)) if is_storable(tenant_id) else None
                if row is None:
                    raise tenant_not_found()
                refuse_erased(_tombstones(session), tenant_id, name)
                session.run(_Q["rename_tenant"], (name.encode(), row[0]))
        except FaultError as error:
            if isinstance(error.__cause__, psycopg.errors.UniqueViolation):
                raise tenant_taken() from error
            raise

    def tenants(self) -> tuple[Tenant, ...]:
        """See Store.tenants."""
        with self._transaction() as session:
            rows = session.rows(_Q["tenants"])
        return tuple(_tenant(row) for row in rows)

    def tenant(self, tenant_id: TenantId) -> tuple[int, Tenant] | None:
        """That tenant with its number, or None.

        Raises:
            ConflictError: `tenant_erased`.
        """
        if not is_storable(tenant_id):
            return None
        with self._transaction() as session:
            row = session.row(_Q["tenant"], (tenant_id.encode(),))
            is_buried = row is not None and session.row(_Q["is_buried"], (tenant_id.encode(),)) is not None
        if is_buried:
            raise tenant_erased()
        return None if row is None else (row[0], _tenant(row))

    def number_buried(self, tenant_id: TenantId) -> int | None:
        """The number of that tenant, where it is buried; else None."""
        if not is_storable(tenant_id):
            return None
        key = (tenant_id.encode(),)
        with self._transaction() as session:
            row = session.row(_Q["tenant"], key)
            return None if row is None or session.row(_Q["is_buried"], key) is None else int(row[0])

    def bury(self, tombstone: Tombstone) -> None:
        """See Burying.bury. The row of the tenant stays under its number, and has another name."""
        key, body = tombstone.tenant_id.encode(), tombstone.body.encode()
        with self._transaction() as session:
            row = session.row(_Q["tenant"], (key,))
            session.run(_Q["put_tombstone"], (key, tombstone.name_salt, tombstone.name_digest, body, tombstone.is_done))
            if row is not None:
                session.run(_Q["rename_tenant"], (_ERASED + key, row[0]))

    def tombstones(self) -> tuple[Tombstone, ...]:
        """See Burying.tombstones."""
        with self._transaction() as session:
            return _tombstones(session)

    def store_id(self) -> str | None:
        """The id of the store that owns the database, or None."""
        with self._transaction() as session:
            row = session.row(_Q["store_id"])
        return None if row is None else str(row[0])

    def own(self, store_id: str) -> str:
        """The id of the store that owns the database afterwards: the first that anybody put there."""
        with self._transaction() as session:
            session.run(_Q["own_store"], (store_id,))
        # In a transaction of its own: one that waited for another's id does not see it.
        found = self.store_id()
        assert found is not None
        return found

    @contextmanager
    def _transaction(self) -> Iterator[Session]:
        """A block whose changes are durable after it, or undone where it raises."""
        wait = max(1, round(self._lock_wait_seconds * 1_000))
        with driver_errors:
            connection, _ = self._pool.begin(
                self._place.begin_control(wait), time.monotonic() + self._lock_wait_seconds
            )
        try:
            with driver_errors:
                yield Session(connection)
                commit(connection)
        finally:
            self._pool.give_back(connection)


def _refuse_halves(*texts: str) -> None:
    if not all(map(is_storable, texts)):
        raise tenant_name_malformed()


def _tombstones(session: Session) -> tuple[Tombstone, ...]:
    return tuple(
        Tombstone(TenantId(key.decode()), salt, digest, body.decode(), is_done)
        for key, salt, digest, body, is_done in session.rows(_Q["tombstones"])
    )


def _tenant(row: Row) -> Tenant:
    _number, public_id, name, created_at_us = row
    return Tenant(TenantId(public_id.decode()), name.decode(), created_at_us)
