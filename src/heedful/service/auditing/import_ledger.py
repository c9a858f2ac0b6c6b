"""Import of a ledger: a tenant comes to this store as it was in another, event by event, under its own id.

The file is read twice. First everything in it is checked, and nothing written. Then contents and events are written in
bounded transactions, each with its views, while the tenant has a name that no session opens; with the last of them it
gets its own name. So an import that was interrupted is never served, and goes on where it stopped when it is run again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, assert_never

from heedful.kernel.errors import ConflictError, InvalidInputError
from heedful.kernel.ids import TenantId
from heedful.ledger.bundle import Blob, ChainedEvent, Item, read_bundle
from heedful.ledger.bundle_lines import Header, Trailer
from heedful.ledger.erased import Erased
from heedful.ledger.seal import Head
from heedful.ports.bundles import BundleSource
from heedful.ports.store import Chain, Writing
from heedful.service.append import append_sealed
from heedful.service.auditing.arrival import Arrival, Check
from heedful.service.recalling.vectors import adopt_model
from heedful.service.session import Session, require_verb

BATCH_EVENTS_MAX = 1_000
BATCH_BYTES_MAX = 8_388_608
"""A transaction is committed with this many events, or this much of payloads, whichever comes first."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What came.

    Attributes:
        tenant: the name that it has here.
        ledger, access: where the chains end, as where they came from.
        resumed_from: the ledger position that an earlier, interrupted import had come to; None where this began anew.
        registry: whether this store's registry is the one that was in force where the ledger was exported; packets
            name their revision, and what comes to mind is the registry's to say.
    """

    tenant_id: TenantId
    tenant: str
    ledger: Head
    access: Head
    blobs: int
    sha256: str
    resumed_from: int | None
    registry_revision: str
    registry: Literal["same", "different"]


def import_ledger(
    arrival: Arrival,
    source: BundleSource,
    *,
    name: str | None,
    key: bytes | None,
    progress: Callable[[int], None],
) -> Imported:
    """What came, all durable. `name` None: the name that it had; `key`: the tenant's key, where it is not here yet.

    `progress` is told bytes read, of twice the file's size.

    Raises:
        ForbiddenError: `principal_may_not`: it is an owner's alone, since a file can say that anything was approved.
        ConflictError: `tenant_taken` where the tenant, or another of its name, is here; `history_differs`
            where an interrupted import brought something that is not in this file; `position_taken` where another
            process imports it just now; `tenant_erased` where the tenant, or one of its name, was erased here.
        InvalidInputError: `bundle_malformed`, `bundle_damaged`, `bundle_line_too_long`, `name_malformed`,
            `name_too_long`.
        UnsupportedError: `bundle_newer`.
        UnavailableError: `keys_missing`, `keys_mismatch`, `bundle_unavailable`, or the store's.
    """
    require_verb(arrival.registry.policy, arrival.principal, arrival.channel, "import_ledger")
    return bring_in(arrival, source, name=name, key=key, progress=progress)


def bring_in(
    arrival: Arrival,
    source: BundleSource,
    *,
    name: str | None,
    key: bytes | None,
    progress: Callable[[int], None],
) -> Imported:
    """As import_ledger, for whoever restores a store: nobody is asked whether they may, as there is no policy yet."""
    check = Check(arrival, name, key)
    size_bytes = source.size_bytes()
    _read(source, check.take, progress)
    tenant = check.tenant
    if check.key is not None:
        arrival.keys.keep_key(tenant.tenant_id, check.key)
    if tenant not in arrival.store.tenants():
        arrival.store.create_tenant(tenant)
    session = arrival.session_at(tenant.tenant_id)
    adopt_model(session)
    writer = _Writer(session, check.header, check.erased)
    _read(source, writer.take, lambda done: progress(size_bytes + done))
    trailer = writer.end()
    if trailer != check.trailer:
        raise _changed()
    arrival.store.rename_tenant(tenant.tenant_id, check.name)
    progress(2 * size_bytes)
    return Imported(
        tenant_id=tenant.tenant_id,
        tenant=check.name,
        ledger=check.header.ledger,
        access=check.header.access,
        blobs=trailer.blobs,
        sha256=trailer.sha256,
        resumed_from=writer.resumed_from,
        registry_revision=check.header.registry_revision,
        registry="same" if check.header.registry_revision == arrival.registry.revision else "different",
    )


def _read(source: BundleSource, take: Callable[[Item], None], progress: Callable[[int], None]) -> None:
    with source.lines() as lines:
        for item in read_bundle(lines):
            take(item)
            progress(source.done_bytes())


@dataclass(slots=True)
class _Writer:
    """The second reading: what is not here yet is written, in order."""

    session: Session
    header: Header
    erased: Erased
    resumed_from: int | None = None
    _heads: dict[Chain, Head] = field(default_factory=dict)
    _batch: list[ChainedEvent] = field(default_factory=list)
    _batch_bytes: int = 0
    _blob: Blob | None = None
    _trailer: Trailer | None = None

    def __post_init__(self) -> None:
        """It goes on where an interrupted import had stopped."""
        with self.session.store.read() as reading:
            self._heads = {chain: reading.head(chain) for chain in Chain}
        self.resumed_from = self._heads[Chain.LEDGER].position or None
        ends = {Chain.LEDGER: self.header.ledger, Chain.ACCESS: self.header.access}
        if any(self._heads[chain].position > ends[chain].position for chain in Chain):
            raise _differs()

    def take(self, item: Item) -> None:
        """The item is written, now or with those that follow."""
        match item:
            case Header():
                if item != self.header:
                    raise _changed()
            case Blob():
                self._blob = item
            case ChainedEvent():
                self._take_event(item)
            case Trailer():
                self._trailer = item
            case _:
                assert_never(item)

    def end(self) -> Trailer:
        """The last line, after everything was written."""
        self._write()
        assert self._trailer is not None
        return self._trailer

    def _take_event(self, item: ChainedEvent) -> None:
        here, envelope = self._heads[Chain(item.chain)], item.sealed.envelope
        blob, self._blob = self._blob, None
        if envelope.position <= here.position:
            if envelope.position == here.position and item.sealed.digest != here.digest:
                raise _differs()
            return
        if blob is not None:
            self.session.blobs.put(envelope.tenant_id, blob.name, blob.content)
        size_bytes = len(item.sealed.payload or b"")
        if len(self._batch) >= BATCH_EVENTS_MAX or self._batch_bytes + size_bytes > BATCH_BYTES_MAX:
            self._write()
        self._batch.append(item)
        self._batch_bytes += size_bytes

    def _write(self) -> None:
        batch, self._batch, self._batch_bytes = self._batch, [], 0
        if batch:
            self.session.store.write(lambda writing: _append(self.session, writing, batch, self.erased))


def _append(session: Session, writing: Writing, batch: list[ChainedEvent], erased: Erased) -> None:
    for item in batch:
        passed_over = item.chain == "ledger" and erased.passes_over(item.sealed, item.event)
        append_sealed(
            writing,
            Chain(item.chain),
            item.sealed,
            None if passed_over else item.event,
            text_of=session.text_of,
            embedders=session.embedders,
        )


def _differs() -> ConflictError:
    return ConflictError(
        "history_differs",
        "an interrupted import of this tenant brought events that are not in this bundle",
        next_step="import the file that it was begun with, or a later export of the same tenant",
    )


def _changed() -> InvalidInputError:
    return InvalidInputError(
        "bundle_damaged",
        "the bundle changed while it was read",
        next_step="wait until it is whole, then import it again",
    )
