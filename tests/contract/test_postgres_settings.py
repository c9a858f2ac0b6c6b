"""What a URL, a role or a database may set and hold beforehand: Heedful works all the same, or says what is wrong."""

from __future__ import annotations

import time
import traceback
from urllib.parse import quote

import psycopg
import pytest

from heedful.adapters.storage.postgres.connection import Connection, connect
from heedful.adapters.storage.postgres.driver_errors import driver_errors
from heedful.adapters.storage.postgres.ownership import owner_of, remove_store
from heedful.adapters.storage.postgres.store import PostgresStore
from heedful.kernel.errors import ConflictError, HeedfulError, InvalidInputError, UnavailableError
from heedful.ports.store import Writing
from heedful.testing.builders import append_event, build_tenant
from heedful.testing.factory import add_tenant
from heedful.testing.postgres import PostgresServer

ANA = build_tenant(1)
SECRET = "s3cret"
STORE_ID = "01981f6e-0000-7000-8000-000000000001"
WANTED = {
    "client_encoding": "UTF8",
    "standard_conforming_strings": "on",
    "array_nulls": "on",
    "backslash_quote": "safe_encoding",
}
OTHERWISE = (
    "-c client_encoding=SQL_ASCII -c standard_conforming_strings=off -c array_nulls=off -c backslash_quote=on",
    "-c client_encoding=LATIN1",
)


def _append(writing: Writing) -> int:
    return append_event(writing, ANA).envelope.position


def _with(database: str, options: str) -> str:
    return f"{database}?options={quote(options)}"


def _everything(error: BaseException) -> str:
    """All that a log could show of it."""
    parts = (repr(error), repr(error.__cause__), repr(error.__context__), *traceback.format_exception(error))
    return "".join(parts)


@pytest.mark.parametrize("percent", ["%ff", "%00", "%c3", "%ed%a0%80"])
def test_a_url_that_the_driver_cannot_read_is_in_no_error(percent: str) -> None:
    """Neither as its cause nor as its context, which `from None` leaves. The control: the driver's error has it."""
    dsn = f"postgresql://u:{SECRET}{percent}pw@127.0.0.1:1/x"
    with pytest.raises(InvalidInputError) as caught:
        connect(dsn)
    assert caught.value.code == "database_malformed"
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)
    assert SECRET not in _everything(caught.value)
    with pytest.raises((psycopg.Error, ValueError)) as raw:
        psycopg.connect(dsn)
    assert SECRET in _everything(raw.value)


@pytest.mark.parametrize("options", OTHERWISE)
def test_how_statements_are_read_is_fixed_whatever_the_url_says(
    database: str, monkeypatch: pytest.MonkeyPatch, options: str
) -> None:
    """And the environment. The control: a connection of another sort has what they say."""
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")
    dsn = _with(database, options)
    with connect(dsn) as connection:
        found = {name: connection.execute(f"SHOW {name}".encode()).fetchone() for name in WANTED}
    assert found == {name: (value,) for name, value in WANTED.items()}
    with psycopg.connect(dsn) as other:
        assert other.execute("SHOW client_encoding").fetchone() != ("UTF8",)
    store = PostgresStore.open(dsn)
    assert store.own(STORE_ID) == store.store_id() == STORE_ID
    assert add_tenant(store, ANA).write(_append) == 1
    store.close()
    assert owner_of(dsn) == STORE_ID


