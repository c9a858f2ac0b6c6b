"""Used: which claims were handed over, confirmed, corroborated or made active again since some instant."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from heedful.ledger.belief_events import ClaimConfirmed, ClaimCorroborated, ClaimPinned
from heedful.ledger.events import AnyEvent, ClaimTransitioned, PacketAssembled
from heedful.ledger.registry import decode_payload
from heedful.ports.store import Chain
from heedful.service.jobs.job import Keep
from heedful.service.session import Session
from heedful.service.walk import PAGE_EVENTS

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

    The chains are read backwards, and no further than a page that is older as a whole: a clock that was set back
    for less than a page hides nothing.
    """
    session.access.flush()
    found: set[str] = set()
    for chain, types in ((Chain.ACCESS, _PACKETS), (Chain.LEDGER, _MOVES)):
        for event in _newest_first(session, chain, types, since_us, keep):
            found.update(_claims_used(event))
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


def _newest_first(
    session: Session, chain: Chain, types: tuple[str, ...], since_us: int, keep: Keep
) -> Iterator[AnyEvent]:
    """Events of these types that were recorded at or after the instant, a page at a time from the head back."""
    with session.store.read() as reading:
        end = reading.head(chain).position
    while end > 0:
        after = max(0, end - PAGE_EVENTS)
        with session.store.read() as reading:
            page = list(reading.events(chain, after=after, limit=end - after))
        recent = [each for each in page if each.envelope.recorded_at_us >= since_us]
        for each in recent:
            if each.envelope.type in types and each.payload is not None:
                yield decode_payload(each.envelope.type, each.envelope.version, each.payload)
        if not recent:
            return
        end = after
        keep()
