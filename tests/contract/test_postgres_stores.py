"""The store contract, run on a real PostgreSQL server."""

from collections.abc import Iterator

import pytest

from heedful.testing.factory import StoreFactory
from heedful.testing.postgres import PostgresServer
from heedful.testing.store_contract import *  # noqa: F403
from heedful.testing.stores import EmptyPostgresDatabase, PostgresDatabase


@pytest.fixture(scope="session")
def emptied(postgres: PostgresServer) -> Iterator[EmptyPostgresDatabase]:
    """One database for all tests that want each store empty: emptying it takes a tenth of the time of making one."""
    dsn = postgres.create_database()
    yield EmptyPostgresDatabase(dsn, postgres.superuser_dsn(dsn.rpartition("/")[2]))
    postgres.drop_database(dsn)


@pytest.fixture
def stores(emptied: EmptyPostgresDatabase) -> StoreFactory:
    """A factory of empty stores."""
    return emptied


@pytest.fixture
def shared_stores(database: str) -> StoreFactory:
    """A factory of stores that share their content."""
    return PostgresDatabase(database)
