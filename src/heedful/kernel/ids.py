"""Ids: opaque UUIDv7 text, one type for each thing, so that one id cannot pass for another."""

from __future__ import annotations

from typing import NewType

TenantId = NewType("TenantId", str)
EventId = NewType("EventId", str)
RecordId = NewType("RecordId", str)
ClaimId = NewType("ClaimId", str)
PacketId = NewType("PacketId", str)
VerdictId = NewType("VerdictId", str)
# Not random: chosen by people or by the source, and compared by whole bytes.
PrincipalId = NewType("PrincipalId", str)
RunId = NewType("RunId", str)
BridgeId = NewType("BridgeId", str)
ActionClassId = NewType("ActionClassId", str)
KindId = NewType("KindId", str)
Revision = NewType("Revision", str)

_RANDOM_BYTES = 10


def uuid7(unix_ms: int, random_bytes: bytes) -> str:
    """A UUIDv7 in its 36-character text form, from a time and 10 random bytes (RFC 9562, section 5.7)."""
    assert len(random_bytes) == _RANDOM_BYTES
    bits = (unix_ms & ((1 << 48) - 1)) << 80 | int.from_bytes(random_bytes, "big")
    bits = bits & ~(0xF << 76) | 0x7 << 76
    bits = bits & ~(0x3 << 62) | 0x2 << 62
    text = f"{bits:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
