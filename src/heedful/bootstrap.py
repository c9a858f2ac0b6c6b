"""Bootstrap: settings -> App. The only place where adapters are chosen; nothing opens at import."""

from __future__ import annotations

import getpass
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Self

from heedful.adapters.blobs.folder import FolderBlobs
from heedful.adapters.keys import FileKeyRing
from heedful.adapters.registry_files import default_policy, folder_documents, pack_documents, registry_of
from heedful.adapters.storage.sqlite.store import SqliteStore
from heedful.adapters.store_folder import (
    StoreFolder,
    create_store_folder,
    has_store,
    init_lock,
    open_store_folder,
    store_exists,
    store_path,
)
from heedful.adapters.system import SetClock, SystemClock, SystemEntropy
from heedful.bridges.check import check_registry
from heedful.bridges.registry import Registry
from heedful.integrations.importers.claude_code.importer import ClaudeCodeImporter
from heedful.integrations.importers.detect import FileTraceSource, detect, first_lines
from heedful.kernel.errors import HeedfulError, NotFoundError
from heedful.kernel.ids import PrincipalId, TenantId, uuid7
from heedful.kernel.scope import require_plain_name
from heedful.observations.limits import Limits
from heedful.observations.names import require_clean_name, shown
from heedful.observations.record import Channel
from heedful.policy.decide import is_agent
from heedful.policy.parse import Problem
from heedful.ports.blobs import BlobStore
from heedful.ports.importer import TraceImporter, TraceSource
from heedful.ports.keys import KeyRing
from heedful.ports.store import Store, Tenant
from heedful.ports.system import Clock, Entropy
from heedful.service.access import AccessJournal
from heedful.service.maintain import expire_due
from heedful.service.requests import clean_scope
from heedful.service.session import Session
from heedful.service.tenant import adopt_registry, finish_tenant, found_tenant, require_founded
from heedful.settings import DEFAULT_TENANT, STORE_FOLDER, Settings

TENANT_CHARACTERS_MAX = 128
PRINCIPAL_CHARACTERS_MAX = 128


def default_principal() -> PrincipalId:
    """`person:<login>`, or `person:unknown` where the system names no login."""
    try:
        return PrincipalId(f"person:{getpass.getuser()}")
    except (OSError, KeyError, ImportError):
        return PrincipalId("person:unknown")


@dataclass(slots=True)
class App:
    """One open store. Close it, or use it as a context manager; what waits for its group is sealed then."""

    settings: Settings
    store: Store
    blobs: BlobStore
    keys: KeyRing
    clock: Clock
    entropy: Entropy
    registry: Registry
    default_scope: tuple[str, ...]
    folder: StoreFolder | None
    _journals: dict[TenantId, AccessJournal] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)
    _closing: Event = field(default_factory=Event)
    _sealer: Thread | None = None

    @property
    def importers(self) -> tuple[TraceImporter, ...]:
        """Every trace format that can be read, the surest recognised first."""
        return (ClaudeCodeImporter(),)

    def trace(self, path: Path) -> tuple[TraceImporter, TraceSource]:
        """The importer that reads this file, and the file as a source.

        Raises:
            UnavailableError: `trace_unreadable`.
            UnsupportedError: `trace_format_unknown`.
        """
        source = FileTraceSource(path)
        return detect(first_lines(source), self.importers), source

    def session(
        self,
        *,
        tenant: str | None = None,
        principal: str | None = None,
        channel: Channel = Channel.PERSON,
        adopts: bool = True,
    ) -> Session:
        """A session of this principal at this tenant; unless `adopts` is False, the ledger keeps the registry it uses.

        An agent's word is an agent's, whichever door it says that it comes through.

        Raises:
            NotFoundError: `tenant_not_found`.
            InvalidInputError: `name_malformed`, `name_too_long`.
            UnavailableError: `store_unavailable` where the tenant's database is gone, or its ledger empty.
        """
        name = self.settings.tenant if tenant is None else tenant
        found = next((each for each in self.store.tenants() if each.name == name), None)
        if found is None:
            raise NotFoundError(
                "tenant_not_found",
                f"this store has no tenant {shown(name)!r}",
                next_step="`heedful --tenant NAME init` adds one, in the folder that has the store",
                details={"field": "tenant"},
            )
        # Empty is somebody who lost their identity, never the owner.
        known = self.settings.principal if principal is None else principal
        who = default_principal() if known is None else known
        require_plain_name(who, field="principal", characters_max=PRINCIPAL_CHARACTERS_MAX)
        require_clean_name(who, field="principal")
        store = self.store.tenant_store(found.tenant_id)
        require_founded(store)
        session = Session(
            store=store,
            blobs=self.blobs,
            keys=self.keys,
            clock=self.clock,
            entropy=self.entropy,
            access=self._journal(found.tenant_id),
            registry=self.registry,
            principal=PrincipalId(who),
            channel=Channel.AGENT if is_agent(self.registry.policy, who) else channel,
            limits=Limits(
                content_bytes_max=self.settings.content_bytes_max, inline_bytes_max=self.settings.inline_bytes_max
            ),
            packet_tokens=self.settings.packet_tokens,
        )
        if adopts:
            adopt_registry(session)
            expire_due(session)
        return session

    def add_tenant(self, name: str, principal: PrincipalId) -> Tenant:
        """The new tenant, with its first event.

        Raises:
            ConflictError: `tenant_taken`.
            InvalidInputError: `name_malformed`, `name_too_long`.
        """
        require_plain_name(name, field="tenant", characters_max=TENANT_CHARACTERS_MAX)
        require_clean_name(name, field="tenant")
        require_clean_name(principal, field="principal")
        tenant = Tenant(TenantId(_new_id(self.clock, self.entropy)), name, self.clock.now_us())
        self.store.create_tenant(tenant)
        found_tenant(self.store.tenant_store(tenant.tenant_id), principal, clock=self.clock, entropy=self.entropy)
        return tenant

    def close(self) -> None:
        """Everything is sealed and on disk, and no file is open. Closing twice is closing once."""
        self._closing.set()
        if self._sealer is not None:
            self._sealer.join()
        try:
            for journal in self._journals.values():
                journal.flush()
        finally:
            self.store.close()

    def __enter__(self) -> Self:
        """The app itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closed."""
        self.close()

    def _journal(self, tenant_id: TenantId) -> AccessJournal:
        with self._lock:
            if tenant_id not in self._journals:
                window_us = int(self.settings.access_window_seconds * 1_000_000)
                self._journals[tenant_id] = AccessJournal(
                    self.store.tenant_store(tenant_id), clock=self.clock, entropy=self.entropy, window_us=window_us
                )
            if self._sealer is None:
                sealer = Thread(target=self._seal_due, name="heedful-access", daemon=True)
                sealer.start()  # a signal may come in here: one that is not started can't be joined
                self._sealer = sealer
            return self._journals[tenant_id]

    def _seal_due(self) -> None:
        while not self._closing.wait(self.settings.access_window_seconds / 2):
            for journal in list(self._journals.values()):
                # The entries go on waiting: the next round or `close` tries again, and `close` tells.
                with suppress(HeedfulError):
                    journal.flush_due()


