"""The hard filter in front of every statement of a search: what does not pass is neither counted nor compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from heedful.adapters.storage.codec import RANKS
from heedful.adapters.storage.queries import fill, marks
from heedful.adapters.storage.sqlite.statements import Q, Run, attribute_clauses, denied_clause, json_list, scope_list
from heedful.ports.store import SearchFilter, Visible

Row = tuple[Any, ...]


class FilteredRows:
    """The rows of these scopes, up to this clearance, that pass the filter."""

    def __init__(self, run: Run, scope_ids: Sequence[int], visible: Visible, search_filter: SearchFilter) -> None:
        """`scope_ids` are those of the visible scopes that the database has, or some of them."""
        self.run = run
        self.scope_ids = scope_ids
        self._rank = RANKS[visible.clearance]
        filters, values = _filter_clauses(search_filter)
        denied, denied_values = denied_clause("row_not_denied", visible.denied_kinds)
        self._filters = f"{filters} {denied}"
        self.denies = bool(denied)
        self.is_of_claims = search_filter.item == "claim"
        self._scopes, bound = scope_list(scope_ids)
        self._values = (*bound, self._rank, *values, *denied_values)
        self._statements: dict[str, str] = {}

    def rows(self, name: str, *before: object, after: tuple[object, ...] = ()) -> list[Row]:
        """The result of the named statement, whose own values stand `before` and `after` those of the filter."""
        statement = self._statements.get(name)
        if statement is None:
            statement = self._statements[name] = fill(Q[name], scopes=self._scopes, filters=self._filters)
        found: list[Row] = self.run(statement, (*before, *self._values, *after)).fetchall()
        return found

    def rows_at(self, positions: Sequence[int]) -> list[Row]:
        """The rows at these positions, newest first."""
        found: list[Row] = self.run(Q["search_rows_at"], (json_list(positions),)).fetchall()
        found.sort(reverse=True)
        return found

    def groups(self, model_id: int) -> list[Row]:
        """Scope, classification and last change of each group of vectors of this model that is in sight."""
        found: list[Row] = self.run(Q["vector_groups"], (model_id, json_list(self.scope_ids), self._rank)).fetchall()
        return found


def _filter_clauses(wanted: SearchFilter) -> tuple[str, list[object]]:
    clauses: list[str] = []
    values: list[object] = []
    if wanted.item is not None:
        clauses.append(Q["filter_item"])
        values.append(wanted.item)
    if wanted.record_types:
        clauses.append(fill(Q["filter_record_types"], marks=marks(len(wanted.record_types))))
        values += wanted.record_types
    if not wanted.unreviewed:
        clauses.append(Q["filter_reviewed"])
    if wanted.valid_at_us is not None:
        clauses.append(Q["filter_valid"])
        values += (wanted.valid_at_us, wanted.valid_at_us)
    attributes, attribute_values = attribute_clauses(wanted.attributes, table="search_attributes", row="s.position")
    return " ".join([*clauses, attributes]), values + attribute_values
