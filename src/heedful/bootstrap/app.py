"""App: one open store with everything that its sessions need."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from heedful.adapters.bundle_files import FileBundleSource, FileBundleTarget
from heedful.adapters.keys import read_key
from heedful.adapters.models.choose import NO_EMBEDDERS, Embedders
from heedful.adapters.registry_restore import RegistryFolder, write_registry_folder
from heedful.adapters.signing import MemorySigning
from heedful.adapters.store_folder import Engine, StoreFolder
from heedful.bootstrap.embedding import BackgroundEmbedding
from heedful.bootstrap.principals import principal_named
from heedful.bootstrap.scratch import scratch_store
from heedful.bootstrap.sealing import BackgroundSealing
from heedful.bootstrap.tenants import tenant_named
from heedful.bridges.registry import Registry
from heedful.integrations.batch_lines import BatchFile, BatchStream
from heedful.integrations.importers.detect import FileTraceSource, detect
from heedful.integrations.importers.known import DOCUMENT_FORMATS, LINE_FORMATS
from heedful.kernel.ids import PrincipalId, TenantId, uuid7
from heedful.kernel.scope import require_plain_name
from heedful.kernel.times import zone_named
from heedful.observations.limits import Limits
from heedful.observations.names import require_clean_name
from heedful.observations.record import Channel
from heedful.policy.decide import is_agent
from heedful.ports.blobs import BlobStore
from heedful.ports.bundles import BundleSource, BundleTarget
from heedful.ports.importer import TraceImporter, TraceSource
from heedful.ports.keys import KeyRing
from heedful.ports.proposer import Proposer
from heedful.ports.reserve import NO_RESERVE, Reserve
from heedful.ports.router import Router
from heedful.ports.signing import Signing
from heedful.ports.store import Store, Tenant
from heedful.ports.system import Clock, Entropy
from heedful.service.auditing.arrival import Arrival
from heedful.service.erasure.tenant import Eraser
from heedful.service.folded import FoldedStores
from heedful.service.maintain import expire_due
from heedful.service.recalling.vectors import adopt_model
from heedful.service.session import Session
from heedful.service.tenant import (
    TENANT_CHARACTERS_MAX,
    FoundedKeys,
    adopt_registry,
    found_tenant,
    require_founded,
)
from heedful.service.whole import WholeStore
from heedful.settings import VERSION, Settings


def new_id(clock: Clock, entropy: Entropy) -> str:
    """A UUID of version 7, of this moment."""
    return uuid7(clock.now_us() // 1_000, entropy.random_bytes(10))


@dataclass(slots=True)
class App:
    """One open store. Close it, or use it as a context manager; what waits for its group is sealed then.

    Attributes:
        engine: where the store's content lies: in its folder on SQLite, or in a database of PostgreSQL.
        owns_store: closing the app closes the store too; False where others go on using it.
        is_joined: `init` made this folder for a store that its database had already.
    """

    settings: Settings
    store: Store
    blobs: BlobStore
    keys: KeyRing
    clock: Clock
    entropy: Entropy
    registry: Registry
    default_scope: tuple[str, ...]
    folder: StoreFolder | None
    embedders: Embedders = NO_EMBEDDERS
    router: Router | None = None
    proposer: Proposer | None = None
    signing: Signing | None = None
    reserve: Reserve = NO_RESERVE
    owns_store: bool = True
    is_joined: bool = False
    _founded_keys: dict[TenantId, FoundedKeys] = field(default_factory=dict)
    _embedding: BackgroundEmbedding = field(default_factory=BackgroundEmbedding)
    _folded: FoldedStores = field(default_factory=FoldedStores)
    _sealing: BackgroundSealing = field(init=False)
    engine: Engine = field(init=False)

    def __post_init__(self) -> None:
        """Nothing waits yet."""
        self.signing = self.signing or MemorySigning(self.clock)
        self.engine = "sqlite" if self.folder is None else self.folder.engine
        window_seconds = self.settings.access_window_seconds
        self._sealing = BackgroundSealing(self.clock, self.entropy, window_seconds=window_seconds)

    @property
    def importers(self) -> tuple[TraceImporter, ...]:
        """Every trace format that can be read, the surest recognised first."""
        return LINE_FORMATS

    def trace(self, path: Path) -> tuple[TraceImporter, TraceSource]:
        """The importer that reads this file, and the file as a source.

        Raises:
            UnavailableError: `trace_unreadable`.
            UnsupportedError: `trace_format_unknown`.
        """
        source = FileTraceSource(path)
        return detect(source, self.importers, DOCUMENT_FORMATS), source

    def batch(self, source: Path | BinaryIO | None) -> TraceSource:
        """The lines of a file, or of a stream, of items to remember; None: standard input, where it is closed.

        Raises:
            UnavailableError: `batch_unreadable`.
        """
        return BatchFile(source) if isinstance(source, Path) else BatchStream(source)

    def bundle_source(self, path: Path) -> BundleSource:
        """The bundle to import.

        Raises:
            UnavailableError: `bundle_unavailable`.
        """
        return FileBundleSource(path)

    def bundle_target(self, path: Path) -> BundleTarget:
        """The bundle to export to.

        Raises:
            ConflictError: `bundle_exists`.
        """
        return FileBundleTarget(path)

    def registry_folder(self, body_json: str, packs: tuple[str, ...], folder: Path) -> RegistryFolder:
        """What was written to the folder: the documents of an earlier registry.

        Raises:
            ConflictError, UnavailableError, FaultError: see write_registry_folder.
        """
        return write_registry_folder(body_json, packs, folder)

    def key_file(self, path: Path) -> bytes:
        """The key in this file.

        Raises:
            UnavailableError: `keys_unavailable`.
        """
        return read_key(path)

    def arrival(self, principal: PrincipalId, channel: Channel) -> Arrival:
        """This store, for a ledger that the principal brings to it."""
        return Arrival(
            store=self.store,
            keys=self.keys,
            registry=self.registry,
            principal=principal,
            channel=channel,
            session_at=lambda tenant_id: self._session_at(tenant_id, principal, channel),
        )

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
            ConflictError: `tenant_erased`.
            InvalidInputError: `name_malformed`, `name_too_long`.
            UnavailableError: `store_unavailable` where the tenant's database is gone, or its ledger empty.
        """
        found = tenant_named(self.store, self.settings.tenant if tenant is None else tenant)
        who = principal_named(principal, self.settings.principal)
        store = self.store.tenant_store(found.tenant_id)
        require_founded(store)
        if found.tenant_id not in self._founded_keys:
            self._founded_keys[found.tenant_id] = FoundedKeys(store, self.keys)
        keys = self._founded_keys[found.tenant_id]
        session = self._session_at(found.tenant_id, who, channel, keys)
        if adopts:
            adopt_registry(session)
            adopt_model(session)
            expire_due(session)
            self._embedding.watch(session)
        return session

    def eraser(self, *, principal: str | None = None, channel: Channel = Channel.PERSON) -> Eraser:
        """This store, for a principal who erases one of its tenants.

        Raises:
            InvalidInputError: `name_malformed`, `name_too_long`.
        """
        assert self.signing is not None, "there is one from the beginning"
        return Eraser(
            store=self.store,
            blobs=self.blobs,
            keys=self.keys,
            signing=self.signing,
            registry=self.registry,
            principal=principal_named(principal, self.settings.principal),
            channel=channel,
            clock=self.clock,
            entropy=self.entropy,
            backup_keep_days=self.settings.backup_keep_days,
        )

    def add_tenant(self, name: str, principal: PrincipalId, *, anew: bool = False) -> Tenant:
        """The new tenant, with its first event and a key of its own. `anew`: also where one of its name was erased.

        Raises:
            ConflictError: `tenant_taken`, `tenant_erased`.
            InvalidInputError: `name_malformed`, `name_too_long`.
        """
        require_plain_name(name, field="tenant", characters_max=TENANT_CHARACTERS_MAX)
        require_clean_name(name, field="tenant")
        require_clean_name(principal, field="principal")
        tenant = Tenant(TenantId(new_id(self.clock, self.entropy)), name, self.clock.now_us())
        self.store.create_tenant(tenant, anew=anew)
        store = self.store.tenant_store(tenant.tenant_id)
        if self.signing is not None:
            self.signing.prepare()
        found_tenant(store, self.keys, principal, clock=self.clock, entropy=self.entropy)
        return tenant

    def close(self) -> None:
        """Everything is sealed and on disk, and no file is open. Closing twice is closing once."""
        self._embedding.close()
        self._folded.forget_texts()
        try:
            self._sealing.close()
        finally:
            if self.owns_store:
                self.store.close()

    def __enter__(self) -> Self:
        """The app itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closed."""
        self.close()

    def _session_at(
        self, tenant_id: TenantId, principal: PrincipalId, channel: Channel, keys: KeyRing | None = None
    ) -> Session:
        store = self.store.tenant_store(tenant_id)
        assert self.signing is not None, "there is one from the beginning"
        return Session(
            store=WholeStore(store),
            blobs=self.blobs,
            keys=self.keys if keys is None else keys,
            signing=self.signing,
            clock=self.clock,
            entropy=self.entropy,
            access=self._sealing.journal(store),
            registry=self.registry,
            principal=principal,
            channel=Channel.AGENT if is_agent(self.registry.policy, principal) else channel,
            limits=Limits(
                content_bytes_max=self.settings.content_bytes_max, inline_bytes_max=self.settings.inline_bytes_max
            ),
            release=VERSION,
            scratch=scratch_store,
            packet_tokens=self.settings.packet_tokens,
            embedder=self.embedders.configured,
            embedders=self.embedders.known,
            scorer=self.settings.scorer,
            scoring=self.settings.scoring,
            source_share_max=self.settings.source_share_max,
            router=self.router,
            urgency_min=self.settings.urgency_min,
            permit_seconds=self.settings.permit_seconds,
            gotcha_days=self.settings.gotcha_days,
            zone=zone_named(self.settings.zone, field="zone"),
            collect_unused_days=self.settings.collect_unused_days,
            collect_confidence_below=self.settings.collect_confidence_below,
            folded=self._folded,
            backup_keep_days=self.settings.backup_keep_days,
            reserve=self.reserve,
            checkpoint_hours=self.settings.checkpoint_hours,
        )
