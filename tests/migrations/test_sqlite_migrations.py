"""The schema is the sum of its migrations, and opening a store brings it there once."""

import hashlib
from importlib import resources
from pathlib import Path

import apsw
import pytest
import released

from heedful.adapters.storage.migrate import Migration, load_migrations, missing
from heedful.adapters.storage.sqlite.connection import Session, migrate
from heedful.adapters.storage.sqlite.control import control_migrations
from heedful.adapters.storage.sqlite.database import tenant_migrations
from heedful.adapters.storage.sqlite.store import SqliteStore
from heedful.kernel.errors import FaultError, UnsupportedError
from heedful.testing.builders import build_tenant

PACKAGE = "heedful.adapters.storage.sqlite"


def _schema(connection: apsw.Connection) -> list[tuple[object, ...]]:
    return connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name").fetchall()


def _session() -> Session:
    return Session(None, lock_wait_seconds=1.0)


@pytest.mark.parametrize(
    ("file", "migrations"), [("schema.sql", tenant_migrations()), ("control_schema.sql", control_migrations())]
)
def test_the_schema_is_the_sum_of_the_migrations(file: str, migrations: tuple[Migration, ...]) -> None:
    """Every table, index and virtual table is the same, statement for statement."""
    migrated = _session()
    migrate(migrated, migrations)
    written = apsw.Connection(":memory:")
    written.execute((resources.files(PACKAGE) / file).read_text()).fetchall()
    assert _schema(migrated.connection) == _schema(written)


@pytest.mark.parametrize("migrations", [tenant_migrations(), control_migrations()])
def test_migrating_twice_is_migrating_once(migrations: tuple[Migration, ...]) -> None:
    """The second time changes nothing; each step has its row."""
    session = _session()
    migrate(session, migrations)
    changes = session.connection.total_changes()
    migrate(session, migrations)
    assert session.connection.total_changes() == changes
    rows = session.connection.execute("SELECT number, slug, checksum FROM migrations").fetchall()
    assert rows == [(one.number, one.slug, one.checksum) for one in migrations]


def test_a_step_that_fails_leaves_nothing() -> None:
    """Neither its tables nor its row: the next opening tries it again."""
    good = tenant_migrations()
    bad = Migration(len(good) + 1, "bad", "CREATE TABLE half (a); CREATE TABLE half (a);", "c")
    session = _session()
    with pytest.raises(apsw.SQLError):
        migrate(session, (*good, bad))
    assert not session.in_transaction
    assert session.connection.execute("SELECT max(number) FROM migrations").get == len(good)
    assert session.connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'half'").get == 0


def test_the_steps_that_are_missing_are_applied_in_order() -> None:
    """On a database that has some of them."""
    session = _session()
    has = len(tenant_migrations())
    more = [
        Migration(n, f"s{n}", f"CREATE TABLE t{n} AS SELECT count(*) AS c FROM migrations", str(n))
        for n in (has + 1, has + 2)
    ]
    migrate(session, tenant_migrations())
    migrate(session, (*tenant_migrations(), *more))
    assert [session.connection.execute(f"SELECT c FROM t{n}").get for n in (has + 1, has + 2)] == [has, has + 1]


@pytest.mark.parametrize("where", ["control.db", "tenant"])
def test_a_store_of_a_newer_release_is_not_opened(tmp_path: Path, where: str) -> None:
    """`schema_newer`, and what it wrote stays."""
    store = SqliteStore.open(tmp_path)
    store.create_tenant(build_tenant())
    store.close()
    path = tmp_path / "control.db" if where == "control.db" else next((tmp_path / "tenants").glob("*.db"))
    other = apsw.Connection(str(path))
    other.execute("INSERT INTO migrations VALUES (99, 'later', 'c')")
    other.close()
    with pytest.raises(UnsupportedError) as caught:
        SqliteStore.open(tmp_path).tenant_store(build_tenant().tenant_id)
    assert caught.value.code == "schema_newer"
    known = control_migrations() if where == "control.db" else tenant_migrations()
    assert caught.value.details == {"schema": 99, "known": len(known)}


def test_what_a_store_holds_survives_each_step() -> None:
    """A database as the first release made it, with a verdict in it, comes to this release's schema and keeps that."""
    session = _session()
    migrate(session, tenant_migrations()[:1])
    session.connection.execute("INSERT INTO verdicts VALUES (4, 'v', '{}')")
    with pytest.raises(apsw.SQLError, match="permits"):
        session.connection.execute("SELECT * FROM permits")
    migrate(session, tenant_migrations())
    assert session.connection.execute("SELECT * FROM verdicts").fetchall() == [(4, "v", "{}")]
    assert session.connection.execute("SELECT * FROM permits").fetchall() == []


def test_when_what_was_believed_ended_is_known_after_the_step() -> None:
    """By the ledger: what was active until then is found before that, and what never was is found nowhere."""
    session = _session()
    migrate(session, tenant_migrations()[:2])
    for position, (claim_id, before) in enumerate((("was", "active"), ("never", "policy-reviewed")), start=1):
        claim = ("INSERT INTO claims VALUES (?, ?, 1, 1, 0, 'k', X'00', 'superseded', 'query', 1, NULL, 20, ?)",
                 (position, claim_id, b'{"property":"p"}'))  # fmt: skip
        session.connection.execute(*claim)
        moved = f'{{"claim_id":"{claim_id}","from_status":"{before}","to_status":"superseded"}}'.encode()
        row = (position, "e", "claim.transitioned", 1, 7, b"", None, b"", b"", moved, None)
        session.connection.execute(f"INSERT INTO ledger_events VALUES ({','.join('?' * len(row))})", row)
    migrate(session, tenant_migrations())
    rows = session.connection.execute(
        "SELECT valid_from_us, valid_to_us, json_extract(CAST(body AS TEXT), '$.ended_us') FROM claims ORDER BY row_id"
    ).fetchall()
    assert rows == [(None, 7, 7), (0, 0, None)]


def test_a_step_that_is_not_the_one_that_ships_is_a_fault() -> None:
    """`migration_changed`, naming the step."""
    available = (Migration(1, "a", "", "x"), Migration(2, "b", "", "y"))
    assert missing(available, {1: "x"}) == available[1:]
    with pytest.raises(FaultError) as caught:
        missing(available, {1: "other"})
    assert caught.value.code == "migration_changed"
    assert caught.value.details == {"schema": 1}


def test_numbers_have_no_gap_and_checksums_are_of_the_files() -> None:
    """1, 2, 3, ...; the checksum is the SHA-256 of the file as it ships."""
    for folder in ("migrations", "control_migrations"):
        loaded = load_migrations(PACKAGE, folder)
        assert [one.number for one in loaded] == list(range(1, len(loaded) + 1))
        for one in loaded:
            file = resources.files(PACKAGE) / folder / f"{one.number:03d}_{one.slug}.sql"
            assert one.checksum == hashlib.sha256(file.read_bytes()).hexdigest()


def test_a_released_migration_was_never_edited() -> None:
    """Those of earlier releases are what they were. The control: another checksum, or a file that is gone, is found."""
    shipped = {
        f"{folder}/{one.number:03d}_{one.slug}": one.checksum
        for folder in ("migrations", "control_migrations")
        for one in load_migrations(PACKAGE, folder)
    }
    assert released.edited(released.SQLITE, shipped) == []
    assert released.edited(shipped, shipped) == []
    first = next(iter(shipped))
    assert released.edited(shipped | {first: "another"}, shipped) == [first]
    assert released.edited(shipped | {"migrations/002_gone": "c"}, shipped) == ["migrations/002_gone"]
