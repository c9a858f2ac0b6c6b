"""Answers: the packet that was handed out under an id, and whose an answer is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from heedful.kernel.ids import EventId
from heedful.kernel.ladder import Classification
from heedful.kernel.scope import parse_scope
from heedful.ledger.events import PacketAssembled
from heedful.ledger.opened import opened
from heedful.policy.decide import may
from heedful.ports.store import Chain, Reading
from heedful.service.erasure.shown import shows_erased
from heedful.service.session import Session
from heedful.service.sight import denies, scope_granted, seen_claim, seen_record


def packet_event(reading: Reading, packet_id: str, *, until_us: int | None = None) -> PacketAssembled | None:
    """The entry of the packet in the access chain; None where there is none, or none by that instant."""
    sealed = reading.event_by_id(Chain.ACCESS, EventId(packet_id))
    if sealed is None or sealed.payload is None:
        return None
    if until_us is not None and sealed.envelope.recorded_at_us > until_us:
        return None
    event = opened(sealed)
    if not isinstance(event, PacketAssembled) or shows_erased(reading, event.packet_json):
        return None
    return event


def packet_told(session: Session, reading: Reading, event: PacketAssembled) -> bool:
    """True where the packet was this principal's own, or an auditor asks who sees its scope and all that is in it."""
    if event.principal == session.principal:
        return True
    if not answered_to(session, event.principal) or not scope_granted(session, event.scope):
        return False
    shape: dict[str, Any] = msgspec.json.decode(event.packet_json)
    items: list[dict[str, Any]] = shape["items"]
    ids = dict.fromkeys([each for item in items for each in _ids_in(item)] + shape["left_out"])
    return all(_shows(session, item) for item in items) and all(_is_seen(session, reading, each) for each in ids)


def _shows(session: Session, item: dict[str, Any]) -> bool:
    cleared = session.clearance.at_least(Classification(item["classification"]))
    return cleared and scope_granted(session, parse_scope(item["scope"])) and not denies(session, (item["kind"],))


def _ids_in(item: dict[str, Any]) -> Iterator[str]:
    """Of the claims and records that it is, rests on or names."""
    if item["item"] in ("claim", "record"):
        yield item["item_id"]
    yield from item["evidence"]
    yield from (each["claim_id"] for each in (*item["bridges"], *item.get("conflicts", ())))
    change: dict[str, Any] = item.get("change") or {}
    yield from filter(None, (change.get("record_id"), change.get("old_claim_id")))


def _is_seen(session: Session, reading: Reading, item_id: str) -> bool:
    return seen_claim(session, reading, item_id) is not None or seen_record(session, reading, item_id) is not None


def answered_to(session: Session, principal: object) -> bool:
    """True where the answer was this principal's own, or an auditor asks."""
    return principal == session.principal or may(session.registry.policy, session.principal, "audit").allowed
