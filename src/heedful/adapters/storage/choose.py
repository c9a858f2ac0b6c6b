"""Which matching rows a search hands out where it found more than it may; the same for every engine."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence

from heedful.recall.score import term_weights


def choose(
    row_terms: Mapping[int, Sequence[str]], visible_count: int, term_counts: Mapping[str, int], limit: int
) -> list[int]:
    """At most `limit` positions, falling: those whose terms weigh most together, of equal ones the newest.

    `row_terms` has each matching row's position and the terms it has, each once; the counts are over visible rows.
    """
    if len(row_terms) <= limit:
        return sorted(row_terms, reverse=True)
    if limit <= 0:
        return []
    weights = term_weights(term_counts, visible_count, term_counts)
    # Few sets of terms make up most rows, and this runs over all of them.
    totals: dict[tuple[str, ...], int] = {}
    weighed: list[tuple[int, int]] = []
    for position, terms in row_terms.items():
        key = tuple(terms)
        total = totals.get(key)
        if total is None:
            total = totals[key] = sum(weights[term] for term in key)
        weighed.append((total, position))
    return sorted((position for _total, position in heapq.nlargest(limit, weighed)), reverse=True)