def test_the_environment_cannot_name_an_encoding_that_no_server_knows(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection is made. The control: another sort of connection is refused."""
    monkeypatch.setenv("PGCLIENTENCODING", "bogus")
    connect(database).close()
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(database)


def test_a_session_that_may_only_read_is_unavailable_to_writes(database: str) -> None:
    """As on a standby: the error says what to change, before there is a store and after. Reading goes on."""
    dsn = _with(database, "-c default_transaction_read_only=on")
    with pytest.raises(UnavailableError) as caught:
        PostgresStore.open(dsn)
    assert (caught.value.code, "primary" in caught.value.next_step) == ("store_unavailable", True)
    made = PostgresStore.open(database)
    tenant_id = add_tenant(made, ANA).tenant.tenant_id
    made.close()
    store = PostgresStore.open(dsn)
    with store.tenant_store(tenant_id).read() as reading:
        assert reading.scopes() == ()
    with pytest.raises(UnavailableError) as caught:
        store.tenant_store(tenant_id).write(_append)
    assert (caught.value.code, "primary" in caught.value.next_step) == ("store_unavailable", True)
    store.close()


@pytest.mark.parametrize("setting", ["transaction_timeout", "idle_in_transaction_session_timeout"])
def test_a_session_that_the_server_ends_at_a_timeout_is_unavailable(database: str, setting: str) -> None:
    """The error names what to raise. The control: without the timeout the same goes through."""
    with connect(database) as connection:
        _linger(connection)
        # PostgreSQL 16 has no transaction_timeout.
        if connection.execute("SELECT 1 FROM pg_settings WHERE name = %s", (setting,)).fetchone() is None:
            assert (setting, connection.info.server_version < 170_000) == ("transaction_timeout", True)
            return
    with (
        pytest.raises(UnavailableError) as caught,
        driver_errors,
        connect(_with(database, f"-c {setting}=50")) as ended,
    ):
        _linger(ended)
    assert caught.value.code == "store_unavailable"
    assert setting in caught.value.next_step


def _linger(connection: Connection) -> None:
    """A transaction that takes long, first in the server and then in the client."""
    connection.execute("BEGIN; SELECT pg_sleep(0.2)")
    time.sleep(0.2)
    connection.execute("SELECT 1; COMMIT")


def _is_kept(dsn: str) -> bool:
    """True where a store is made in the database and keeps what is written."""
    store = PostgresStore.open(dsn)
    try:
        return add_tenant(store, ANA).write(_append) == 1 and store.own(STORE_ID) == STORE_ID
    finally:
        store.close()


def _codes(dsn: str) -> set[str]:
    """How opening a store there fails, and how asking whose it is."""
    codes = set()
    for call in (PostgresStore.open, owner_of):
        try:
            call(dsn)
        except HeedfulError as error:
            codes.add(error.code if error.next_step else "no next step")
    return codes


def _name(dsn: str) -> str:
    return dsn.rpartition("/")[2]


def test_an_empty_schema_of_ours_is_used(postgres: PostgresServer, database: str) -> None:
    """Also where this role may make no other, which is why it was made for it; nothing of it is left after removal."""
    postgres.run_sql(
        _name(database),
        "CREATE SCHEMA heedful AUTHORIZATION heedful",
        f'ALTER DATABASE "{_name(database)}" OWNER TO postgres',
        f'REVOKE CREATE ON DATABASE "{_name(database)}" FROM heedful',
    )
    assert owner_of(database) is None
    assert _is_kept(database)
    assert owner_of(database) == STORE_ID
    assert remove_store(database, STORE_ID, lock_wait_seconds=5)
    with psycopg.connect(database) as connection:
        assert connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = 'heedful'").fetchone() is None


def test_the_extension_is_not_made_in_a_schema_of_ours(postgres: PostgresServer, database: str) -> None:
    """It comes first for a role of its name: removing the store would remove the extension for everybody."""
    postgres.run_sql(
        _name(database),
        "DROP EXTENSION vector",
        "CREATE SCHEMA heedful AUTHORIZATION heedful",
    )
    # Only a superuser may make this extension.
    maker = f"{postgres.superuser_dsn(_name(database))}?options={quote('-c search_path=heedful,public')}"
    with psycopg.connect(maker) as connection:
        assert connection.execute("SELECT current_schema()").fetchone() == ("heedful",)
    assert _is_kept(maker)
    where = "SELECT n.nspname FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace WHERE extname = 'vector'"
    with psycopg.connect(database) as connection:
        assert connection.execute(where).fetchone() == ("public",)


FOREIGN = {
    "a store of theirs": ("CREATE SCHEMA heedful AUTHORIZATION heedful", "CREATE TABLE heedful.store (x integer)"),
    "a function": (
        "CREATE SCHEMA heedful AUTHORIZATION heedful",
        "CREATE FUNCTION heedful.f() RETURNS integer RETURN 1",
    ),
    "half of the marks": (
        "CREATE SCHEMA heedful AUTHORIZATION heedful",
        "CREATE TABLE heedful.store (store_id text)",
        "CREATE TABLE heedful.migrations (number integer)",
    ),
    "empty, another role's": ("CREATE SCHEMA heedful",),
    "empty, others may fill it": (
        "CREATE SCHEMA heedful AUTHORIZATION heedful",
        "GRANT CREATE ON SCHEMA heedful TO heedful_app",
    ),
}


@pytest.mark.parametrize("statements", FOREIGN.values(), ids=FOREIGN)
def test_a_schema_of_our_name_that_is_not_ours_is_named_and_left(
    postgres: PostgresServer, database: str, statements: tuple[str, ...]
) -> None:
    """`schema_taken`, at opening and where it is asked whose store it is. The control: without it there is a store."""
    postgres.run_sql(_name(database), *statements)
    assert _codes(database) == {"schema_taken"}
    with pytest.raises(ConflictError):
        remove_store(database, STORE_ID, lock_wait_seconds=5)
    with psycopg.connect(database) as connection:
        found = connection.execute(
            "SELECT count(*) FROM pg_class WHERE relnamespace = 'heedful'::regnamespace"
        ).fetchone()
    assert found == (sum("TABLE" in each for each in statements),)
    postgres.run_sql(_name(database), "DROP SCHEMA heedful CASCADE")
    assert _codes(database) == set()
    assert _is_kept(database)
