"""Answers: the packet that was handed out under an id, and whose an answer is."""

from __future__ import annotations

from heedful.kernel.ids import EventId
from heedful.ledger.events import PacketAssembled
from heedful.ledger.registry import decode_payload
from heedful.policy.decide import may
from heedful.ports.store import Chain, Reading
from heedful.service.session import Session


def packet_event(reading: Reading, packet_id: str, *, until_us: int | None = None) -> PacketAssembled | None:
    """The entry of the packet in the access chain; None where there is none, or none by that instant."""
    sealed = reading.event_by_id(Chain.ACCESS, EventId(packet_id))
    if sealed is None or sealed.payload is None:
        return None
    if until_us is not None and sealed.envelope.recorded_at_us > until_us:
        return None
    event = decode_payload(sealed.envelope.type, sealed.envelope.version, sealed.payload)
    return event if isinstance(event, PacketAssembled) else None


def answered_to(session: Session, principal: object) -> bool:
    """True where the answer was this principal's own, or an auditor asks."""
    return principal == session.principal or may(session.registry.policy, session.principal, "audit").allowed
