"""Stores for the benchmarks: each in a temporary folder, its keys beside it."""

from __future__ import annotations

from pathlib import Path

from heedful import Memory
from heedful.ports.importer import ImportedItem
from heedful.service.session import Session
from heedful.settings import DEFAULT_TENANT, EmbedderChoice, RouterChoice, Settings

PRINCIPAL = "person:bench"
SCOPE = ("project:bench",)


def settings_in(
    folder: Path,
    *,
    tenant: str = DEFAULT_TENANT,
    embedder: EmbedderChoice = "ngrams",
    router: RouterChoice = "none",
) -> Settings:
    """The settings of a store in this folder; nothing is read from the environment.

    Without a router, so that writes are compared with writes: reading what a text tells is a row of its own where it
    is measured.
    """
    return Settings(tenant=tenant, principal=PRINCIPAL, keys_dir=str(folder / "keys"), embedder=embedder, router=router)


def new_store(
    folder: Path,
    *,
    database: str | None = None,
    embedder: EmbedderChoice = "ngrams",
    router: RouterChoice = "none",
    packs: tuple[str, ...] = ("delivery",),
) -> Memory:
    """A new store in this folder, which is made; with `database` its content goes there."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = settings_in(folder, embedder=embedder, router=router)
    return Memory.init(folder, scope=SCOPE, database=database, packs=packs, settings=settings)


def open_store(folder: Path, *, router: RouterChoice = "none") -> Memory:
    """The store in this folder."""
    return Memory.open(folder, settings=settings_in(folder, router=router))


def session_of(memory: Memory) -> Session:
    """What the memory's verbs work with: the benchmarks look at the ledger itself."""
    return memory._session  # noqa: SLF001  # there is no public way to the ledger, and none is needed elsewhere


def items_of(memory: Memory, transcript: Path) -> list[ImportedItem]:
    """What the importer of this store reads in a transcript."""
    importer, source = memory._app.trace(transcript)  # noqa: SLF001  # as above
    return [row for row in importer.read(source) if isinstance(row, ImportedItem)]
