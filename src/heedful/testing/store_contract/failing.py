"""Failing: a store of a newer release, and one whose content is gone, are errors; nobody takes them for empty."""

from __future__ import annotations

import pytest

from heedful.kernel.errors import UnavailableError, UnsupportedError
from heedful.ports.store import Chain
from heedful.testing.builders import append_event, build_tenant
from heedful.testing.factory import BreakableStores, StoreFactory, add_tenant, opened


class TestFailing:
    """For factories that can break what lies there (BreakableStores); others test these two errors in their own way."""

    def test_what_a_newer_release_wrote_is_refused(self, shared_stores: StoreFactory) -> None:
        """`schema_newer`, before anything of it is read. The control: it is read until then."""
        breakable = _breakable(shared_stores)
        _write_one(shared_stores)
        assert _position(shared_stores) == 1
        breakable.make_newer()
        with pytest.raises(UnsupportedError) as caught:
            _position(shared_stores)
        assert caught.value.code == "schema_newer"
        assert caught.value.next_step

    def test_a_tenant_whose_content_is_gone_is_no_empty_one(self, shared_stores: StoreFactory) -> None:
        """`store_unavailable`, at every try. The control: it is read until then."""
        breakable = _breakable(shared_stores)
        _write_one(shared_stores)
        assert _position(shared_stores) == 1
        breakable.lose_content()
        for _ in range(2):
            with pytest.raises(UnavailableError) as caught:
                _position(shared_stores)
            assert caught.value.code == "store_unavailable"
            assert caught.value.next_step


def _breakable(stores: StoreFactory) -> BreakableStores:
    if not isinstance(stores, BreakableStores):
        pytest.skip("these stores can't be broken from outside")
    return stores


def _write_one(stores: StoreFactory) -> None:
    with opened(stores) as store:
        tenant_store = add_tenant(store, build_tenant())
        tenant_store.write(lambda writing: append_event(writing, tenant_store.tenant))


def _position(stores: StoreFactory) -> int:
    with opened(stores) as store, store.tenant_store(build_tenant().tenant_id).read() as reading:
        return reading.head(Chain.LEDGER).position
