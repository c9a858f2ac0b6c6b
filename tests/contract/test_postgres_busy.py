"""Busy on PostgreSQL: each cause has a message and a next step of its own, under one code with a time to come back."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import psycopg
import pytest
from psycopg import errors

from heedful.adapters.storage.postgres.connection import Session, connect
from heedful.adapters.storage.postgres.driver_errors import translate
from heedful.adapters.storage.postgres.pool import Pool
from heedful.adapters.storage.postgres.store import PostgresStore
from heedful.adapters.storage.refusals import server_full
from heedful.kernel.errors import BusyError, HeedfulError, UnavailableError
from heedful.ports.store import Reading, Writing
from heedful.testing.builders import append_event, build_tenant
from heedful.testing.factory import add_tenant
from heedful.testing.postgres import PostgresServer, postgres_server

CAUSES: dict[type[psycopg.Error], str] = {
    errors.LockNotAvailable: "another writer held the store",
    errors.QueryCanceled: "ended a statement",
    errors.TooManyConnections: "as many connections as it takes",
    errors.SerializationFailure: "end a clash",
    errors.DeadlockDetected: "end a clash",
}


@pytest.mark.parametrize("cause", CAUSES, ids=lambda cause: cause.__name__)
def test_each_cause_is_told_by_itself(cause: type[psycopg.Error]) -> None:
    """Its own words and none of another's, and only the lock's names the setting for it."""
    busy = translate(cause())
    assert isinstance(busy, BusyError)
    assert busy.code == "store_busy"
    assert [words for words in dict.fromkeys(CAUSES.values()) if words in busy.message] == [CAUSES[cause]]
    assert ("raise lock_wait_seconds" in busy.next_step) is (cause is errors.LockNotAvailable)
    assert busy.details["retry_after_seconds"] > 0  # type: ignore[operator]


def test_a_connection_that_broke_is_a_store_out_of_reach_and_no_fault() -> None:
    """The client library's own error has no SQLSTATE. The control: one that the server sent has, and is a fault."""
    assert translate(psycopg.DatabaseError("server closed the connection unexpectedly")).code == "store_unavailable"
    assert translate(errors.UniqueViolation("duplicate key")).code == "store_fault"


def _session(reading: Reading) -> Session:
    session = reading._session  # type: ignore[attr-defined]
    assert isinstance(session, Session)
    return session


def test_a_statement_that_takes_too_long_is_no_lock(database: str) -> None:
    """The server ends it. The control: one that is quicker is answered."""
    store = PostgresStore.open(database)
    tenant_store = add_tenant(store, build_tenant())
    with tenant_store.read() as reading:
        assert _session(reading).rows("SELECT pg_sleep(0)")
    with pytest.raises(BusyError, match="ended a statement") as caught, tenant_store.read() as reading:
        _session(reading).run_all("SET LOCAL statement_timeout = 20; SELECT pg_sleep(30)")
    assert "lock_wait_seconds" not in caught.value.message + caught.value.next_step
    store.close()


def test_connections_that_are_all_in_use_are_no_lock(database: str) -> None:
    """The limit is in its details. The control: one more connection, and it is answered."""
    for connections_max in (1, 2):
        store = PostgresStore.open(database, connections_max=connections_max, lock_wait_seconds=0.2)
        if not store.tenants():
            store.create_tenant(build_tenant())
        tenant_store = store.tenant_store(build_tenant().tenant_id)
        with tenant_store.read():
            if connections_max == 1:
                with pytest.raises(BusyError, match="all 1 connections of this process") as caught:
                    tenant_store.read().__enter__()
                assert caught.value.details["limit"] == 1
                assert "raise lock_wait_seconds" not in caught.value.next_step
            else:
                with tenant_store.read() as reading:
                    assert reading.checkpoint() == 0
        store.close()