def init_store(
    parent: Path, settings: Settings, *, scope: tuple[str, ...], packs: tuple[str, ...], starts_us: int | None = None
) -> App:
    """A new store in `parent`, with one tenant, owned by the principal.

    A store whose making was interrupted before it had its tenant is finished, with the scope and packs that it has.
    Of several processes that make a store in one folder at once, one makes it.
    With `starts_us`, its clock starts there and goes a millisecond further at each look; else it is the system's.

    Raises:
        ConflictError: `store_exists`.
        BusyError: `store_busy` where another process goes on making it for longer than `lock_wait_seconds`.
        UnavailableError: `store_unavailable`.
        InvalidInputError: `scope_malformed`, `pack_unknown`, `name_malformed`.
    """
    principal = PrincipalId(default_principal() if settings.principal is None else settings.principal)
    require_plain_name(principal, field="principal", characters_max=PRINCIPAL_CHARACTERS_MAX)
    require_clean_name(principal, field="principal")
    require_clean_name(settings.tenant, field="tenant")
    clean_scope(scope)
    # What it will start with must be a registry: better no store than half of one.
    own = ("policy.yaml", default_policy(principal, packs))
    registry_of((*(document for name in packs for document in pack_documents(name)), own))
    clock, entropy = SystemClock() if starts_us is None else SetClock(starts_us), SystemEntropy()
    with init_lock(parent, wait_seconds=settings.lock_wait_seconds):
        if has_store(parent):
            return _finish_store(_open(open_store_folder(parent / STORE_FOLDER), settings, clock), principal)
        store_id = _new_id(clock, entropy)
        folder = create_store_folder(parent, store_id=store_id, principal=principal, packs=packs, default_scope=scope)
        return _finish_store(_open(folder, settings, clock), principal)


def _finish_store(app: App, principal: PrincipalId) -> App:
    """The app, where it had no tenant, or its own was made by half; both are made whole."""
    name = app.settings.tenant
    try:
        found = {each.name: each.tenant_id for each in app.store.tenants()}
        if name in found:
            store = app.store.tenant_store(found[name])
            if not finish_tenant(store, principal, clock=app.clock, entropy=app.entropy):
                raise store_exists()
        elif not found or name == DEFAULT_TENANT:
            app.add_tenant(name, principal)
        else:
            raise store_exists()
    except BaseException:
        app.close()
        raise
    return app


def open_store(settings: Settings, *, start: Path | None = None) -> App:
    """The store that the settings name, else the nearest one from `start` (the current folder) upward.

    Raises:
        NotFoundError: `store_not_found`.
        UnavailableError, UnsupportedError, InvalidInputError: see StoreFolder, Store and `registry_invalid`.
    """
    return _open(open_store_folder(store_path(settings, start=start)), settings, SystemClock())


def registry_problems(settings: Settings, folder: Path | None) -> tuple[Problem, ...]:
    """Everything that is wrong with a registry folder, the store's own where none is named; see check_registry."""
    chosen = open_store_folder(store_path(settings)).registry if folder is None else folder
    return check_registry(folder_documents(chosen), at_us=SystemClock().now_us())


def _new_id(clock: Clock, entropy: Entropy) -> str:
    return uuid7(clock.now_us() // 1_000, entropy.random_bytes(10))


def _open(folder: StoreFolder, settings: Settings, clock: Clock) -> App:
    keys_dir = Path(settings.keys_dir) if settings.keys_dir else Path.home() / ".config" / "heedful" / "keys"
    registry = registry_of(folder_documents(folder.registry))
    return App(
        settings=settings,
        store=SqliteStore.open(
            folder.path,
            lock_wait_seconds=settings.lock_wait_seconds,
            group_commit_jobs_max=settings.group_commit_jobs_max,
        ),
        blobs=FolderBlobs(folder.blobs),
        keys=FileKeyRing(keys_dir / folder.store_id),
        clock=clock,
        entropy=SystemEntropy(),
        registry=registry,
        default_scope=folder.default_scope,
        folder=folder,
    )
