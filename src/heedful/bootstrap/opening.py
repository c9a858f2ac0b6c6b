"""Opening: a store's folder and the settings -> App."""

from __future__ import annotations

from pathlib import Path

from heedful.adapters.keys import FileKeyRing
from heedful.adapters.knowledge_files import knowledge_loader
from heedful.adapters.models.choose import embedders_of, proposer_of, router_of
from heedful.adapters.registry_cache import cached_registry
from heedful.adapters.registry_files import folder_documents
from heedful.adapters.reserve import FileReserve
from heedful.adapters.signing import FileSigning
from heedful.adapters.store_folder import StoreFolder, open_store_folder, store_path
from heedful.adapters.system import SystemClock, SystemEntropy
from heedful.bootstrap.app import App
from heedful.bootstrap.content import open_content
from heedful.bootstrap.database import Content
from heedful.bridges.check import check_registry
from heedful.policy.parse import Problem
from heedful.ports.keys import KeyRing
from heedful.ports.reserve import NO_RESERVE
from heedful.ports.system import Clock
from heedful.settings import Settings


def open_store(settings: Settings, *, start: Path | None = None) -> App:
    """The store that the settings name, else the nearest one from `start` (the current folder) upward.

    Raises:
        NotFoundError: `store_not_found`.
        UnavailableError, UnsupportedError, InvalidInputError, ConflictError: see StoreFolder, Store, open_content and
            `registry_invalid`.
    """
    return app_of(open_store_folder(store_path(settings, start=start)), settings, SystemClock())


def make_room(settings: Settings) -> None:
    """What the store keeps of the disk for erasing is free, where there is too little to open it.

    Raises:
        NotFoundError, UnavailableError, UnsupportedError: see `open_store`.
    """
    reserve_in(open_store_folder(store_path(settings)), settings).release_if_full()


def reserve_in(folder: StoreFolder, settings: Settings) -> FileReserve:
    """The reserve of the store in this folder."""
    return FileReserve(folder.path, settings.erase_reserve_mib)


def registry_problems(settings: Settings, folder: Path | None) -> tuple[Problem, ...]:
    """Everything that is wrong with a registry folder, the store's own where none is named; see check_registry."""
    chosen = open_store_folder(store_path(settings)).registry if folder is None else folder
    documents = folder_documents(chosen)
    return check_registry(documents, at_us=SystemClock().now_us(), knowledge=knowledge_loader(documents))


def app_of(folder: StoreFolder, settings: Settings, clock: Clock, *, content: Content | None = None) -> App:
    """The store in this folder, open; with `content` where that is open already."""
    registry = cached_registry(folder_documents(folder.registry), folder.cache)
    keys, embedders = key_ring(folder.store_id, settings), embedders_of(settings)
    opened = open_content(folder, settings) if content is None else content
    return App(
        settings=settings,
        store=opened.store,
        blobs=opened.blobs,
        keys=keys,
        clock=clock,
        entropy=SystemEntropy(),
        registry=registry,
        default_scope=folder.default_scope,
        folder=folder,
        embedders=embedders,
        router=router_of(settings, embedders),
        proposer=proposer_of(settings),
        signing=FileSigning(keys_folder(folder.store_id, settings), clock),
        # A database lies on a disk of its own.
        reserve=reserve_in(folder, settings) if folder.engine == "sqlite" else NO_RESERVE,
    )


def key_ring(store_id: str, settings: Settings) -> KeyRing:
    """The keys of the store of that id, wherever its content lies."""
    return FileKeyRing(keys_folder(store_id, settings))


def keys_folder(store_id: str, settings: Settings) -> Path:
    """Where the keys of the store of that id lie, whether anything is there or not."""
    keys_dir = Path(settings.keys_dir) if settings.keys_dir else Path.home() / ".config" / "heedful" / "keys"
    return keys_dir / store_id
