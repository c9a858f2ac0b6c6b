"""Disable: a bridge carries nothing any more, at once everywhere; what it had brought to mind is set apart on request.

The two levels of a rollback (seed 000): new activations stop by the mode; then the claims are quarantined, and their
records stay for whoever looks into it. Nothing is deleted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from heedful.claims.claim import LIVE, ClaimStatus
from heedful.kernel.errors import NotFoundError
from heedful.kernel.ids import BridgeId, ClaimId
from heedful.kernel.ladder import Mode
from heedful.ledger.events import AnyEvent, ClaimTransitioned, Event, PacketAssembled, RegistryModeSet, VerdictJudged
from heedful.observations.names import shown
from heedful.ports.store import Chain, Reading, Writing
from heedful.service.governing.modes import BRIDGE
from heedful.service.requests import reason_text
from heedful.service.session import Session
from heedful.service.sight import seen_claims_of
from heedful.service.walk import pages

# One that has ended is past already; a quarantined one waits for a person as it is.
_RULING = "bridge:"


@dataclass(frozen=True, slots=True)
class Disabled:
    """What disabling a bridge did.

    Attributes:
        was_off: True: it was off before; the ledger has no further setting.
        quarantined: claims that it had brought to mind, set apart now, in the order in which it first brought them.
        left: how many others it had brought that have ended, or were quarantined before, of those that may be seen.
    """

    bridge_id: BridgeId
    was_off: bool
    quarantined: tuple[ClaimId, ...]
    left: int


def disable_bridge(session: Session, bridge: str, reason: str, *, quarantine: bool = False) -> Disabled:
    """The bridge is off for the next request of every process; with `quarantine`, so are the claims that it brought.

    Those are the claims that packets and verdicts name with this bridge, of those that this person may see. Each page
    of packets is a transaction: one that was interrupted goes on when it is called again, which also finds packets that
    were under way.

    Raises:
        ForbiddenError: `principal_may_not`: a mode is set by an owner or operator; a reviewer may quarantine.
        NotFoundError: `bridge_not_found` where neither the registry nor an earlier revision has such a bridge.
        InvalidInputError: those of `reason_text`.
    """
    noted = reason_text(reason)
    bridge_id = BridgeId(bridge)
    with session.store.read() as reading:
        was_off = _is_off(session, reading, bridge_id)
        is_known = bridge_id in session.registry.bridges or _was_known(reading, bridge_id)
    if not was_off:
        session.require("set_mode")
    if quarantine:
        session.require("approve")
    elif was_off:
        session.require("set_mode")
    if not is_known:
        raise _unknown(bridge)
    if not was_off:
        setting = RegistryModeSet(BRIDGE, bridge_id, Mode.OFF, session.principal, noted)
        session.store.write(lambda writing: session.append(writing, [setting]))
    quarantined, left = _quarantine(session, bridge_id, noted) if quarantine else ((), 0)
    return Disabled(bridge_id, was_off, quarantined, left)


def enable_bridge(session: Session, bridge: str, reason: str) -> bool:
    """True where the bridge had a setting, which is taken back: the registry's own mode holds again.

    Claims that were quarantined stay so, until a person approves each.

    Raises:
        ForbiddenError: `principal_may_not`.
        NotFoundError: `bridge_not_found`.
    """
    session.require("set_mode")
    noted = reason_text(reason)
    bridge_id = BridgeId(bridge)
    if bridge_id not in session.registry.bridges:
        raise _unknown(bridge)
    setting = RegistryModeSet(BRIDGE, bridge_id, None, session.principal, noted)

    def enable(writing: Writing) -> bool:
        if not any(each.target_type == BRIDGE and each.target_id == bridge_id for each in writing.modes()):
            return False
        session.append(writing, [setting])
        return True

    return session.store.write(enable)


def _is_off(session: Session, reading: Reading, bridge_id: BridgeId) -> bool:
    set_now = {each.target_id: each.mode for each in reading.modes() if each.target_type == BRIDGE}
    known = session.registry.bridges.get(bridge_id)
    # One that no registry in use has is off in its own way.
    return known is None or set_now.get(bridge_id, known.mode) is Mode.OFF


def _was_known(reading: Reading, bridge_id: BridgeId) -> bool:
    bodies = (reading.registry_body(each) for each in reading.registry_revisions())
    return any(bridge_id in msgspec.json.decode(body)["bridges"] for body in bodies if body is not None)


def _quarantine(session: Session, bridge_id: BridgeId, reason: str) -> tuple[tuple[ClaimId, ...], int]:
    session.access.flush()
    moved: list[ClaimId] = []
    seen: set[ClaimId] = set()
    left = 0
    for found in _brought_by_page(session, bridge_id):
        new = [claim_id for claim_id in dict.fromkeys(found) if claim_id not in seen]
        seen.update(new)
        if new:
            page = _quarantine_page(session, bridge_id, new, reason)
            moved += page[0]
            left += page[1]
    return tuple(moved), left


def _quarantine_page(
    session: Session, bridge_id: BridgeId, claim_ids: Sequence[ClaimId], reason: str
) -> tuple[list[ClaimId], int]:
    def quarantine(writing: Writing) -> tuple[list[ClaimId], int]:
        visible = seen_claims_of(session, writing, claim_ids)
        live = [claim for claim in visible if claim.status in LIVE]
        noted = f"brought by bridge {bridge_id}, which was disabled: {reason}"
        events: list[Event] = [
            ClaimTransitioned(claim.claim_id, claim.status, ClaimStatus.QUARANTINED, session.principal, noted)
            for claim in live
        ]
        session.append(writing, events)
        return [claim.claim_id for claim in live], len(visible) - len(live)

    return session.store.write(quarantine)


def _brought_by_page(session: Session, bridge_id: BridgeId) -> Iterator[list[ClaimId]]:
    """The claims that packets, then verdicts, name with this bridge, as often as they do."""
    for chain, event_type in ((Chain.ACCESS, "packet.assembled"), (Chain.LEDGER, "verdict.judged")):
        for page in pages(session, chain, event_type):
            yield [claim_id for _, event in page for claim_id in _brought(event, bridge_id)]


def _brought(event: AnyEvent, bridge_id: BridgeId) -> Iterable[ClaimId]:
    if isinstance(event, PacketAssembled):
        for item in _entries(event.packet_json, bridge_id, "items"):
            yield from (ClaimId(note["claim_id"]) for note in item["bridges"] if note["bridge_id"] == bridge_id)
    elif isinstance(event, VerdictJudged):
        for ruling in _entries(event.verdict_json, bridge_id, "rulings"):
            counted = ruling["mode"] != Mode.SHADOW and ruling["claim_id"] is not None
            if counted and ruling["rule"] == f"{_RULING}{bridge_id}":
                yield ClaimId(ruling["claim_id"])


def _entries(text: str, bridge_id: BridgeId, field: str) -> list[dict[str, Any]]:
    # Most packets do not name it, and need not be read.
    return list(msgspec.json.decode(text)[field]) if bridge_id in text else []


def _unknown(bridge: str) -> NotFoundError:
    return NotFoundError(
        "bridge_not_found",
        f"no bridge {shown(bridge)!r} is in the registry or in a revision that this store has used",
        next_step="`heedful registry show bridges` lists them",
        details={"bridge": shown(bridge)},
    )
