"""What the database itself holds the tenants apart by, read from its catalogue; each claim with a control that breaks it."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from heedful.adapters.storage.postgres.store import PostgresStore
from heedful.testing.builders import ANYTHING, build_record, build_tenant, remember, scope_of, visible_to
from heedful.testing.factory import add_tenant
from heedful.testing.postgres import PostgresServer

Connection = psycopg.Connection[tuple[object, ...]]
ANA, BEN = build_tenant(1), build_tenant(2)
# What the store knows of all its tenants has no tenant; heedful_app has no right on it.
OF_THE_STORE = {"migrations", "store", "tenants", "tombstones"}
TABLES = (
    "SELECT c.relname FROM pg_class AS c WHERE c.relnamespace = 'heedful'::regnamespace AND c.relkind IN ('r', 'p')"
)
WITHOUT_POLICY = f"{TABLES} AND NOT (c.relrowsecurity AND c.relforcerowsecurity)"
# Tables, and the first column of each of their indexes (keys and unique keys have one each).
LEADING = """
    SELECT t.relname, i.relname, coalesce(a.attname, '')
    FROM pg_index AS x
    JOIN pg_class AS i ON i.oid = x.indexrelid
    JOIN pg_class AS t ON t.oid = x.indrelid
    LEFT JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attnum = x.indkey[0]
    WHERE t.relnamespace = 'heedful'::regnamespace
"""
FOREIGN = """
    SELECT t.relname, k.conname, a.attname
    FROM pg_constraint AS k JOIN pg_class AS t ON t.oid = k.conrelid
    JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attnum = k.conkey[1]
    WHERE k.contype = 'f' AND t.relnamespace = 'heedful'::regnamespace
"""
VIEWS = """
    SELECT c.relname FROM pg_class AS c
    WHERE c.relnamespace = 'heedful'::regnamespace AND c.relkind IN ('v', 'm')
        AND NOT coalesce('security_invoker=true' = ANY(c.reloptions), false)
"""
DEFINERS = "SELECT proname FROM pg_proc WHERE pronamespace = 'heedful'::regnamespace AND prosecdef"
OTHER_COLLATIONS = """
    SELECT t.relname, a.attname FROM pg_attribute AS a JOIN pg_class AS t ON t.oid = a.attrelid
    JOIN pg_collation AS l ON l.oid = a.attcollation
    WHERE t.relnamespace = 'heedful'::regnamespace AND t.relkind IN ('r', 'p') AND l.collname <> 'C'
"""
POWERS = """
    SELECT rolname FROM pg_roles
    WHERE rolname IN ('heedful_app', 'heedful_control')
        AND (rolsuper OR rolbypassrls OR rolcanlogin OR rolcreaterole OR rolcreatedb)
"""
OWNED = """
    SELECT count(*) FROM pg_class WHERE relowner IN (SELECT oid FROM pg_roles WHERE rolname LIKE 'heedful\\_%')
"""


@pytest.fixture(scope="module")
def dsn(postgres: PostgresServer) -> Iterator[str]:
    """A store of two tenants with a record and a search row each."""
    made = postgres.create_database()
    store = PostgresStore.open(made)
    for number, tenant in enumerate((ANA, BEN), 1):
        tenant_store = add_tenant(store, tenant)
        record = build_record(number, attributes=(("team", "sre"),))
        tenant_store.write(
            lambda writing, tenant=tenant, record=record: remember(writing, tenant, record, tokens=["bees"])  # type: ignore[misc]
        )
    store.close()
    yield made
    postgres.drop_database(made)


@pytest.fixture
def owner(dsn: str) -> Iterator[Connection]:
    """A connection as the owner, in a transaction that is undone."""
    with psycopg.connect(dsn) as connection:
        yield connection
        connection.rollback()


def found(connection: Connection, statement: str) -> list[tuple[object, ...]]:
    return connection.execute(statement.encode()).fetchall()


def as_app(connection: Connection, tenant: str | None) -> None:
    connection.execute("SET LOCAL search_path = pg_catalog, heedful; SET LOCAL ROLE heedful_app")
    if tenant is not None:
        connection.execute("SELECT set_config('heedful.tenant_id', %s, true)", (tenant,))


def tenant_tables(connection: Connection) -> list[str]:
    return sorted({str(name) for (name,) in found(connection, TABLES)} - OF_THE_STORE)


def misled(connection: Connection) -> list[tuple[object, ...]]:
    """Keys, unique keys, indexes and foreign keys of tenants' rows that something else than the tenant leads."""
    rows = found(connection, LEADING) + found(connection, FOREIGN)
    return [row for row in rows if row[0] not in OF_THE_STORE and row[2] != "tenant_id"]


