"""Arrival: where a ledger comes to, and what is checked of it before anything is written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from heedful.bridges.registry import Registry
from heedful.kernel.digest import keyed_name
from heedful.kernel.errors import ConflictError, InvalidInputError, UnavailableError
from heedful.kernel.ids import PrincipalId, TenantId
from heedful.kernel.scope import require_plain_name
from heedful.ledger.bundle import Blob, ChainedEvent, Item
from heedful.ledger.bundle_lines import Header, Trailer, damaged
from heedful.ledger.erased import ERASURE_TYPES, Erased, erased_by
from heedful.ledger.events import TenantCreated
from heedful.ledger.seal import SealedEvent
from heedful.observations.names import require_clean_name, shown
from heedful.observations.record import Channel
from heedful.ports.keys import KeyRing
from heedful.ports.store import Store, Tenant
from heedful.service.session import Session
from heedful.service.tenant import TENANT_CHARACTERS_MAX, is_unfinished, key_check, unfinished_name


@dataclass(frozen=True, slots=True)
class Arrival:
    """Where a ledger comes to, and who brings it.

    Attributes:
        session_at: a session at a tenant of this store, whatever its name, which adopts nothing.
    """

    store: Store
    keys: KeyRing
    registry: Registry
    principal: PrincipalId
    channel: Channel
    session_at: Callable[[TenantId], Session]


class Check:
    """The first reading: everything that can be refused is, before anything is written."""

    def __init__(self, arrival: Arrival, name: str | None, key: bytes | None) -> None:
        """A check of what is to come there. `name` None: the one that it has; `key` None: the one that is there."""
        self._arrival = arrival
        self._given_name = name
        self._given_key = key
        self.header: Header
        self.name: str
        self.key: bytes | None
        self.tenant: Tenant
        self.trailer: Trailer
        self._erasures: list[SealedEvent] = []

    def take(self, item: Item) -> None:
        """The item is as it should be."""
        if isinstance(item, Header):
            self.header = item
        elif isinstance(item, ChainedEvent) and isinstance(item.event, TenantCreated):
            # Only now: what the header says of the tenant holds if its first event says so too.
            self._begin(self.header, item.event)
        elif isinstance(item, ChainedEvent) and item.sealed.envelope.type in ERASURE_TYPES:
            self._erasures.append(item.sealed)
        elif isinstance(item, Blob):
            self._check_blob(item)
        elif isinstance(item, Trailer):
            self.trailer = item

    @property
    def erased(self) -> Erased:
        """What the ledger's erasures name, of what was read so far."""
        return erased_by(self._erasures)

    def _begin(self, header: Header, first: TenantCreated) -> None:
        if first.key_check not in (None, header.key_check):
            raise damaged(1, "names another key than the ledger")
        self.name = header.name if self._given_name is None else self._given_name
        require_plain_name(self.name, field="name", characters_max=TENANT_CHARACTERS_MAX)
        require_clean_name(self.name, field="name")
        require_plain_name(header.tenant_id, field="tenant_id", characters_max=TENANT_CHARACTERS_MAX)
        self.tenant = Tenant(header.tenant_id, unfinished_name(header.tenant_id), header.created_at_us)
        for stone in self._arrival.store.tombstones():
            # Before its key is kept: that was destroyed on purpose.
            if stone.tenant_id == header.tenant_id or stone.is_of(self.name):
                raise ConflictError(
                    "tenant_erased",
                    f"the tenant of this ledger, or one of the name {shown(self.name)!r}, was erased from this store",
                    next_step="import it into another store; one of another tenant under another --name",
                )
        for each in self._arrival.store.tenants():
            if each.tenant_id == header.tenant_id and not is_unfinished(each):
                raise ConflictError(
                    "tenant_taken",
                    f"the tenant of this ledger is in this store already, as {shown(each.name)!r}",
                    next_step="use it, or import into another store: a ledger is at one place in a store",
                )
            if each.name == self.name:
                raise ConflictError(
                    "tenant_taken",
                    f"this store has another tenant of the name {shown(self.name)!r}",
                    next_step="give the imported one another name here with --name",
                )
        self.key = self._key(header)

    def _key(self, header: Header) -> bytes | None:
        place = self._arrival.keys.place(header.tenant_id)
        known = self._arrival.keys.known_key(header.tenant_id)
        if known is not None and header.key_check not in (None, key_check(known)):
            raise _mismatch(f"the key of this tenant that is here already, {place},")
        if self._given_key is not None and key_check(self._given_key) != header.key_check:
            raise _mismatch("the key that was given")
        key = known or self._given_key
        if key is None and header.key_check is not None:
            raise UnavailableError(
                "keys_missing",
                "the bundle does not hold the tenant's key, and the key is not here",
                next_step=f"name the key file with --key-file (the export said where it lies), or copy it to {place}",
                details={"place": place},
            )
        return key

    def _check_blob(self, blob: Blob) -> None:
        if self.key is None or keyed_name(self.key, blob.content) != blob.name:
            raise InvalidInputError(
                "bundle_damaged",
                f"the content {blob.name[:16]} in the bundle is not what was kept under that name",
                next_step="copy the file again, or export it again where it came from",
            )


def _mismatch(which: str) -> UnavailableError:
    return UnavailableError(
        "keys_mismatch",
        f"{which} is not the one that the ledger in the file was written under",
        next_step="give the right one with --key-file: `heedful ledger export` said where it lies",
    )
