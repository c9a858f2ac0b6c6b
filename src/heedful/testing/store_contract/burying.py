"""Burying: a whole tenant goes, in steps that can each be done again, and is never taken for one that knows nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from heedful.kernel.errors import HeedfulError, NotFoundError
from heedful.ledger.tombstone import Tombstone, name_digest, tombstone_of
from heedful.ports.store import Chain, Store, Tenant
from heedful.testing.builders import append_event, build_record, build_tenant, remember
from heedful.testing.factory import StoreFactory, add_tenant, opened

ANA, BEN = build_tenant(1), build_tenant(2)
BODY = '{"erasure_id": "e-1", "because": "请求"}'


def build_tombstone(tenant: Tenant, *, is_done: bool = False) -> Tombstone:
    """What is left of that tenant."""
    return Tombstone(tenant.tenant_id, "5a1f", name_digest("5a1f", tenant.name), BODY, is_done)


def erase_tenant(store: Store, tenant: Tenant) -> None:
    """All steps, one after the other."""
    store.tenant_store(tenant.tenant_id).write(lambda writing: writing.mark_erased(BODY))
    store.bury(build_tombstone(tenant))
    store.delete_tenant(tenant.tenant_id)
    store.bury(build_tombstone(tenant, is_done=True))


def code_of(call: Callable[[], object]) -> str:
    """The code of the error that this raises."""
    with pytest.raises(HeedfulError) as caught:
        call()
    return caught.value.code


class TestBurying:
    """For every store."""

    def test_a_tenant_that_was_marked_is_read_and_written_no_more(self, stores: StoreFactory) -> None:
        """By nobody who has a handle; whoever goes on is told the mark; a neighbour feels nothing."""
        with opened(stores) as store:
            ana, ben = add_tenant(store, ANA), add_tenant(store, BEN)
            assert (store.erased_mark(ANA.tenant_id), store.tombstones()) == (None, ())
            ana.write(lambda writing: writing.mark_erased(BODY))
            assert store.erased_mark(ANA.tenant_id) == BODY
            assert code_of(lambda: ana.read().__enter__()) == "tenant_erased"
            assert code_of(lambda: ana.write(lambda writing: append_event(writing, ANA))) == "tenant_erased"
            ben.write(lambda writing: append_event(writing, BEN))
            with ben.read() as reading:
                assert reading.head(Chain.LEDGER).position == 1

    def test_a_mark_that_was_undone_is_none(self, stores: StoreFactory) -> None:
        """All or none, as every write."""
        with opened(stores) as store:
            ana = add_tenant(store, ANA)

            def work(writing: object) -> None:
                writing.mark_erased(BODY)  # type: ignore[attr-defined]
                raise NotFoundError("tenant_not_found", "on purpose")

            assert code_of(lambda: ana.write(work)) == "tenant_not_found"
            assert store.erased_mark(ANA.tenant_id) is None
            ana.write(lambda writing: append_event(writing, ANA))

    def test_an_erased_tenant_is_told_from_one_that_never_was(self, stores: StoreFactory) -> None:
        """`tenant_erased` for its id, handle and name, `tenant_not_found` for others; a tombstone is left."""
        with opened(stores) as store:
            ana = add_tenant(store, ANA)
            ana.write(lambda writing: remember(writing, ANA, build_record(1), tokens=["bees"]))
            add_tenant(store, BEN)
            erase_tenant(store, ANA)
            store.delete_tenant(ANA.tenant_id)  # again, as whoever goes on does: it changes nothing
            store.bury(build_tombstone(ANA))
            assert store.tenants() == (BEN,)
            assert store.tombstones() == (build_tombstone(ANA, is_done=True),)
            assert tombstone_of(store.tombstones(), ANA.name) is not None
            assert tombstone_of(store.tombstones(), BEN.name) is None
            assert ANA.name not in repr(store.tombstones())
            gone: tuple[Callable[[], object], ...] = (
                lambda: ana.read().__enter__(),
                lambda: ana.write(lambda writing: append_event(writing, ANA)),
                lambda: store.tenant_store(ANA.tenant_id),
            )
            assert {code_of(call) for call in gone} == {"tenant_erased"}
            unknown = build_tenant(9).tenant_id
            never: tuple[Callable[[], object], ...] = (
                lambda: store.tenant_store(unknown),
                lambda: store.delete_tenant(unknown),
                lambda: store.delete_tenant(BEN.tenant_id),
                lambda: store.erased_mark(unknown),
            )
            assert {code_of(call) for call in never} == {"tenant_not_found"}

    def test_a_new_tenant_of_an_erased_ones_name_is_made_on_purpose_alone(self, stores: StoreFactory) -> None:
        """Nobody is renamed to it either; its id never comes back; what is made anew is empty."""
        with opened(stores) as store:
            add_tenant(store, ANA).write(lambda writing: append_event(writing, ANA))
            add_tenant(store, BEN)
            erase_tenant(store, ANA)
            anew = replace(build_tenant(3), name=ANA.name)
            refused: tuple[Callable[[], object], ...] = (
                lambda: store.create_tenant(anew),
                lambda: store.rename_tenant(BEN.tenant_id, ANA.name),
                lambda: store.create_tenant(replace(ANA, name="another"), anew=True),
            )
            assert {code_of(call) for call in refused} == {"tenant_erased"}
            store.create_tenant(anew, anew=True)
            with store.tenant_store(anew.tenant_id).read() as reading:
                assert reading.head(Chain.LEDGER).position == 0
                assert not any(reading.counts().values())
            assert store.tenants() == tuple(sorted((BEN, anew), key=lambda each: each.name))


class TestBuryingElsewhere:
    """For stores that several have open."""

    def test_whoever_has_the_tenant_open_elsewhere_is_told(self, shared_stores: StoreFactory) -> None:
        """After each step alike, with handles that read before and with new ones."""
        with opened(shared_stores) as store, opened(shared_stores) as other:
            add_tenant(store, ANA).write(lambda writing: append_event(writing, ANA))
            theirs = other.tenant_store(ANA.tenant_id)
            with theirs.read() as reading:
                assert reading.head(Chain.LEDGER).position == 1
            steps: tuple[Callable[[], object], ...] = (
                lambda: store.tenant_store(ANA.tenant_id).write(lambda writing: writing.mark_erased(BODY)),
                lambda: store.bury(build_tombstone(ANA)),
                lambda: store.delete_tenant(ANA.tenant_id),
                lambda: store.bury(build_tombstone(ANA, is_done=True)),
            )
            for step in steps:
                step()
                assert code_of(lambda: theirs.read().__enter__()) == "tenant_erased"
                assert code_of(lambda: theirs.write(lambda writing: append_event(writing, ANA))) == "tenant_erased"
                with opened(shared_stores) as late:
                    assert code_of(lambda: late.tenant_store(ANA.tenant_id).read().__enter__()) == "tenant_erased"
            with opened(shared_stores) as late:
                assert late.tenants() == ()
                assert [each.is_done for each in late.tombstones()] == [True]
