"""Servers that go away, may lose what they acknowledge, or lack what Heedful needs: each test has its own."""

from __future__ import annotations

import pytest

from heedful.adapters.storage.postgres.store import PostgresStore
from heedful.kernel.errors import HeedfulError, UnavailableError
from heedful.ports.store import Chain, Writing
from heedful.testing.builders import append_event, build_tenant
from heedful.testing.factory import add_tenant
from heedful.testing.postgres import postgres_server

ANA = build_tenant(1)


def _append(writing: Writing) -> int:
    return append_event(writing, ANA).envelope.position


def test_a_server_that_is_restarted_is_found_again() -> None:
    """While it is away every call is `store_unavailable`; then the same store reads and writes on, nothing lost."""
    with postgres_server() as server:
        store = PostgresStore.open(server.create_database())
        tenant_store = add_tenant(store, ANA)
        assert tenant_store.write(_append) == 1
        server.kill()
        calls = [lambda: tenant_store.write(_append), lambda: tenant_store.read().__enter__(), store.tenants]
        for call in calls:
            with pytest.raises(UnavailableError) as caught:
                call()
            assert caught.value.code == "store_unavailable"
            assert "127.0.0.1" not in str(caught.value.to_dict())
        server.start()
        assert tenant_store.write(_append) == 2
        with tenant_store.read() as reading:
            assert reading.head(Chain.LEDGER).position == 2
        store.close()


@pytest.mark.parametrize("setting", ["fsync", "full_page_writes"])
def test_a_server_that_may_lose_what_it_acknowledges_is_refused(setting: str) -> None:
    """`server_unfit`, naming the setting; the control: asked for in so many words, it is opened."""
    with postgres_server(settings={setting: "off"}) as server:
        dsn = server.create_database()
        with pytest.raises(HeedfulError) as caught:
            PostgresStore.open(dsn)
        assert (caught.value.code, caught.value.details) == ("server_unfit", {"field": setting})
        PostgresStore.open(dsn, needs_sync=False).close()


def test_a_role_that_passes_by_row_level_security_is_refused() -> None:
    """`role_bypasses`; the control: without that right it is opened."""
    with postgres_server() as server:
        dsn = server.create_database()
        PostgresStore.open(dsn).close()
        server.run_sql("postgres", "ALTER ROLE heedful_app BYPASSRLS")
        with pytest.raises(HeedfulError) as caught:
            PostgresStore.open(dsn)
        assert caught.value.code == "role_bypasses"


def test_roles_are_made_by_one_who_may_and_asked_for_by_one_who_may_not() -> None:
    """A superuser's first opening makes them; without the right the error says what is to be done."""
    with postgres_server() as server:
        dsn = server.create_database()
        name = dsn.rpartition("/")[2]
        server.run_sql("postgres", "DROP ROLE heedful_app", "DROP ROLE heedful_control")
        with pytest.raises(UnavailableError) as caught:
            PostgresStore.open(dsn)
        assert caught.value.code == "store_unavailable"
        assert "superuser" in caught.value.next_step
        store = PostgresStore.open(server.superuser_dsn(name))
        assert add_tenant(store, ANA).write(_append) == 1
        store.close()
