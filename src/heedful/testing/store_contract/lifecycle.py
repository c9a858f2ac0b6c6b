"""Lifecycle: what is acknowledged is there after closing, and opening twice is opening once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from heedful.kernel.errors import ConflictError, NotFoundError
from heedful.kernel.ids import TenantId
from heedful.ports.store import Chain
from heedful.testing.builders import ANYTHING, append_event, build_record, build_tenant, remember, scope_of, visible_to
from heedful.testing.factory import StoreFactory, add_tenant, opened

MANY_TENANTS = 80


class TestLifecycle:
    """For every store, also one that ends with its process."""

    def test_a_new_store_has_no_tenants(self, stores: StoreFactory) -> None:
        """Nothing is there that nobody made."""
        with opened(stores) as store:
            assert store.tenants() == ()

    def test_more_tenants_than_are_kept_open(self, stores: StoreFactory) -> None:
        """Each keeps its own rows while others are opened and closed for it."""
        with opened(stores) as store:
            handles = [add_tenant(store, build_tenant(number)) for number in range(MANY_TENANTS)]
            for _ in range(2):
                for handle in handles:
                    handle.write(lambda writing, handle=handle: append_event(writing, handle.tenant))  # type: ignore[misc]
            for handle in handles:
                with handle.read() as reading:
                    assert reading.head(Chain.LEDGER).position == 2

    def test_a_tenant_that_is_renamed_keeps_everything_but_its_name(self, stores: StoreFactory) -> None:
        """Its id, its rows, its place in the order of names; a name that another has is refused, and an unknown id."""
        with opened(stores) as store:
            first, other = build_tenant(1), build_tenant(2)
            tenant_store = add_tenant(store, first)
            add_tenant(store, other)
            tenant_store.write(lambda writing: append_event(writing, first))
            store.rename_tenant(first.tenant_id, "\x01 \u540d\u5b57 \U0001f95c")
            renamed = replace(first, name="\x01 \u540d\u5b57 \U0001f95c")
            assert store.tenants() == (renamed, other)
            assert store.tenant_store(first.tenant_id).tenant == renamed
            with store.tenant_store(first.tenant_id).read() as reading:
                assert reading.head(Chain.LEDGER).position == 1
            store.rename_tenant(first.tenant_id, renamed.name)
            with pytest.raises(ConflictError) as taken:
                store.rename_tenant(first.tenant_id, other.name)
            with pytest.raises(NotFoundError) as unknown:
                store.rename_tenant(TenantId("nobody"), "a new name")
            assert (taken.value.code, unknown.value.code) == ("tenant_taken", "tenant_not_found")
            assert store.tenants() == (renamed, other)
            add_tenant(store, replace(build_tenant(3), name=first.name))


class TestReopening:
    """For stores whose content outlives them."""

    def test_what_was_acknowledged_is_there_after_reopening(self, shared_stores: StoreFactory) -> None:
        """Tenants, events, views and search rows, byte for byte."""
        record = build_record(1, content="\x00\U0001f95c \u8fc7\u654f")
        with opened(shared_stores) as store:
            tenant_store = add_tenant(store, build_tenant(1))
            tenant_store.write(lambda writing: remember(writing, tenant_store.tenant, record, tokens=["\u8fc7\u654f"]))
            with tenant_store.read() as reading:
                before = list(reading.events(Chain.LEDGER)), list(reading.dump_views())
        with opened(shared_stores) as store:
            assert store.tenants() == (build_tenant(1),)
            with store.tenant_store(build_tenant(1).tenant_id).read() as reading:
                assert (list(reading.events(Chain.LEDGER)), list(reading.dump_views())) == before
                found = reading.search(visible_to(scope_of("user:ana")), ["\u8fc7\u654f"], ANYTHING, limit=9)
                assert [hit.item_id for hit in found.hits] == [record.record_id]

    def test_opening_twice_is_opening_once(self, shared_stores: StoreFactory) -> None:
        """Migrations are not run again, and two open stores of one place see each other's commits."""
        with opened(shared_stores) as store, opened(shared_stores) as other:
            tenant_store = add_tenant(store, build_tenant(1))
            same = other.tenant_store(build_tenant(1).tenant_id)
            for _ in range(3):
                tenant_store.write(lambda writing: append_event(writing, tenant_store.tenant))
                same.write(lambda writing: append_event(writing, tenant_store.tenant))
            with tenant_store.read() as left, same.read() as right:
                assert left.head(Chain.LEDGER).position == 6
                assert left.head(Chain.LEDGER) == right.head(Chain.LEDGER)

    def test_a_store_that_was_never_closed_lost_nothing(self, shared_stores: StoreFactory) -> None:
        """Acknowledged means durable, without a word of goodbye."""
        store = shared_stores.open_store()
        tenant_store = add_tenant(store, build_tenant(1))
        tenant_store.write(lambda writing: append_event(writing, tenant_store.tenant))
        with opened(shared_stores) as other, other.tenant_store(build_tenant(1).tenant_id).read() as reading:
            assert reading.head(Chain.LEDGER).position == 1
        store.close()
