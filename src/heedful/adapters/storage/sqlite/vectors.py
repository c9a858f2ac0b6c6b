"""Vectors of search rows, side by side for any number of models: what a reading and a writing do with them.

A vector lies under the scope and classification of its row. So a search reads those in sight and no others, and what
it costs tells nothing of the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from heedful.adapters.storage.codec import is_storable, search_row_of
from heedful.adapters.storage.sqlite.connection import Session
from heedful.adapters.storage.sqlite.filtered import FilteredRows, Row
from heedful.adapters.storage.sqlite.state import State
from heedful.adapters.storage.sqlite.statements import Q, Run, find_scope_ids
from heedful.kernel.scope import Scope
from heedful.ports.store import NearHit, SearchFilter, SearchRow, VectorModel, VectorRow, Visible

if TYPE_CHECKING:
    from heedful.adapters.storage.sqlite.nearest import Near


class VectorReading:
    """The part of a reading that is about vectors; see ViewReader."""

    _session: Session
    _run: Run
    _state: State
    # What a transaction has changed is not kept in memory: it may never be committed.
    _keeps_matrices = True
    # What was last asked for, and the numbers of those scopes in this moment.
    _scopes: tuple[tuple[Scope, ...], list[int]] | None = None
    # One packet asks for what is near a question several times, each time among other rows.
    _compared: tuple[tuple[object, ...], Near] | None = None

    def nearest(
        self, visible: Visible, model: str, components: bytes, search_filter: SearchFilter, *, limit: int
    ) -> tuple[NearHit, ...]:
        """See ViewReader.nearest."""
        if not components or limit <= 0:
            return ()
        # Loading numpy takes longer than most commands do.
        from heedful.adapters.storage.sqlite.nearest import compare, nearest  # noqa: PLC0415

        query = FilteredRows(self._run, self._scope_ids(visible), visible, search_filter)
        asked = (visible.scopes, visible.clearance, model, components)
        if self._compared is not None and self._compared[0] == asked:
            return nearest(query, self._compared[1], limit=limit)
        model_id = self._model_id(model)
        if model_id is None:
            return ()
        near = compare(query, self._session.shelf if self._keeps_matrices else None, model_id, components)
        if self._keeps_matrices:
            self._compared = asked, near
        return nearest(query, near, limit=limit)

    def vector_models(self) -> tuple[VectorModel, ...]:
        """See ViewReader.vector_models."""
        rows = self._run(Q["vector_models"]).fetchall()
        return tuple(VectorModel(model, bool(is_active)) for model, is_active in rows)

    def without_vector(self, model: str, *, after: int, limit: int) -> tuple[SearchRow, ...]:
        """See ViewReader.without_vector."""
        rows: list[Row] = self._run(Q["without_vector"], (after, self._model_id(model), max(0, limit))).fetchall()
        return tuple(map(search_row_of, rows))

    def _scope_ids(self, visible: Visible) -> list[int]:
        if self._scopes is not None and self._scopes[0] is visible.scopes:
            return self._scopes[1]
        scope_ids = find_scope_ids(self._run, self._session.scope_ids, visible.scopes)
        if self._keeps_matrices:
            self._scopes = visible.scopes, scope_ids
        return scope_ids

    def _model_id(self, model: str) -> int | None:
        model_id: int | None = self._run(Q["vector_model_id"], (model,)).get if is_storable(model) else None
        return model_id


class VectorWriting(VectorReading):
    """The part of a writing that is about vectors; see Writing."""

    _keeps_matrices = False

    def __init__(self) -> None:
        """Nothing changed yet."""
        # Model, scope and classification of what this work changed.
        self._changed_groups: set[Row] = set()

    def nearest(
        self, visible: Visible, model: str, components: bytes, search_filter: SearchFilter, *, limit: int
    ) -> tuple[NearHit, ...]:
        """See ViewReader.nearest."""
        self._keep_changed_groups()
        return super().nearest(visible, model, components, search_filter, limit=limit)

    def put_vectors(self, model: str, rows: Sequence[VectorRow]) -> None:
        """See Writing.put_vectors."""
        if rows:
            model_id = self._known_model_id(model)
            values = [(model_id, row.position, row.components) for row in rows]
            self._changed_groups.update(self._session.cursor.executemany(Q["put_vector"], values))

    def set_vector_model(self, model: str | None) -> None:
        """See Writing.set_vector_model."""
        model_id = None if model is None else self._known_model_id(model)
        self._run(Q["set_vector_model"], (model_id,))

    def drop_vectors(self, model: str, *, limit: int) -> int:
        """See Writing.drop_vectors."""
        model_id = self._model_id(model)
        if model_id is None:
            return 0
        gone: list[Row] = self._run(Q["drop_vectors"], (model_id, max(0, limit))).fetchall()
        self._changed_groups.update(gone)
        if not self._run(Q["has_vectors"], (model_id,)).get:
            self._changed_groups = {group for group in self._changed_groups if group[0] != model_id}
            self._run(Q["delete_vector_groups"], (model_id,))
            self._run(Q["delete_vector_model"], (model_id,))
            self._number_change()
        return len(gone)

    def _known_model_id(self, model: str) -> int:
        model_id: int | None = self._run(Q["vector_model_id"], (model,)).get
        return self._run(Q["put_vector_model"], (model,)).get if model_id is None else model_id

    def _drop_row_vectors(self, position: int, groups: Iterable[Row]) -> None:
        """The row at this position, which was in these scopes and classifications, has no vectors any more."""
        # Where never a vector was put, looking for them costs nothing.
        if self._state.vector_changes or self._changed_groups:
            for scope_id, rank in groups:
                gone = self._run(Q["delete_vector"], (scope_id, rank, position)).fetchall()
                self._changed_groups.update(gone)

    def _forget_changed_groups(self) -> None:
        """All vectors are gone, with their groups."""
        self._changed_groups.clear()
        self._number_change()

    def _keep_changed_groups(self) -> None:
        """What was changed has the number of a change that no moment has seen before."""
        if self._changed_groups:
            number = self._number_change()
            rows = [(*group, number) for group in self._changed_groups]
            self._session.cursor.executemany(Q["put_vector_group"], rows)
            self._changed_groups.clear()

    def _number_change(self) -> int:
        self._state.vector_changes += 1
        return self._state.vector_changes
