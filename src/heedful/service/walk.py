"""Walk: a chain's events of some types, from one position to its head, page by page; no moment is held open for it."""

from __future__ import annotations

from collections.abc import Iterator

from heedful.kernel.times import format_time
from heedful.ledger.events import AnyEvent
from heedful.ledger.opened import opened
from heedful.ports.store import Chain
from heedful.service.erasure.there import sealed_there
from heedful.service.session import Session

PAGE_EVENTS = 1_000
"""Sealed events that are read in one moment."""


def pages(session: Session, chain: Chain, *types: str) -> Iterator[tuple[tuple[str, AnyEvent], ...]]:
    """(time, event) of these types, oldest first, a page at a time, up to where the chain ended when this began.

    Events that were erased, or show what was, are passed over. A page may be empty.
    """
    with session.store.read() as reading:
        head = reading.head(chain).position
    for after in range(0, head, PAGE_EVENTS):
        limit = min(PAGE_EVENTS, head - after)
        with session.store.read() as reading:
            page = [each for each in reading.events(chain, after=after, limit=limit) if each.envelope.type in types]
            sealed = sealed_there(reading, page)
        yield tuple(
            (
                format_time(each.envelope.recorded_at_us),
                opened(each),
            )
            for each in sealed
        )


def pages_since(
    session: Session, chain: Chain, since_us: int, *types: str
) -> Iterator[tuple[tuple[int, int, AnyEvent], ...]]:
    """(position, UTC microseconds, event) of these types that were recorded at or after the instant, page by page.

    From the head back, and no further than a page that is older as a whole: a clock that was set back for less than
    a page hides nothing. Within a page the oldest is first. Events that were erased, or show what was, are passed over.
    """
    with session.store.read() as reading:
        end = reading.head(chain).position
    while end > 0:
        after = max(0, end - PAGE_EVENTS)
        with session.store.read() as reading:
            page = list(reading.events(chain, after=after, limit=end - after))
            recent = [each for each in page if each.envelope.recorded_at_us >= since_us]
            there = sealed_there(reading, [each for each in recent if each.envelope.type in types])
        if not recent:
            return
        yield tuple(
            (
                each.envelope.position,
                each.envelope.recorded_at_us,
                opened(each),
            )
            for each in there
        )
        end = after
