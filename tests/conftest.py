"""For every test: one Hypothesis profile, temporary files in memory, and a PostgreSQL server for those that ask."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import settings

from heedful.testing.postgres import PostgresServer, postgres_server
from heedful.testing.stores import EmptyPostgresDatabase

# No deadline on a shared machine, and the same examples at every run of CI.
settings.register_profile("heedful", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("heedful")

IN_MEMORY = Path("/dev/shm")
IN_MEMORY_BYTES_MIN = 4_000_000_000


def pytest_configure() -> None:
    """Temporary folders lie in memory where there is room and nobody chose a place: an fsync costs nothing there.

    No test is the weaker for it: those of power cuts read the system calls, those of failing disks fail them, and what
    a killed process or server wrote stays in memory as it would in the page cache. Worker processes inherit the place.
    """
    if "TMPDIR" in os.environ or not os.access(IN_MEMORY, os.W_OK):
        return
    if shutil.disk_usage(IN_MEMORY).free >= IN_MEMORY_BYTES_MIN:
        os.environ["TMPDIR"] = tempfile.tempdir = str(IN_MEMORY)


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A real server, started for the first test that asks for it. Tests that stop or kill one start their own."""
    with postgres_server() as server:
        yield server


@pytest.fixture(scope="session")
def emptied_database(postgres: PostgresServer) -> Iterator[EmptyPostgresDatabase]:
    """One for all tests that want a store to themselves: to empty it takes a tenth of the time of making one."""
    dsn = postgres.create_database()
    with closing(EmptyPostgresDatabase(dsn, postgres.superuser_dsn(dsn.rpartition("/")[2]))) as emptied:
        yield emptied


@pytest.fixture
def database(postgres: PostgresServer) -> Iterator[str]:
    """The DSN of a new, empty database, as its owner without special rights; dropped after the test."""
    dsn = postgres.create_database()
    yield dsn
    postgres.drop_database(dsn)
