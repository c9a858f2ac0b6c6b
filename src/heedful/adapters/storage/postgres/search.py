"""Full-text search. Every number in a result is counted over visible rows alone.

A token's postings are found by tenant, scope and token, all by equality, so those of other scopes are not even read.
"""

from __future__ import annotations

from collections.abc import Sequence

from heedful.adapters.storage.choose import choose
from heedful.adapters.storage.codec import RANKS
from heedful.adapters.storage.postgres.connection import Row, Session
from heedful.adapters.storage.postgres.statements import Q, attribute_clauses, denied_clause
from heedful.adapters.storage.postgres.texts import key_of
from heedful.adapters.storage.queries import fill
from heedful.adapters.storage.terms import distinct_terms
from heedful.ports.store import SearchFilter, SearchHit, SearchResult, Visible

# Postings whose rows come with them; of more, only the rows that are chosen are read.
POSTINGS_WITH_ROWS_MAX = 256


class FilteredRows:
    """The hard filter in front of every statement of a search: what does not pass is neither counted nor compared."""

    def __init__(
        self, session: Session, scope_ids: Sequence[int], visible: Visible, search_filter: SearchFilter
    ) -> None:
        """`scope_ids` are the visible scopes that the database has."""
        self._session = session
        self.scope_ids = list(scope_ids)
        filters, values = _filter_clauses(search_filter)
        denied, denied_values = denied_clause("row_not_denied", visible.denied_kinds)
        self._visible = fill(Q["in_sight"], filters=f"{filters} {denied}")
        self._values = (self.scope_ids, RANKS[visible.clearance], *values, *denied_values)
        self._in_sight = fill(Q["in_sight"], filters=denied)
        self.in_sight_values = (self.scope_ids, RANKS[visible.clearance], *denied_values)

    def rows(self, name: str, *before: object, after: tuple[object, ...] = ()) -> list[Row]:
        """The result of the named statement, whose own values stand before and after those of the filter."""
        statement = fill(Q[name], visible=self._visible, in_sight=self._in_sight)
        return self._session.rows(statement, (*before, *self._values, *after))

    def rows_at(self, positions: list[int]) -> list[Row]:
        """The rows at these positions, in the same order."""
        rows = {row[0]: row for row in self._session.rows(Q["search_rows_at"], (positions,))}
        return [rows[position] for position in positions]


def search(
    session: Session,
    scope_ids: Sequence[int],
    visible: Visible,
    terms: Sequence[str],
    search_filter: SearchFilter,
    *,
    limit: int,
) -> tuple[SearchResult, int]:
    """See ViewReader.search, and how many rows are visible without the filter; `scope_ids` are the visible scopes.

    Raises:
        InvalidInputError: `terms_too_many`.
    """
    wanted = distinct_terms(terms)
    if not scope_ids:
        return SearchResult((), 0, dict.fromkeys(wanted, 0)), 0
    query = FilteredRows(session, scope_ids, visible, search_filter)
    keys = {key_of(term): term for term in wanted}
    found: dict[str, list[int]] = {term: [] for term in wanted}
    place = (query.scope_ids, list(keys), *query.in_sight_values, POSTINGS_WITH_ROWS_MAX)
    (_, _, visible_count, _, in_sight), *others = query.rows("matches", after=place)
    rows: dict[int, Row] = {}
    for item, key, position, positions, token_count in others:
        if item is None:
            found[keys[key]] = positions
        else:
            rows[position] = (position, item, key, token_count)
    row_terms: dict[int, list[str]] = {}
    for term, positions in found.items():
        for position in positions:
            row_terms.setdefault(position, []).append(term)
    term_counts = {term: len(positions) for term, positions in found.items()}
    chosen = choose(row_terms, visible_count, term_counts, limit)
    hits = tuple(
        SearchHit(position, item, item_id.decode(), tuple(row_terms[position]), token_count)
        for position, item, item_id, token_count in (
            [rows[each] for each in chosen] if rows or not chosen else query.rows_at(chosen)
        )
    )
    return SearchResult(hits, visible_count, term_counts), in_sight


def _filter_clauses(wanted: SearchFilter) -> tuple[str, list[object]]:
    clauses: list[str] = []
    values: list[object] = []
    if wanted.item is not None:
        clauses.append(Q["filter_item"])
        values.append(wanted.item)
    if wanted.record_types:
        clauses.append(Q["filter_record_types"])
        values.append([key_of(record_type) for record_type in wanted.record_types])
    if not wanted.unreviewed:
        clauses.append(Q["filter_reviewed"])
    if wanted.valid_at_us is not None:
        clauses.append(Q["filter_valid"])
        values += (wanted.valid_at_us, wanted.valid_at_us)
    attributes, attribute_values = attribute_clauses(
        wanted.attributes, table="search_attributes", key="position", row="s.position"
    )
    return " ".join([*clauses, attributes]), values + attribute_values
