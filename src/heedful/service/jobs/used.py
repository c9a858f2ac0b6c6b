"""Used: which claims were handed over, confirmed, corroborated or made active again since some instant."""

from __future__ import annotations

import msgspec

from heedful.ledger.belief_events import ClaimConfirmed, ClaimCorroborated, ClaimPinned
from heedful.ledger.events import AnyEvent, ClaimTransitioned, PacketAssembled
from heedful.ports.store import Chain
from heedful.service.jobs.job import Keep
from heedful.service.session import Session
from heedful.service.walk import pages_since

_PACKETS = ("packet.assembled",)
_MOVES = ("claim.transitioned", "claim.confirmed", "claim.corroborated", "claim.pinned")


class _Item(msgspec.Struct):
    item: str
    item_id: str


class _Packet(msgspec.Struct):
    items: list[_Item]


_decode_packet = msgspec.json.Decoder(_Packet).decode


def used_since(session: Session, since_us: int, keep: Keep) -> frozenset[str]:
    """The ids of the claims that were used at or after the instant: in anybody's packet, or by a word on them.

    See `pages_since` for how far back the chains are read.
    """
    session.access.flush()
    found: set[str] = set()
    for chain, types in ((Chain.ACCESS, _PACKETS), (Chain.LEDGER, _MOVES)):
        for page in pages_since(session, chain, since_us, *types):
            for _, _, event in page:
                found.update(_claims_used(event))
            keep()
    return frozenset(found)


def _claims_used(event: AnyEvent) -> list[str]:
    match event:
        case PacketAssembled():
            items = _decode_packet(event.packet_json).items
            return [each.item_id for each in items if each.item == "claim"]
        case ClaimTransitioned():
            return [event.claim_id] if event.to_status == "active" else []
        case ClaimConfirmed() | ClaimCorroborated() | ClaimPinned():
            return [event.claim_id]
        case _:
            return []
