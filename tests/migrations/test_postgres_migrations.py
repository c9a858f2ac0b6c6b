"""The PostgreSQL schema is the sum of its migrations, and opening a store brings it there once, whoever else opens it."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib import resources
from typing import Any
from uuid import UUID

import psycopg
import pytest
import released

from heedful.adapters.storage.codec import encode_body, names_of_record, short_key
from heedful.adapters.storage.migrate import Migration, load_migrations
from heedful.adapters.storage.postgres import schema
from heedful.adapters.storage.postgres.store import PostgresStore
from heedful.claims.claim import Claim, ClaimStatus
from heedful.kernel.errors import FaultError, UnsupportedError
from heedful.kernel.ids import PermitId, RecordId, VerdictId
from heedful.kernel.ladder import Tier
from heedful.observations.record import RecordStatus, Subject
from heedful.ports.store import Reading, StoredRecord, StoredVerdict
from heedful.testing.builders import build_claim, build_record, build_tenant, visible_to
from heedful.testing.factory import add_tenant
from heedful.testing.postgres import PostgresServer

PACKAGE = "heedful.adapters.storage.postgres"
# Everything that a schema is made of, in words that do not depend on numbers given by the server.
CATALOGUE = {
    "columns": """
        SELECT t.relname, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity,
            l.collname, pg_get_expr(d.adbin, d.adrelid)
        FROM pg_attribute AS a JOIN pg_class AS t ON t.oid = a.attrelid
        LEFT JOIN pg_collation AS l ON l.oid = a.attcollation
        LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        WHERE t.relnamespace = 'heedful'::regnamespace AND t.relkind = 'r' AND a.attnum > 0
    """,
    "indexes": "SELECT indexdef FROM pg_indexes WHERE schemaname = 'heedful'",
    "constraints": """
        SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
        WHERE connamespace = 'heedful'::regnamespace
    """,
    "policies": "SELECT tablename, policyname, permissive, cmd, qual, with_check FROM pg_policies WHERE schemaname = 'heedful'",
    "tables": """
        SELECT relname, relrowsecurity, relforcerowsecurity, reloptions::text, relacl::text FROM pg_class
        WHERE relnamespace = 'heedful'::regnamespace AND relkind <> 'i'
    """,
    "column grants": """
        SELECT table_name, column_name, grantee, privilege_type FROM information_schema.column_privileges
        WHERE table_schema = 'heedful'
    """,
    "views": "SELECT viewname, definition FROM pg_views WHERE schemaname = 'heedful'",
    "schema": "SELECT nspacl::text FROM pg_namespace WHERE nspname = 'heedful'",
}


def _catalogue(dsn: str) -> dict[str, list[str]]:
    with psycopg.connect(dsn) as connection:
        return {
            name: sorted(map(str, connection.execute(statement.encode()).fetchall()))
            for name, statement in CATALOGUE.items()
        }


@pytest.fixture
def second(postgres: PostgresServer) -> Iterator[str]:
    """Another new, empty database."""
    dsn = postgres.create_database()
    yield dsn
    postgres.drop_database(dsn)


def test_the_schema_is_the_sum_of_the_migrations(database: str, second: str) -> None:
    """Columns, keys, indexes, policies, rights and defaults are the same. The control: a column more shows."""
    PostgresStore.open(database).close()
    with psycopg.connect(second) as connection:
        connection.execute((resources.files(PACKAGE) / "schema.sql").read_bytes())
    migrated = _catalogue(database)
    assert all(migrated.values())
    assert migrated == _catalogue(second)
    with psycopg.connect(second) as connection:
        connection.execute("ALTER TABLE heedful.modes ADD note bytea")
    assert migrated != _catalogue(second)


def test_migrating_twice_is_migrating_once(database: str) -> None:
    """The second time changes nothing; each step has its row."""
    PostgresStore.open(database).close()
    before = _catalogue(database)
    PostgresStore.open(database).close()
    assert _catalogue(database) == before
    with psycopg.connect(database) as connection:
        rows = connection.execute("SELECT number, slug, checksum FROM heedful.migrations").fetchall()
    assert rows == [(one.number, one.slug, one.checksum) for one in schema.tenant_migrations()]


def test_many_that_open_a_new_database_at_once_all_succeed(database: str) -> None:
    """They take turns under a lock of the database."""
    barrier = threading.Barrier(6)

    def open_and_close(_number: int) -> None:
        barrier.wait(30)
        PostgresStore.open(database).close()

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(open_and_close, range(6)))
    with psycopg.connect(database) as connection:
        assert connection.execute("SELECT count(*) FROM heedful.migrations").fetchone() == (
            len(schema.tenant_migrations()),
        )


def test_a_step_that_fails_leaves_nothing(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither its tables nor those of steps before it, nor their rows: the next opening tries all again."""
    bad = Migration(
        len(schema.tenant_migrations()) + 1,
        "bad",
        "CREATE TABLE heedful.half (a int); CREATE TABLE heedful.half (a int)",
        "c",
    )
    with monkeypatch.context() as patched:
        patched.setattr(schema, "tenant_migrations", lambda: (*load_migrations(PACKAGE, "migrations"), bad))
        with pytest.raises(FaultError):
            PostgresStore.open(database)
    with psycopg.connect(database) as connection:
        assert connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = 'heedful'").fetchone() is None
    PostgresStore.open(database).close()


