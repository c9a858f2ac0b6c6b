"""The tree of a Claude Code session: order, dead branches, and what the newest turn is not connected with.

Rows form a tree by `parentUuid` (over a compaction by `logicalParentUuid`). A rewind leaves a branch behind; `/clear`
and old versions leave several trees in one file, each of which has a newest turn of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from heedful.integrations.importers.claude_code.facts import RowFacts


def lay_out(rows: Sequence[RowFacts]) -> None:
    """Nothing; sets parent, depth, root, ordered_us, dead and detached of each row.

    None of these depend on the order of the file, as long as rows have uuids and times. Cycles are cut at their
    oldest row; a parent that is not in the file makes a root.
    """
    _link(rows)
    _cut_cycles(rows)
    by_depth = _measure(rows)
    _mark_dead(rows, by_depth)


def order_key(row: RowFacts) -> tuple[int, int, str, int]:
    """Sorts a run: by time, but never a row before its parent; rows without a uuid last of their time, as filed."""
    return (row.ordered_us, row.depth if row.uuid else 1 << 40, row.uuid or "", row.line)


def _link(rows: Sequence[RowFacts]) -> None:
    places: dict[str, int] = {}
    for place, row in enumerate(rows):
        if row.uuid is not None:
            places.setdefault(row.uuid, place)
    for place, row in enumerate(rows):
        parent = places.get(row.parent_uuid) if row.parent_uuid is not None else None
        row.parent = parent if parent != place else None


def _cut_cycles(rows: Sequence[RowFacts]) -> None:
    walked = [0] * len(rows)
    for start in range(len(rows)):
        place: int | None = start
        path: list[int] = []
        while place is not None and not walked[place]:
            walked[place] = start + 1
            path.append(place)
            place = rows[place].parent
        if place is not None and walked[place] == start + 1:
            cycle = path[path.index(place) :]
            oldest = min(cycle, key=lambda at: (rows[at].at_us is None, rows[at].at_us or 0, rows[at].uuid or ""))
            rows[oldest].parent = None


def _measure(rows: Sequence[RowFacts]) -> list[int]:
    """The places of all rows, parents before children."""
    order: list[int] = []
    done = [False] * len(rows)
    for start in range(len(rows)):
        path: list[int] = []
        place: int | None = start
        while place is not None and not done[place]:
            done[place] = True
            path.append(place)
            place = rows[place].parent
        order.extend(reversed(path))
    for place in order:
        row = rows[place]
        own = row.at_us if row.at_us is not None else row.carried_us
        if row.parent is None:
            row.depth, row.root, row.ordered_us = 0, place, own
        else:
            parent = rows[row.parent]
            row.depth, row.root = parent.depth + 1, parent.root
            row.ordered_us = parent.ordered_us if row.at_us is None else max(own, parent.ordered_us)
    for place in reversed(order):
        row = rows[place]
        if row.parent is not None and not row.sidechain and (row.speaks or row.speaks_below):
            rows[row.parent].speaks_below = True
    return order


def _mark_dead(rows: Sequence[RowFacts], parents_first: list[int]) -> None:
    tips = _tips(rows)
    live = _live(rows, tips)
    for place in parents_first:
        row = rows[place]
        row.dead = row.root in tips and not row.sidechain and place not in live
    _mark_detached(rows, tips)


def _tips(rows: Sequence[RowFacts]) -> dict[int, int]:
    """By root: the newest turn that no other turn follows."""
    tips: dict[int, int] = {}
    for place, row in enumerate(rows):
        if row.speaks and not row.speaks_below and not row.sidechain:
            standing = tips.get(row.root)
            if standing is None or order_key(rows[standing]) < order_key(row):
                tips[row.root] = place
    return tips


def _live(rows: Sequence[RowFacts], tips: dict[int, int]) -> set[int]:
    """The way from each tip to its root, and what belongs to it though it lies beside it.

    Beside it lie: other rows of the same API message, answers to its tool calls (parallel calls each hang their
    answer under their own row, and the way runs through one of them), and bookkeeping below any of these.
    """
    beside = _Beside(rows)
    live: set[int] = set()
    waiting: list[int] = []
    for tip in tips.values():
        place: int | None = tip
        while place is not None:
            waiting.append(place)
            place = rows[place].parent
    while waiting:
        place = waiting.pop()
        if place not in live:
            live.add(place)
            waiting.extend(beside.of(place, rows[place]))
    return live


class _Beside:
    """What lies beside each row."""

    def __init__(self, rows: Sequence[RowFacts]) -> None:
        self._same_message: defaultdict[object, list[int]] = defaultdict(list)
        self._answers: defaultdict[str, list[int]] = defaultdict(list)
        self._bookkeeping: defaultdict[int, list[int]] = defaultdict(list)
        for place, row in enumerate(rows):
            if not row.sidechain:
                self._add(place, row)

    def _add(self, place: int, row: RowFacts) -> None:
        if row.message is not None:
            self._same_message[row.message].append(place)
        if row.answers_only and not row.speaks_below:
            for call_id in row.answers:
                self._answers[call_id].append(place)
        if row.parent is not None and not row.speaks and not row.speaks_below:
            self._bookkeeping[row.parent].append(place)

    def of(self, place: int, row: RowFacts) -> list[int]:
        found = list(self._bookkeeping.get(place, ()))
        if row.message is not None:
            found += self._same_message.get(row.message, ())
        for call_id in row.calls:
            found += self._answers.get(call_id, ())
        return found


def _mark_detached(rows: Sequence[RowFacts], tips: dict[int, int]) -> None:
    """Marks trees that no link joins with the newest turn of their session.

    They may be a conversation that was cleared away, or a branch whose fork is not in the file. A single turn whose
    parent is null says nothing (old versions linked no rows at all).
    """
    turns: defaultdict[int, int] = defaultdict(int)
    for row in rows:
        turns[row.root] += row.speaks and not row.sidechain
    newest: dict[str | None, int] = {}
    for root, tip in tips.items():
        session = rows[tip].session
        standing = newest.get(session)
        if standing is None or order_key(rows[tips[standing]]) < order_key(rows[tip]):
            newest[session] = root
    for row in rows:
        if row.sidechain or row.root not in tips or newest[rows[tips[row.root]].session] == row.root:
            continue
        cut_off = rows[row.root].parent_uuid is not None
        row.detached = cut_off or turns[row.root] > 1
