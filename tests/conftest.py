"""For every test: one Hypothesis profile, temporary files in memory, and a PostgreSQL server for those that ask."""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing
from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import settings

from heedful.policy import parse
from heedful.testing.postgres import PostgresServer, postgres_server
from heedful.testing.stores import EmptyPostgresDatabase

# No deadline on a shared machine, and the same examples at every run of CI.
settings.register_profile("heedful", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("heedful")

LONG = ("isolation", "durability")
IN_MEMORY = Path("/dev/shm")
IN_MEMORY_BYTES_MIN = 4_000_000_000


GARBAGE_MIN = 200_000
"""Objects made before the newest are looked through; a registry has hundreds of thousands, and makes no cycles."""


# Hundreds of tests build the bundled packs with a policy of their own: each document is read once. Whoever merges
# documents copies the entries, so nobody changes what is kept.
parse._parse = lru_cache(maxsize=256)(parse._parse)


def pytest_configure() -> None:
    """Garbage is looked for less often: by default a third of all processor time of the tests went there.

    Temporary folders lie in memory where there is room and nobody chose a place: an fsync costs nothing there. No test
    is the weaker for it: those of power cuts read the system calls, those of failing disks fail them, and what a killed
    process or server wrote stays in memory as it would in the page cache. Worker processes inherit the place.
    """
    gc.set_threshold(GARBAGE_MIN, 20, 20)
    if "TMPDIR" in os.environ or not os.access(IN_MEMORY, os.W_OK):
        return
    if shutil.disk_usage(IN_MEMORY).free >= IN_MEMORY_BYTES_MIN:
        os.environ["TMPDIR"] = tempfile.tempdir = str(IN_MEMORY)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest tests first: at the end they would keep one process busy while the others have nothing to do."""
    items.sort(key=lambda item: item.path.parent.name not in LONG)


def pytest_collection_finish() -> None:
    """What is here now stays until the end."""
    gc.freeze()


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
