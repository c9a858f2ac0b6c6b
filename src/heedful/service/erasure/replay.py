"""Replay: what was erased after a backup was taken is erased again in what came out of it, before anybody is served."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heedful.kernel.ids import ClaimId, ErasureId, HoldId, MergeId, RecordId
from heedful.kernel.kept import forget_texts
from heedful.ledger.erasure_events import ErasureRequested, HoldPlaced, HoldReleased
from heedful.ledger.erasure_register import RegisteredErasure, RegisteredTenant
from heedful.ports.store import Reading, Writing
from heedful.service.erasure.due import due_now
from heedful.service.erasure.erase import Asked, erase_whole
from heedful.service.erasure.select import SEEDS_MAX, By, Seeds
from heedful.service.session import Session

KEYS_PAGE = 5_000


def replay_erasures(session: Session, register: RegisteredTenant) -> int:
    """How many erasures of the register were not in this tenant, or only in part; all of them are now.

    What comes after that is the job `erase`'s. What a hold kept when the register was made is kept here too, under a
    hold of its own. Doing it again does nothing.

    Raises:
        UnavailableError: `keys_missing`, `keys_mismatch`, or the store's.
        ConflictError: `dependants_too_many`.
    """
    session.store.write(lambda writing: _release(session, writing, register))
    done = 0
    try:
        for each in register.erasures:
            done += _replay(session, each)
    finally:
        forget_texts()
    return done


def _replay(session: Session, erasure: RegisteredErasure) -> int:
    with session.store.read() as reading:
        missing = _not_erased(reading, (*erasure.record_ids, *erasure.item_ids, *erasure.source_tags))
        kept = [each.record.record_id for each in reading.records_by_ids([RecordId(e) for e in erasure.held_ids])]
        is_hidden = frozenset(kept) <= _held_there(reading, erasure.erasure_id)
    if not missing and is_hidden:
        return 0
    if kept and not is_hidden:
        placed = HoldPlaced(HoldId(session.new_id()), session.principal, "legal", By.RECORD.value, tuple(sorted(kept)))
        session.store.write(lambda writing: session.append(writing, [placed]))
    asked = Asked(
        ErasureId(erasure.erasure_id), session.principal, erasure.because, erasure.by, erasure.selector_digest
    )
    ids = [*(each for each in missing if each not in frozenset(erasure.source_tags)), *kept]
    for page in _pages(ids, SEEDS_MAX):
        erase_whole(session, asked, lambda reading, page=page: _seeds(reading, page))  # type: ignore[misc]
    session.store.write(lambda writing: _remember(session, writing, asked, erasure))
    return 1


def _seeds(reading: Reading, page: Sequence[str]) -> Seeds:
    claims = reading.claims_by_ids([ClaimId(each) for each in page])
    merges = [merge for each in page for merge in [reading.merge(MergeId(each))] if merge is not None]
    return Seeds(reading.records_by_ids([RecordId(each) for each in page]), claims, None, tuple(merges))


def _remember(session: Session, writing: Writing, asked: Asked, erasure: RegisteredErasure) -> None:
    """Also what never was in this backup is known as erased: neither an importer nor a derivation brings it back."""
    items, tags = (
        _not_erased(writing, (*erasure.record_ids, *erasure.item_ids)),
        _not_erased(writing, erasure.source_tags),
    )
    records = frozenset(erasure.record_ids)
    event = ErasureRequested(
        erasure_id=asked.erasure_id,
        actor=asked.actor,
        because=asked.because,
        by=asked.by,
        selector_digest=asked.selector_digest,
        record_ids=tuple(RecordId(each) for each in items if each in records),
        claim_ids=tuple(ClaimId(each) for each in items if each not in records),
        conflict_ids=(),
        proposal_ids=(),
        merge_ids=(),
        held_ids=(),
        kept_ids=(),
        ledger_positions=(),
        source_tags=tuple(tags),
    )
    if items or tags or writing.erasure(asked.erasure_id) is None:
        session.append(writing, [event])
    due_now(session, writing)


def _release(session: Session, writing: Writing, register: RegisteredTenant) -> None:
    """Holds that were released since are released here: what they kept may be what was erased then."""
    released = frozenset(register.released_hold_ids)
    there = [each.hold_id for each in writing.holds() if each.hold_id in released]
    if there:
        session.append(writing, [HoldReleased(each, session.principal, "legal") for each in there])


def _held_there(reading: Reading, erasure_id: str) -> frozenset[str]:
    erasure = reading.erasure(ErasureId(erasure_id))
    return frozenset() if erasure is None else frozenset(erasure.held_ids)


def _not_erased(reading: Reading, keys: Sequence[str]) -> list[str]:
    return list(_left(reading, keys))


def _left(reading: Reading, keys: Sequence[str]) -> Iterator[str]:
    for page in _pages(keys, KEYS_PAGE):
        erased = reading.erased_among(page)
        yield from (each for each in page if each not in erased)


def _pages(items: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    for first in range(0, len(items), size):
        yield items[first : first + size]
