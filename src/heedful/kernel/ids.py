"""Ids: opaque UUIDv7 text, one type for each thing, so that one id cannot pass for another."""

from __future__ import annotations

from functools import lru_cache
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
ProposalId = NewType("ProposalId", str)
PermitId = NewType("PermitId", str)
ConflictId = NewType("ConflictId", str)
MergeId = NewType("MergeId", str)
ErasureId = NewType("ErasureId", str)
HoldId = NewType("HoldId", str)
ConsentId = NewType("ConsentId", str)
WorkflowId = NewType("WorkflowId", str)
ActionClassId = NewType("ActionClassId", str)
KindId = NewType("KindId", str)
Revision = NewType("Revision", str)

_RANDOM_BYTES = 10
# The two bits of the variant (RFC 9562, section 4.1), in the place of the upper two of this hexadecimal digit.
_WITH_VARIANT = {f"{digit:x}": f"{digit & 0x3 | 0x8:x}" for digit in range(16)}


def uuid7(unix_ms: int, random_bytes: bytes) -> str:
    """A UUIDv7 in its 36-character text form, from a time and 10 random bytes (RFC 9562, section 5.7)."""
    assert len(random_bytes) == _RANDOM_BYTES
    chance = random_bytes.hex()
    return f"{_beginning(unix_ms)}{chance[1:4]}-{_WITH_VARIANT[chance[4]]}{chance[5:8]}-{chance[8:]}"


@lru_cache(maxsize=8)
def _beginning(unix_ms: int) -> str:
    """What all ids of one millisecond share: the time and the version."""
    time = f"{unix_ms & ((1 << 48) - 1):012x}"
    return f"{time[:8]}-{time[8:]}-7"
