"""What other processes do in the contract suite. Imports neither pytest nor hypothesis: each process starts anew."""

from __future__ import annotations

import multiprocessing
import time
from functools import partial

from heedful.kernel.errors import ConflictError
from heedful.ledger.verify import verify_chain
from heedful.ports.store import Chain, Reading, TenantStore, Writing
from heedful.testing.builders import append_event, build_record, build_tenant, remember
from heedful.testing.factory import StoreFactory, opened

LOCK_HELD_SECONDS = 3.0
WRITES_EACH = 10


def remember_next(tenant_store: TenantStore, number: int, writing: Writing) -> int:
    """The position of record `number`, remembered at the head that is there."""
    return remember(writing, tenant_store.tenant, build_record(number), tokens=["bees", f"n{number}"])


def check_whole(reading: Reading, count: int) -> None:
    """The ledger has `count` events, without gap, and its chain verifies up to the stored head."""
    head = reading.head(Chain.LEDGER)
    tenant_id = build_tenant().tenant_id
    verification = verify_chain(reading.events(Chain.LEDGER), tenant_id=tenant_id, expected_head=head)
    assert verification.broken is None
    assert verification.event_count == head.position == count


def write_some(stores: StoreFactory, process_number: int, reports: multiprocessing.Queue[str]) -> None:
    """Some records are remembered, each looked for at once."""
    with opened(stores) as store:
        tenant_store = store.tenant_store(build_tenant().tenant_id)
        for number in range(WRITES_EACH):
            own = process_number * WRITES_EACH + number
            tenant_store.write(partial(remember_next, tenant_store, own))
            with tenant_store.read() as reading:
                assert reading.record(build_record(own).record_id) is not None
                check_whole(reading, reading.head(Chain.LEDGER).position)
    reports.put("ok")


def open_and_create(stores: StoreFactory, _number: int, reports: multiprocessing.Queue[str]) -> None:
    """The store is opened, the tenant made or found, and one event appended."""
    with opened(stores) as store:
        try:
            store.create_tenant(build_tenant())
            report = "made"
        except ConflictError:
            report = "taken"
        tenant_store = store.tenant_store(build_tenant().tenant_id)
        tenant_store.write(lambda writing: append_event(writing, tenant_store.tenant))
    reports.put(report)


def hold_lock(stores: StoreFactory, reports: multiprocessing.Queue[str]) -> None:
    """One event is appended by a work that takes LOCK_HELD_SECONDS."""
    with opened(stores) as store:
        tenant_store = store.tenant_store(build_tenant().tenant_id)

        def work(writing: Writing) -> None:
            append_event(writing, tenant_store.tenant)
            reports.put("held")
            time.sleep(LOCK_HELD_SECONDS)

        tenant_store.write(work)
