"""The named statements of a tenant's database, and the clauses that several of them share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from heedful.adapters.storage.codec import is_storable, values_by_type
from heedful.adapters.storage.queries import fill, load_queries, marks
from heedful.kernel.scope import Scope
from heedful.ports.store import AttributeFilter

Q = load_queries(__package__ or "", "queries.sql")
"""Name -> statement."""

Run = Callable[..., Any]
"""A cursor's `execute`."""

# SQLite takes 32,766 values in one statement.
VALUES_AT_ONCE_MAX = 30_000


def attribute_clauses(
    filters: Iterable[AttributeFilter], *, table: str, row: str
) -> tuple[str, list[str | int | float]]:
    """The clauses that hold where a row has one of the values of every filter, and the values to bind."""
    clauses: list[str] = []
    values: list[str | int | float] = []
    for wanted in filters:
        types = values_by_type(wanted.values) if is_storable(wanted.name) else {}
        of_types = " OR ".join(fill(Q["of_type"], marks=marks(len(found))) for found in types.values())
        clauses.append(fill(Q["has_attribute"], table=table, row=row, values=of_types or "0"))
        values.append(wanted.name if is_storable(wanted.name) else "")
        for kind, found in types.items():
            values += [kind, *found]
    return " ".join(clauses), values


def find_scope_ids(run: Run, known: dict[str, int], scopes: Sequence[Scope]) -> list[int]:
    """The numbers of those scopes that the database has, ascending; each once. `known` learns what is found."""
    keys = {scope.key for scope in scopes}
    unknown = [key for key in keys if key not in known and is_storable(key)]
    for start in range(0, len(unknown), VALUES_AT_ONCE_MAX):
        part = unknown[start : start + VALUES_AT_ONCE_MAX]
        known.update(run(fill(Q["scope_ids"], marks=marks(len(part))), part).fetchall())
    return sorted(known[key] for key in keys if key in known)
