"""Throwaway: a store that is gone after the block, as the tour's is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from heedful.bootstrap.app import App
from heedful.bootstrap.database import named_database
from heedful.bootstrap.founding import init_store
from heedful.kernel.errors import ConflictError
from heedful.settings import Settings


@contextmanager
def throwaway_store(
    parent: Path, settings: Settings, *, scope: tuple[str, ...], packs: tuple[str, ...], starts_us: int | None = None
) -> Iterator[App]:
    """A new store, as `init_store` makes it in `parent`. What it had in a database goes with the block; `parent` stays.

    Raises:
        ConflictError: `database_in_use` where the database holds a store already; and those of `init_store`.
    """
    database = None if settings.database is None else named_database(settings)
    if database is not None and database.owner() is not None:
        raise ConflictError(
            "database_in_use",
            "the database holds a store, and this needs one of its own, which it leaves empty",
            next_step="name an empty database, or leave --database and HEEDFUL_DATABASE out",
            details={"field": "database"},
        )
    with init_store(parent, settings, scope=scope, packs=packs, starts_us=starts_us) as app:
        folder = app.folder
        assert folder is not None
        try:
            yield app
        finally:
            app.close()
            # One that another made meanwhile is theirs.
            if database is not None and not app.is_joined:
                database.remove(folder.store_id)
