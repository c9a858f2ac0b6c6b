"""The store contract: permits, used once or not yet."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from heedful.kernel.ids import PermitId, VerdictId
from heedful.ports.store import StoredPermit, Writing
from heedful.testing.builders import build_id, build_tenant
from heedful.testing.factory import StoreFactory, add_tenant, one_tenant, opened

PERMIT = StoredPermit(
    permit_id=PermitId(build_id(1, "permit")),
    position=6,
    verdict_id=VerdictId(build_id(1, "verdict")),
    expires_at_us=1_780_000_300_000_000,
    circumstances_json='["\u8fc7\u654f in enforce \\u0000"]',
    redeemed_position=None,
)


class TestPermits:
    """permit and put_permit."""

    def test_a_permit_comes_back_as_it_was_given(self, stores: StoreFactory) -> None:
        """To the byte; another id is None, and so is one that differs in case."""
        with one_tenant(stores) as tenant_store:
            tenant_store.write(partial(_put, PERMIT))
            with tenant_store.read() as reading:
                assert reading.permit(PERMIT.permit_id) == PERMIT
                others = (build_id(2, "permit"), PERMIT.permit_id.upper() + "X", "\ud800")
                assert [reading.permit(PermitId(other)) for other in others] == [None] * 3

    def test_a_permit_that_was_used_is_replaced(self, stores: StoreFactory) -> None:
        """The transaction that uses it sees it so, and every reader after it."""
        used = replace(PERMIT, redeemed_position=9)

        def use(writing: Writing) -> StoredPermit | None:
            writing.put_permit(used)
            return writing.permit(PERMIT.permit_id)

        with one_tenant(stores) as tenant_store:
            tenant_store.write(partial(_put, PERMIT))
            assert tenant_store.write(use) == used
            with tenant_store.read() as reading:
                assert reading.permit(PERMIT.permit_id) == used

    def test_a_permit_is_its_tenants_own(self, stores: StoreFactory) -> None:
        """Another tenant has none of that id, and using one of the same id there leaves this one as it was."""
        with opened(stores) as store:
            ana, ben = (add_tenant(store, build_tenant(number)) for number in (1, 2))
            ana.write(partial(_put, PERMIT))
            with ben.read() as reading:
                assert reading.permit(PERMIT.permit_id) is None
            ben.write(partial(_put, replace(PERMIT, redeemed_position=3)))
            with ana.read() as reading:
                assert reading.permit(PERMIT.permit_id) == PERMIT


def _put(permit: StoredPermit, writing: Writing) -> None:
    writing.put_permit(permit)
