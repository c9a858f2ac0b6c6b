"""What the suite needs of an adapter: stores, opened anew."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol, runtime_checkable

from heedful.ports.store import Store, Tenant, TenantStore
from heedful.testing.builders import build_tenant


class StoreFactory(Protocol):
    """Opens stores of one place. Is pickled to other processes where its stores may be shared."""

    def open_store(self, *, lock_wait_seconds: float = 30.0) -> Store:
        """A store; for one place always the same content, where content outlives a store."""
        ...


@runtime_checkable
class BreakableStores(StoreFactory, Protocol):
    """One that may also do to its place, while no store of it is open, what an adapter has to find out."""

    def make_newer(self) -> None:
        """Every schema there has a step that this release does not know."""
        ...

    def lose_content(self) -> None:
        """What tenants had is gone, or a part of it without which nothing is read; that they were there is known."""
        ...


@contextmanager
def opened(stores: StoreFactory, *, lock_wait_seconds: float = 30.0) -> Iterator[Store]:
    """A store, closed after the block."""
    store = stores.open_store(lock_wait_seconds=lock_wait_seconds)
    try:
        yield store
    finally:
        store.close()


@contextmanager
def one_tenant(stores: StoreFactory) -> Iterator[TenantStore]:
    """The store of one new tenant, closed after the block."""
    with opened(stores) as store:
        yield add_tenant(store, build_tenant())


def add_tenant(store: Store, tenant: Tenant) -> TenantStore:
    """That tenant's store, after it was created."""
    store.create_tenant(tenant)
    return store.tenant_store(tenant.tenant_id)
