"""Views that are dropped piece by piece: what is left in the end, and what a piece may take."""

from __future__ import annotations

from functools import partial

import pytest

from heedful.kernel.ids import ClaimId, ErasureId, HoldId, PermitId, PrincipalId, ProposalId, RecordId, VerdictId
from heedful.kernel.ladder import Mode
from heedful.ports.erasure import StoredHold
from heedful.ports.store import (
    Chain,
    DropPoint,
    StoredPermit,
    StoredProposal,
    StoredVerdict,
    Tenant,
    TenantStore,
    VectorModel,
    VectorRow,
    Writing,
)
from heedful.testing.builders import (
    append_event,
    build_claim,
    build_id,
    build_search_row,
    build_stored,
    build_tenant,
    scope_of,
)
from heedful.testing.factory import StoreFactory, add_tenant, one_tenant, opened
from heedful.testing.store_contract.beliefs import build_conflict
from heedful.testing.store_contract.erasure import build_erasure
from heedful.testing.store_contract.merges import build_merge

MODEL = "ngrams-1/4"
RECORDS = 150
"""More than wait outside of an index."""


class TestDropping:
    """drop_view_rows, and clear_views after it."""

    @pytest.mark.parametrize("limit", [1, 7, 150, 100_000])
    def test_dropped_and_cleared_views_are_those_of_a_new_tenant(self, stores: StoreFactory, limit: int) -> None:
        """In pieces of any size; the ledger stays, and what is put after it dumps as it did."""
        with one_tenant(stores) as tenant_store:
            empty = _dump(tenant_store)
            tenant_store.write(partial(fill, tenant=tenant_store.tenant))
            first = _dump(tenant_store)
            with tenant_store.read() as reading:
                events = list(reading.events(Chain.LEDGER))
            points = drop_all(tenant_store, limit=limit)
            assert bool(points) == (limit < 100_000)
            tenant_store.write(lambda writing: writing.clear_views())
            assert _dump(tenant_store) == empty
            with tenant_store.read() as reading:
                assert list(reading.events(Chain.LEDGER)) == events
            tenant_store.write(fill_views)
            assert _dump(tenant_store) == first

    def test_a_piece_takes_no_more_records_than_its_limit(self, stores: StoreFactory) -> None:
        """And goes on where the last one ended; clear_views takes all at once (the control)."""
        with one_tenant(stores) as tenant_store:
            for limit in (1, 20):
                tenant_store.write(fill_views)
                assert _records(tenant_store) == RECORDS
                taken, point = [], None
                while left := _records(tenant_store):
                    point = tenant_store.write(partial(_drop, start=point, limit=limit))
                    taken.append(left - _records(tenant_store))
                assert set(taken[:-1]) == {limit}
                assert 0 < taken[-1] <= limit
                tenant_store.write(lambda writing: writing.clear_views())
            tenant_store.write(fill_views)
            tenant_store.write(lambda writing: writing.clear_views())
            assert _records(tenant_store) == 0

    def test_the_share_that_is_gone_grows_and_does_not_pass_one(self, stores: StoreFactory) -> None:
        """From piece to piece, in steps."""
        with one_tenant(stores) as tenant_store:
            tenant_store.write(partial(fill, tenant=tenant_store.tenant))
            shares = [point.share for point in drop_all(tenant_store, limit=20)]
            assert shares == sorted(shares)
            assert len(set(shares)) > 10
            assert 0 < shares[0] < shares[-1] <= 1

    def test_it_may_begin_anew_at_any_piece(self, stores: StoreFactory) -> None:
        """As after a process that was killed, which leaves no point to go on from: each piece takes what is there."""
        with one_tenant(stores) as tenant_store:
            empty = _dump(tenant_store)
            tenant_store.write(partial(fill, tenant=tenant_store.tenant))
            pieces = len(drop_all(tenant_store, limit=40))
            tenant_store.write(lambda writing: writing.clear_views())
            tenant_store.write(fill_views)
            for _ in range(pieces):
                assert tenant_store.write(partial(_drop, start=None, limit=40)) is not None
            assert tenant_store.write(partial(_drop, start=None, limit=40)) is None
            tenant_store.write(lambda writing: writing.clear_views())
            assert _dump(tenant_store) == empty

    def test_models_and_modes_stay_until_the_views_are_cleared(self, stores: StoreFactory) -> None:
        """So that it is known till then by which model searches went; the checkpoint stays as well."""
        with one_tenant(stores) as tenant_store:
            tenant_store.write(partial(fill, tenant=tenant_store.tenant))
            drop_all(tenant_store, limit=100)
            with tenant_store.read() as reading:
                assert reading.vector_models() == (VectorModel(MODEL, is_active=True),)
                assert len(reading.modes()) == 1
                assert reading.checkpoint() == RECORDS
                assert not any(reading.counts().values())
            tenant_store.write(lambda writing: writing.clear_views())
            with tenant_store.read() as reading:
                assert (reading.vector_models(), reading.modes(), reading.checkpoint()) == ((), (), 0)

    def test_a_piece_of_a_work_that_raises_took_nothing(self, stores: StoreFactory) -> None:
        """And rows of the same work go too."""
        with one_tenant(stores) as tenant_store:
            tenant_store.write(partial(fill, tenant=tenant_store.tenant))
            before = _dump(tenant_store)

            def fails(writing: Writing) -> None:
                writing.drop_view_rows(None, limit=1_000)
                raise LookupError

            with pytest.raises(LookupError):
                tenant_store.write(fails)
            assert _dump(tenant_store) == before

            def puts_and_drops(writing: Writing) -> None:
                writing.clear_views()
                fill_views(writing)
                assert writing.drop_view_rows(None, limit=100_000) is None
                assert not any(writing.counts().values())

            tenant_store.write(puts_and_drops)

    def test_rows_of_another_tenant_stay(self, stores: StoreFactory) -> None:
        """Whatever the other drops; its own are gone (the control)."""
        with opened(stores) as store:
            ana, ben = add_tenant(store, build_tenant(1)), add_tenant(store, build_tenant(2))
            ana.write(partial(fill, tenant=ana.tenant))
            ben.write(partial(fill, tenant=ben.tenant))
            before = _dump(ben)
            drop_all(ana, limit=33)
            assert _dump(ben) == before
            assert _records(ana) == 0


