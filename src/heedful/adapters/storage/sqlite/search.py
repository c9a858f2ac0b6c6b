"""Full-text search. Every number in a result is counted over visible rows alone.

A token in the index carries the number of its scope, so the postings of other scopes are not even read. FTS5's own
statistics count all rows, so they are never used.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Sequence
from typing import Any

from heedful.adapters.storage.codec import RANKS
from heedful.adapters.storage.queries import fill, marks
from heedful.adapters.storage.sqlite.statements import Q, Run, attribute_clauses
from heedful.adapters.storage.tokens import encode_token
from heedful.kernel.errors import InvalidInputError
from heedful.kernel.ladder import Classification
from heedful.ports.store import SearchFilter, SearchHit, SearchResult

TERMS_MAX = 32
EMPTY_RESULT = SearchResult((), 0, {})
_SCOPE_END = "x"
Row = tuple[Any, ...]


def index_text(packed: str, scope_id: int) -> str:
    """What the full-text index gets for a row's packed tokens: each with the number of its scope before it."""
    return packed[:-1].replace(" ", f" {scope_id}{_SCOPE_END}")


def split_index_token(token: str) -> tuple[int, str]:
    """The scope number and the encoded token that a token of the index is made of."""
    number, _, encoded = token.partition(_SCOPE_END)
    return int(number), encoded


def search(
    run: Run,
    scope_ids: Sequence[int],
    clearance: Classification,
    terms: Sequence[str],
    search_filter: SearchFilter,
    *,
    limit: int,
) -> SearchResult:
    """See ViewReader.search; `scope_ids` are the visible scopes that the database has.

    Raises:
        InvalidInputError: `terms_too_many`.
    """
    wanted = list(dict.fromkeys(terms))
    if len(wanted) > TERMS_MAX:
        raise InvalidInputError(
            "terms_too_many",
            f"a search has {len(wanted)} terms; at most {TERMS_MAX} are allowed",
            next_step="leave some out",
            details={"field": "terms", "limit": TERMS_MAX},
        )
    if not scope_ids:
        return SearchResult((), 0, dict.fromkeys(wanted, 0))
    query = _Query(run, scope_ids, clearance, search_filter)
    (visible_count,) = query.rows("visible_count")[0]
    if not wanted or not visible_count:
        return SearchResult((), visible_count, dict.fromkeys(wanted, 0))
    found = _find(query, {term: encode_token(term) for term in wanted})
    row_terms: dict[int, list[str]] = {}
    for term, positions in found.items():
        for position in positions:
            row_terms.setdefault(position, []).append(term)
    newest = heapq.nlargest(limit, row_terms)
    hits = tuple(
        SearchHit(position, item, item_id, tuple(row_terms[position]), token_count)
        for position, item, item_id, token_count in query.rows_at(newest)
    )
    return SearchResult(hits, visible_count, {term: len(positions) for term, positions in found.items()})


class _Query:
    """The hard filter of one search, in front of each of its statements."""

    def __init__(
        self, run: Run, scope_ids: Sequence[int], clearance: Classification, search_filter: SearchFilter
    ) -> None:
        self._run = run
        self.scope_ids = scope_ids
        self._filters, values = _filter_clauses(search_filter)
        self._scopes = marks(len(scope_ids))
        self._values = (*scope_ids, RANKS[clearance], *values)

    def rows(self, name: str, *before: object, after: tuple[object, ...] = ()) -> list[Row]:
        """The result of the named statement, whose own values stand before and after those of the filter."""
        statement = fill(Q[name], scopes=self._scopes, filters=self._filters)
        found: list[Row] = self._run(statement, (*before, *self._values, *after)).fetchall()
        return found

    def rows_at(self, positions: list[int]) -> list[Row]:
        """The rows at these positions, in the same order."""
        rows: dict[int, Row] = {
            row[0]: row for row in self._run(Q["search_rows_at"], (json.dumps(positions),)).fetchall()
        }
        return [rows[position] for position in positions]


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
    clauses.append(Q["filter_valid"])
    values += (wanted.valid_at_us, wanted.valid_at_us)
    attributes, attribute_values = attribute_clauses(wanted.attributes, table="search_attributes", row="s.position")
    return " ".join([*clauses, attributes]), values + attribute_values


def _find(query: _Query, encoded: dict[str, str]) -> dict[str, list[int]]:
    """Term -> the visible positions that have it."""
    pending = query.rows("pending_in_scopes")
    found: dict[str, list[int]] = {}
    for term, token in encoded.items():
        needle = f" {token} "
        indexed = query.rows("positions_with_term", _expression(query.scope_ids, token))
        found[term] = [position for (position,) in indexed]
        found[term] += [position for position, packed in pending if needle in packed]
    return found


def _expression(scope_ids: Sequence[int], encoded: str) -> str:
    # An encoded token holds no quote and no space: quoted, it is always one token.
    return " OR ".join([f'"{scope_id}{_SCOPE_END}{encoded}"' for scope_id in scope_ids])
