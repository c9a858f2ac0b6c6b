"""Stages: what the job `erase` does to every erasure that is not done: released holds, indexes, and the store's files.

Each step is one transaction with an event of it, so a worker may die at any moment; whoever comes next goes on. What is
scrubbed is scrubbed for all erasures at once.
"""

from __future__ import annotations

from collections.abc import Callable

from heedful.kernel.errors import BusyError, UnavailableError
from heedful.kernel.ids import ClaimId, ErasureId, RecordId, VerdictId
from heedful.kernel.kept import forget_texts
from heedful.kernel.times import US_A_DAY
from heedful.ledger.erasure_events import ErasureRequested, ErasureStaged
from heedful.ledger.seal import SealedEvent
from heedful.ports.erasure import StoredErasure
from heedful.ports.store import Chain, Reading, Writing
from heedful.service.erasure.asked import asked_in, forget_noted, noted
from heedful.service.erasure.blobs import unlink_blobs
from heedful.service.erasure.closure import closure_of
from heedful.service.erasure.erase import Asked, erase_whole
from heedful.service.erasure.select import Held, Seeds
from heedful.service.erasure.shown import ids_in
from heedful.service.erasure.there import OPEN_MAX, ids_shown
from heedful.service.project import event_of
from heedful.service.session import Session

PAGE_EVENTS = 500
"""Events that are looked at in one transaction for what shows an erased item."""
Keep = Callable[[], None]


def run_stages(session: Session, keep: Keep, progress: Callable[[int], None]) -> None:
    """Every erasure that is not done goes on; `progress` is told how many events were looked at."""
    session.access.flush()
    with session.store.read() as reading:
        found = reading.erasures(only_open=True, limit=OPEN_MAX)
    for each in found:
        if each.held_ids:
            _resume(session, each)
            keep()
    logical = _open_at(session, "logical")
    if logical:
        _clean_indexes(session, logical, keep, progress)
    at_indexes = _open_at(session, "indexes")
    if at_indexes:
        keep()
        _scrub(session, at_indexes)
    forget_texts()


def clean_now(session: Session) -> None:
    """No packet or verdict is left in the chains that shows what was erased, as behind the job; files are not scrubbed.

    What another worker cleans at the same time is cleaned once: each page is looked at again where it is written.

    Raises:
        BusyError, UnavailableError: the store, or its blobs.
    """
    session.access.flush()
    logical = _open_at(session, "logical")
    if logical:
        _clean_indexes(session, logical, lambda: None, lambda _done: None)


def _open_at(session: Session, stage: str) -> tuple[StoredErasure, ...]:
    with session.store.read() as reading:
        return tuple(each for each in reading.erasures(only_open=True, limit=OPEN_MAX) if each.stage == stage)


def _resume(session: Session, erasure: StoredErasure) -> None:
    """What no hold keeps any more of the erasure goes."""

    def released(reading: Reading) -> Seeds:
        now = reading.erasure(erasure.erasure_id)
        seeds = Seeds(reading.records_by_ids(now.held_ids if now is not None else ()), (), None)
        return seeds if closure_of(reading, seeds).records else Seeds((), (), None)

    with session.store.read() as reading:
        if not released(reading).records:
            return
    erase_whole(session, Asked(erasure.erasure_id, erasure.actor, erasure.because, erasure.by, ""), released)


def _clean_indexes(
    session: Session, erasures: tuple[StoredErasure, ...], keep: Keep, progress: Callable[[int], None]
) -> None:
    """Packets, verdicts and what else was said of erased items goes, then their blobs; then the stage is reached."""
    looked = 0
    for chain in Chain:
        with session.store.read() as reading:
            first, head = _first(reading, chain, erasures), reading.head(chain).position
        for after in range(first, head, PAGE_EVENTS):
            with session.store.read() as reading:
                found = _shown(reading, chain, after)
            if found:
                session.store.write(lambda writing, chain=chain, after=after: _clean(session, writing, chain, after))  # type: ignore[misc]
            looked += PAGE_EVENTS
            progress(looked)
            keep()
    unlink_blobs(session)
    session.store.scrub_indexes()
    events = [ErasureStaged(each.erasure_id, "indexes", session.principal, (), (), (), (), None) for each in erasures]

    def work(writing: Writing) -> None:
        forget_noted(writing, [each.erasure_id for each in erasures])
        session.append(writing, events)

    session.store.write(work)


