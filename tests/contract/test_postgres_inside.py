"""What only PostgreSQL has: connections that know nothing of the last caller, servers that end, commits in doubt."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from heedful.adapters.storage.postgres.connection import Session, settle
from heedful.adapters.storage.postgres.store import PostgresStore, PostgresTenantStore
from heedful.kernel.errors import BusyError, HeedfulError, InvalidInputError, UnavailableError
from heedful.ports.store import Chain, Reading, Writing
from heedful.testing.builders import append_event, build_record, build_stored, build_tenant
from heedful.testing.factory import add_tenant
from heedful.testing.postgres import PostgresServer

ANA, BEN = build_tenant(1), build_tenant(2)
WHO = "SELECT current_setting('heedful.tenant_id', true), current_user = session_user, current_setting('search_path')"


@pytest.fixture
def store(database: str) -> Iterator[PostgresStore]:
    """A store of two tenants that keeps one connection, so that every call has the one before it."""
    opened = PostgresStore.open(database, connections_max=1, lock_wait_seconds=1.0)
    for tenant in (ANA, BEN):
        opened.create_tenant(tenant)
    yield opened
    opened.close()


def _handle(store: PostgresStore, number: int = 1) -> PostgresTenantStore:
    return store.tenant_store(build_tenant(number).tenant_id)


def _session(reading: Reading) -> Session:
    session = reading._session  # type: ignore[attr-defined]
    assert isinstance(session, Session)
    return session


def _append(writing: Writing) -> int:
    return append_event(writing, ANA).envelope.position


def _idle_connection(store: PostgresStore) -> psycopg.Connection[tuple[object, ...]]:
    (connection,) = store._pool._idle
    settle(connection)
    return connection


def _leave_well(store: PostgresStore) -> None:
    with _handle(store).read() as reading:
        reading.counts()


def _leave_by_an_error(store: PostgresStore) -> None:
    with pytest.raises(LookupError), _handle(store).read():
        raise LookupError


def _leave_by_a_failed_statement(store: PostgresStore) -> None:
    with pytest.raises(HeedfulError), _handle(store).read() as reading:
        _session(reading).rows("SELECT 1 / 0")


def _leave_by_a_timeout(store: PostgresStore) -> None:
    def sleep_too_long() -> None:
        with _handle(store).read() as reading:
            _session(reading).run("SET LOCAL statement_timeout = 1")
            _session(reading).rows("SELECT pg_sleep(5)")

    with pytest.raises(BusyError):
        sleep_too_long()


def _leave_by_a_cancel(store: PostgresStore) -> None:
    def sleep_until_cancelled() -> None:
        with _handle(store).read() as reading:
            session = _session(reading)
            timer = threading.Timer(0.1, session.connection.cancel)
            timer.start()
            session.rows("SELECT pg_sleep(30)")

    with pytest.raises(BusyError):
        sleep_until_cancelled()


def _leave_a_write_by_an_error(store: PostgresStore) -> None:
    def work(writing: Writing) -> None:
        _append(writing)
        raise LookupError

    with pytest.raises(LookupError):
        _handle(store).write(work)


@pytest.mark.parametrize(
    "leave",
    [
        _leave_well,
        _leave_by_an_error,
        _leave_by_a_failed_statement,
        _leave_by_a_timeout,
        _leave_by_a_cancel,
        _leave_a_write_by_an_error,
    ],
)
def test_a_connection_that_comes_back_knows_nothing_of_who_had_it(store: PostgresStore, leave: object) -> None:
    """Neither tenant nor role nor search path. The control: inside of the block it knows all three."""
    with _handle(store).read() as reading:
        ((tenant, is_itself, path),) = _session(reading).rows(WHO)
        assert tenant != ""
        assert not is_itself
        assert "heedful" in path
    assert callable(leave)
    leave(store)
    connection = _idle_connection(store)
    row = connection.execute(WHO).fetchone()
    assert row is not None
    assert row[0] in (None, "")
    assert row[1]
    assert "heedful" not in str(row[2])
    with _handle(store, 2).read() as reading:
        assert reading.head(Chain.LEDGER).position == 0
        assert reading.record(build_record(1).record_id) is None


def test_a_second_process_that_holds_the_lock_is_waited_for_and_then_reported(database: str) -> None:
    """`store_busy` with a time to come back, after lock_wait_seconds; nothing is done later."""
    first, second = PostgresStore.open(database), PostgresStore.open(database, lock_wait_seconds=0.2)
    add_tenant(first, ANA)
    entered, released = threading.Event(), threading.Event()

    def hold(writing: Writing) -> int:
        entered.set()
        released.wait(30)
        return _append(writing)

    with ThreadPoolExecutor(1) as pool:
        holding = pool.submit(_handle(first).write, hold)
        assert entered.wait(30)
        with pytest.raises(BusyError) as caught:
            _handle(second).write(_append)
        released.set()
        assert holding.result(30) == 1
    assert caught.value.code == "store_busy"
    assert caught.value.details["retry_after_seconds"] == 1.0
    assert _handle(second).write(_append) == 2
    first.close()
    second.close()


def test_more_callers_than_connections_take_turns(database: str) -> None:
    """None is refused while it waits no longer than it may, and no connection is left over."""
    store = PostgresStore.open(database, connections_max=2)
    tenant_store = add_tenant(store, ANA)

    def look(_number: int) -> int:
        with tenant_store.read() as reading:
            return reading.head(Chain.LEDGER).position

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(look, range(40))) == [0] * 40
    assert len(store._pool._idle) <= 2
    store.close()
    assert store._pool._idle == []


def test_a_caller_that_gets_no_connection_is_told_so(store: PostgresStore) -> None:
    """`store_busy` after lock_wait_seconds, and the next one gets it."""
    with _handle(store).read(), pytest.raises(BusyError):
        _handle(store, 2).read().__enter__()
    _leave_well(store)


def test_connections_that_the_server_ended_are_replaced(store: PostgresStore, database: str) -> None:
    """The next reading and the next write work, without an error in between."""
    for again in range(2):
        _leave_well(store)
        _idle_connection(store)
        with psycopg.connect(database, autocommit=True) as other:
            other.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        if again:
            assert _handle(store).write(_append) == 1
        _leave_well(store)


def test_a_commit_that_was_never_answered_is_not_reported_as_done(store: PostgresStore, database: str) -> None:
    """`commit_unknown`, never success; the next write goes on from what is there."""

    def work(writing: Writing) -> None:
        _append(writing)
        process_id = _session(writing).connection.info.backend_pid
        with psycopg.connect(database, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s)", (process_id,))

    with pytest.raises(UnavailableError) as caught:
        _handle(store).write(work)
    assert caught.value.code == "commit_unknown"
    with _handle(store).read() as reading:
        position = reading.head(Chain.LEDGER).position
    assert _handle(store).write(_append) == position + 1


def test_commits_are_synchronous_whatever_the_role_has_set(database: str, postgres: PostgresServer) -> None:
    """`on` in every transaction that writes. The control: outside of one it is what was set for the database."""
    name = database.rpartition("/")[2]
    postgres.run_sql("postgres", f"ALTER DATABASE {name} SET synchronous_commit = off")
    store = PostgresStore.open(database)
    tenant_store = add_tenant(store, ANA)
    asked = "SELECT current_setting('synchronous_commit')"
    assert tenant_store.write(lambda writing: _session(writing).rows(asked)) == [("on",)]
    assert _idle_connection(store).execute(asked).fetchone() == ("off",)
    store.close()


def test_a_value_that_no_index_takes_is_refused_and_nothing_kept(store: PostgresStore) -> None:
    """`value_too_big`: an id of many kilobytes of noise; the next write works."""
    long = "".join(chr(0x4E00 + n * 7919 % 20_000) for n in range(4_000))

    def work(writing: Writing) -> None:
        _append(writing)
        writing.put_record(build_stored(1, record_id=long))

    with pytest.raises(InvalidInputError) as caught:
        _handle(store).write(work)
    assert caught.value.code == "value_too_big"
    assert _handle(store).write(_append) == 1


def test_a_forked_child_opens_its_own_connections(database: str) -> None:
    """It reads and writes beside its parent, and the parent's connections work on."""
    store = PostgresStore.open(database)
    tenant_store = add_tenant(store, ANA)
    assert tenant_store.write(_append) == 1
    child = os.fork()
    if child == 0:
        code = 1
        try:
            tenant_store.write(_append)
            with tenant_store.read() as reading:
                code = 0 if reading.head(Chain.LEDGER).position == 2 else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert tenant_store.write(_append) == 3
    store.close()


def test_the_first_owner_of_a_database_stays(database: str) -> None:
    """None at first; then what was claimed first, whoever claims later."""
    store = PostgresStore.open(database)
    assert store.store_id() is None
    assert store.own("s-1") == "s-1"
    assert store.own("s-2") == "s-1"
    store.close()
    again = PostgresStore.open(database)
    assert again.store_id() == "s-1"
    again.close()
