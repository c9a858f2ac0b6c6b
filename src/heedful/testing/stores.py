"""Store factories of the adapters that ship, for the contract suite and for tests of everything above a store."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, LiteralString

from heedful.adapters.storage.sqlite.connection import Session
from heedful.adapters.storage.sqlite.store import TENANTS_FOLDER, SqliteStore

if TYPE_CHECKING:
    import psycopg

    from heedful.adapters.storage.postgres.store import PostgresStore


@dataclass(frozen=True, slots=True)
class SqliteFiles:
    """SQLite in a folder: its stores share what is there, in any number of processes."""

    folder: Path

    def open_store(self, *, lock_wait_seconds: float = 30.0) -> SqliteStore:
        """See StoreFactory.open_store."""
        return SqliteStore.open(self.folder, lock_wait_seconds=lock_wait_seconds)

    def make_newer(self) -> None:
        """See BreakableStores.make_newer."""
        for path in self.folder.rglob("*.db"):
            session = Session(str(path), lock_wait_seconds=1.0)
            session.cursor.execute("INSERT INTO migrations VALUES (9999, 'later', 'c')")
            session.close()

    def lose_content(self) -> None:
        """See BreakableStores.lose_content."""
        for path in (self.folder / TENANTS_FOLDER).glob("*.db*"):
            path.unlink()


@dataclass(frozen=True, slots=True)
class SqliteMemory:
    """SQLite in memory: each store is empty."""

    def open_store(self, *, lock_wait_seconds: float = 30.0) -> SqliteStore:
        """See StoreFactory.open_store."""
        return SqliteStore.in_memory(lock_wait_seconds=lock_wait_seconds)


@dataclass(frozen=True, slots=True)
class PostgresDatabase:
    """PostgreSQL in the database of a DSN: its stores share what is there, in any number of processes."""

    dsn: str

    def open_store(self, *, lock_wait_seconds: float = 30.0) -> PostgresStore:
        """See StoreFactory.open_store."""
        # The driver is an extra, and SQLite is tested without it.
        from heedful.adapters.storage.postgres.store import PostgresStore  # noqa: PLC0415

        return PostgresStore.open(self.dsn, lock_wait_seconds=lock_wait_seconds)

    def make_newer(self) -> None:
        """See BreakableStores.make_newer."""
        self._run("UPDATE heedful.migrations SET number = number + 9999")

    def lose_content(self) -> None:
        """See BreakableStores.lose_content."""
        self._run("DROP TABLE heedful.state CASCADE")

    def _run(self, statement: LiteralString) -> None:
        import psycopg  # noqa: PLC0415

        with psycopg.connect(self.dsn) as connection:
            connection.execute(statement)


@dataclass(slots=True)
class EmptyPostgresDatabase:
    """PostgreSQL in a database that is emptied before each store is opened; `superuser_dsn` reaches it to do so."""

    dsn: str
    superuser_dsn: str
    _emptier: psycopg.Connection | None = None

    def open_store(self, *, lock_wait_seconds: float = 30.0) -> PostgresStore:
        """See StoreFactory.open_store."""
        store = PostgresDatabase(self.dsn).open_store(lock_wait_seconds=lock_wait_seconds)
        self._empty()
        return store

    def close(self) -> None:
        """Nothing is connected to it any more."""
        if self._emptier is not None:
            self._emptier.close()
            self._emptier = None

    def _empty(self) -> None:
        import psycopg  # noqa: PLC0415
        from psycopg import sql  # noqa: PLC0415

        # One for all stores: a new connection reads the catalogue again, which takes longer than to delete.
        if self._emptier is None:
            self._emptier = psycopg.connect(self.superuser_dsn, autocommit=True)
        with self._emptier.transaction():
            rows = self._emptier.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'heedful'").fetchall()
            names = sorted({name for (name,) in rows} - {"migrations", "tenants"})
            each = [sql.SQL("DELETE FROM heedful.{}").format(sql.Identifier(name)) for name in [*names, "tenants"]]
            self._emptier.execute(sql.SQL("; ").join(each))
