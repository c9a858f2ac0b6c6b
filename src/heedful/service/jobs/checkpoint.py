"""Checkpoint: both chains are signed as they are, at intervals, so that `verify` has something to hold them against.

It lies beside the store's keys; whoever wants more than that keeps one elsewhere, with `heedful checkpoint --out`.
"""

from __future__ import annotations

from heedful.kernel.errors import FaultError
from heedful.ports.signing import CHECKPOINT_HOURS
from heedful.ports.store import Chain
from heedful.service.jobs.job import Job, Walked
from heedful.service.proving.checkpoint import CHAINS, pin_checkpoint, pinned_checkpoint
from heedful.service.session import Session

_US_AN_HOUR = 3_600_000_000


def _walk(session: Session, _after: str) -> Walked:
    """All of it in one piece: what is behind the last checkpoint is read alone. Where nothing is, nothing is signed."""
    session.access.flush()
    before = _sizes_pinned(session)
    with session.store.read() as reading:
        heads = {chain: reading.head(chain) for chain in Chain}
    if before == {chain: (head.position, head.digest) for chain, head in heads.items()}:
        return Walked(None, 0, ())
    try:
        made = pin_checkpoint(session)
    except FaultError as error:
        return Walked(None, 0, (f"nothing was signed, {error.code}: {error.message}",))
    known = sum(size for size, _ in before.values())
    return Walked(None, sum(each.note.size for each in made.notes) - known, ())


def _sizes_pinned(session: Session) -> dict[Chain, tuple[int, str]]:
    pinned = pinned_checkpoint(session)
    notes = {} if pinned is None else {chain: pinned.note(name).note for name, chain in CHAINS}
    return {chain: (note.size, note.head) for chain, note in notes.items()}


CHECKPOINT = Job(
    "checkpoint",
    "Both chains are signed as they are, where anything was added.",
    int(CHECKPOINT_HOURS * _US_AN_HOUR),
    page=lambda _reading, _after, _at_us: (),
    rule=lambda _session, _keep: lambda _claim, _at_us: None,
    walk=_walk,
    every_us_of=lambda session: int(session.checkpoint_hours * _US_AN_HOUR),
)
