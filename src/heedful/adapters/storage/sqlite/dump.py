"""The views as canonical lines, so that a refold can be compared with them byte for byte.

Columns that are derived from a body are dumped beside it: a wrong one shows. Numbers of rows and scopes, which depend
on the order in which things came, are not; a scope appears as its elements. The full-text index is dumped from what
is stored in it.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

import msgspec

from heedful.adapters.storage.sqlite.search import split_index_token
from heedful.adapters.storage.sqlite.statements import Q, Run
from heedful.adapters.storage.tokens import unpack_tokens
from heedful.kernel.canonical import canonical_bytes

Row = tuple[Any, ...]


def dump_views(run: Run, checkpoint: int, pending_count: int) -> Iterator[bytes]:
    """See ViewReader.dump_views. Lines are made as they are asked for: `run` gives each statement its own cursor."""
    scopes: dict[int, str] = dict(run(Q["scope_keys"]))
    yield _line("checkpoint", position=checkpoint)
    # How many wait differs between two views that are equal; that as many wait as are counted does not.
    for (rows,) in run(Q["pending_rows"]):
        yield _line("search_pending", counted_too_many=pending_count - rows)
    yield from _records(run, scopes)
    yield from _claims(run, scopes)
    yield from _search(run, scopes)
    for target_type, target_id, mode in run(Q["modes"]):
        yield _line("mode", target_type=target_type, target_id=target_id, mode=mode)
    for revision, body_json in run(Q["dump_registry_bodies"]):
        yield _line("registry_body", revision=revision, body_json=body_json)
    for verdict_id, position, verdict_json in run(Q["dump_verdicts"]):
        yield _line("verdict", verdict_id=verdict_id, position=position, verdict_json=verdict_json)


def _records(run: Run, scopes: dict[int, str]) -> Iterator[bytes]:
    for body, status, position, recorded_at_us, status_reason in run(Q["dump_records"]):
        yield _line(
            "record",
            body=msgspec.json.decode(body),
            status=status,
            position=position,
            recorded_at_us=recorded_at_us,
            status_reason=status_reason,
        )
    for record_id, scope_id, *columns in run(Q["dump_record_columns"]):
        yield _line("record_columns", record_id=record_id, scope=scopes.get(scope_id), columns=columns)


def _claims(run: Run, scopes: dict[int, str]) -> Iterator[bytes]:
    for (body,) in run(Q["dump_claims"]):
        yield _line("claim", body=msgspec.json.decode(body))
    for claim_id, scope_id, *columns in run(Q["dump_claim_columns"]):
        yield _line("claim_columns", claim_id=claim_id, scope=scopes.get(scope_id), columns=columns)


def _search(run: Run, scopes: dict[int, str]) -> Iterator[bytes]:
    for position, item, item_id, scope_id, *columns in run(Q["dump_search_rows"]):
        yield _line(
            "search_row", position=position, item=item, item_id=item_id, scope=scopes.get(scope_id), columns=columns
        )
    for row_id, name, kind, value in run(Q["dump_search_attributes"]):
        yield _line("search_attribute", position=row_id, name=name, type=kind, value=value)
    # Whether a row's tokens wait or are in the index already is no difference between two views.
    indexed = _indexed_tokens(run(Q["dump_search_terms"]))
    pending = [
        (position, scope_id, sorted(set(unpack_tokens(packed)))) for position, scope_id, packed in run(Q["all_pending"])
    ]
    for position, scope_id, tokens in heapq.merge(indexed, pending):
        if tokens:
            yield _line("search_tokens", position=position, scope=scopes.get(scope_id), tokens=tokens)


def _indexed_tokens(rows: Iterable[Row]) -> Iterator[tuple[int, int, list[str]]]:
    for position, group in groupby(rows, key=itemgetter(0)):
        by_scope: dict[int, list[str]] = {}
        for _position, indexed in group:
            scope_id, token = split_index_token(indexed)
            by_scope.setdefault(scope_id, []).append(token)
        for scope_id, tokens in sorted(by_scope.items()):
            yield position, scope_id, sorted(tokens)


def _line(view: str, **fields: object) -> bytes:
    return canonical_bytes({"view": view, **fields})
