"""Back-pressure and repeats of the shared commit, on both engines."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from heedful.adapters.storage.group_commit import (
    RETRIES_MAX,
    RETRY_AFTER_MAX_SECONDS,
    RETRY_AFTER_MIN_SECONDS,
    GroupCommit,
)
from heedful.adapters.storage.postgres.store import PostgresStore
from heedful.adapters.storage.sqlite.store import SqliteStore
from heedful.kernel.errors import BusyError
from heedful.ports.store import Chain, Store, TenantStore, Writing
from heedful.testing.builders import append_event, build_tenant
from heedful.testing.factory import add_tenant

QUEUE_MAX = 3
WAIT_SECONDS = 30.0
TENANT = build_tenant()


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    """A store in which three writes of a tenant may wait."""
    opened: Store
    if request.param == "sqlite":
        opened = SqliteStore.in_memory(write_queue_max=QUEUE_MAX)
    else:
        opened = PostgresStore.open(request.getfixturevalue("database"), write_queue_max=QUEUE_MAX)
    yield opened
    opened.close()


def _append(writing: Writing) -> int:
    return append_event(writing, TENANT).envelope.position


def _writer(store: Any) -> GroupCommit[Any]:
    if isinstance(store, PostgresStore):
        return store.tenant_store(TENANT.tenant_id).writer
    entry = store._pool.borrow(TENANT.tenant_id)
    store._pool.give_back(entry)
    writer: GroupCommit[Any] = entry.database.writer
    return writer


@contextmanager
def _held(tenant_store: TenantStore) -> Iterator[Callable[[], None]]:
    """A block during which another thread is inside a write."""
    entered, released = threading.Event(), threading.Event()

    def hold(_writing: Writing) -> None:
        entered.set()
        released.wait(WAIT_SECONDS)

    thread = threading.Thread(target=tenant_store.write, args=(hold,))
    thread.start()
    assert entered.wait(WAIT_SECONDS)
    yield released.set
    released.set()
    thread.join(WAIT_SECONDS)


def test_a_write_over_the_limit_is_told_at_once_when_to_come_back(store: Store) -> None:
    """`store_busy` with `retry_after_seconds`, while those that wait are done; afterwards there is room again."""
    tenant_store = add_tenant(store, TENANT)
    writer = _writer(store)
    with ThreadPoolExecutor(QUEUE_MAX) as pool:
        with _held(tenant_store) as release:
            waiting: list[Future[int]] = [pool.submit(tenant_store.write, _append) for _ in range(QUEUE_MAX)]
            while len(writer._waiting) < QUEUE_MAX:
                threading.Event().wait(0.001)
            with pytest.raises(BusyError) as caught:
                tenant_store.write(_append)
            release()
        assert sorted(future.result(WAIT_SECONDS) for future in waiting) == [1, 2, 3]
    assert caught.value.code == "store_busy"
    assert caught.value.details["limit"] == QUEUE_MAX
    seconds = caught.value.details["retry_after_seconds"]
    assert isinstance(seconds, float)
    assert RETRY_AFTER_MIN_SECONDS <= seconds <= RETRY_AFTER_MAX_SECONDS
    assert tenant_store.write(_append) == 4


def test_writes_up_to_the_limit_wait(store: Store) -> None:
    """The control: as many as may wait are not refused, and none is lost."""
    tenant_store = add_tenant(store, TENANT)
    with ThreadPoolExecutor(QUEUE_MAX) as pool, _held(tenant_store) as release:
        waiting = [pool.submit(tenant_store.write, _append) for _ in range(QUEUE_MAX)]
        release()
        assert sorted(future.result(WAIT_SECONDS) for future in waiting) == [1, 2, 3]


def test_works_whose_transaction_clashed_are_run_again(database: str) -> None:
    """Once for each clash, all that shared it; what the first runs did is not there."""
    store = PostgresStore.open(database)
    tenant_store = add_tenant(store, TENANT)
    runs: list[str] = []

    def clashing(writing: Writing) -> int:
        runs.append("clashing")
        position = _append(writing)
        if runs.count("clashing") < RETRIES_MAX:
            raise psycopg.errors.DeadlockDetected
        return position

    assert tenant_store.write(clashing) == 1
    assert len(runs) == RETRIES_MAX
    with tenant_store.read() as reading:
        assert reading.head(Chain.LEDGER).position == 1
    store.close()


def test_a_work_that_always_clashes_is_given_up(database: str) -> None:
    """After a named number of repeats: `store_busy`, nothing kept, and the store works on."""
    store = PostgresStore.open(database)
    tenant_store = add_tenant(store, TENANT)
    runs: list[int] = []

    def clashing(writing: Writing) -> None:
        runs.append(_append(writing))
        raise psycopg.errors.SerializationFailure

    with pytest.raises(BusyError) as caught:
        tenant_store.write(clashing)
    assert caught.value.code == "store_busy"
    assert "retry_after_seconds" in caught.value.details
    assert runs == [1] * (RETRIES_MAX + 1)
    assert tenant_store.write(_append) == 1
    store.close()


def test_whoever_is_done_does_not_wait_for_the_next_turn(store: Store) -> None:
    """A caller whose work shared a commit goes on, although the next work has begun and takes its time."""
    tenant_store = add_tenant(store, TENANT)
    entered, released, went_on = threading.Event(), threading.Event(), threading.Event()

    def hold(_writing: Writing) -> None:
        entered.set()
        released.wait(WAIT_SECONDS)

    def lead_twice() -> bool:
        tenant_store.write(hold)
        return tenant_store.write(lambda _writing: went_on.wait(WAIT_SECONDS))

    def share() -> int:
        position = tenant_store.write(_append)
        went_on.set()
        return position

    with ThreadPoolExecutor(2) as pool:
        leading = pool.submit(lead_twice)
        assert entered.wait(WAIT_SECONDS)
        sharing = pool.submit(share)
        while not _writer(store)._waiting:
            threading.Event().wait(0.001)
        released.set()
        assert sharing.result(WAIT_SECONDS) == 1
        assert leading.result(WAIT_SECONDS)


def test_a_caller_that_nobody_wakes_looks_for_itself(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where a signal ended the one who led, right before it would have told the next in turn."""
    tenant_store = add_tenant(store, TENANT)
    entered, released = threading.Event(), threading.Event()
    monkeypatch.setattr(GroupCommit, "_wake_next", lambda _self: None)

    def interrupted(_writing: Writing) -> None:
        entered.set()
        released.wait(WAIT_SECONDS)
        raise KeyboardInterrupt

    def lead() -> None:
        with pytest.raises(KeyboardInterrupt):
            tenant_store.write(interrupted)

    with ThreadPoolExecutor(2) as pool:
        leading = pool.submit(lead)
        assert entered.wait(WAIT_SECONDS)
        waiting = pool.submit(tenant_store.write, _append)
        while not _writer(store)._waiting:
            threading.Event().wait(0.001)
        released.set()
        leading.result(WAIT_SECONDS)
        assert waiting.result(WAIT_SECONDS) == 1
