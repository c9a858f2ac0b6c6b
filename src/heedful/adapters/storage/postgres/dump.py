"""The views as canonical lines (adapters/storage/dump.py), from this engine's columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from heedful.adapters.storage.dump import view_lines
from heedful.adapters.storage.postgres.connection import Row, Session
from heedful.adapters.storage.postgres.statements import Q
from heedful.adapters.storage.postgres.texts import stored_value, text_of
from heedful.adapters.storage.tokens import encode_token

# Statements whose last two columns are an attribute's type and value, and the one whose bodies stay bytes.
_WITH_ATTRIBUTES = frozenset({"dump_record_columns", "dump_search_attributes"})
_BODIES = frozenset({"dump_records", "dump_claims", "dump_erasures", "holds"})


def dump_views(session: Session, checkpoint: int) -> Iterator[bytes]:
    """See ViewReader.dump_views. Lines are made as they are asked for."""

    def rows(name: str) -> Iterable[Row]:
        return (_texts(name, row) for row in session.stream(Q[name]))

    return view_lines(rows, checkpoint, _tokens(session.stream(Q["dump_search_tokens"])))


def _texts(name: str, row: Row) -> Row:
    if name in _WITH_ATTRIBUTES:
        *columns, kind, value = row
        return (*map(_text, columns), kind, None if kind is None else stored_value(kind, value))
    if name in _BODIES:
        return (row[0], *map(_text, row[1:]))
    return tuple(map(_text, row))


def _text(column: Any) -> Any:
    return text_of(column) if isinstance(column, bytes) else column


def _tokens(rows: Iterable[Row]) -> Iterator[tuple[int, int, list[str]]]:
    for (position, scope_id), group in groupby(rows, key=itemgetter(0, 1)):
        yield position, scope_id, sorted(encode_token(text_of(token)) for _position, _scope_id, token in group)
