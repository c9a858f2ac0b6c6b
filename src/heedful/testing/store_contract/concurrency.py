"""Concurrency: threads and processes that write and read at once."""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from heedful.kernel.errors import BusyError, ConflictError
from heedful.ports.store import Chain, TenantStore, Writing
from heedful.testing.builders import ANYTHING, append_event, build_record, build_tenant, scope_of, visible_to
from heedful.testing.factory import StoreFactory, add_tenant, one_tenant, opened
from heedful.testing.processes import (
    LOCK_HELD_SECONDS,
    WRITES_EACH,
    check_whole,
    hold_lock,
    open_and_create,
    remember_next,
    write_some,
)

WRITERS = 24
PROCESSES = 4
WAIT_SECONDS = 60.0
_spawn = multiprocessing.get_context("spawn")


class TestThreads:
    """Several threads of one process."""

    def test_writers_never_interleave_and_lose_nothing(self, stores: StoreFactory) -> None:
        """Positions 1 to n, each once, a chain that verifies, and what each work returned."""
        with one_tenant(stores) as tenant_store:
            with ThreadPoolExecutor(WRITERS) as pool:
                works = [partial(remember_next, tenant_store, number) for number in range(WRITERS * WRITES_EACH)]
                positions = list(pool.map(tenant_store.write, works))
            with tenant_store.read() as reading:
                check_whole(reading, len(works))
                assert sorted(positions) == list(range(1, len(works) + 1))
                assert reading.counts()["records"] == len(works)
                found = reading.search(visible_to(scope_of("user:ana")), ["bees"], ANYTHING, limit=9)
                assert found.term_counts == {"bees": len(works)}

    def test_a_failing_work_does_not_spoil_its_neighbours(self, stores: StoreFactory) -> None:
        """Those that share a commit with it are kept, whole; of it nothing is, and each gets its own error."""
        with one_tenant(stores) as tenant_store:

            def attempt(number: int) -> int | str:
                def work(writing: Writing) -> int:
                    position = remember_next(tenant_store, number, writing)
                    if number % 3 == 0:
                        raise LookupError(str(number))
                    return position

                try:
                    return tenant_store.write(work)
                except LookupError as error:
                    return str(error)

            with _held(tenant_store) as release, ThreadPoolExecutor(WRITERS) as pool:
                futures = [pool.submit(attempt, number) for number in range(WRITERS)]
                time.sleep(0.2)
                release()
                results = [future.result(WAIT_SECONDS) for future in futures]
            failed = [number for number in range(WRITERS) if number % 3 == 0]
            assert [results[number] for number in failed] == [str(number) for number in failed]
            kept = [result for result in results if isinstance(result, int)]
            with tenant_store.read() as reading:
                check_whole(reading, WRITERS - len(failed))
                assert sorted(kept) == list(range(1, len(kept) + 1))
                for number in range(WRITERS):
                    is_there = reading.record(build_record(number).record_id) is not None
                    assert is_there == (number not in failed)

    def test_a_reader_never_sees_a_position_before_those_below_it(self, stores: StoreFactory) -> None:
        """Every reading is a whole beginning of the chain, with views that stand where it ends."""
        with one_tenant(stores) as tenant_store:
            done = threading.Event()

            def watch() -> int:
                readings = 0
                while not done.is_set() or not readings:
                    with tenant_store.read() as reading:
                        head = reading.head(Chain.LEDGER).position
                        check_whole(reading, head)
                        assert reading.checkpoint() == head
                        assert reading.counts()["records"] == head
                    readings += 1
                return readings

            with ThreadPoolExecutor(6) as pool:
                watchers = [pool.submit(watch) for _ in range(2)]
                writers = [
                    pool.submit(tenant_store.write, partial(remember_next, tenant_store, number))
                    for number in range(60)
                ]
                for writer in writers:
                    writer.result(WAIT_SECONDS)
                done.set()
                assert all(watcher.result(WAIT_SECONDS) for watcher in watchers)

    def test_a_writer_that_waits_too_long_is_told_so(self, stores: StoreFactory) -> None:
        """`store_busy` after lock_wait_seconds, with a time to come back; what it wanted is not done later."""
        with opened(stores, lock_wait_seconds=0.3) as store:
            tenant_store = add_tenant(store, build_tenant())
            with _held(tenant_store):
                began = time.monotonic()
                with pytest.raises(BusyError) as caught:
                    tenant_store.write(lambda writing: append_event(writing, tenant_store.tenant))
                assert caught.value.code == "store_busy"
                assert caught.value.details["retry_after_seconds"] > 0  # type: ignore[operator]
                assert 0.2 < time.monotonic() - began < 5
            with tenant_store.read() as reading:
                assert reading.head(Chain.LEDGER).position == 0

    def test_of_two_that_seal_for_one_position_one_is_refused(self, stores: StoreFactory) -> None:
        """The head is checked in the transaction, not when it was read."""
        with one_tenant(stores) as tenant_store:
            with tenant_store.read() as reading:
                head = reading.head(Chain.LEDGER)
            from_here = [
                partial(_append_at, head_position=head.position, store=tenant_store, label=f"w{n}") for n in (1, 2)
            ]
            tenant_store.write(from_here[0])
            with pytest.raises(ConflictError):
                tenant_store.write(from_here[1])


