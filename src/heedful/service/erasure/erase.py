"""Erase: the transactions of an erasure. What goes is withdrawn first, so that others get back what they lost to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from heedful.claims.claim import Claim, ClaimStatus
from heedful.kernel.ids import ErasureId, PrincipalId
from heedful.ledger.erasure_events import ErasureRequested
from heedful.ports.store import Reading, Writing
from heedful.service.belief.given_back import give_back
from heedful.service.belief.questions import closed_once, moot
from heedful.service.belief.withdraw import withdrawal_of
from heedful.service.erasure.asked import note_asked
from heedful.service.erasure.blobs import note_blobs
from heedful.service.erasure.closure import RECORDS_MAX, Closure, closure_of, made_from
from heedful.service.erasure.due import due_now
from heedful.service.erasure.room import with_room
from heedful.service.erasure.select import Seeds
from heedful.service.erasure.tags import source_tags
from heedful.service.session import Session

TO_BE_ERASED = "it is to be erased"


@dataclass(frozen=True, slots=True)
class Asked:
    """An erasure as it was asked for: what its events say of it, but for the `names`. See ErasureRequested."""

    erasure_id: ErasureId
    actor: PrincipalId
    because: str
    by: str
    selector_digest: str
    names: tuple[str, ...] = ()


def erase_whole(
    session: Session, asked: Asked, seeds_in: Callable[[Reading], Seeds], *, is_first: bool = False
) -> int | None:
    """All went that goes with these, in as many transactions as that takes; where the next page of seeds begins.

    What was made goes before what it was made from, and the seeds go last: where one of the transactions fails, the
    rest is found again by the same seeds.
    """

    def work(writing: Writing) -> tuple[bool, int | None]:
        page = seeds_in(writing)
        found = erase(session, writing, asked, page, is_first=is_first, records_max=records_max)
        due_now(session, writing)
        return found.is_cut, page.after

    records_max: int | None = RECORDS_MAX
    while True:
        is_cut, after = with_room(session, lambda: session.store.write(work))
        if not is_cut:
            return after
        if not _erase_made(session, asked, seeds_in):
            records_max = None  # What is left of so many a hold keeps.


def _erase_made(session: Session, asked: Asked, seeds_in: Callable[[Reading], Seeds]) -> bool:
    """True where some of the records went that go with these, all that no hold keeps."""
    with session.store.read() as reading:
        found = made_from(reading, [each.record.record_id for each in seeds_in(reading).records])

    def work(writing: Writing, start: int) -> bool:
        page = Seeds(writing.records_by_ids(found[start : start + RECORDS_MAX]), (), None)
        goes = bool(closure_of(writing, page).records)
        if goes:
            erase(session, writing, asked, page, is_first=False)
            due_now(session, writing)
        return goes

    pages = [partial(work, start=start) for start in range(0, len(found), RECORDS_MAX)]
    went = [with_room(session, lambda page=page: session.store.write(page)) for page in pages]  # type: ignore[misc]
    return any(went)


def erase(
    session: Session,
    writing: Writing,
    asked: Asked,
    seeds: Seeds,
    *,
    is_first: bool,
    records_max: int | None = None,
) -> Closure:
    """What went with these, and what a hold kept: hidden. Appended; of nothing only where it is the first page.

    Nothing went where more records go than `records_max`: `is_cut`.
    """
    found = closure_of(writing, seeds, records_max=records_max)
    if found.is_cut or not (found.records or found.claims or found.held or found.merges or is_first):
        return found
    ended = [*found.claims.values(), *found.kept.values()]
    before = {each.claim_id for each in ended}
    _hide(session, writing, found, ended)
    # What was left of a claim, or came of what came back, may rest on it too.
    found = closure_of(writing, seeds)
    fresh = [each for each in found.claims.values() if each.claim_id not in before]
    if fresh:
        _hide(session, writing, found, fresh)
        found = closure_of(writing, seeds)
    event = ErasureRequested(
        erasure_id=asked.erasure_id,
        actor=asked.actor,
        because=asked.because,
        by=asked.by,
        selector_digest=asked.selector_digest,
        record_ids=tuple(sorted(found.records)),
        claim_ids=tuple(sorted(found.claims)),
        conflict_ids=tuple(sorted(each.conflict_id for each in found.conflicts)),
        proposal_ids=tuple(sorted(each.proposal_id for each in found.proposals)),
        merge_ids=tuple(sorted(each.merge_id for each in found.merges)),
        held_ids=tuple(sorted(found.held)),
        kept_ids=tuple(sorted(found.kept)),
        ledger_positions=found.positions,
        source_tags=source_tags(session, [each.record for each in (*found.records.values(), *found.held.values())]),
    )
    runs = {each.record.run_id for each in found.records.values() if each.record.run_id is not None}
    note_asked(writing, asked.erasure_id, asked.by, asked.names, runs)
    note_blobs(writing, [each.record for each in found.records.values()])
    session.append(writing, [event])
    return found


def _hide(session: Session, writing: Writing, found: Closure, ended: list[Claim]) -> None:
    """Nobody sees it any more, and what had ended by it stands again, as far as others say it."""
    stored = [*found.records.values(), *found.held.values()]
    ids = {each.claim_id for each in ended}
    done = withdrawal_of(session, writing, stored, ids, TO_BE_ERASED)
    session.append(writing, done.events)
    selected = [each for each in ended if each.claim_id not in {gone.claim_id for gone in done.unfounded}]
    live = [each for each in selected if each.status not in (ClaimStatus.REVOKED, ClaimStatus.QUARANTINED)]
    gone = [*done.unfounded, *live]
    give_back(session, writing, gone)
    still = writing.claims_by_ids([each.claim_id for each in selected]) if selected else ()
    session.append(writing, closed_once(moot(writing, still)))
