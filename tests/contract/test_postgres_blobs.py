"""Blobs in the database: mended, apart by tenant, shared by all processes, an error where the database is away."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from heedful.adapters.storage.postgres.blobs import PostgresBlobs
from heedful.adapters.storage.postgres.store import PostgresStore
from heedful.kernel.errors import NotFoundError, UnavailableError
from heedful.kernel.ids import TenantId
from heedful.testing.builders import build_tenant
from heedful.testing.postgres import PostgresServer

ANA, BEN = build_tenant(1).tenant_id, build_tenant(2).tenant_id


@pytest.fixture
def store(database: str) -> Iterator[PostgresStore]:
    """A store of two tenants."""
    opened = PostgresStore.open(database)
    for number in (1, 2):
        opened.create_tenant(build_tenant(number))
    yield opened
    opened.close()


@pytest.mark.parametrize("damage", [b"", b"firsT", b"first and more"])
def test_a_damaged_blob_is_mended_when_its_content_is_put_again(
    store: PostgresStore, database: str, postgres: PostgresServer, damage: bytes
) -> None:
    """Never acknowledged on the strength of a name alone."""
    blobs = PostgresBlobs(store)
    blobs.put(ANA, "name", b"first")
    with psycopg.connect(postgres.superuser_dsn(database.rpartition("/")[2])) as connection:
        connection.execute("UPDATE heedful.blobs SET content = %s", (damage,))
    assert blobs.get(ANA, "name") == damage, "the control: the damage is there"
    blobs.put(ANA, "name", b"first")
    assert blobs.get(ANA, "name") == b"first"


def test_putting_a_name_again_writes_nothing(store: PostgresStore, database: str, postgres: PostgresServer) -> None:
    """The row that is there stays, the very same. The control: other content makes it another."""
    blobs = PostgresBlobs(store)
    places: list[object] = []
    for content in (b"first", b"first", b"other"):
        blobs.put(ANA, "name", content)
        with psycopg.connect(postgres.superuser_dsn(database.rpartition("/")[2])) as connection:
            places.append(connection.execute("SELECT ctid::text FROM heedful.blobs").fetchall())
    assert places[0] == places[1] != places[2]


def test_another_process_finds_it_and_another_tenant_does_not(store: PostgresStore, database: str) -> None:
    """Whole, from another store on the same database; under the same name each tenant has its own."""
    PostgresBlobs(store).put(ANA, "name", b"\x00\xff" * 100_000)
    other = PostgresStore.open(database)
    blobs = PostgresBlobs(other)
    assert blobs.get(ANA, "name") == b"\x00\xff" * 100_000
    with pytest.raises(NotFoundError):
        blobs.get(BEN, "name")
    blobs.put(BEN, "name", b"ben's")
    assert (blobs.get(BEN, "name"), len(blobs.get(ANA, "name"))) == (b"ben's", 200_000)
    other.close()


def test_a_tenant_that_is_not_there_has_no_blobs_and_gets_none(store: PostgresStore) -> None:
    """`blob_not_found` to read, `blob_store_unavailable` to write."""
    blobs = PostgresBlobs(store)
    with pytest.raises(NotFoundError) as missing:
        blobs.get(TenantId("nobody"), "name")
    assert missing.value.code == "blob_not_found"
    with pytest.raises(UnavailableError) as refused:
        blobs.put(TenantId("nobody"), "name", b"x")
    assert refused.value.code == "blob_store_unavailable"


def test_a_database_that_is_away_is_an_error_and_not_a_missing_blob(store: PostgresStore) -> None:
    """`blob_store_unavailable` for both, after the store was closed."""
    blobs = PostgresBlobs(store)
    blobs.put(ANA, "name", b"x")
    store.close()
    for call in (lambda: blobs.get(ANA, "name"), lambda: blobs.put(ANA, "name", b"x")):
        with pytest.raises(UnavailableError) as caught:
            call()
        assert caught.value.code == "blob_store_unavailable"