def test_every_table_forces_row_level_security(owner: Connection) -> None:
    """Also on its owner. The control: a table that only enables it, and one that does neither, are found."""
    assert len(found(owner, TABLES)) > 15
    assert found(owner, WITHOUT_POLICY) == []
    owner.execute("CREATE TABLE heedful.plain (tenant_id bigint)")
    owner.execute("CREATE TABLE heedful.half (tenant_id bigint); ALTER TABLE heedful.half ENABLE ROW LEVEL SECURITY")
    assert sorted(found(owner, WITHOUT_POLICY)) == [("half",), ("plain",)]


def test_the_tenant_leads_every_key_and_every_index(owner: Connection) -> None:
    """The control: an index, a unique key and a foreign key led by something else are found."""
    assert misled(owner) == []
    owner.execute("CREATE INDEX astray ON heedful.records (position)")
    owner.execute("CREATE TABLE heedful.bad (record_id bytea PRIMARY KEY, tenant_id bigint UNIQUE)")
    owner.execute("ALTER TABLE heedful.bad ADD seen bigint REFERENCES heedful.tenants")
    assert sorted(str(row[1]) for row in misled(owner)) == ["astray", "bad_pkey", "bad_seen_fkey"]


def test_no_view_and_no_function_acts_with_its_owners_rights(owner: Connection) -> None:
    """There is none. The control: a view without security_invoker and a SECURITY DEFINER function are found."""
    assert (found(owner, VIEWS), found(owner, DEFINERS)) == ([], [])
    owner.execute("CREATE VIEW heedful.leak AS SELECT * FROM heedful.records")
    owner.execute("CREATE VIEW heedful.sound WITH (security_invoker = true) AS SELECT * FROM heedful.records")
    owner.execute("CREATE FUNCTION heedful.f() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'SELECT 1'")
    assert (found(owner, VIEWS), found(owner, DEFINERS)) == ([("leak",)], [("f",)])


def test_every_text_compares_by_bytes(owner: Connection) -> None:
    """Collation "C". The control: a column with the database's own is found."""
    assert found(owner, OTHER_COLLATIONS) == []
    owner.execute("ALTER TABLE heedful.modes ADD note text")
    assert found(owner, OTHER_COLLATIONS) == [("modes", "note")]


def test_the_roles_that_work_have_no_special_right_and_own_nothing(dsn: str, postgres: PostgresServer) -> None:
    """No login, no superuser, no BYPASSRLS. The control: one that is given it is found."""
    superuser = postgres.superuser_dsn(dsn.rpartition("/")[2])
    with psycopg.connect(superuser) as connection:
        assert found(connection, POWERS) == []
        assert found(connection, OWNED) == [(0,)]
        connection.execute("ALTER ROLE heedful_app BYPASSRLS")
        assert found(connection, POWERS) == [("heedful_app",)]
        connection.rollback()


def test_a_tenant_sees_its_own_rows_alone_without_a_word_about_them(owner: Connection) -> None:
    """`SELECT *` without WHERE. The control: without the policy the same statement shows both tenants."""
    tables = tenant_tables(owner)
    owner.execute("SET LOCAL ROLE heedful_control")
    numbers = [str(number) for (number,) in found(owner, "SELECT tenant_id FROM heedful.tenants ORDER BY tenant_id")]
    owner.execute("RESET ROLE")
    for number in numbers:
        as_app(owner, number)
        seen = {table: found(owner, f"SELECT DISTINCT tenant_id FROM {table}") for table in tables}
        assert {rows[0][0] for rows in seen.values() if rows} == {int(number)}
        assert seen["records"] == seen["search_tokens"] == seen["state"] == [(int(number),)]
    owner.execute("RESET ROLE")
    owner.execute("ALTER POLICY of_the_tenant ON heedful.records USING (true)")
    as_app(owner, numbers[0])
    assert len(found(owner, "SELECT DISTINCT tenant_id FROM records")) == 2


@pytest.mark.parametrize("tenant", [None, ""])
def test_without_a_tenant_nothing_is_seen_and_nothing_written(owner: Connection, tenant: str | None) -> None:
    """Never set, and set to nothing as after a transaction that had set it. The control: with one there is something."""
    as_app(owner, tenant)
    assert all(found(owner, f"SELECT 1 FROM {table}") == [] for table in tenant_tables(owner))
    with pytest.raises(psycopg.Error):
        owner.execute("INSERT INTO modes (target_type, target_id, mode) VALUES ('a', 'b', 'off')")
    owner.rollback()
    as_app(owner, "1")
    assert found(owner, "SELECT 1 FROM records") != []
    owner.execute("INSERT INTO modes (target_type, target_id, mode) VALUES ('a', 'b', 'off')")