def fill(writing: Writing, tenant: Tenant) -> None:
    """Views in which each table that grows has many rows, and as many events as records."""
    for _ in range(RECORDS):
        append_event(writing, tenant)
    fill_views(writing)


def fill_views(writing: Writing) -> None:
    """The same views again, without events."""
    for number in range(1, RECORDS + 1):
        scope, attributes = scope_of(f"user:u{number % 9}"), (("team", "sre"), ("size", number))
        made_from = (RecordId(build_id(number, "origin")),)
        writing.put_record(build_stored(number, scope=scope, attributes=attributes, derived_from=made_from))
        writing.put_search_row(
            build_search_row(number, ("bees", f"w{number}", "\u8fc7\u654f"), scope=scope), attributes
        )
        writing.put_claim(build_claim(number, scope=scope, rests_on=(ClaimId(build_id(number, "ground")),)))
        writing.put_conflict(build_conflict(number, number, number + 1))
        writing.put_merge(build_merge(number, scope))
        writing.put_claim_change(number, ClaimId(build_id(number, "claim")), None)
        writing.put_verdict(StoredVerdict(VerdictId(build_id(number, "verdict")), number, "{}"))
        writing.put_permit(StoredPermit(PermitId(build_id(number, "permit")), number, VerdictId("v"), 1, "[]", None))
        writing.put_vectors(MODEL, [VectorRow(number, bytes([1, 2, 3, 4]))])
        writing.put_erased(ErasureId("e"), [build_id(number, "erased")])
    writing.put_erasure(build_erasure("e", 1))
    writing.put_hold(StoredHold(HoldId("h"), 1, PrincipalId("person:bob"), "legal", "subject", ("user:ana",), 1))
    writing.set_vector_model(MODEL)
    writing.put_mode("bridge", "b", Mode.SHADOW)
    writing.put_bridge_approval("d", PrincipalId("person:bob"))
    writing.put_bridge_proposal(StoredProposal(ProposalId("p"), 1, "waiting", "{}"))
    writing.set_checkpoint(RECORDS)


def drop_all(tenant_store: TenantStore, *, limit: int) -> list[DropPoint]:
    """Every point that was come to, each piece in a transaction of its own."""
    points: list[DropPoint] = []
    point = tenant_store.write(partial(_drop, start=None, limit=limit))
    while point is not None:
        points.append(point)
        point = tenant_store.write(partial(_drop, start=point, limit=limit))
    return points


def _drop(writing: Writing, start: DropPoint | None, limit: int) -> DropPoint | None:
    return writing.drop_view_rows(start, limit=limit)


def _records(tenant_store: TenantStore) -> int:
    with tenant_store.read() as reading:
        return reading.counts()["records"]


def _dump(tenant_store: TenantStore) -> list[bytes]:
    with tenant_store.read() as reading:
        return list(reading.dump_views())