class TestProcesses:
    """Several processes on one store."""

    def test_processes_write_and_read_at_once_and_lose_nothing(self, shared_stores: StoreFactory) -> None:
        """No error, no gap, no lost write: all that each acknowledged is there."""
        with opened(shared_stores) as store:
            tenant_store = add_tenant(store, build_tenant())
            reports = _run_processes(write_some, shared_stores, PROCESSES)
            assert reports == ["ok"] * PROCESSES
            with tenant_store.read() as reading:
                check_whole(reading, PROCESSES * WRITES_EACH)
                assert reading.counts()["records"] == PROCESSES * WRITES_EACH

    def test_processes_that_open_a_new_store_at_once_all_succeed(self, shared_stores: StoreFactory) -> None:
        """They race to make and migrate its files; one tenant is made, the others are told that it is taken."""
        reports = _run_processes(open_and_create, shared_stores, PROCESSES)
        assert sorted(reports) == ["made"] + ["taken"] * (PROCESSES - 1)
        with opened(shared_stores) as store, store.tenant_store(build_tenant().tenant_id).read() as reading:
            check_whole(reading, PROCESSES)

    def test_writers_outlast_another_process_that_holds_the_lock(self, shared_stores: StoreFactory) -> None:
        """24 threads wait 3 seconds for it, and none of their writes is lost or refused."""
        with opened(shared_stores) as store:
            tenant_store = add_tenant(store, build_tenant())
            reports = _spawn.Queue()
            holder = _spawn.Process(target=hold_lock, args=(shared_stores, reports))
            holder.start()
            assert reports.get(timeout=WAIT_SECONDS) == "held"
            began = time.monotonic()
            with ThreadPoolExecutor(WRITERS) as pool:
                works = [partial(remember_next, tenant_store, number) for number in range(WRITERS)]
                positions = list(pool.map(tenant_store.write, works))
            assert time.monotonic() - began > LOCK_HELD_SECONDS / 2
            holder.join(WAIT_SECONDS)
            assert holder.exitcode == 0
            assert sorted(positions) == list(range(2, WRITERS + 2))
            with tenant_store.read() as reading:
                check_whole(reading, WRITERS + 1)


def _append_at(writing: Writing, *, head_position: int, store: TenantStore, label: str) -> None:
    sealed = append_event(writing, store.tenant, label=label)
    if sealed.envelope.position != head_position + 1:
        raise ConflictError("position_taken", "the head has moved")


class _held:  # noqa: N801  # reads as what it is: a block
    """A block during which another thread is inside a write of the tenant, until `release` or the block's end."""

    def __init__(self, tenant_store: TenantStore) -> None:
        self._tenant_store = tenant_store
        self._entered = threading.Event()
        self._released = threading.Event()
        self._thread = threading.Thread(target=tenant_store.write, args=(self._hold,))

    def _hold(self, _writing: Writing) -> None:
        self._entered.set()
        self._released.wait(WAIT_SECONDS)

    def __enter__(self) -> Callable[[], None]:
        self._thread.start()
        assert self._entered.wait(WAIT_SECONDS)
        return self._released.set

    def __exit__(self, *_error: object) -> None:
        self._released.set()
        self._thread.join(WAIT_SECONDS)


def _run_processes(target: Callable[..., None], stores: StoreFactory, count: int) -> list[str]:
    reports = _spawn.Queue()
    processes = [_spawn.Process(target=target, args=(stores, number, reports)) for number in range(count)]
    for process in processes:
        process.start()
    found = [reports.get(timeout=WAIT_SECONDS) for _ in processes]
    for process in processes:
        process.join(WAIT_SECONDS)
    return found
