"""What a work appended and made searchable, gathered until somebody asks: many rows cost little more than one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from heedful.adapters.storage.codec import RANKS, event_row
from heedful.adapters.storage.postgres.connection import Session
from heedful.adapters.storage.postgres.statements import Q
from heedful.adapters.storage.postgres.texts import attribute_columns, key_of
from heedful.adapters.storage.queries import fill
from heedful.ledger.seal import SealedEvent
from heedful.observations.record import AttributeValue
from heedful.ports.store import Chain, SearchRow

# Rows that wait in memory at once; an event has at most a few dozen kilobytes.
FRESH_ROWS_MAX = 256
_APPEND = {
    Chain.LEDGER: fill(Q["append_ledger"], columns=Q["event_columns"]),
    Chain.ACCESS: fill(Q["append_access"], columns=Q["event_columns"]),
}
Attributes = Sequence[tuple[str, AttributeValue]]
_SearchColumns = tuple[tuple[object, ...], list[bytes], tuple[list[bytes], list[str], list[bytes]]]


class FreshRows:
    """Events, search rows and vectors of one work that are not in the database yet."""

    def __init__(self) -> None:
        """None."""
        self._events: dict[Chain, list[tuple[object, ...]]] = {chain: [] for chain in Chain}
        self._search: dict[int, _SearchColumns] = {}
        self._vectors: dict[int, dict[int, tuple[int, str]]] = {}

    def add_event(self, chain: Chain, sealed: SealedEvent) -> bool:
        """True where it is time to put them."""
        position, event_id, name, version, recorded_at_us, payload_digest, key_id, *rest = event_row(sealed)
        row = (
            position,
            str(event_id).encode(),
            str(name).encode(),
            version,
            recorded_at_us,
            payload_digest,
            None if key_id is None else str(key_id).encode(),
            *rest,
        )
        self._events[chain].append(row)
        return len(self._events[chain]) >= FRESH_ROWS_MAX

    def add_search_row(self, row: SearchRow, scope_id: int, attributes: Attributes) -> bool:
        """True where it is time to put them; one that waits at the same position is replaced."""
        for vectors in self._vectors.values():
            vectors.pop(row.position, None)
        columns = (
            row.position,
            scope_id,
            RANKS[row.classification],
            row.item,
            row.item_id.encode(),
            row.record_type.encode(),
            row.unreviewed,
            row.valid_from_us,
            row.valid_to_us,
            len(row.tokens),
        )
        tokens = list({key_of(token) for token in row.tokens})
        self._search[row.position] = (columns, tokens, attribute_columns(attributes))
        return len(self._search) >= FRESH_ROWS_MAX

    def add_vectors(self, model_id: int, vectors: dict[int, tuple[int, str]]) -> bool:
        """True where it is time to put them. Position -> sum of squares and text, in place of one that waits there."""
        self._vectors.setdefault(model_id, {}).update(vectors)
        return sum(map(len, self._vectors.values())) >= FRESH_ROWS_MAX

    def clear_search_rows(self) -> None:
        """No search row or vector waits any more."""
        self._search.clear()
        self._vectors.clear()

    def put(self, session: Session) -> None:
        """All that waited is in the database; search rows in place of those at their positions, then vectors."""
        events = [(_APPEND[chain], _columns(rows)) for chain, rows in self._events.items() if rows]
        search, self._search = self._search, {}
        vectors = [
            (Q["put_vectors"], (model_id, list(rows), *_columns(rows.values())))
            for model_id, rows in self._vectors.items()
            if rows
        ]
        asked = [*events, *([_search_rows(search)] if search else []), *vectors]
        if not asked:
            return
        for rows in self._events.values():
            rows.clear()
        self._vectors.clear()
        results = session.run_together(*asked)
        new = {position for (position,) in results[len(events)]} if search else set()
        if len(new) < len(search):
            taken = {position: columns for position, columns in search.items() if position not in new}
            for position in taken:
                session.run(Q["delete_search_row"], (position,))
            # The old row's vectors went with it, and the new one's as well.
            session.run_together(_search_rows(taken), *vectors)


def _columns(rows: Iterable[tuple[object, ...]]) -> tuple[list[object], ...]:
    return tuple(map(list, zip(*rows, strict=True)))


def _search_rows(rows: dict[int, _SearchColumns]) -> tuple[str, tuple[object, ...]]:
    """The statement that puts them, and its values; its rows are the positions at which there was none before."""
    columns = _columns(columns for columns, _tokens, _attributes in rows.values())
    tokens = [(position, token) for position, (_row, tokens, _attributes) in rows.items() for token in tokens]
    attributes = [
        (position, *attribute)
        for position, (_row, _tokens, attributes) in rows.items()
        for attribute in zip(*attributes, strict=True)
    ]
    values = (
        *columns,
        [position for position, _token in tokens],
        [token for _position, token in tokens],
        *([attribute[column] for attribute in attributes] for column in range(4)),
    )
    return Q["insert_search_rows"], values
