"""Asked: what was asked in a scope or by a person that is erased goes too, though it shows nothing of what went.

Requests stand in packets, proposed actions in verdicts, names of files and runs where an import ended, names in holds
that were released. Which go stands in a job's row until the indexes are clean, and nowhere after that: an erasure keeps
no names.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from heedful.kernel.ids import ErasureId
from heedful.ledger.erasure_events import HoldPlaced
from heedful.ledger.events import AnyEvent, ImportFinished, PacketAssembled, RecordRefused, VerdictJudged
from heedful.ledger.opened import opened
from heedful.ledger.seal import SealedEvent
from heedful.ports.store import Chain, Reading, StoredJob, Writing
from heedful.service.erasure.select import By, Held

_ROW = "erase-asked"
_TYPES = frozenset({"packet.assembled", "verdict.judged", "import.finished", "record.refused", "hold.placed"})


class Noted(msgspec.Struct, frozen=True):
    """What an erasure was asked for by, the runs of what it took, and where the chains ended: the later stays."""

    erasure_id: str
    by: str
    names: tuple[str, ...]
    runs: frozenset[str]
    ledger_to: int
    access_to: int


def note_asked(writing: Writing, erasure_id: ErasureId, by: str, names: tuple[str, ...], runs: Iterable[str]) -> None:
    """What was asked in what this erasure selects goes with it, once the job comes to it."""
    before = {each.erasure_id: each for each in noted(writing)}
    known = before.get(erasure_id)
    ends = [writing.head(chain).position for chain in (Chain.LEDGER, Chain.ACCESS)]
    fresh = Noted(erasure_id, by, names, frozenset(runs), *ends)
    if known is not None:
        fresh = Noted(erasure_id, by, known.names or names, known.runs | fresh.runs, *ends)
    if fresh.runs or (by in (By.SCOPE, By.PRINCIPAL, By.SUBJECT) and fresh.names):
        _put(writing, {**before, erasure_id: fresh}.values())


def noted(reading: Reading) -> tuple[Noted, ...]:
    """What is noted of erasures whose indexes are not clean yet."""
    stored = reading.job(_ROW)
    if stored is None or not stored.progress:
        return ()
    return msgspec.json.decode(stored.progress, type=tuple[Noted, ...])


def forget_noted(writing: Writing, erasure_ids: Iterable[ErasureId]) -> None:
    """Nothing is noted of these any more."""
    done, before = frozenset(erasure_ids), noted(writing)
    left = [each for each in before if each.erasure_id not in done]
    if len(left) < len(before):
        _put(writing, left)


def asked_in(chain: Chain, sealed: SealedEvent, notes: Sequence[Noted], held: Held) -> ErasureId | None:
    """The erasure with which the event goes, as it was asked in its scope or by its person; not what a hold keeps."""
    if not notes or sealed.envelope.type not in _TYPES:
        return None
    event = opened(sealed)
    if isinstance(event, PacketAssembled | VerdictJudged) and held.keeps_asked(event.scope, event.principal):
        return None
    if isinstance(event, HoldPlaced) and held.is_in_force(event.hold_id):
        return None
    position = sealed.envelope.position
    return next(
        (
            ErasureId(each.erasure_id)
            for each in notes
            if position <= (each.ledger_to if chain is Chain.LEDGER else each.access_to) and _selects(each, event)
        ),
        None,
    )


def _selects(note: Noted, event: AnyEvent) -> bool:
    if isinstance(event, ImportFinished):
        return not note.runs.isdisjoint(event.run_ids)
    if isinstance(event, HoldPlaced):
        return note.by == event.by and not frozenset(note.names).isdisjoint(event.names)
    if isinstance(event, RecordRefused):
        return note.by == By.PRINCIPAL and event.principal in note.names
    if not isinstance(event, PacketAssembled | VerdictJudged):
        return False
    if note.by == By.SCOPE:
        return bool(note.names) and frozenset(note.names) <= frozenset(event.scope.elements)
    return note.by == By.PRINCIPAL and event.principal in note.names


def _put(writing: Writing, notes: Iterable[Noted]) -> None:
    made = tuple(notes)
    progress = msgspec.json.encode(made, order="deterministic").decode() if made else ""
    writing.put_job(StoredJob(_ROW, None, 0, 0, None, progress, None))
