"""Recheck: every event is read anew and held against its digest, and every record's row against its event.

So bytes that changed on disk are found within a week, before somebody needs them; `verify` does it at once, and holds
the chains against the whole of a checkpoint. A payload that is gone is for `verify` to judge.
"""

from __future__ import annotations

from heedful.kernel.errors import FaultError
from heedful.kernel.times import US_A_DAY
from heedful.ledger.bundle_lines import ChainName
from heedful.ledger.events import RecordAdmitted, RecordPending
from heedful.ledger.opened import opened
from heedful.ledger.registry import EVENT_TYPES
from heedful.ledger.seal import EMPTY_HEAD, Head, SealedEvent
from heedful.ledger.verify import breach_of
from heedful.ports.store import Chain, Reading
from heedful.service.jobs.job import Job, Walked
from heedful.service.proving.checkpoint import CHAINS, pinned_checkpoint
from heedful.service.session import Session

PIECE_EVENTS = 250
"""Events that are read in one moment."""
_KEEPING = frozenset(
    name for (name, _), event_class in EVENT_TYPES.items() if event_class in (RecordAdmitted, RecordPending)
)
_NEXT: dict[str, str | None] = {"ledger": "access:0", "access": None}


def _walk(session: Session, after: str) -> Walked:
    """The next piece of the chain that `after` names, behind the position that it names."""
    name, _, position = (after or "ledger:0").partition(":")
    chain_name: ChainName = "access" if name == "access" else "ledger"
    chain = dict(CHAINS)[chain_name]
    with session.store.read() as reading:
        head = _head_at(reading, chain, int(position))
        page = list(reading.events(chain, after=head.position, limit=PIECE_EVENTS))
        if not page:
            return Walked(_NEXT[chain_name], 0, _at_end(session, reading, chain_name, head))
        found = [*_breaches(session, chain_name, page, head), *_changed_rows(reading, chain, page)]
        return Walked(f"{chain_name}:{page[-1].envelope.position}", len(page), tuple(found))


def _head_at(reading: Reading, chain: Chain, position: int) -> Head:
    sealed = reading.event(chain, position) if position else None
    return EMPTY_HEAD if sealed is None else Head(position, sealed.digest)


def _breaches(session: Session, name: ChainName, page: list[SealedEvent], head: Head) -> list[str]:
    found = []
    for sealed in page:
        breach = breach_of(sealed, head, session.store.tenant.tenant_id)
        if breach not in (None, "payload-missing"):
            found.append(f"{name}, event {sealed.envelope.position}: {breach}")
        head = Head(sealed.envelope.position, sealed.digest)
    return found


def _at_end(session: Session, reading: Reading, name: ChainName, head: Head) -> tuple[str, ...]:
    """Whether the chain ends where it is said to, and goes through where the last checkpoint was made."""
    chain, found = dict(CHAINS)[name], []
    if head.position < reading.head(chain).position:
        found.append(f"{name}, event {head.position + 1}: head-mismatch")
    pinned = pinned_checkpoint(session)
    note = None if pinned is None else pinned.note(name).note
    if note is not None and note.size and _head_at(reading, chain, note.size).digest != note.head:
        found.append(f"{name}, event {note.size} or before: checkpoint-mismatch")
    return tuple(found)


def _changed_rows(reading: Reading, chain: Chain, page: list[SealedEvent]) -> list[str]:
    """The records of these events whose rows say something else."""
    if chain is not Chain.LEDGER:
        return []
    told: dict[str, tuple[int, RecordAdmitted | RecordPending]] = {}
    for sealed in page:
        if sealed.envelope.type not in _KEEPING or sealed.payload is None:
            continue
        try:
            event = opened(sealed)
        except FaultError:
            continue  # it is among the breaches
        if isinstance(event, RecordAdmitted | RecordPending):
            told[event.record.record_id] = (sealed.envelope.position, event)
    rows = reading.records_by_ids([event.record.record_id for _, event in told.values()])
    return [
        f"the record of event {told[row.record.record_id][0]}: its row is not what was sealed; `heedful rebuild`"
        for row in rows
        if row.record != told[row.record.record_id][1].record
    ]


RECHECK = Job(
    "recheck",
    "Events and records are read anew and held against their digests.",
    7 * US_A_DAY,
    page=lambda _reading, _after, _at_us: (),
    rule=lambda _session, _keep: lambda _claim, _at_us: None,
    walk=_walk,
)
