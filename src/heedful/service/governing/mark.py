"""Mark: a person says whether what the bridges had brought into a packet was relevant there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from heedful.kernel.errors import InvalidInputError
from heedful.kernel.ids import BridgeId, ClaimId, EventId, PacketId, Revision
from heedful.ledger.events import ActivationMarked, PacketAssembled
from heedful.ledger.opened import opened
from heedful.observations.names import shown
from heedful.policy.decide import may
from heedful.ports.store import Chain, Reading
from heedful.service.erasure.shown import shows_erased
from heedful.service.requests import reason_text
from heedful.service.session import Session
from heedful.service.sight import not_found, seen_claim


@dataclass(frozen=True, slots=True)
class Marked:
    """What was marked: the claim that the packet's item told, and the bridges that had brought it."""

    packet_id: PacketId
    cite: str
    claim_id: ClaimId
    bridge_ids: tuple[BridgeId, ...]
    relevant: bool


def mark(session: Session, packet_id: str, cite: str, *, relevant: bool, reason: str) -> Marked:
    """The mark, in the ledger. Of two by one person for one item the later counts; it changes no bridge by itself.

    Whoever was handed the packet marks it; an auditor any; a reviewer what they may see of an answer to others.

    Raises:
        ForbiddenError: `principal_may_not`; agents never mark.
        NotFoundError: `item_not_found`, also for a packet that this person may not see.
        InvalidInputError: `citation_unknown` where the packet has no such item that a bridge brought.
    """
    session.require("mark")
    noted = reason_text(reason)
    session.access.flush()
    with session.store.read() as reading:
        packet = _packet(session, reading, packet_id, cite)
    item = _item(packet, cite)
    if item is None or item["item"] != "claim" or not item["bridges"]:
        raise InvalidInputError(
            "citation_unknown",
            f"no bridge brought an item {shown(cite, 20)!r} into packet {shown(packet_id, 64)}",
            next_step=f"`heedful why {shown(packet_id, 64)}` shows its items",
            details={"field": "cite"},
        )
    marked = Marked(
        packet_id=PacketId(packet_id),
        cite=cite,
        claim_id=ClaimId(item["item_id"]),
        bridge_ids=tuple(dict.fromkeys(BridgeId(note["bridge_id"]) for note in item["bridges"])),
        relevant=relevant,
    )
    event = ActivationMarked(
        packet_id=marked.packet_id,
        cite=cite,
        claim_id=marked.claim_id,
        bridge_ids=marked.bridge_ids,
        registry_revision=Revision(packet["registry_revision"]),
        relevant=relevant,
        actor=session.principal,
        reason=noted,
    )
    session.store.write(lambda writing: session.append(writing, [event]))
    return marked


def _packet(session: Session, reading: Reading, packet_id: str, cite: str) -> dict[str, Any]:
    """The packet as JSON values.

    Raises:
        NotFoundError: `item_not_found`.
    """
    sealed = reading.event_by_id(Chain.ACCESS, EventId(packet_id))
    if sealed is None or sealed.payload is None:
        raise not_found(packet_id)
    event = opened(sealed)
    assert isinstance(event, PacketAssembled), "nothing else is in the access chain"
    if shows_erased(reading, event.packet_json):
        raise not_found(packet_id)
    packet: dict[str, Any] = msgspec.json.decode(event.packet_json)
    policy = session.registry.policy
    if event.principal == session.principal or may(policy, session.principal, "audit").allowed:
        return packet
    item = _item(packet, cite)
    if item is None or not may(policy, session.principal, "approve").allowed:
        raise not_found(packet_id)
    if seen_claim(session, reading, item["item_id"]) is None:
        raise not_found(packet_id)
    return packet


def _item(packet: dict[str, Any], cite: str) -> dict[str, Any] | None:
    return next((item for item in packet["items"] if item["cite"] == cite), None)
