"""Settling: a store that was laid down becomes one that can be opened: in its folder, or in a database."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from heedful.adapters.bundle_files import FileBundleSource, FileBundleTarget
from heedful.adapters.store_folder import Engine, StoreFolder, create_store_folder
from heedful.adapters.system import SystemClock
from heedful.bootstrap.app import App
from heedful.bootstrap.database import named_database
from heedful.bootstrap.opening import app_of
from heedful.bootstrap.principals import default_principal
from heedful.bootstrap.unpacking import Unpacked, bundle_path
from heedful.kernel.errors import ConflictError
from heedful.kernel.ids import PrincipalId
from heedful.ledger.backup import TenantPart
from heedful.observations.record import Channel
from heedful.service.auditing.export_ledger import write_ledger
from heedful.service.auditing.import_ledger import bring_in
from heedful.settings import STORE_FOLDER, Settings

_IN_DATABASE = "with-database"


def bury(app: App, unpacked: Unpacked) -> None:
    """Tenants that were erased as a whole are known as erased; nothing of them is there."""
    for each in unpacked.tombstones:
        app.store.bury(each)


def opened(unpacked: Unpacked, settings: Settings) -> App:
    """The store as it was laid down, on SQLite; nobody else finds it, as it has no `store.json` yet."""
    folder = _folder(unpacked, unpacked.folder, "sqlite")
    return app_of(folder, replace(settings, store=None, database=None), SystemClock())


def bring_in_bundles(app: App, unpacked: Unpacked, staging: Path) -> None:
    """The tenants of a backup that was taken of a database are in the store, event by event.

    Raises:
        InvalidInputError: `bundle_damaged`, `bundle_malformed`.
        UnavailableError: `keys_missing`.
    """
    for part in unpacked.tenants:
        _bring_in(app, part, bundle_path(staging, part))


def moved_to_database(unpacked: Unpacked, staging: Path, settings: Settings) -> Path:
    """Where the folder is put together of the store that is in the database now, tenant after tenant.

    All that was erased since went before anything came. Where it fails the database is empty again; killed in between,
    what came is left there, no folder serves it, and another empty database is needed.

    Raises:
        ConflictError: `database_in_use` where the database holds a store.
        UnavailableError, UnsupportedError: the database's.
    """
    database = named_database(settings)
    if database.owner() is not None:
        raise _in_use()
    place = staging / _IN_DATABASE / STORE_FOLDER
    place.parent.mkdir()
    shutil.copytree(unpacked.folder / "registry", place / "registry")
    owned, content = database.open()
    try:
        if owned.own(unpacked.store_id) != unpacked.store_id:
            raise _in_use()
        target = app_of(_folder(unpacked, place, "postgresql"), settings, SystemClock(), content=content)
    except BaseException:
        owned.close()
        raise
    try:
        with target, opened(unpacked, settings) as source:
            for part in unpacked.tenants:
                _move(part, source, target, bundle_path(staging, part))
            bury(target, unpacked)
    except BaseException:
        database.remove(unpacked.store_id)
        raise
    return place.parent


def _move(part: TenantPart, source: App, target: App, path: Path) -> None:
    write_ledger(source.session(tenant=part.name, adopts=False), FileBundleTarget(path), lambda _done: None)
    _bring_in(target, part, path)


def _bring_in(app: App, part: TenantPart, path: Path) -> None:
    arrival = app.arrival(_principal(app.settings), Channel.PERSON)
    bring_in(arrival, FileBundleSource(path), name=part.name, key=None, progress=lambda _done: None)
    path.unlink()


def finish_folder(parent: Path, unpacked: Unpacked, settings: Settings) -> None:
    """The folder in `parent` is a store's."""
    create_store_folder(
        parent,
        store_id=unpacked.store_id,
        principal=_principal(settings),
        packs=(),
        default_scope=unpacked.default_scope,
        engine="sqlite" if settings.database is None else "postgresql",
    )


def _in_use() -> ConflictError:
    return ConflictError(
        "database_in_use",
        "the database holds a store, and a backup is restored into an empty one",
        next_step="name an empty database; the other stays as it is",
        details={"field": "database"},
    )


def _folder(unpacked: Unpacked, path: Path, engine: Engine) -> StoreFolder:
    return StoreFolder(path, unpacked.store_id, unpacked.default_scope, engine)


def _principal(settings: Settings) -> PrincipalId:
    return PrincipalId(default_principal() if settings.principal is None else settings.principal)