def _first(reading: Reading, chain: Chain, erasures: tuple[StoredErasure, ...]) -> int:
    """Nothing is said of what they took before this position: that is where the first of it was brought."""
    if chain is Chain.ACCESS or any(len(each.reached) > 1 for each in erasures) or noted(reading):
        return 0
    ids = {each.erasure_id for each in erasures}
    events = (event_of(each) for each in reading.events_of("erasure.requested") if each.payload is not None)
    # One erasure has several: a page each, and what came when a hold was released may have been brought first of all.
    requested = [each for each in events if isinstance(each, ErasureRequested) and each.erasure_id in ids]
    return min((min(each.ledger_positions) - 1 for each in requested if each.ledger_positions), default=0)


def _shown(reading: Reading, chain: Chain, after: int) -> dict[ErasureId, list[SealedEvent]]:
    """The events of this page that show what an erasure took, are about it, or were asked in it, by which."""
    page = [each for each in reading.events(chain, after=after, limit=PAGE_EVENTS) if each.payload is not None]
    ids = [ids_in((each.payload or b"").decode("utf-8", "replace")) for each in page]
    gone = reading.erased_among(sorted({item for each in ids for item in each}))
    for held in _still_there(reading, list(gone)):
        del gone[held]
    notes, holds = noted(reading), Held(reading.holds())
    found: dict[ErasureId, list[SealedEvent]] = {}
    for sealed, named in zip(page, ids, strict=True):
        took = (
            None if named.isdisjoint(gone) else next((gone[each] for each in ids_shown(sealed) if each in gone), None)
        )
        took = took or asked_in(chain, sealed, notes, holds)
        if took is not None:
            found.setdefault(took, []).append(sealed)
    return found


def _still_there(reading: Reading, item_ids: list[str]) -> list[str]:
    """Those of the erased items that a hold keeps: what shows them is kept with them."""
    if not item_ids:
        return []
    records = [each.record.record_id for each in reading.records_by_ids([RecordId(each) for each in item_ids])]
    claims = [each.claim_id for each in reading.claims_by_ids([ClaimId(each) for each in item_ids])]
    return [*records, *claims]


def _clean(session: Session, writing: Writing, chain: Chain, after: int) -> None:
    # Again, as what is said of a verdict goes with it.
    while found := _shown(writing, chain, after):
        for erasure_id, shown in found.items():
            positions = tuple(each.envelope.position for each in shown)
            verdicts = tuple(VerdictId(e.envelope.event_id) for e in shown if e.envelope.type == "verdict.judged")
            ledger = positions if chain is Chain.LEDGER else ()
            access = positions if chain is Chain.ACCESS else ()
            staged = ErasureStaged(erasure_id, "logical", session.principal, ledger, access, verdicts, (), None)
            session.append(writing, [staged])


def _scrub(session: Session, erasures: tuple[StoredErasure, ...]) -> None:
    """The files are without what was deleted, and the erasures say so; or they go on saying `indexes`, and why."""
    stage, expires_us = "scrubbed", session.clock.now_us() + int(session.backup_keep_days * US_A_DAY)
    try:
        could_not = session.store.scrub_storage().could_not
    except (BusyError, UnavailableError) as error:
        stage, could_not = "indexes", (f"not scrubbed yet: {error.message}",)

    def work(writing: Writing) -> None:
        events = []
        for each in erasures:
            now = writing.erasure(each.erasure_id)
            # One that took more meanwhile, as a hold was released, is not done; nor is one that is done already.
            is_same = now is not None and now.reached == each.reached
            if is_same and (stage == "scrubbed" or each.could_not != could_not):
                until = expires_us if stage == "scrubbed" else None
                staged = ErasureStaged(each.erasure_id, stage, session.principal, (), (), (), could_not, until)
                events.append(staged)
        session.append(writing, events)

    session.store.write(work)
