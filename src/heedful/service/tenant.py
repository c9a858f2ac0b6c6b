"""Tenant: its first event, and the registry revisions that it has seen."""

from __future__ import annotations

from heedful.kernel.ids import PrincipalId
from heedful.ledger.events import RegistryAdopted, TenantCreated
from heedful.ports.store import TenantStore, Writing
from heedful.ports.system import Clock, Entropy
from heedful.service.append import append_events
from heedful.service.session import Session


def found_tenant(store: TenantStore, principal: PrincipalId, *, clock: Clock, entropy: Entropy) -> None:
    """The tenant's ledger begins with who made it."""
    created = TenantCreated(store.tenant.name, principal)
    store.write(
        lambda writing: append_events(
            writing,
            [created],
            tenant_id=store.tenant.tenant_id,
            clock=clock,
            entropy=entropy,
            text_of=lambda record: record.content,
        )
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
