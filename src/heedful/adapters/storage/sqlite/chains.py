"""Chains read as a whole; see ports.chains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from heedful.adapters.storage.sqlite.statements import Q
from heedful.ledger.pages import EventRow
from heedful.ports.rows import Chain

# Events that are held in memory at once while a chain is read.
EVENTS_PAGE = 256
BEFORE_EVERY_POSITION = -1 << 63


class ChainReading:
    """The part of a reader that is about whole chains."""

    _run: Any

    def event_pages(self, chain: Chain, *, after: int = 0) -> Iterator[Sequence[EventRow]]:
        """See ChainReader.event_pages."""
        statement = Q["ledger_page" if chain is Chain.LEDGER else "access_page"]
        # From the start means from the start: a row that was put before position 1 must be met, not passed over.
        first = after + 1 if after > 0 else BEFORE_EVERY_POSITION
        while True:
            page: list[EventRow] = self._run(statement, (first, EVENTS_PAGE)).fetchall()
            if page:
                yield page
            if len(page) < EVENTS_PAGE:
                return
            first = page[-1][0] + 1

    def leaves(self, chain: Chain, first: int, end: int) -> list[bytes]:
        """See ChainReader.leaves."""
        statement = Q["ledger_leaves" if chain is Chain.LEDGER else "access_leaves"]
        return [digest for (digest,) in self._run(statement, (first + 1, end)).fetchall()]
