"""Dropping the views piece by piece: which table a piece is at, and where in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from heedful.ports.store import DropKey, DropPoint


@dataclass(frozen=True, slots=True)
class DropTable:
    """A table whose rows go in pieces.

    Attributes:
        name: of the table.
        key: the columns of its key, in their order.
        rows_an_event: how many rows it has for an event of the ledger, roughly: for progress alone.
        condition: which rows go so; the others are few.
    """

    name: str
    key: str
    rows_an_event: int = 1
    condition: str = "true"


def drop_piece(
    tables: Sequence[DropTable],
    start: DropPoint | None,
    drop: Callable[[DropTable, DropKey, int], tuple[int, DropKey | None]],
    *,
    events: int,
    limit: int,
) -> DropPoint | None:
    """See Writing.drop_view_rows. `drop` deletes rows of one table, at most so many, in the order of its key.

    It is told the key that it goes on after, and answers how many went and the last key; None: the table has no more.
    `events` is the ledger's position.
    """
    number, after, dropped = (0, (), 0) if start is None else (start.table, start.after, start.dropped)
    left = max(1, limit)
    while number < len(tables):
        table = tables[number]
        reached: DropKey | None = after
        if left:
            gone, reached = drop(table, after, left)
            dropped, left = dropped + gone, left - gone
        if reached is not None:
            share = min(1.0, dropped / max(1, events * table.rows_an_event))
            return DropPoint(number, reached, dropped, (number + share) / len(tables))
        number, after, dropped = number + 1, (), 0
    return None
