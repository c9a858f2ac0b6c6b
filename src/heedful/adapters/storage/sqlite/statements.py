"""The named statements of a tenant's database, and the clauses that several of them share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from heedful.adapters.storage.codec import is_storable, values_by_type
from heedful.adapters.storage.denied import fill_denied
from heedful.adapters.storage.queries import fill, load_queries, marks
from heedful.kernel.scope import Scope
from heedful.ports.store import AttributeFilter

Q = load_queries(__package__ or "", "queries.sql")
"""Name -> statement."""

Run = Callable[..., Any]
"""A cursor's `execute`."""

# SQLite takes 32,766 values in one statement.
VALUES_AT_ONCE_MAX = 30_000
# Scopes that are bound one by one, which is a little faster; more are bound as one list.
SCOPES_BOUND_MAX = 64
# Numbers of scopes that a connection keeps in memory: some 100 bytes each.
SCOPES_KNOWN_MAX = 20_000


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


def json_list(numbers: Sequence[int]) -> str:
    """The numbers as the JSON list that `json_each` takes."""
    return f"[{','.join(map(str, numbers))}]"


def denied_clause(name: str, denied_kinds: Sequence[str]) -> tuple[str, list[str]]:
    """The named clause, which holds where no claim of these kinds is in the way, and its values; empty for none."""
    return fill_denied(Q, name, denied_kinds)


def scope_list(scope_ids: Sequence[int]) -> tuple[str, tuple[object, ...]]:
    """What stands in `IN (...)` for these scopes, and the values to bind; any number of them."""
    if len(scope_ids) <= SCOPES_BOUND_MAX:
        return marks(len(scope_ids)), tuple(scope_ids)
    return "SELECT value FROM json_each(?)", (json_list(scope_ids),)


def find_scope_ids(run: Run, known: dict[str, int], scopes: Sequence[Scope]) -> list[int]:
    """The numbers of those scopes that the database has, ascending; each once. `known` learns what is found."""
    keys = {scope.key for scope in scopes}
    found = {key: known[key] for key in keys if key in known}
    unknown = [key for key in keys if key not in found and is_storable(key)]
    for start in range(0, len(unknown), VALUES_AT_ONCE_MAX):
        part = unknown[start : start + VALUES_AT_ONCE_MAX]
        rows = run(fill(Q["scope_ids"], marks=marks(len(part))), part).fetchall()
        found.update(rows)
        learn(known, rows)
    return sorted(found.values())


def learn(known: dict[str, int], rows: Sequence[tuple[str, int]]) -> None:
    """`known` has these too, and no more than SCOPES_KNOWN_MAX: what it had may be gone, which only costs time."""
    if len(known) + len(rows) > SCOPES_KNOWN_MAX:
        known.clear()
    known.update(rows[:SCOPES_KNOWN_MAX])


def find_rows(run: Run, name: str, ids: Sequence[str]) -> list[tuple[Any, ...]]:
    """The rows of these ids, in the order of the ids, by a statement whose first column is the id; without it."""
    storable = ids if "".join(ids).isascii() else [one for one in ids if is_storable(one)]
    rows: dict[str, tuple[Any, ...]] = {}
    for start in range(0, len(storable), VALUES_AT_ONCE_MAX):
        part = storable[start : start + VALUES_AT_ONCE_MAX]
        found = run(fill(Q[name], marks=marks(len(part))), part).fetchall()
        rows.update([(row[0], row[1:]) for row in found])
    return [rows[one] for one in storable if one in rows]
