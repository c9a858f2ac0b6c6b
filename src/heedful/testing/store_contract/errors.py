"""Errors: ours, with a stable code and a safe message; and what a block that has ended still answers."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from heedful.kernel.errors import FaultError, HeedfulError, InvalidInputError, UnavailableError
from heedful.observations.text import QUERY_TERMS_MAX
from heedful.ports.store import Chain, Writing
from heedful.testing.builders import (
    ANYTHING,
    append_event,
    build_record,
    build_stored,
    build_tenant,
    scope_of,
    visible_to,
)
from heedful.testing.factory import StoreFactory, add_tenant, one_tenant


class TestErrors:
    """What is raised, and that nothing else is."""

    def test_every_call_after_close_raises_store_closed(self, stores: StoreFactory) -> None:
        """Of the store and of a tenant's handle; closing again does nothing."""
        store = stores.open_store()
        tenant_store = add_tenant(store, build_tenant(1))
        store.close()
        store.close()
        calls: list[Callable[[], object]] = [
            store.tenants,
            lambda: store.create_tenant(build_tenant(2)),
            lambda: store.tenant_store(build_tenant(1).tenant_id),
            lambda: tenant_store.write(lambda writing: writing.checkpoint()),
            lambda: tenant_store.read().__enter__(),
        ]
        for call in calls:
            with pytest.raises(UnavailableError) as caught:
                call()
            assert caught.value.code == "store_closed"

    def test_a_reading_that_has_ended_answers_no_more(self, stores: StoreFactory) -> None:
        """Its connection serves others by then: `moment_over`, never somebody else's moment."""
        with one_tenant(stores) as tenant_store:
            tenant_store.write(lambda writing: append_event(writing, tenant_store.tenant))
            with tenant_store.read() as reading:
                events = reading.events(Chain.LEDGER)
            kept: list[Writing] = []
            tenant_store.write(kept.append)
            late: list[Callable[[], object]] = [
                lambda: next(events),
                lambda: reading.record(build_record().record_id),
                lambda: reading.records_by_ids([build_record().record_id]),
                lambda: list(reading.dump_views()),
                lambda: kept[0].put_record(build_stored()),
            ]
            for call in late:
                with pytest.raises(FaultError) as caught:
                    call()
                assert caught.value.code == "moment_over"

    def test_an_error_in_a_reading_comes_out_as_it_is(self, stores: StoreFactory) -> None:
        """And the next reading works."""
        with one_tenant(stores) as tenant_store:
            with pytest.raises(LookupError, match="mine"), tenant_store.read():
                raise LookupError("mine")
            with tenant_store.read() as reading:
                assert reading.checkpoint() == 0

    def test_too_many_terms_are_refused(self, stores: StoreFactory) -> None:
        """32 are taken, 33 are not; the error names field and limit."""
        with one_tenant(stores) as tenant_store, tenant_store.read() as reading:
            visible = visible_to(scope_of("user:ana"))
            terms = [f"t{number}" for number in range(QUERY_TERMS_MAX + 1)]
            assert reading.search(visible, terms[:QUERY_TERMS_MAX], ANYTHING, limit=9).hits == ()
            with pytest.raises(InvalidInputError) as caught:
                reading.search(visible, terms, ANYTHING, limit=9)
            assert caught.value.code == "terms_too_many"
            assert caught.value.details == {"field": "terms", "limit": QUERY_TERMS_MAX}

    @pytest.mark.parametrize("nested", ["read", "write"])
    def test_a_work_that_opens_its_own_store_is_refused(self, stores: StoreFactory, nested: str) -> None:
        """`store_nested` at once, not a wait for itself; the store works on."""
        with one_tenant(stores) as tenant_store:

            def work(_writing: Writing) -> None:
                if nested == "write":
                    tenant_store.write(lambda inner: inner.checkpoint())
                else:
                    with tenant_store.read() as reading:
                        reading.checkpoint()

            with pytest.raises(FaultError) as caught:
                tenant_store.write(work)
            assert caught.value.code == "store_nested"
            assert tenant_store.write(lambda writing: writing.checkpoint()) == 0

    def test_errors_show_no_statement_and_no_path(self, stores: StoreFactory) -> None:
        """Whatever a caller does wrong, the message names no table, folder or statement."""
        with one_tenant(stores) as tenant_store:

            def same_event_twice(writing: Writing) -> None:
                writing.append(Chain.LEDGER, append_event(writing, tenant_store.tenant))

            def half_a_pair(writing: Writing) -> None:
                writing.put_mode("bridge", "\ud800", None)

            for work in (same_event_twice, half_a_pair):
                with pytest.raises((HeedfulError, UnicodeEncodeError)) as caught:
                    tenant_store.write(work)
                text = str(caught.value).lower()
                assert not any(word in text for word in ("insert", "select", "sqlite", "/", "_events"))
