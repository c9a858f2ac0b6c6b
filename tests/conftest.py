"""One Hypothesis profile for every test, and the PostgreSQL server of those tests that ask for one."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from heedful.testing.postgres import PostgresServer, postgres_server
from heedful.testing.stores import EmptyPostgresDatabase

# No deadline on a shared machine, and the same examples at every run of CI.
settings.register_profile("heedful", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("heedful")


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A real server, started for the first test that asks for it. Tests that stop or kill one start their own."""
    with postgres_server() as server:
        yield server


@pytest.fixture(scope="session")
def emptied_database(postgres: PostgresServer) -> EmptyPostgresDatabase:
    """One for all tests that want a store to themselves: to empty it takes a tenth of the time of making one."""
    dsn = postgres.create_database()
    return EmptyPostgresDatabase(dsn, postgres.superuser_dsn(dsn.rpartition("/")[2]))


@pytest.fixture
def database(postgres: PostgresServer) -> Iterator[str]:
    """The DSN of a new, empty database, as its owner without special rights; dropped after the test."""
    dsn = postgres.create_database()
    yield dsn
    postgres.drop_database(dsn)
