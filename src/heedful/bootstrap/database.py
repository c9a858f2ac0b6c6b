"""Database: the one of PostgreSQL that the settings name. Its driver is an extra, looked for when one is named."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from heedful.adapters.database_url import DatabaseUrl, read_database_url
from heedful.kernel.errors import UnavailableError, UnsupportedError
from heedful.ports.blobs import BlobStore
from heedful.ports.store import Store
from heedful.settings import Settings


class OwnedStore(Store, Protocol):
    """A store in a database of PostgreSQL, which knows by whose store it is owned."""

    def own(self, store_id: str) -> str:
        """The id of the store that the database holds, which is the one given where it held none."""
        ...


@dataclass(frozen=True, slots=True)
class Content:
    """Chains and views, and the large contents beside them."""

    store: Store
    blobs: BlobStore


@dataclass(frozen=True, slots=True)
class Database:
    """A database that was named, and is reachable or not. Made by `named_database`.

    Every method raises UnavailableError: `store_unavailable`, `database_refused`; with the place that may be shown. And
    BusyError: `store_busy` where the server takes no more connections.
    """

    url: DatabaseUrl
    settings: Settings

    def owner(self) -> str | None:
        """The id of the store that it holds, or None; nothing is made in it."""
        from heedful.adapters.storage.postgres.ownership import owner_of  # noqa: PLC0415

        with _placed(self.url):
            return owner_of(self.url.text)

    def open(self) -> tuple[OwnedStore, Content]:
        """The store in it, whichever that is, and the same with its large contents; tables are made where none are.

        Raises:
            UnsupportedError: `schema_newer`, `server_unfit`.
        """
        from heedful.adapters.storage.postgres.blobs import PostgresBlobs  # noqa: PLC0415
        from heedful.adapters.storage.postgres.store import PostgresStore  # noqa: PLC0415

        with _placed(self.url):
            store = PostgresStore.open(
                self.url.text,
                lock_wait_seconds=self.settings.lock_wait_seconds,
                group_commit_jobs_max=self.settings.group_commit_jobs_max,
                write_queue_max=self.settings.write_queue_max,
            )
        return store, Content(store, PostgresBlobs(store))

    def remove(self, store_id: str) -> None:
        """Nothing of the store of that id is in it; another stays as it is."""
        from heedful.adapters.storage.postgres.ownership import remove_store  # noqa: PLC0415

        with _placed(self.url):
            remove_store(self.url.text, store_id, lock_wait_seconds=self.settings.lock_wait_seconds)


def named_database(settings: Settings) -> Database:
    """The database that the settings name; nothing is connected to.

    Raises:
        InvalidInputError: `database_malformed`.
        UnsupportedError: `extra_missing`.
    """
    assert settings.database is not None
    url = read_database_url(settings.database)
    try:
        # Here and not above: to import the driver costs more than a short command on SQLite does.
        import heedful.adapters.storage.postgres.store  # noqa: F401, PLC0415
    except ImportError as error:
        if (error.name or "").startswith("heedful"):
            raise
        raise UnsupportedError(
            "extra_missing",
            "the driver of PostgreSQL is not installed",
            next_step="pip install 'heedful[postgres]'",
            details={"extra": "postgres"},
        ) from error
    return Database(url, settings)


@contextmanager
def _placed(url: DatabaseUrl) -> Iterator[None]:
    """The block, whose errors say where the database is: the adapter can't tell which part of its URL may be shown."""
    try:
        yield
    except UnavailableError as error:
        error.message = f"{error.message} ({url.place})"
        error.details["database"] = url.place
        raise
