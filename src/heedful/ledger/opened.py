"""Opened: a sealed event's payload is held against its digest before anybody reads it."""

from __future__ import annotations

from heedful.kernel.digest import SALT_BYTES, payload_digest
from heedful.kernel.errors import FaultError
from heedful.ledger.events import AnyEvent
from heedful.ledger.registry import decode_payload
from heedful.ledger.seal import SealedEvent


def opened(sealed: SealedEvent) -> AnyEvent:
    """The event, which is what was sealed.

    Raises:
        FaultError: `payload_missing`, `event_unknown`, `event_unreadable`; `payload_changed` where the bytes are not
            those that were sealed.
    """
    envelope, payload, salt = sealed.envelope, sealed.payload, sealed.salt
    if payload is None or salt is None:
        raise FaultError(
            "payload_missing",
            f"the payload of event {envelope.position} is not there",
            next_step="run `heedful verify`",
            details={"position": envelope.position},
        )
    if len(salt) != SALT_BYTES or payload_digest(salt, payload) != envelope.payload_digest:
        raise FaultError(
            "payload_changed",
            f"the payload of event {envelope.position} is not what was sealed, so it is not read",
            next_step="run `heedful verify`, and restore the tenant's database from a backup",
            details={"position": envelope.position},
        )
    return decode_payload(envelope.type, envelope.version, payload)