def test_a_lock_that_another_process_holds_is_told_as_one(database: str) -> None:
    """And its next step names the setting."""
    first, second = PostgresStore.open(database), PostgresStore.open(database, lock_wait_seconds=0.2)
    tenant = build_tenant()
    add_tenant(first, tenant)
    entered, released = threading.Event(), threading.Event()

    def hold(_writing: Writing) -> None:
        entered.set()
        released.wait(30)

    with ThreadPoolExecutor(1) as pool:
        holding = pool.submit(first.tenant_store(tenant.tenant_id).write, hold)
        assert entered.wait(30)
        with pytest.raises(BusyError, match="another writer held the store") as caught:
            second.tenant_store(tenant.tenant_id).write(lambda writing: append_event(writing, tenant))
        released.set()
        holding.result(30)
    assert "raise lock_wait_seconds" in caught.value.next_step
    first.close()
    second.close()


def _refused(dsn: str) -> tuple[str, str]:
    """The code and the message of the error with which no connection is made."""
    with pytest.raises(HeedfulError) as caught:
        connect(dsn)
    return caught.value.code, caught.value.message


@pytest.mark.parametrize("of", ["DATABASE", "ROLE"])
def test_a_database_or_role_that_takes_no_more_connections_is_busy_and_refuses_nobody(
    postgres: PostgresServer, database: str, of: str
) -> None:
    """`store_busy` with a time to come back, for a store that is open too. The controls: below the limit, and a wrong
    password under it."""
    name = database.rpartition("/")[2]
    guest = database.replace(database.partition("//")[2].partition("@")[0], f"{name}:guest")
    postgres.run_sql("postgres", f"CREATE ROLE {name} LOGIN PASSWORD 'guest'")
    connect(guest).close()
    store = PostgresStore.open(database)
    while store._pool._idle:
        store._pool._idle.pop().close()

    postgres.run_sql("postgres", f"ALTER {of} {name} CONNECTION LIMIT 0")
    with pytest.raises(BusyError, match="as many connections as it takes") as caught:
        connect(guest)
    assert caught.value.code == "store_busy"
    assert caught.value.details["retry_after_seconds"] > 0  # type: ignore[operator]
    assert "try again" in caught.value.next_step
    if of == "DATABASE":
        with pytest.raises(BusyError, match="as many connections as it takes"):
            store.tenants()
    assert _refused(guest.replace(":guest@", ":wrong@"))[0] == "database_refused"

    postgres.run_sql("postgres", f"ALTER {of} {name} CONNECTION LIMIT 1")
    connect(guest).close()
    assert store.tenants() == ()
    store.close()
    postgres.run_sql("postgres", f"DROP ROLE {name}")


def test_a_server_that_takes_no_more_connections_is_busy() -> None:
    """Whether the last places are kept for others, or all are taken: also before it asks for a password."""
    with postgres_server(settings={"max_connections": "4", "superuser_reserved_connections": "2"}) as server:
        dsn = server.create_database()
        held = [connect(dsn), connect(dsn)]
        told = [_refused(dsn)]
        superuser = server.superuser_dsn(dsn.rpartition("/")[2])
        held += [connect(superuser), connect(superuser)]
        told += [_refused(dsn), _refused(superuser)]
        assert told == [("store_busy", server_full().message)] * 3
        for each in held:
            each.close()


def test_a_name_that_reads_as_if_the_server_were_full_is_refused(database: str) -> None:
    """The server's words are looked at where they begin: what it quotes is the caller's."""
    name = "too many connections for role"
    for dsn in (database.replace("://heedful:", f"://{quote(name)}:"), f"{database}{quote(name)}"):
        assert _refused(dsn)[0] == "database_refused"


def test_connections_that_end_one_after_another_are_a_database_that_is_not_there(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`store_unavailable`, after as many tries as connections are kept, and none of them is left over."""
    store = PostgresStore.open(database)
    pool = store._pool
    monkeypatch.setattr("heedful.adapters.storage.postgres.pool.IDLE_CONNECTIONS_MAX", 2)
    with psycopg.connect(database) as ended:
        pass
    pool._idle = [ended] * 3
    assert isinstance(pool, Pool)
    with pytest.raises(UnavailableError, match="one after another") as caught:
        pool.begin("BEGIN")
    assert caught.value.code == "store_unavailable"
    assert pool._idle == []
    assert len(store.tenants()) == 0
    store.close()
