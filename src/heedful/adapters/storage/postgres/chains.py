"""Chains read as a whole; see ports.chains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heedful.adapters.storage.postgres.connection import Row, Session
from heedful.adapters.storage.postgres.statements import Q
from heedful.adapters.storage.queries import fill
from heedful.ledger.pages import EventRow
from heedful.ports.rows import Chain

# Events that are held in memory at once while a chain is read.
EVENTS_PAGE = 256
BEFORE_EVERY_POSITION = -1 << 63


class ChainReading:
    """The part of a reader that is about whole chains."""

    _session: Session

    def event_pages(self, chain: Chain, *, after: int = 0) -> Iterator[Sequence[EventRow]]:
        """See ChainReader.event_pages."""
        # From the start means from the start: a row that was put before position 1 must be met, not passed over.
        first = after + 1 if after > 0 else BEFORE_EVERY_POSITION
        while True:
            page = self.event_rows(chain, first, EVENTS_PAGE)
            if page:
                yield page
            if len(page) < EVENTS_PAGE:
                return
            first = page[-1][0] + 1

    def leaves(self, chain: Chain, first: int, end: int) -> list[bytes]:
        """See ChainReader.leaves."""
        statement = Q["ledger_leaves" if chain is Chain.LEDGER else "access_leaves"]
        return [digest for (digest,) in self._session.rows(statement, (first + 1, end))]

    def event_rows(self, chain: Chain, first: int, count: int) -> list[EventRow]:
        """So many events from this position on."""
        statement = fill(Q["ledger_page" if chain is Chain.LEDGER else "access_page"], columns=Q["event_columns"])
        return list(map(event_row_of, self._session.rows(statement, (first, count))))


def event_row_of(row: Row) -> EventRow:
    """The same with its texts, which lie in bytes, as texts."""
    position, event_id, name, version, at_us, payload_digest, key_id, prev_digest, digest, payload, salt = row
    key_text = None if key_id is None else key_id.decode()
    return (
        position,
        event_id.decode(),
        name.decode(),
        version,
        at_us,
        payload_digest,
        key_text,
        prev_digest,
        digest,
        payload,
        salt,
    )
