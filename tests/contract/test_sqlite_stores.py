"""The store contract, run on SQLite in memory and in files."""

from itertools import count
from pathlib import Path

import pytest

from heedful.adapters.storage.sqlite.store import SqliteStore
from heedful.testing.factory import StoreFactory
from heedful.testing.store_contract import *  # noqa: F403
from heedful.testing.stores import SqliteFiles, SqliteMemory


@pytest.fixture(params=["memory", "file"])
def stores(request: pytest.FixtureRequest, tmp_path: Path) -> StoreFactory:
    """A factory of empty stores."""
    return SqliteMemory() if request.param == "memory" else _EmptyFiles(tmp_path)


@pytest.fixture
def shared_stores(tmp_path: Path) -> StoreFactory:
    """A factory of stores that share their content."""
    return SqliteFiles(tmp_path / "store")


class _EmptyFiles:
    """Each store in a folder of its own: hypothesis runs one test many times on one fixture."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = count()

    def open_store(self, *, lock_wait_seconds: float = 30.0) -> SqliteStore:
        return SqliteFiles(self._folder / str(next(self._numbers))).open_store(lock_wait_seconds=lock_wait_seconds)
