"""Tenant: its first event, its key, and the registry revisions that it has seen."""

from __future__ import annotations

from heedful.kernel.digest import keyed_name
from heedful.kernel.errors import FaultError, UnavailableError
from heedful.kernel.ids import PrincipalId, TenantId
from heedful.ledger.events import RegistryAdopted, TenantCreated
from heedful.ledger.registry import decode_payload
from heedful.ledger.seal import EMPTY_HEAD, SealedEvent
from heedful.ledger.verify import breach_of
from heedful.ports.keys import KeyRing
from heedful.ports.store import Chain, Tenant, TenantStore, Writing
from heedful.ports.system import Clock, Entropy
from heedful.service.append import append_events
from heedful.service.session import Session

TENANT_CHARACTERS_MAX = 128
"""Of a tenant's name, and of its id."""

# What the ledger keeps of a tenant's key is the name that this would have under it.
_KEY_PROOF = b"heedful: this is the key that the tenant was founded with"
# A name that is given never has a control character.
_UNFINISHED = "\x01import of "


def found_tenant(store: TenantStore, keys: KeyRing, principal: PrincipalId, *, clock: Clock, entropy: Entropy) -> None:
    """The tenant's ledger begins with who made it, and by which key; one that has begun already stays as it is.

    Raises:
        UnavailableError: `keys_unavailable`.
    """
    with store.read() as reading:
        if reading.head(Chain.LEDGER).position > 0:
            return
    check = key_check(keys.tenant_key(store.tenant.tenant_id))
    created = TenantCreated(store.tenant.name, principal, check)

    def found(writing: Writing) -> None:
        if writing.head(Chain.LEDGER).position == 0:
            append_events(
                writing,
                [created],
                tenant_id=store.tenant.tenant_id,
                clock=clock,
                entropy=entropy,
                text_of=lambda record: record.content,
            )

    store.write(found)


def finish_tenant(store: TenantStore, keys: KeyRing, principal: PrincipalId, *, clock: Clock, entropy: Entropy) -> bool:
    """True where the tenant's making had been interrupted, and is finished now; False where it was whole.

    Raises:
        FaultError: `store_corrupt` where its ledger is empty and its views are not: it was emptied.
    """
    with store.read() as reading:
        if reading.head(Chain.LEDGER).position > 0:
            return False
        is_emptied = any(reading.counts().values()) or next(reading.events(Chain.LEDGER), None) is not None
    if is_emptied:
        raise FaultError(
            "store_corrupt",
            f"the ledger of tenant {store.tenant.name!r} was emptied: there still is what came of it",
            next_step="stop writing, and restore the tenant's database from a backup",
        )
    found_tenant(store, keys, principal, clock=clock, entropy=entropy)
    return True


def require_founded(store: TenantStore) -> None:
    """Nothing, where the tenant's ledger has begun. Else nobody may take it for a memory in which nothing is known.

    Raises:
        UnavailableError: `store_unavailable`.
    """
    with store.read() as reading:
        if reading.head(Chain.LEDGER).position > 0:
            return
    raise UnavailableError(
        "store_unavailable",
        f"the ledger of tenant {store.tenant.name!r} is empty: its making was interrupted, or its database was emptied",
        next_step="`heedful --tenant NAME init` finishes what was interrupted; else restore a backup",
    )


class FoundedKeys:
    """A tenant's key ring that hands out no key but the one that the tenant was founded with; see KeyRing.

    A key that is gone is never made anew: contents were named under it, and would be taken for damaged.
    What needs no key goes on without.
    """

    def __init__(self, store: TenantStore, keys: KeyRing) -> None:
        """The ring, asked through what the tenant's ledger tells of its key now."""
        self._keys = keys
        self._key: bytes | None = None
        self._name = store.tenant.name
        with store.read() as reading:
            first = reading.event(Chain.LEDGER, 1)
            self._check = None if first is None else _check_of(first)
            # A tenant of an earlier release got its key with its first record, and nothing tells which.
            self._was_made = self._check is not None or reading.counts()["records"] > 0

    def tenant_key(self, tenant_id: TenantId) -> bytes:
        """See KeyRing.tenant_key.

        Raises:
            UnavailableError: `keys_missing`, `keys_mismatch`.
        """
        if self._key is None:
            self._key = self._checked(tenant_id)
        return self._key

    def known_key(self, tenant_id: TenantId) -> bytes | None:
        """See KeyRing.known_key."""
        return self._keys.known_key(tenant_id)

    def keep_key(self, tenant_id: TenantId, key: bytes) -> None:
        """See KeyRing.keep_key."""
        self._keys.keep_key(tenant_id, key)

    def place(self, tenant_id: TenantId) -> str:
        """See KeyRing.place."""
        return self._keys.place(tenant_id)

    def backup_key(self, tenant_id: TenantId) -> bytes:
        """See KeyRing.backup_key."""
        return self._keys.backup_key(tenant_id)

    def known_backup_key(self, tenant_id: TenantId) -> bytes | None:
        """See KeyRing.known_backup_key."""
        return self._keys.known_backup_key(tenant_id)

    def destroy(self, tenant_id: TenantId) -> None:
        """See KeyRing.destroy."""
        self._key = None
        self._keys.destroy(tenant_id)

    def _checked(self, tenant_id: TenantId) -> bytes:
        key = self._keys.known_key(tenant_id)
        if key is None and not self._was_made:
            return self._keys.tenant_key(tenant_id)
        next_step = "copy the store's folder of keys from where the store was made, or restore it from its backup"
        if key is None:
            raise UnavailableError(
                "keys_missing",
                f"the key of tenant {self._name!r} is not there: {self.place(tenant_id)}",
                next_step=next_step,
            )
        if self._check is not None and key_check(key) != self._check:
            raise UnavailableError(
                "keys_mismatch",
                f"this is not the key that tenant {self._name!r} was founded with: {self.place(tenant_id)}",
                next_step=next_step,
            )
        return key


def key_check(key: bytes) -> str:
    """What tells whether another key is this one, and nothing else of it."""
    return keyed_name(key, _KEY_PROOF)


def unfinished_name(tenant_id: TenantId) -> str:
    """The name of a tenant while it is imported; no tenant can be asked for, or named, by it."""
    return f"{_UNFINISHED}{tenant_id}"


def is_unfinished(tenant: Tenant) -> bool:
    """True where the tenant's import goes on, or was interrupted."""
    return tenant.name == unfinished_name(tenant.tenant_id)


def _check_of(first: SealedEvent) -> str | None:
    """What the tenant's first event tells of its key; None where it is of an earlier release, or was changed.

    One that was changed is for `verify` to find, which has to be able to open the store.
    """
    if first.payload is None or breach_of(first, EMPTY_HEAD, first.envelope.tenant_id) is not None:
        return None
    founded = decode_payload(first.envelope.type, first.envelope.version, first.payload)
    return founded.key_check if isinstance(founded, TenantCreated) else None


def adopt_registry(session: Session) -> None:
    """The session's registry revision is kept by hash in the ledger, so that packets and verdicts can be replayed."""
    revision = session.registry.revision

    def adopt(writing: Writing) -> None:
        if writing.registry_body(revision) is None:
            session.append(writing, [RegistryAdopted(revision, session.registry.body_json)])

    with session.store.read() as reading:
        known = reading.registry_body(revision) is not None
    if not known:
        session.store.write(adopt)
