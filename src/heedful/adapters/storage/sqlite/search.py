"""Full-text search. Every number in a result is counted over visible rows alone.

A token in the index carries the number of its scope, so the postings of other scopes are not even read. FTS5's own
statistics count all rows, so they are never used.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from heedful.adapters.storage.choose import choose
from heedful.adapters.storage.sqlite.filtered import FilteredRows
from heedful.adapters.storage.sqlite.statements import Run
from heedful.adapters.storage.terms import distinct_terms
from heedful.adapters.storage.tokens import encode_token
from heedful.ports.store import SearchFilter, SearchHit, SearchResult, Visible

SCOPES_AT_ONCE_MAX = 64
_SCOPE_END = "x"


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
    visible: Visible,
    terms: Sequence[str],
    search_filter: SearchFilter,
    *,
    limit: int,
) -> SearchResult:
    """See ViewReader.search; `scope_ids` are the visible scopes that the database has.

    Raises:
        InvalidInputError: `terms_too_many`.
    """
    wanted = distinct_terms(terms)
    if not scope_ids:
        return SearchResult((), 0, dict.fromkeys(wanted, 0))
    query = FilteredRows(run, scope_ids, visible, search_filter)
    (visible_count,) = query.rows("visible_count")[0]
    if not wanted or not visible_count:
        return SearchResult((), visible_count, dict.fromkeys(wanted, 0))
    # FTS5 looks at every alternative for each row that has one: a few scopes at a time, or it takes their square.
    parts = (
        [query]
        if len(scope_ids) <= SCOPES_AT_ONCE_MAX
        else [
            FilteredRows(run, scope_ids[start : start + SCOPES_AT_ONCE_MAX], visible, search_filter)
            for start in range(0, len(scope_ids), SCOPES_AT_ONCE_MAX)
        ]
    )
    found = _find(query, parts, {term: encode_token(term) for term in wanted})
    row_terms: dict[int, list[str]] = {}
    for term, positions in found.items():
        for position in positions:
            row_terms.setdefault(position, []).append(term)
    term_counts = {term: len(positions) for term, positions in found.items()}
    chosen = choose(row_terms, visible_count, term_counts, limit)
    hits = tuple(
        [
            SearchHit(position, item, item_id, tuple(row_terms[position]), token_count)
            for position, item, item_id, token_count in query.rows_at(chosen)
        ]
    )
    return SearchResult(hits, visible_count, term_counts)


def _find(query: FilteredRows, parts: Sequence[FilteredRows], encoded: dict[str, str]) -> dict[str, list[int]]:
    """Term -> the visible positions that have it."""
    found: dict[str, list[int]] = {term: [] for term in encoded}
    by_number = list(found.values())
    for part in parts:
        expressions = [_expression(part.scope_ids, token) for token in encoded.values()]
        for number, position in part.rows("positions_with_terms", msgspec.json.encode(expressions).decode()):
            by_number[number].append(position)
    pending = query.rows("pending_in_scopes")
    if pending:
        for positions, token in zip(by_number, encoded.values(), strict=True):
            needle = f" {token} "
            positions += [position for position, packed in pending if needle in packed]
    return found


def _expression(scope_ids: Sequence[int], encoded: str) -> str:
    # An encoded token holds no quote and no space: quoted, it is always one token.
    return " OR ".join([f'"{scope_id}{_SCOPE_END}{encoded}"' for scope_id in scope_ids])
