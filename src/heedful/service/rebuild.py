"""Rebuild: the views are dropped and folded anew from the ledger, in bounded transactions, and resumed after any stop.

How far it is lies in the store: the checkpoint, which is 0 from before the first row of the views goes until the first
event is folded, and then where folding stands. Until it is the ledger's head again nobody is answered. One that finds
it at 0 drops whatever is left, from the beginning: what went already costs it nothing. Several that run at once drop
and fold by turns, each from where the last stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from heedful.kernel.errors import FaultError
from heedful.ledger.erased import Erased, event_there
from heedful.ledger.events import RecordAdmitted, RecordPending
from heedful.ledger.seal import SealedEvent
from heedful.ledger.verify import verify_chain
from heedful.ports.store import Chain, DropPoint, Reading, TenantStore, Writing
from heedful.service.project import clear_folded, fold_event
from heedful.service.project_erasure import erased_in
from heedful.service.session import Session
from heedful.service.whole import beneath, is_whole

DROPPED_ROWS_MAX = 10_000
"""Rows of the views that are dropped in one transaction."""
EVENTS_MAX = 1_000
"""Events that are folded in one transaction."""
PAYLOAD_BYTES_MAX = 8 * 1024 * 1024
"""Of payloads that are folded in one transaction, but at least one event."""

# Checked, dropped, folded.
_PARTS = 3


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What became of it.

    Attributes:
        ledger_position: where the views stand now.
        resumed_from: the position that an earlier one had come to; None where this began anew.
        vector_model: the model by whose vectors searches go now, which folding makes where its embedder is immediate;
            None: by text alone, until `reindex` makes those of the configured one.
    """

    ledger_position: int
    resumed_from: int | None
    vector_model: str | None


def total(session: Session) -> int:
    """The number that `progress` of a rebuild comes to."""
    with beneath(session.store).read() as reading:
        return _PARTS * reading.head(Chain.LEDGER).position


def rebuild(session: Session, *, progress: Callable[[int], None]) -> Rebuilt:
    """The views are what the ledger says; a ledger that is damaged, or of a newer release, is found before they go.

    `progress` is told how far it is, of three times the ledger's position: checked, dropped (roughly), folded.

    Raises:
        ForbiddenError: `principal_may_not`.
        FaultError: `ledger_broken`, `payload_missing`, `event_unknown`, `event_unreadable`, `blob_changed`; the views
            are as they were. `ledger_inconsistent`: they are not whole, and nobody is answered.
        NotFoundError: `blob_not_found`.
        UnavailableError, BusyError: see TenantStore; run again, it goes on.
    """
    session.require("maintain")
    store = beneath(session.store)
    with store.read() as reading:
        head = reading.head(Chain.LEDGER).position
        erased = erased_in(reading)
        resumed_from = None if is_whole(reading) else reading.checkpoint()
        if resumed_from is None:
            _check(session, reading, erased, progress)
    if resumed_from is None:
        store.write(_begin)
    _drop(session, store, lambda share: progress(head + int(head * share)))
    position, end = 0, head
    while position < end:
        # Its own end: others may have written while this one checked.
        position, end = store.write(lambda writing: _fold_some(session, writing, erased))
        progress(2 * head + min(position, head))
    with store.read() as reading:
        active = next((each.model for each in reading.vector_models() if each.is_active), None)
    return Rebuilt(position, resumed_from, active)


def _check(session: Session, reading: Reading, erased: Erased, progress: Callable[[int], None]) -> None:
    """Nothing, where the ledger can be folded, as far as that can be told of its events one by one."""

    def walked() -> Iterator[SealedEvent]:
        for sealed in reading.events(Chain.LEDGER):
            yield sealed
            # It holds, or nobody would ask for the next.
            event = event_there(sealed, erased)
            if isinstance(event, RecordAdmitted | RecordPending) and event.record.blob is not None:
                session.text_of(event.record)
            progress(sealed.envelope.position)

    tenant_id = session.store.tenant.tenant_id
    head = reading.head(Chain.LEDGER)
    verification = verify_chain(
        walked(), tenant_id=tenant_id, expected_head=head, ends_there=True, erased=erased.ledger
    )
    if verification.broken is not None:
        raise _broken(verification.broken.position)


def _begin(writing: Writing) -> None:
    # One that began while this one checked may have come further already.
    if is_whole(writing):
        writing.set_checkpoint(0)


def _drop(session: Session, store: TenantStore, progress: Callable[[float], None]) -> None:
    """The views are empty, or those that another one folds by now; `progress` is told the share that is gone."""
    point = store.write(lambda writing: _drop_some(session, writing, None))
    while point is not None:
        progress(point.share)
        point = store.write(partial(_drop_some, session, start=point))
    progress(1.0)


def _drop_some(session: Session, writing: Writing, start: DropPoint | None) -> DropPoint | None:
    """Where the next piece goes on; None: nothing is left to be dropped."""
    if writing.checkpoint() > 0:
        return None  # nothing is folded before all is dropped: another one did that
    point = writing.drop_view_rows(start, limit=DROPPED_ROWS_MAX)
    if point is None:
        # Also where a start from another time passed over rows: now all is gone, for certain.
        clear_folded(writing, session.embedders)
    return point


def _fold_some(session: Session, writing: Writing, erased: Erased) -> tuple[int, int]:
    """The position that the views have come to, and the one that they must come to."""
    position = start = writing.checkpoint()
    size = 0
    for sealed in writing.events(Chain.LEDGER, after=start, limit=EVENTS_MAX):
        fold_event(writing, sealed, session.text_of, session.embedders, erased)
        position = sealed.envelope.position
        size += len(sealed.payload or b"")
        if size >= PAYLOAD_BYTES_MAX:
            break
    if position == start and not is_whole(writing):
        raise _broken(start + 1)
    writing.set_checkpoint(position)
    return position, writing.head(Chain.LEDGER).position


def _broken(position: int) -> FaultError:
    return FaultError(
        "ledger_broken",
        f"the ledger does not hold at event {position}, so nothing is folded from it",
        next_step="run `heedful verify`, and restore the tenant's database from a backup",
        details={"position": position},
    )
