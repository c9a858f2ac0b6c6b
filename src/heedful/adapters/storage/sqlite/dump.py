"""The views as canonical lines (adapters/storage/dump.py), from this engine's columns."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from heedful.adapters.storage.codec import short_key
from heedful.adapters.storage.dump import line, view_lines
from heedful.adapters.storage.sqlite.search import split_index_token
from heedful.adapters.storage.sqlite.statements import Q, Run
from heedful.adapters.storage.tokens import unpack_tokens

Row = tuple[Any, ...]


def dump_views(run: Run, checkpoint: int, pending_count: int) -> Iterator[bytes]:
    """See ViewReader.dump_views. Lines are made as they are asked for: `run` gives each statement its own cursor."""
    # How many wait differs between two views that are equal; that as many wait as are counted does not.
    for (rows,) in run(Q["pending_rows"]):
        if rows != pending_count:
            yield line("search_pending", counted_too_many=pending_count - rows)
    yield from view_lines(lambda name: _rows(run, name), checkpoint, _tokens(run))


def _rows(run: Run, name: str) -> Iterable[Row]:
    rows: Iterable[Row] = run(Q[name])
    if name != "dump_claim_columns":
        return rows
    # As the other engine keeps the property.
    return ((*row[:6], short_key(row[6]).hex().upper(), *row[7:]) for row in rows)


def _tokens(run: Run) -> Iterator[tuple[int, int, list[str]]]:
    # Whether a row's tokens wait or are in the index already is no difference between two views.
    indexed = _indexed_tokens(run(Q["dump_search_terms"]))
    pending = [
        (position, scope_id, sorted(set(unpack_tokens(packed)))) for position, scope_id, packed in run(Q["all_pending"])
    ]
    yield from heapq.merge(indexed, pending)


def _indexed_tokens(rows: Iterable[Row]) -> Iterator[tuple[int, int, list[str]]]:
    for position, group in groupby(rows, key=itemgetter(0)):
        by_scope: dict[int, list[str]] = {}
        for _position, indexed in group:
            scope_id, token = split_index_token(indexed)
            by_scope.setdefault(scope_id, []).append(token)
        for scope_id, tokens in sorted(by_scope.items()):
            yield position, scope_id, sorted(tokens)
