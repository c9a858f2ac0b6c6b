"""Content: where a store's chains, views and large contents lie. Here the engine is chosen."""

from __future__ import annotations

from heedful.adapters.blobs.folder import FolderBlobs
from heedful.adapters.storage.sqlite.store import SqliteStore
from heedful.adapters.store_folder import StoreFolder
from heedful.bootstrap.database import Content, named_database
from heedful.kernel.errors import ConflictError, InvalidInputError
from heedful.settings import Settings


def open_content(folder: StoreFolder, settings: Settings) -> Content:
    """The content of the store in this folder.

    Raises:
        InvalidInputError: `database_needed`, `database_unexpected`, `database_malformed`.
        ConflictError: `database_mismatch` where the database holds another store, or none.
        UnsupportedError: `extra_missing`, or the database's.
        UnavailableError: `store_unavailable`, `database_refused`.
    """
    return _on_sqlite(folder, settings) if folder.engine == "sqlite" else _on_postgresql(folder, settings)


def _on_sqlite(folder: StoreFolder, settings: Settings) -> Content:
    if settings.database is not None:
        raise InvalidInputError(
            "database_unexpected",
            "this store is on SQLite, in its own folder, and a database of PostgreSQL was named",
            next_step="leave --database and HEEDFUL_DATABASE out, or make a store on it in another folder",
            details={"field": "database"},
        )
    store = SqliteStore.open(
        folder.path,
        lock_wait_seconds=settings.lock_wait_seconds,
        group_commit_jobs_max=settings.group_commit_jobs_max,
        write_queue_max=settings.write_queue_max,
    )
    return Content(store, FolderBlobs(folder.blobs))


def _on_postgresql(folder: StoreFolder, settings: Settings) -> Content:
    if settings.database is None:
        raise InvalidInputError(
            "database_needed",
            "this store's content is in a database of PostgreSQL, and none was named",
            next_step="name it with HEEDFUL_DATABASE or --database, as postgresql://USER:PASSWORD@HOST:PORT/NAME",
            details={"field": "database"},
        )
    database = named_database(settings)
    # Before it is opened, which makes tables where there are none.
    found = database.owner()
    if found != folder.store_id:
        raise ConflictError(
            "database_mismatch",
            f"the database holds {'no store' if found is None else 'another store'}, and not the one of this folder",
            next_step="name the database that the store was made with, or restore that from its backup",
            details={"field": "database", "found": found, "expected": folder.store_id},
        )
    _, content = database.open()
    return content
