"""Retain, of records: when their days have ended they are erased with what was made of them, one receipt a run."""

from __future__ import annotations

from functools import partial

from heedful.claims.lifecycle import SERVICE_ACTOR
from heedful.kernel.errors import ConflictError
from heedful.kernel.ids import ErasureId, RecordId
from heedful.kernel.kept import forget_texts
from heedful.ports.store import Reading
from heedful.service.belief.follow import TOO_MANY
from heedful.service.erasure.erase import Asked, erase_whole
from heedful.service.erasure.room import with_room
from heedful.service.erasure.select import SEEDS_MAX, Because, By, Seeds, Selection, digest_of
from heedful.service.jobs.job import Keep
from heedful.service.session import Session


def erase_due(session: Session, keep: Keep) -> tuple[RecordId, ...]:
    """The records that stay though their days have ended, as more rests on them than one transaction looks at again.

    The others are gone when it returns, but for what a hold keeps: that is hidden, and goes when it is released. Where
    nothing is due nothing is written. Stopped on the way, what went stays gone, and the next run goes on.

    Raises:
        ConflictError: `lease_lost`.
        BusyError, UnavailableError: the store.
    """
    left: list[RecordId] = []
    digest = digest_of(session, Selection(By.RECORD, ()))
    asked = Asked(ErasureId(session.new_id()), SERVICE_ACTOR, Because.RETENTION, By.RECORD, digest)
    limit, flushed = SEEDS_MAX, False
    try:
        while True:
            with session.store.read() as reading:
                page = _due(session, reading, left, limit)
            if not page.records:
                return tuple(left)
            if not flushed:
                with_room(session, session.access.flush)
                flushed = True
            try:
                # Looked for again where they are erased: somebody may have had one of them erased meanwhile, or held.
                erase_whole(session, asked, partial(_due, session, left=left, limit=limit))
                limit = min(2 * limit, SEEDS_MAX)
            except ConflictError as error:
                if error.code != TOO_MANY:
                    raise
                left += [each.record.record_id for each in page.records if limit == 1]
                limit = max(1, limit // 2)
            keep()
    finally:
        if flushed:
            forget_texts()


def _due(session: Session, reading: Reading, left: list[RecordId], limit: int) -> Seeds:
    """The first whose days have ended, without those that stay."""
    found = reading.records_due(session.clock.now_us(), limit=limit + len(left))
    passed = frozenset(left)
    return Seeds(tuple(each for each in found if each.record.record_id not in passed)[:limit], (), None)