def test_the_owner_itself_sees_nothing(owner: Connection) -> None:
    """Row-level security is forced. The control: without FORCE the owner sees the rows."""
    assert found(owner, "SELECT 1 FROM heedful.records") == []
    owner.execute("ALTER TABLE heedful.records NO FORCE ROW LEVEL SECURITY")
    assert len(found(owner, "SELECT 1 FROM heedful.records")) == 2


def test_a_row_of_another_tenant_cannot_be_written(owner: Connection) -> None:
    """Neither put there, nor moved there. The control: the same for the own tenant is done."""
    put = "INSERT INTO modes (tenant_id, target_type, target_id, mode) VALUES ({}, 'a', 'b', 'off')"
    for statement in (put.format(2), "UPDATE records SET tenant_id = 2"):
        as_app(owner, "1")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            owner.execute(statement.encode())
        owner.rollback()
    as_app(owner, "1")
    owner.execute(put.format(1).encode())
    owner.execute("UPDATE records SET tenant_id = 1")


@pytest.mark.parametrize("role", ["heedful_app", "heedful_control"])
def test_each_role_can_do_its_own_part_alone(owner: Connection, role: str) -> None:
    """One does not see which tenants there are, the other no row of theirs. The control: each its own."""
    readable = {"heedful_app": "heedful.records", "heedful_control": "heedful.tenants"}
    owner.execute(f"SET LOCAL ROLE {role}".encode())
    for own, table in readable.items():
        if own == role:
            found(owner, f"SELECT 1 FROM {table}")
            continue
        with pytest.raises(psycopg.errors.InsufficientPrivilege), owner.transaction():
            found(owner, f"SELECT 1 FROM {table}")


def test_a_chain_only_grows(owner: Connection) -> None:
    """The role that works may neither change nor delete an event. The controls: it may put one there, and delete all once
    the whole tenant is marked as erased.
    """
    as_app(owner, "1")
    with pytest.raises(psycopg.errors.InsufficientPrivilege), owner.transaction():
        owner.execute("UPDATE ledger_events SET version = 2")
    for table in (b"ledger_events", b"access_events", b"scopes"):
        assert owner.execute(b"DELETE FROM %s" % table).rowcount == 0
    owner.execute(
        "INSERT INTO ledger_events (position, event_id, type, version, recorded_at_us, payload_digest, prev_digest, digest)"
        " VALUES (99, 'e', 't', 1, 1, 'p', 'q', 'd')"
    )
    owner.execute("UPDATE state SET erased = 'e'")
    assert owner.execute("DELETE FROM ledger_events").rowcount > 0


def test_what_another_tenant_has_makes_no_difference_to_a_unique_key(dsn: str) -> None:
    """The same ids, sources and scopes are taken in both; the control: within one tenant they are taken."""
    store = PostgresStore.open(dsn)
    for tenant in (ANA, BEN):
        tenant_store = store.tenant_store(tenant.tenant_id)
        record = build_record(7)
        tenant_store.write(
            lambda writing, tenant=tenant, record=record: remember(writing, tenant, record, tokens=["wasps"])  # type: ignore[misc]
        )
        with tenant_store.read() as reading:
            found_here = reading.search(visible_to(scope_of("user:ana")), ["wasps"], ANYTHING, limit=9)
            assert found_here.term_counts == {"wasps": 1}
    store.close()


def test_a_search_reads_indexes_that_the_tenant_leads(owner: Connection) -> None:
    """As the role that works, under row-level security. The control: an array, which only GIN could find, is scanned."""
    owner.execute(
        "CREATE TABLE heedful.arrays AS SELECT n AS tenant_id, array['a'] AS tokens FROM generate_series(1, 9) AS n"
    )
    owner.execute(
        "CREATE INDEX arrays_by_token ON heedful.arrays USING gin (tokens);"
        "ALTER TABLE heedful.arrays ENABLE ROW LEVEL SECURITY;"
        "CREATE POLICY p ON heedful.arrays TO heedful_app USING (tenant_id = 1);"
        "GRANT SELECT ON heedful.arrays TO heedful_app"
    )
    as_app(owner, "1")
    owner.execute("SET LOCAL enable_seqscan = off")
    statement = (
        "SELECT position FROM search_tokens WHERE scope_id = ANY('{1,2}'::bigint[]) AND token = ANY('{bees}'::bytea[])"
    )
    plan = "\n".join(str(line) for (line,) in found(owner, f"EXPLAIN {statement}"))
    (condition,) = [line for line in plan.splitlines() if "Index Cond" in line]
    assert "search_tokens_pkey" in plan
    assert all(column in condition for column in ("tenant_id", "scope_id", "token"))
    control = "\n".join(
        str(line) for (line,) in found(owner, "EXPLAIN SELECT 1 FROM arrays WHERE tokens && array['a']")
    )
    assert "arrays_by_token" not in control
