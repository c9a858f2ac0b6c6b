"""Register of a tenant's erasures, as its ledger has them: what a restore from an older backup has to erase again."""

from __future__ import annotations

from heedful.ledger.erasure_events import ErasureEvent, ErasureRequested, ErasureStaged, HoldPlaced, HoldReleased
from heedful.ledger.erasure_register import RegisteredTenant, registered
from heedful.ports.store import Chain
from heedful.service.erasure.consents_again import registered_consents
from heedful.service.project import event_of
from heedful.service.session import Session

_TYPES = ("erasure.requested", "erasure.staged", "hold.released")
ERASURES_MAX = 1_000_000


def registered_tenant(session: Session) -> RegisteredTenant:
    """What is to be erased again of this tenant, up to now.

    Raises:
        FaultError: `payload_changed` where an event that tells of an erasure was changed.
    """
    with session.store.read() as reading:
        found: list[tuple[int, ErasureEvent]] = []
        for each in _TYPES:
            for sealed in reading.events_of(each):
                event = event_of(sealed)
                if isinstance(event, ErasureRequested | ErasureStaged | HoldPlaced | HoldReleased):
                    found.append((sealed.envelope.position, event))
        found.sort(key=lambda each: each[0])
        still = reading.erasures(only_open=True, limit=ERASURES_MAX)
        held = frozenset(str(record_id) for each in still for record_id in each.held_ids)
        position = reading.head(Chain.LEDGER).position
        consents = registered_consents(session, reading)
    return registered(session.store.tenant.tenant_id, position, [event for _, event in found], held, consents)
