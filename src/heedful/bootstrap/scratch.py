"""Scratch stores: in memory, whatever engine holds the tenant itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from heedful.adapters.storage.sqlite.store import SqliteStore
from heedful.ports.store import Tenant, TenantStore


@contextmanager
def scratch_store(tenant: Tenant) -> Iterator[TenantStore]:
    """See Scratch."""
    store = SqliteStore.in_memory()
    try:
        store.create_tenant(tenant)
        yield store.tenant_store(tenant.tenant_id)
    finally:
        store.close()