def _as_today_writes(database: str) -> None:
    """What today's store looks at in every transaction, and an older schema has not."""
    with psycopg.connect(database) as connection:
        connection.execute("ALTER TABLE heedful.state ADD COLUMN erased bytea")
        connection.execute(
            "CREATE TABLE heedful.tombstones (public_id bytea, name_salt text, name_digest text, body bytea, is_done bool)"
        )
        connection.execute("GRANT SELECT ON heedful.tombstones TO heedful_control")


def _as_it_was(database: str) -> None:
    with psycopg.connect(database) as connection:
        connection.execute("DROP TABLE heedful.tombstones; ALTER TABLE heedful.state DROP COLUMN erased")


def test_what_a_store_holds_survives_each_step(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database as the first release made it, with a verdict in it, comes to this release's schema and keeps that."""
    with monkeypatch.context() as patched:
        patched.setattr(schema, "tenant_migrations", lambda: load_migrations(PACKAGE, "migrations")[:1])
        store = PostgresStore.open(database)
        _as_today_writes(database)
        verdict = StoredVerdict(VerdictId("v"), 4, "{}")
        add_tenant(store, build_tenant()).write(lambda writing: writing.put_verdict(verdict))
        store.close()
        _as_it_was(database)
    reopened = PostgresStore.open(database)
    with reopened.tenant_store(build_tenant().tenant_id).read() as reading:
        assert reading.verdict(verdict.verdict_id) == verdict
        assert reading.permit(PermitId("p")) is None
    reopened.close()


def test_records_and_claims_of_before_come_along(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of every tenant, though no row is its owner's to see; content may hold a NUL, whose escape JSON there refuses."""
    record = build_record(content="one\x00two \\u0000 \\\x00 三", source_ref=None)
    derived = replace(
        record, retain_days=3, derived_from=(RecordId("r0"),), subjects=(Subject("user", "ana/daughter"),)
    )
    claim = build_claim(statement="a\x00b", evidence=())
    older = encode_body(claim).partition(b',"tier_at_write"')[0] + b"}"
    with monkeypatch.context() as patched:
        patched.setattr(schema, "tenant_migrations", lambda: load_migrations(PACKAGE, "migrations")[:2])
        store = PostgresStore.open(database)
        _as_today_writes(database)
        with psycopg.connect(database) as connection:  # which today's writer writes to
            connection.execute("CREATE TABLE heedful.item_names (name bytea, position bigint, item_id bytea)")
            connection.execute("GRANT ALL ON heedful.item_names TO heedful_app")
        stored = StoredRecord(record, RecordStatus.ADMITTED, 1, 5, "kept")
        add_tenant(store, build_tenant()).write(lambda writing: writing.put_record(stored))
        store.close()
    _as_it_was(database)
    with psycopg.connect(database) as connection:
        for table in (b"records", b"claims"):
            connection.execute(b"ALTER TABLE heedful.%s NO FORCE ROW LEVEL SECURITY" % table)
        connection.execute("DROP TABLE heedful.item_names")
        connection.execute("UPDATE heedful.records SET body = %s", (encode_body(derived),))
        connection.execute(
            "INSERT INTO heedful.claims SELECT tenant_id, %s, 1, scope_id, 0, %s, %s, 'active', 'pre-query', 1, "
            "NULL, NULL, %s FROM heedful.records",
            (claim.claim_id.encode(), b"diet.allergy", UUID(bytes=short_key(claim.subject)), older),
        )
        _ended_before(connection, older)
        for table in (b"records", b"claims", b"ledger_events"):
            connection.execute(b"ALTER TABLE heedful.%s FORCE ROW LEVEL SECURITY" % table)
    reopened = PostgresStore.open(database)
    with reopened.tenant_store(build_tenant().tenant_id).read() as reading:
        assert reading.records_from(RecordId("r0")) == (replace(stored, record=derived),)
        assert reading.claim(claim.claim_id) == replace(claim, tier_at_write=claim.tier)
        alike = (claim.scope, claim.classification, claim.subject, claim.property)
        assert [one.claim_id for one in reading.claims_alike(*alike, statuses=[claim.status], limit=2)] == [
            claim.claim_id
        ]
        then = {each: [one.claim_id for one in _superseded(reading, claim, each)] for each in (6, 7)}
        names = names_of_record(derived, stored.recorded_at_us)
        named = {name: [one.item_id for one in reading.items_named(name, after=0, limit=9)] for name in names}
    assert named == {name: [record.record_id] for name in names}
    assert then == {6: ["was"], 7: []}  # of the two that were superseded, one had been active until 7
    reopened.close()


def _superseded(reading: Reading, claim: Claim, valid_at_us: int) -> tuple[Claim, ...]:
    look: Any = {"kinds": None, "visibility": None, "tier_min": Tier.UNVERIFIED, "limit": 9}
    return reading.claims(visible_to(claim.scope), statuses=[ClaimStatus.SUPERSEDED], valid_at_us=valid_at_us, **look)


def _ended_before(connection: psycopg.Connection[Any], body: bytes) -> None:
    """Two claims that were superseded, one of which had been active; what is not asked for here is left as it comes."""
    connection.execute("ALTER TABLE heedful.ledger_events NO FORCE ROW LEVEL SECURITY")
    for claim_id, before in (("was", "active"), ("never", "policy-reviewed")):
        told = body.replace(b'"status":"proposed"', b'"status":"superseded"')
        told = re.sub(rb'"claim_id":"[^"]*"', f'"claim_id":"{claim_id}"'.encode(), told)
        connection.execute(
            "INSERT INTO heedful.claims SELECT tenant_id, %s, position + 1, scope_id, classification, kind, "
            "subject_key, 'superseded', visibility, tier, NULL, NULL, %s FROM heedful.claims WHERE status = 'active'",
            (claim_id.encode(), told),
        )
        payload = f'{{"actor":"\\u0000","claim_id":"{claim_id}","from_status":"{before}","to_status":"superseded"}}'
        connection.execute(
            "INSERT INTO heedful.ledger_events SELECT tenant_id, %s, ''::bytea, 'claim.transitioned'::bytea, 1, 7, "
            "''::bytea, NULL, ''::bytea, ''::bytea, %s, NULL FROM heedful.claims WHERE status = 'active'",
            (2 if before == "active" else 3, payload.encode()),
        )


def test_the_steps_that_are_missing_are_applied_in_order(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a database that has some of them."""
    PostgresStore.open(database).close()
    has = len(load_migrations(PACKAGE, "migrations"))
    more = [
        Migration(n, f"s{n}", f"CREATE TABLE heedful.t{n} AS SELECT count(*) AS c FROM heedful.migrations", str(n))
        for n in (has + 1, has + 2)
    ]
    monkeypatch.setattr(schema, "tenant_migrations", lambda: (*load_migrations(PACKAGE, "migrations"), *more))
    PostgresStore.open(database).close()
    with psycopg.connect(database) as connection:
        counts = [connection.execute(f"SELECT c FROM heedful.t{n}".encode()).fetchone() for n in (has + 1, has + 2)]
    assert counts == [(has,), (has + 1,)]


@pytest.mark.parametrize(
    ("row", "kind", "code"),
    [
        ("UPDATE heedful.migrations SET number = 99 WHERE number = 1", UnsupportedError, "schema_newer"),
        ("UPDATE heedful.migrations SET checksum = 'other'", FaultError, "migration_changed"),
    ],
)
def test_a_store_of_another_release_is_not_opened(
    database: str, row: str, kind: type[UnsupportedError | FaultError], code: str
) -> None:
    """Of a newer one, or one whose step is not the one that ships; what it wrote stays."""
    PostgresStore.open(database).close()
    before = _catalogue(database)
    with psycopg.connect(database) as connection:
        connection.execute(row.encode())
    for _ in range(2):
        with pytest.raises(kind) as caught:
            PostgresStore.open(database)
        assert caught.value.code == code
    assert _catalogue(database) == before


def test_numbers_have_no_gap_and_checksums_are_of_the_files() -> None:
    """1, 2, 3, ...; the checksum is the SHA-256 of the file as it ships; a released one was never edited.

    The control: one with another checksum is found.
    """
    loaded = load_migrations(PACKAGE, "migrations")
    assert [one.number for one in loaded] == list(range(1, len(loaded) + 1))
    for one in loaded:
        file = resources.files(PACKAGE) / "migrations" / f"{one.number:03d}_{one.slug}.sql"
        assert one.checksum == hashlib.sha256(file.read_bytes()).hexdigest()
    shipped = {f"{one.number:03d}_{one.slug}": one.checksum for one in loaded}
    assert released.edited(released.POSTGRES, shipped) == []
    assert released.edited(shipped | {"001_ledger_and_views": "another"}, shipped) == ["001_ledger_and_views"]
