"""Isolation: nothing of one tenant is seen, counted or taken through another."""

from __future__ import annotations

import pytest

from heedful.kernel.errors import ConflictError, FaultError, NotFoundError
from heedful.kernel.ids import TenantId
from heedful.ledger.seal import EMPTY_HEAD
from heedful.ports.store import Chain, Tenant, TenantStore
from heedful.testing.builders import (
    ANYTHING,
    NOON_US,
    build_record,
    build_sealed,
    build_tenant,
    remember,
    scope_of,
    visible_to,
)
from heedful.testing.factory import StoreFactory, add_tenant, opened

LOOKALIKES = [
    "ana",
    "Ana",
    "ANA",
    "\u00e9",
    "e\u0301",
    "\u00c9",
    "ana ",
    "an%",
    "an_",
    "..",
    "../ana",
    "\uff41na",
    "a" * 300,
]
ANA_SEES = visible_to(scope_of("user:ana"))


class TestIsolation:
    """Store.create_tenant, tenants and tenant_store."""

    def test_tenants_are_apart_also_by_case_and_unicode_form(self, stores: StoreFactory) -> None:
        """Ids and names that look alike, or like paths, each have their own rows."""
        with opened(stores) as store:
            made = [Tenant(TenantId(text), text, NOON_US) for text in LOOKALIKES]
            for number, tenant in enumerate(made):
                _remember(add_tenant(store, tenant), number + 1)
            for number, tenant in enumerate(made):
                with store.tenant_store(tenant.tenant_id).read() as reading:
                    assert reading.head(Chain.LEDGER).position == number + 1
                    assert reading.counts()["records"] == number + 1
                    result = reading.search(ANA_SEES, ["bees"], ANYTHING, limit=99)
                    assert (len(result.hits), result.visible_count) == (number + 1, number + 1)

    def test_tenants_are_listed_in_order_of_name_bytes(self, stores: StoreFactory) -> None:
        """Upper case before lower, ASCII before the rest."""
        with opened(stores) as store:
            for number, name in enumerate(["b", "\u00e9", "A", "a", "B"]):
                store.create_tenant(build_tenant(number, name=name))
            assert [tenant.name for tenant in store.tenants()] == ["A", "B", "a", "b", "\u00e9"]
            assert store.tenants()[2] == build_tenant(3, name="a")

    @pytest.mark.parametrize("second", [build_tenant(2, name="tenant-1"), build_tenant(1, name="other")])
    def test_a_name_or_id_that_is_in_use_is_refused(self, stores: StoreFactory, second: Tenant) -> None:
        """`tenant_taken`, and the first stays."""
        with opened(stores) as store:
            store.create_tenant(build_tenant(1))
            with pytest.raises(ConflictError) as caught:
                store.create_tenant(second)
            assert caught.value.code == "tenant_taken"
            assert store.tenants() == (build_tenant(1),)

    @pytest.mark.parametrize("tenant_id", ["", "no", "../control", "\ud800"])
    def test_a_tenant_that_is_not_there_is_not_found(self, stores: StoreFactory, tenant_id: str) -> None:
        """`tenant_not_found`, and asking does not make it."""
        with opened(stores) as store:
            for _ in range(2):
                with pytest.raises(NotFoundError) as caught:
                    store.tenant_store(TenantId(tenant_id))
                assert caught.value.code == "tenant_not_found"
            assert store.tenants() == ()

    def test_the_handle_is_the_same_at_every_call(self, stores: StoreFactory) -> None:
        """And says whose it is."""
        with opened(stores) as store:
            handle = add_tenant(store, build_tenant(1))
            assert store.tenant_store(build_tenant(1).tenant_id) is handle
            assert handle.tenant == build_tenant(1)

    def test_the_same_record_in_two_tenants_is_no_conflict(self, stores: StoreFactory) -> None:
        """Ids and source references are a tenant's own."""
        with opened(stores) as store:
            for number in (1, 2):
                _remember(add_tenant(store, build_tenant(number)), 1)

    def test_an_event_of_another_tenant_is_refused(self, stores: StoreFactory) -> None:
        """It is a fault of the caller, and nothing is appended."""
        with opened(stores) as store:
            tenant_store = add_tenant(store, build_tenant(1))
            foreign = build_sealed(tenant=build_tenant(2))
            with pytest.raises(FaultError) as caught:
                tenant_store.write(lambda writing: writing.append(Chain.LEDGER, foreign))
            assert caught.value.code == "tenant_mismatch"
            with tenant_store.read() as reading:
                assert reading.head(Chain.LEDGER) == EMPTY_HEAD


def _remember(tenant_store: TenantStore, count: int) -> None:
    for number in range(1, count + 1):
        record = build_record(number)
        tenant_store.write(
            lambda writing, record=record: remember(writing, tenant_store.tenant, record, tokens=["bees"])  # type: ignore[misc]
        )
