"""The views as canonical lines, so that a refold, or another engine, can be compared with them byte for byte.

Columns that are derived from a body are dumped beside it: a wrong one shows. Numbers of rows and scopes, which depend
on the order in which things came, are not; a scope appears as its elements. Search tokens are dumped from what is
stored for finding them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

import msgspec

from heedful.kernel.canonical import canonical_bytes

Row = tuple[Any, ...]
Rows = Callable[[str], Iterable[Row]]
"""The rows of a named statement, read as they are asked for; texts as texts, values as codec.typed_value has them."""


def view_lines(rows: Rows, checkpoint: int, tokens: Iterable[tuple[int, int, list[str]]]) -> Iterator[bytes]:
    """See ViewReader.dump_views; `tokens` are position, scope number and sorted safe tokens, in that order."""
    scopes: dict[int, str] = dict(rows("scope_keys"))
    yield line("checkpoint", position=checkpoint)
    yield from _records(rows, scopes)
    yield from _claims(rows, scopes)
    for position, item, item_id, scope_id, *columns in rows("dump_search_rows"):
        yield line(
            "search_row", position=position, item=item, item_id=item_id, scope=scopes.get(scope_id), columns=columns
        )
    for position, group in groupby(rows("dump_search_attributes"), key=itemgetter(0)):
        yield from sorted(
            line("search_attribute", position=position, name=name, type=kind, value=value)
            for _position, name, kind, value in group
        )
    for position, scope_id, safe_tokens in tokens:
        if safe_tokens:
            yield line("search_tokens", position=position, scope=scopes.get(scope_id), tokens=safe_tokens)
    for target_type, target_id, mode in rows("modes"):
        yield line("mode", target_type=target_type, target_id=target_id, mode=mode)
    for bridge_digest, actor in rows("bridge_approvals"):
        yield line("bridge_approval", bridge_digest=bridge_digest, actor=actor)
    for proposal_id, position, status, proposal_json in rows("dump_bridge_proposals"):
        yield line(
            "bridge_proposal", proposal_id=proposal_id, position=position, status=status, proposal_json=proposal_json
        )
    for revision, body_json in rows("dump_registry_bodies"):
        yield line("registry_body", revision=revision, body_json=body_json)
    for body, position, scope_id, *columns in rows("dump_merges"):
        merge = msgspec.json.decode(body)
        yield line("merge", body=merge, position=position, scope=scopes.get(scope_id), columns=columns)
    yield from _judged(rows)
    yield from _forgotten(rows)


def line(view: str, **fields: object) -> bytes:
    """One row of a view."""
    return canonical_bytes({"view": view, **fields})


def _records(rows: Rows, scopes: dict[int, str]) -> Iterator[bytes]:
    for body, status, position, recorded_at_us, status_reason in rows("dump_records"):
        yield line(
            "record",
            body=msgspec.json.decode(body),
            status=status,
            position=position,
            recorded_at_us=recorded_at_us,
            status_reason=status_reason,
        )
    for record_id, from_record_id in rows("dump_record_origins"):
        yield line("record_origin", record_id=record_id, from_record_id=from_record_id)
    # In the order of their lines within a record: engines order values of several types differently.
    for record_id, group in groupby(rows("dump_record_columns"), key=itemgetter(0)):
        yield from sorted(
            line("record_columns", record_id=record_id, scope=scopes.get(scope_id), columns=columns)
            for _record_id, scope_id, *columns in group
        )


def _judged(rows: Rows) -> Iterator[bytes]:
    for body, *columns in rows("dump_conflicts"):
        yield line("conflict", body=msgspec.json.decode(body), columns=columns)
    for verdict_id, position, verdict_json in rows("dump_verdicts"):
        yield line("verdict", verdict_id=verdict_id, position=position, verdict_json=verdict_json)
    for permit_id, position, verdict_id, expires_at_us, circumstances_json, redeemed_position in rows("dump_permits"):
        yield line(
            "permit",
            permit_id=permit_id,
            position=position,
            verdict_id=verdict_id,
            expires_at_us=expires_at_us,
            circumstances_json=circumstances_json,
            redeemed_position=redeemed_position,
        )


def _forgotten(rows: Rows) -> Iterator[bytes]:
    for name, position, item_id in rows("dump_item_names"):
        yield line("item_name", name=name, position=position, item_id=item_id)
    for body, is_open in rows("dump_erasures"):
        yield line("erasure", body=msgspec.json.decode(body), is_open=bool(is_open))
    for key, erasure_id in rows("dump_erased_keys"):
        yield line("erased_key", key=key, erasure_id=erasure_id)
    for (body,) in rows("holds"):
        yield line("hold", body=msgspec.json.decode(body))


def _claims(rows: Rows, scopes: dict[int, str]) -> Iterator[bytes]:
    for (body,) in rows("dump_claims"):
        yield line("claim", body=msgspec.json.decode(body))
    for claim_id, ground_claim_id in rows("dump_claim_grounds"):
        yield line("claim_ground", claim_id=claim_id, ground_claim_id=ground_claim_id)
    for position, claim_id, by in rows("dump_claim_changes"):
        yield line("claim_change", position=position, claim_id=claim_id, by=by)
    for claim_id, group in groupby(rows("dump_claim_columns"), key=itemgetter(0)):
        yield from sorted(
            line("claim_columns", claim_id=claim_id, scope=scopes.get(scope_id), columns=columns)
            for _claim_id, scope_id, *columns in group
        )
