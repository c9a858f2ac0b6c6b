"""The named statements on a tenant's rows, and the clauses that several of them share.

No statement names a tenant: row-level security does, for all of them, and the default of the column for what is new.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from heedful.adapters.storage.codec import is_storable, values_by_type
from heedful.adapters.storage.denied import fill_denied
from heedful.adapters.storage.dropping import DropTable
from heedful.adapters.storage.postgres.connection import Row, Session
from heedful.adapters.storage.postgres.texts import key_of, stored_key
from heedful.adapters.storage.queries import fill, load_queries
from heedful.kernel.scope import Scope
from heedful.ports.store import AttributeFilter

Q = load_queries(__package__ or "", "queries.sql")
"""Name -> statement."""

# Numbers of scopes that are remembered for a tenant; beyond that all are asked for again.
SCOPES_KNOWN_MAX = 65_536


def drop_statement(name: str, table: DropTable, *, goes_on: bool, ends: bool = False) -> str:
    """`drop_end` or `drop_rows` for this table; with `goes_on` after a key, with `ends` up to one."""
    marks = ", ".join(["%s"] * (table.key.count(",") + 1))
    after = f"({table.key}) > ({marks})" if goes_on else "true"
    upto = f"({table.key}) <= ({marks})" if ends else "true"
    return fill(Q[name], table=table.name, key=table.key, after=after, upto=upto)


def attribute_clauses(
    filters: Iterable[AttributeFilter], *, table: str, key: str, row: str
) -> tuple[str, list[object]]:
    """The clauses that hold where a row has one of the values of every filter, and the values to bind."""
    clauses: list[str] = []
    values: list[object] = []
    for wanted in filters:
        types = values_by_type(wanted.values) if is_storable(wanted.name) else {}
        of_types = " OR ".join([Q["of_type"]] * len(types))
        clauses.append(fill(Q["has_attribute"], table=table, key=key, row=row, values=of_types or "false"))
        values.append(key_of(wanted.name))
        for kind, found in types.items():
            values += [kind, [stored_key(one) for one in found]]
    return " ".join(clauses), values


def denied_clause(name: str, denied_kinds: Sequence[str]) -> tuple[str, list[object]]:
    """The named clause, which holds where no claim of these kinds is in the way, and its values; empty for none."""
    clause, values = fill_denied(Q, name, denied_kinds)
    return clause, [part.encode() for part in values]


class ScopeNumbers:
    """What is known of the numbers of scopes; they never change.

    Attributes:
        found: key -> number.
        absent: key -> how many scopes there were when this one had no number.
    """

    __slots__ = ("absent", "found")

    def __init__(self) -> None:
        """Nothing is known."""
        self.found: dict[str, int] = {}
        self.absent: dict[str, int] = {}

    def clear(self) -> None:
        """Nothing is known any more."""
        self.found.clear()
        self.absent.clear()


def find_scope_ids(
    session: Session, known: ScopeNumbers, scopes: Sequence[Scope], count: Callable[[], int | None]
) -> list[int]:
    """The numbers of those scopes that the database has, ascending; each once. `known` learns what is found.

    `count`: how many scopes there are now, or None where that may change before this transaction ends.
    """
    keys = {scope.key for scope in scopes}
    # A copy of what is needed: another thread may clear `known` meanwhile.
    numbers = {key: number for key in keys if (number := known.found.get(key)) is not None}
    unknown = [key for key in keys if key not in numbers]
    if unknown:
        now = count()
        asked = {
            key_of(key): key for key in unknown if (now is None or known.absent.get(key) != now) and is_storable(key)
        }
        found = session.rows(Q["scope_ids"], (list(asked),)) if asked else []
        new = {asked[scope_key]: scope_id for scope_key, scope_id in found}
        learn(known.found, new)
        if now is not None:
            learn(known.absent, {key: now for key in asked.values() if key not in new})
        numbers |= new
    return sorted(numbers.values())


def learn(known: dict[str, int], numbers: dict[str, int]) -> None:
    """`known` has these as well; where it would be too many, these alone."""
    if len(known) + len(numbers) > SCOPES_KNOWN_MAX:
        known.clear()
    if len(numbers) <= SCOPES_KNOWN_MAX:
        known.update(numbers)


def find_rows(session: Session, name: str, ids: Sequence[str]) -> list[Row]:
    """The rows of these ids, in the order of the ids, by a statement whose first column is the id; without it."""
    storable = [one.encode() for one in ids if is_storable(one)]
    if not storable:
        return []
    rows = {row[0]: row[1:] for row in session.rows(Q[name], (storable,))}
    return [rows[one] for one in storable if one in rows]
