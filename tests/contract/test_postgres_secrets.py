"""The password of the database's URL is not reachable from any error that is raised, by whatever attribute."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import psycopg
import pytest

from heedful.adapters.storage.postgres.connection import commit, connect
from heedful.adapters.storage.postgres.ownership import owner_of, remove_store
from heedful.adapters.storage.postgres.store import PostgresStore
from heedful.kernel.errors import HeedfulError
from heedful.testing.builders import build_tenant
from heedful.testing.factory import add_tenant
from heedful.testing.postgres import PostgresServer

SECRET = "geheim-冻结"
UNREACHABLE = f"postgresql://u:{SECRET}@127.0.0.1:1/x"
LOOKED_AT_MAX = 20_000
NOT_LOOKED_INTO = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType)
# Not the traceback: its frames have the URL that was given, as those of the caller do.
WITH_UNDERSCORES = ("__cause__", "__context__", "__notes__", "__dict__")
STORE_ID = "01981f6e-0000-7000-8000-000000000001"
OPENERS: dict[str, Callable[[str], object]] = {
    "open": PostgresStore.open,
    "owner": owner_of,
    "remove": lambda dsn: remove_store(dsn, STORE_ID, lock_wait_seconds=1.0),
}


def reachable(start: object) -> Iterator[object]:
    """Everything that one gets to from there by attributes, members and items, and how it is shown."""
    seen: dict[int, object] = {}
    left = [start]
    while left:
        each = left.pop()
        if id(each) in seen or isinstance(each, NOT_LOOKED_INTO):
            continue
        seen[id(each)] = each
        assert len(seen) < LOOKED_AT_MAX
        yield each
        if each is None or isinstance(each, str | bytes | int | float):
            continue
        yield repr(each) + str(each)
        if isinstance(each, Mapping):
            left += [*each.keys(), *each.values()]
        elif isinstance(each, list | tuple | set | frozenset):
            left += each
        else:
            left += _attributes(each)


def _attributes(of: object) -> Iterable[object]:
    for name in dir(of):
        if not name.startswith("__") or name in WITH_UNDERSCORES:
            try:
                yield getattr(of, name)
            except (psycopg.Error, AttributeError) as error:  # of a connection that is closed few can be read
                yield str(error)


def shows(error: BaseException, secret: str) -> bool:
    """True where the secret is in anything that is reachable from the error."""
    texts = [each for each in reachable(error) if isinstance(each, str | bytes)]
    return any(secret in each if isinstance(each, str) else secret.encode() in each for each in texts)


def password_of(dsn: str) -> str:
    """The password of such a URL."""
    return dsn.partition("//")[2].partition("@")[0].partition(":")[2]


@pytest.fixture(name="urls")
def urls_fixture(postgres: PostgresServer, database: str) -> dict[str, tuple[str, str]]:
    """Sort of failure -> a URL that meets it, and what of it is secret."""
    password, name = password_of(database), database.rpartition("/")[2]
    full = postgres.create_database()
    postgres.run_sql("postgres", f"ALTER DATABASE {full.rpartition('/')[2]} CONNECTION LIMIT 0")
    nobody = database.replace("://heedful:", "://nobody:")
    return {
        "unreachable": (UNREACHABLE, SECRET),
        "wrong-password": (database.replace(password, SECRET), SECRET),
        "unknown-user": (nobody, password),
        "unknown-database": (f"{database}x", password),
        "full": (full, password),
        "no-ssl": (f"{database}?sslmode=require", password),
        "two-hosts": (UNREACHABLE.replace("127.0.0.1:1", "127.0.0.1:1,127.0.0.1:2"), SECRET),
        **{
            option: (f"postgresql://u@127.0.0.1:1/{name}?{option}={SECRET}", SECRET)
            for option in ("sslmode", "service", "require_auth", "target_session_attrs", "keepalives")
        },
        "options": (f"{database}?options=--{SECRET}", SECRET),
    }


FAILURES = (
    *("unreachable", "wrong-password", "unknown-user", "unknown-database", "full", "no-ssl", "two-hosts", "sslmode"),
    *("service", "require_auth", "target_session_attrs", "keepalives", "options"),
)


@pytest.mark.parametrize("failure", FAILURES)
def test_a_connection_that_fails_shows_no_secret(urls: dict[str, tuple[str, str]], failure: str) -> None:
    """However the store is opened. The control: from the driver's own error it is reached."""
    dsn, secret = urls[failure]
    for opener in OPENERS.values():
        with pytest.raises(HeedfulError) as caught:
            opener(dsn)
        assert not shows(caught.value, secret)
    with pytest.raises(psycopg.Error) as raw:
        psycopg.connect(dsn)
    assert shows(raw.value, secret)


def _divide(moment: Any) -> None:
    moment._session.rows("SELECT 1 / 0")


def _end_own_backend(moment: Any) -> None:
    moment._session.rows("SELECT pg_terminate_backend(pg_backend_pid())")


@pytest.mark.parametrize("fails", [_divide, _end_own_backend])
def test_a_statement_that_fails_shows_no_secret(database: str, fails: Callable[[Any], None]) -> None:
    """Of a reading, a writing and the rows beside, whether or not the connection ends with it; its cause is kept."""
    store = PostgresStore.open(database)
    tenant_store = add_tenant(store, build_tenant())

    def read() -> None:
        with tenant_store.read() as reading:
            fails(reading)

    def beside() -> None:
        with store.beside(tenant_store.tenant.tenant_id) as session:
            session.rows("SELECT 1 / 0")

    for call in (read, lambda: tenant_store.write(fails), beside):
        with pytest.raises(HeedfulError) as caught:
            call()
        assert isinstance(caught.value.__cause__, psycopg.Error)
        assert not shows(caught.value, password_of(database))
    store.close()


def test_control_a_cause_that_holds_its_connection_shows_it(database: str) -> None:
    """So the look at causes can fail."""
    with connect(database) as connection:
        outer = HeedfulError("store_fault", "")
        outer.__cause__ = psycopg.OperationalError("it ended", pgconn=connection.pgconn)
        assert shows(outer, password_of(database))
    assert not shows(HeedfulError("store_fault", ""), password_of(database))


def test_a_commit_whose_answer_is_lost_shows_no_secret(postgres: PostgresServer, database: str) -> None:
    """`commit_unknown`, with the driver's error as its cause."""
    connection = connect(database)
    connection.execute("BEGIN")
    postgres.run_sql("postgres", f"SELECT pg_terminate_backend({connection.info.backend_pid}, 10000)")
    with pytest.raises(HeedfulError) as caught:
        commit(connection)
    assert caught.value.code == "commit_unknown"
    assert isinstance(caught.value.__cause__, psycopg.Error)
    assert not shows(caught.value, password_of(database))
