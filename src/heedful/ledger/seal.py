"""Seal: an event becomes an envelope at a position, chained to the one before, and a payload with its salt."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.kernel.canonical import canonical_fields
from heedful.kernel.digest import ZERO_DIGEST, leaf_digest, payload_digest
from heedful.kernel.frozen import quickly_made
from heedful.kernel.ids import EventId, TenantId
from heedful.ledger.events import AnyEvent
from heedful.ledger.registry import encode_payload, name_of


@quickly_made
@dataclass(frozen=True, slots=True)
class Envelope:
    """What is chained: opaque ids only, fixed by design section 10 from the first commit.

    Attributes:
        position: from 1, without gaps, per tenant and chain.
        recorded_at_us: UTC microseconds.
        payload_digest: hex HMAC-SHA-256 of the payload under the event's own salt.
        key_id: the key that the payload is encrypted with; None: not encrypted.
        prev_digest: hex event digest of position - 1; 64 zeros at 1.
    """

    tenant_id: TenantId
    position: int
    event_id: EventId
    type: str
    version: int
    recorded_at_us: int
    payload_digest: str
    key_id: str | None
    prev_digest: str

    @property
    def digest(self) -> str:
        """Hex SHA-256(0x00 || canonical envelope)."""
        return leaf_digest(canonical_fields(self, (self.position, self.version, self.recorded_at_us)))


@quickly_made
@dataclass(frozen=True, slots=True)
class SealedEvent:
    """An envelope with what it commits to; payload and salt are None once they were erased together."""

    envelope: Envelope
    digest: str
    payload: bytes | None
    salt: bytes | None


@quickly_made
@dataclass(frozen=True, slots=True)
class Head:
    """Where a chain ends: its last position (0: empty) and that event's digest."""

    position: int
    digest: str


EMPTY_HEAD = Head(0, ZERO_DIGEST)


def seal(
    event: AnyEvent, head: Head, *, tenant_id: TenantId, event_id: EventId, recorded_at_us: int, salt: bytes
) -> SealedEvent:
    """The event, sealed as the next after `head`."""
    payload = encode_payload(event)
    name, version = name_of(event)
    envelope = Envelope(
        tenant_id=tenant_id,
        position=head.position + 1,
        event_id=event_id,
        type=name,
        version=version,
        recorded_at_us=recorded_at_us,
        payload_digest=payload_digest(salt, payload),
        key_id=None,
        prev_digest=head.digest,
    )
    return SealedEvent(envelope, envelope.digest, payload, salt)
