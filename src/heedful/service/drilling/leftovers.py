"""Leftovers: what an interrupted drill left is erased by the next; one drill at a time runs at a tenant."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import contextmanager

from heedful.kernel.errors import ConflictError, HeedfulError
from heedful.kernel.ids import RecordId
from heedful.kernel.times import US_A_DAY, format_time
from heedful.ports.store import Reading
from heedful.service.drilling.canary import DIMENSION
from heedful.service.erasure.forget import forget
from heedful.service.erasure.hold import release_hold
from heedful.service.erasure.receipt import Receipt
from heedful.service.erasure.select import By, Selection
from heedful.service.jobs.job import Job
from heedful.service.jobs.lease import Taken, finish, release, take
from heedful.service.session import Session

LEFT_MAX = 1_000
"""Records of drills that one drill cleans up; a drill plants six."""
# No job of `maintain`: its row is a lease, by which drills of two processes do not erase each other's canaries.
DRILL = Job(
    "drill",
    "A drill runs.",
    US_A_DAY,
    page=lambda _reading, _after, _at_us: (),
    rule=lambda _session, _keep: lambda _claim, _at_us: None,
)


@contextmanager
def only_one(session: Session) -> Iterator[str]:
    """This drill runs alone at its tenant until the block ends; gives the worker, by whose name it keeps its lease.

    Raises:
        ConflictError: `drill_running`.
    """
    worker = f"{session.principal}/{session.new_id()}"
    taken = take(session, DRILL, worker, always=True)
    if not isinstance(taken, Taken):
        until = "soon" if taken is None else format_time(taken.lease_until_us)
        raise ConflictError(
            "drill_running",
            f"another drill runs at this tenant, or was stopped less than a minute ago: its lease ends {until}",
            next_step="wait for it; where it was stopped, run this one a minute later: it cleans up after that one",
        )
    try:
        yield worker
        finish(session, DRILL, worker, taken.report)
    except BaseException:
        with contextlib.suppress(HeedfulError):
            release(session, DRILL, worker)
        raise


def planted_in(reading: Reading, drill_id: str | None = None) -> tuple[RecordId, ...]:
    """The records that drills planted and that are still there; of one drill, or of all.

    By their scope and by their source reference: what people keep in a scope of that name is theirs.
    """
    wanted = f"{DIMENSION}:{drill_id or ''}"
    scopes = [each for each in reading.scopes() if any(element.startswith(wanted) for element in each.elements)]
    stored = reading.records_in(scopes, after=0, limit=LEFT_MAX) if scopes else ()
    return tuple(each.record.record_id for each in stored if (each.record.source_ref or "").startswith(wanted))


def cleaned(session: Session, drill_id: str | None = None) -> Receipt | None:
    """The receipt of what drills had left, and their holds released; None where nothing was left.

    Raises:
        ConflictError, BusyError, UnavailableError: see `forget`.
    """
    with session.store.read() as reading:
        left = planted_in(reading, drill_id)
        holds = [each for each in reading.holds() if each.by == By.RECORD and set(each.names) <= set(left)]
    for hold in holds if left else ():
        release_hold(session, hold.hold_id)
    return forget(session, Selection(By.RECORD, left)) if left else None
