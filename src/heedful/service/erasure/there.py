"""There: verdicts and events that show nothing of what was erased; until the job takes the others, they look gone."""

from __future__ import annotations

from collections.abc import Sequence

from heedful.kernel.ids import VerdictId
from heedful.ledger.erased import about
from heedful.ledger.events import PacketAssembled, VerdictJudged
from heedful.ledger.opened import opened
from heedful.ledger.seal import SealedEvent
from heedful.ports.erasure import StoredErasure
from heedful.ports.store import Reading, StoredVerdict
from heedful.service.erasure.shown import ids_in, ids_of_packet, ids_of_verdict

OPEN_MAX = 100_000
"""Erasures that one run takes on, the oldest first; and that are looked at to know whether one waits for it."""


def verdict_there(reading: Reading, verdict_id: VerdictId) -> StoredVerdict | None:
    """The verdict; None where there is none, or where it shows what was erased, though the job has not taken it yet."""
    stored = reading.verdict(verdict_id)
    return None if stored is None or not verdicts_there(reading, (stored,)) else stored


def verdicts_there(reading: Reading, stored: Sequence[StoredVerdict]) -> tuple[StoredVerdict, ...]:
    """Those that show nothing that was erased, asked in one statement."""
    ids = [ids_of_verdict(each.verdict_json) for each in stored]
    gone = reading.erased_among(sorted(frozenset().union(*ids))) if stored else {}
    return tuple(each for each, named in zip(stored, ids, strict=True) if not gone or named.isdisjoint(gone))


def ids_shown(sealed: SealedEvent) -> frozenset[str]:
    """The ids with which the event goes: of what it is about, and of all that a packet or a verdict shows."""
    event = opened(sealed)
    if isinstance(event, PacketAssembled):
        return ids_of_packet(event.packet_json)
    if isinstance(event, VerdictJudged):
        return ids_of_verdict(event.verdict_json) | {event.verdict_id}
    return frozenset(about(event))


def sealed_there(reading: Reading, page: Sequence[SealedEvent]) -> tuple[SealedEvent, ...]:
    """Those events of the page that have a payload, and show nothing that was erased.

    Where no erasure waits for the job or for a hold nothing is looked at: what it took then has no payload any more.
    """
    there = tuple(each for each in page if each.payload is not None)
    if not there or not any(map(_waits, reading.erasures(only_open=True, limit=OPEN_MAX))):
        return there
    named = [ids_in((each.payload or b"").decode("utf-8", "replace")) for each in there]
    gone = reading.erased_among(sorted(frozenset().union(*named)))
    return tuple(
        each for each, ids in zip(there, named, strict=True) if ids.isdisjoint(gone) or ids_shown(each).isdisjoint(gone)
    )


def _waits(erasure: StoredErasure) -> bool:
    return erasure.stage == "logical" or bool(erasure.held_ids)
