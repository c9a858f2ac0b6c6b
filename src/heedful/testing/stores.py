"""Store factories of the adapters that ship, for the contract suite and for tests of everything above a store."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from heedful.adapters.storage.sqlite.store import SqliteStore


@dataclass(frozen=True, slots=True)
class SqliteFiles:
    """SQLite in a folder: its stores share what is there, in any number of processes."""

    folder: Path

    def open_store(self, *, lock_wait_seconds: float = 30.0) -> SqliteStore:
        """See StoreFactory.open_store."""
        return SqliteStore.open(self.folder, lock_wait_seconds=lock_wait_seconds)


@dataclass(frozen=True, slots=True)
class SqliteMemory:
    """SQLite in memory: each store is empty."""

    def open_store(self, *, lock_wait_seconds: float = 30.0) -> SqliteStore:
        """See StoreFactory.open_store."""
        return SqliteStore.in_memory(lock_wait_seconds=lock_wait_seconds)
