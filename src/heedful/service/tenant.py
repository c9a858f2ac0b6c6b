"""Tenant: its first event, and the registry revisions that it has seen."""

from __future__ import annotations

from heedful.kernel.errors import FaultError, UnavailableError
from heedful.kernel.ids import PrincipalId
from heedful.ledger.events import RegistryAdopted, TenantCreated
from heedful.ports.store import Chain, TenantStore, Writing
from heedful.ports.system import Clock, Entropy
from heedful.service.append import append_events
from heedful.service.session import Session


def found_tenant(store: TenantStore, principal: PrincipalId, *, clock: Clock, entropy: Entropy) -> None:
    """The tenant's ledger begins with who made it; one that has begun already stays as it is."""
    created = TenantCreated(store.tenant.name, principal)

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


def finish_tenant(store: TenantStore, principal: PrincipalId, *, clock: Clock, entropy: Entropy) -> bool:
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
    found_tenant(store, principal, clock=clock, entropy=entropy)
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
