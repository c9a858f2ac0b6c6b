"""Vectors of search rows, side by side for any number of models: what a reading and a writing do with them.

Every visible row that passes the filter is compared, in the database: an approximate index would look at vectors first
and at what may be seen afterwards, and so find too little.
"""

from __future__ import annotations

from collections.abc import Sequence

from heedful.adapters.storage.codec import is_storable, search_row_of
from heedful.adapters.storage.postgres.connection import Session
from heedful.adapters.storage.postgres.fresh import FreshRows
from heedful.adapters.storage.postgres.opening import Opening, read_opening
from heedful.adapters.storage.postgres.search import FilteredRows
from heedful.adapters.storage.postgres.statements import Q, ScopeNumbers, find_scope_ids
from heedful.kernel.scope import Scope
from heedful.kernel.vectors import EXACT_MAX, cosine, squared
from heedful.ports.store import NearHit, SearchFilter, SearchRow, VectorModel, VectorRow, Visible


class VectorReading:
    """The part of a reading that is about vectors; see ViewReader."""

    _session: Session
    _known_scopes: ScopeNumbers
    _opening: Opening | None
    # Of this moment alone: one packet asks for the same scopes several times, and many of them have no number.
    _in_sight: dict[tuple[Scope, ...], list[int]]

    def nearest(
        self, visible: Visible, model: str, components: bytes, search_filter: SearchFilter, *, limit: int
    ) -> tuple[NearHit, ...]:
        """See ViewReader.nearest."""
        if not is_storable(model) or not components or limit <= 0:
            return ()
        query = FilteredRows(self._session, self._scope_ids(visible), visible, search_filter)
        square = squared(components)
        # By Cauchy and Schwarz no partial sum of a product is beyond EXACT_MAX for rows up to this.
        squared_max = min(EXACT_MAX**2 // max(1, square), (1 << 63) - 1)
        place = (model.encode(), query.scope_ids, len(components))
        rows = query.rows("nearest", squared_max, square, _text(components), square, *place, after=(limit,))
        if rows and rows[0][-1] is None:
            compared = _compare(query, place, components, square)[:limit]
            rows_at = query.rows_at([position for position, _similarity in compared])
            rows = [(*row, similarity) for row, (_position, similarity) in zip(rows_at, compared, strict=True)]
        return tuple(
            NearHit(position, item, item_id.decode(), token_count, similarity)
            for position, item, item_id, token_count, similarity in rows
        )

    def vector_models(self) -> tuple[VectorModel, ...]:
        """See ViewReader.vector_models."""
        return self._opened().models

    def without_vector(self, model: str, *, after: int, limit: int) -> tuple[SearchRow, ...]:
        """See ViewReader.without_vector."""
        rows = self._session.rows(Q["without_vector"], (after, self._model_id(model) or 0, max(0, limit)))
        return tuple(
            search_row_of((position, item, item_id.decode(), key.decode(), rank, record_type.decode(), *rest))
            for position, item, item_id, key, rank, record_type, *rest in rows
        )

    def _scope_ids(self, visible: Visible) -> list[int]:
        """The numbers of the visible scopes that the database has."""
        numbers = self._in_sight.get(visible.scopes)
        if numbers is None:
            numbers = find_scope_ids(self._session, self._known_scopes, visible.scopes, self._scope_count)
            self._in_sight[visible.scopes] = numbers
        return numbers

    def _opened(self) -> Opening:
        """Models, modes and the number of scopes."""
        if self._opening is None:
            self._opening = read_opening(self._session)
        return self._opening

    def _scope_count(self) -> int | None:
        """How many scopes have numbers in this moment."""
        return self._opened().scopes

    def _model_id(self, model: str) -> int | None:
        row = self._session.row(Q["vector_model_id"], (model.encode(),)) if is_storable(model) else None
        return None if row is None else int(row[0])


class VectorWriting(VectorReading):
    """The part of a writing that is about vectors; see Writing."""

    _bare_session: Session
    _fresh: FreshRows
    # Of this work: nobody else changes them before its end.
    _model_ids: dict[str, int]

    def _opened(self) -> Opening:
        """As it is now: the work may have changed it. Rows that wait do not show in it."""
        opening = read_opening(self._bare_session)
        self._model_ids = opening.model_ids
        return opening

    def _scope_count(self) -> None:
        """The work may bring scopes itself."""

    def put_vectors(self, model: str, rows: Sequence[VectorRow]) -> None:
        """See Writing.put_vectors."""
        if rows:
            model_id = self._known_model_id(model)
            vectors = {row.position: (squared(row.components), _text(row.components)) for row in rows}
            if self._fresh.add_vectors(model_id, vectors):
                self._fresh.put(self._bare_session)

    def set_vector_model(self, model: str | None) -> None:
        """See Writing.set_vector_model."""
        model_id = None if model is None else self._known_model_id(model)
        self._session.run(Q["set_vector_model"], (model_id,))

    def drop_vectors(self, model: str, *, limit: int) -> int:
        """See Writing.drop_vectors."""
        model_id = self._model_id(model)
        if model_id is None:
            return 0
        gone = self._session.run(Q["drop_vectors"], (model_id, max(0, limit), model_id))
        if self._session.row(Q["has_vectors"], (model_id,)) is None:
            self._session.run(Q["delete_vector_model"], (model_id,))
            self._model_ids = {}
        return gone

    def _known_model_id(self, model: str) -> int:
        self._bare_session.refuse_if_ended()
        model_id = self._model_ids.get(model)
        if model_id is None:
            model_id = self._model_id(model)
        if model_id is None:
            ((model_id,),) = self._session.rows(Q["put_vector_model"], (model.encode(),))
        self._model_ids[model] = int(model_id)
        return int(model_id)


def _compare(query: FilteredRows, place: tuple[object, ...], components: bytes, square: int) -> list[tuple[int, float]]:
    """Position and similarity of every row in sight, in order, where the database's floats may be too short."""
    asked = memoryview(components).cast("b")
    found: list[tuple[int, float]] = []
    for position, row_square, row_text in query.rows("vectors_in_sight", *place):
        row = [int(float(each)) for each in row_text[1:-1].split(",")]
        product = sum(left * right for left, right in zip(asked, row, strict=True))
        found.append((position, cosine(product, square, row_square)))
    return sorted(found, key=lambda each: (-each[1], -each[0]))


def _text(components: bytes) -> str:
    """A vector as the extension reads it: `[1,-2,3]`."""
    return f"[{','.join(map(str, memoryview(components).cast('b')))}]"
