"""Tens of thousands of scopes in one tenant: all can be asked for at once, and what is kept of them is bounded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from heedful.adapters.storage.sqlite import statements
from heedful.adapters.storage.sqlite.statements import SCOPES_BOUND_MAX, SCOPES_KNOWN_MAX, learn
from heedful.adapters.storage.sqlite.store import SqliteStore
from heedful.claims.claim import ClaimStatus
from heedful.kernel.ladder import Tier
from heedful.kernel.scope import Scope
from heedful.ports.store import TenantStore, VectorRow, Writing
from heedful.testing.builders import ANYTHING, build_claim, build_search_row, build_tenant, scope_of, visible_to
from heedful.testing.factory import add_tenant

# More than SQLite binds in one statement.
SCOPES = 33_000


@pytest.fixture(scope="module", name="tenant_store")
def tenant_store_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TenantStore]:
    """A row in each of many scopes, a vector of each, and a claim in the last."""
    store = SqliteStore.open(tmp_path_factory.mktemp("scopes"))
    tenant_store = add_tenant(store, build_tenant())

    def fill(writing: Writing) -> None:
        for number, scope in enumerate(scopes(), 1):
            writing.put_search_row(build_search_row(number, ("bees", f"w{number}"), scope=scope), ())
        writing.put_vectors("m/1", [VectorRow(number, b"\x01") for number in range(1, SCOPES + 1)])
        writing.put_claim(build_claim(1, scope=scopes()[-1]))

    tenant_store.write(fill)
    yield tenant_store
    store.close()


def scopes() -> list[Scope]:
    """The scopes that there are."""
    return [scope_of(f"user:u{number}") for number in range(SCOPES)]


def test_all_of_them_can_be_searched_at_once(tenant_store: TenantStore) -> None:
    """By words, by vectors, for claims, and counted."""
    with tenant_store.read() as reading:
        everything = visible_to(*scopes())
        found = reading.search(everything, [f"w{SCOPES}"], ANYTHING, limit=9)
        assert ([hit.position for hit in found.hits], found.visible_count) == ([SCOPES], SCOPES)
        assert [hit.position for hit in reading.nearest(everything, "m/1", b"\x01", ANYTHING, limit=1)] == [SCOPES]
        assert reading.visible_position(everything) == SCOPES
        claims = reading.claims(
            everything,
            statuses=(ClaimStatus.ACTIVE,),
            kinds=None,
            visibility=None,
            tier_min=Tier.UNVERIFIED,
            valid_at_us=None,
            limit=9,
        )
        assert len(claims) == 1
        assert len(reading.scopes()) == SCOPES


def test_a_few_of_them_are_searched_alike_however_they_are_bound(tenant_store: TenantStore) -> None:
    """On both sides of the number up to which each is bound by itself."""
    with tenant_store.read() as reading:
        for count in (SCOPES_BOUND_MAX, SCOPES_BOUND_MAX + 1):
            found = reading.search(visible_to(*scopes()[:count]), ["bees", "w7"], ANYTHING, limit=3)
            assert [hit.position for hit in found.hits] == [count, count - 1, 7]
            assert found.term_counts == {"bees": count, "w7": 1}


def test_a_connection_keeps_a_bounded_number_of_scopes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it reads or writes; and what it has not kept it finds again."""
    monkeypatch.setattr(statements, "SCOPES_KNOWN_MAX", 10)
    known: dict[str, int] = {}
    for number in range(100):
        learn(known, [(str(number), number)])
        assert len(known) <= 10
    learn(known, [(str(number), number) for number in range(100)])
    assert len(known) == 10
    store = SqliteStore.open(tmp_path)
    tenant_store = add_tenant(store, build_tenant())
    few = scopes()[:40]
    for number, scope in enumerate(few, 1):
        row = build_search_row(number, scope=scope)
        tenant_store.write(lambda writing, row=row: writing.put_search_row(row, ()))  # type: ignore[misc]
    with tenant_store.read() as reading:
        for _ in range(2):
            assert reading.visible_position(visible_to(*few)) == 40
            assert [reading.visible_position(visible_to(scope)) for scope in few] == [1] * 40
    store.close()
    assert SCOPES_KNOWN_MAX == 20_000
