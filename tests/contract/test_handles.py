"""Handles: the same one while anybody holds it, and no more of them kept than a named bound."""

from __future__ import annotations

import gc
import weakref
from functools import partial

import pytest

from heedful.adapters.storage.handles import HANDLES_MAX, Handles
from heedful.adapters.storage.postgres.store import PostgresStore, PostgresTenantStore
from heedful.kernel.errors import HeedfulError
from heedful.ports.store import Tenant, Writing
from heedful.testing.builders import build_record, build_tenant, remember, scope_of, visible_to
from heedful.testing.factory import add_tenant, opened
from heedful.testing.stores import SqliteMemory


def test_the_handles_used_last_are_kept_and_others_go() -> None:
    """HANDLES_MAX of them, though nobody holds any; one that is asked for again stays, and its neighbour goes."""
    with opened(SqliteMemory()) as store:
        references = [weakref.ref(add_tenant(store, build_tenant(number))) for number in range(HANDLES_MAX)]
        gc.collect()
        assert all(reference() is not None for reference in references)
        store.tenant_store(build_tenant(0).tenant_id)
        add_tenant(store, build_tenant(HANDLES_MAX))
        gc.collect()
        assert [number for number, reference in enumerate(references) if reference() is None] == [1]


def test_a_handle_that_somebody_holds_is_the_same_at_every_call() -> None:
    """However many others came since; one that was renamed is another."""
    with opened(SqliteMemory()) as store:
        held = add_tenant(store, build_tenant(0))
        for number in range(1, HANDLES_MAX + 2):
            add_tenant(store, build_tenant(number))
        assert store.tenant_store(build_tenant(0).tenant_id) is held
        store.rename_tenant(build_tenant(0).tenant_id, "another name")
        assert store.tenant_store(build_tenant(0).tenant_id) is not held


def _known(handle: PostgresTenantStore) -> int:
    """How many scopes' numbers it keeps in memory, for readers and for its writer."""
    return len(handle._scope_ids.found) + len(handle._transaction._scope_ids.found)


def _remember(tenant: Tenant, writing: Writing) -> None:
    remember(writing, tenant, build_record(1), tokens=["tea"])


def _sees(handle: PostgresTenantStore) -> int:
    with handle.read() as reading:
        return reading.visible_position(visible_to(scope_of("user:ana")))


def test_the_handle_that_was_not_used_for_longest_forgets_what_it_knew(database: str) -> None:
    """On PostgreSQL each knows numbers of scopes. Held on to or not, it answers as before, and learns anew."""
    store = PostgresStore.open(database)
    store._handles = Handles(PostgresTenantStore.forget, handles_max=2)
    first, *others = (add_tenant(store, build_tenant(number)) for number in range(3))
    for handle in (first, *others):
        assert isinstance(handle, PostgresTenantStore)
        handle.write(partial(_remember, handle.tenant))
        assert _sees(handle) > 0
        assert _known(handle) > 0
    assert isinstance(first, PostgresTenantStore)
    assert _known(first) == 0
    assert [_known(each) > 0 for each in others if isinstance(each, PostgresTenantStore)] == [True, True]
    assert _sees(first) > 0
    assert _known(first) > 0
    assert store.tenant_store(build_tenant(0).tenant_id) is first
    store.close()
    with pytest.raises(HeedfulError) as closed:
        first.write(lambda writing: None)
    assert closed.value.code == "store_closed"
