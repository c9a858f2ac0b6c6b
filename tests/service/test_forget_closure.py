"""Whatever was made from whatever: an erasure takes exactly what a reference of a few lines says, and the views refold."""

from __future__ import annotations

from typing import Any

from believers import CITY, PEOPLE
from hypothesis import given, settings
from hypothesis import strategies as st
from worlds import world

from heedful import Memory
from heedful.kernel.errors import NotFoundError

Graph = list[list[int]]
"""For each record, in order, the earlier ones that it was made from."""


@st.composite
def graphs(draw: Any) -> Graph:
    """Up to six records, each made from up to three earlier ones."""
    count = draw(st.integers(2, 6))
    return [
        sorted(draw(st.sets(st.integers(0, number - 1), max_size=min(3, number)))) if number else []
        for number in range(count)
    ]


def reached(graph: Graph, first: set[int]) -> set[int]:
    """The reference: a record goes if one goes that it was made from."""
    gone = set(first)
    for number, sources in enumerate(graph):
        if gone.intersection(sources):
            gone.add(number)
    return gone


def is_there(memory: Memory, item_id: str) -> bool:
    """True where it is shown."""
    try:
        memory.show(item_id)
    except NotFoundError:
        return False
    return True


@settings(max_examples=8)
@given(graphs(), st.data())
def test_what_was_made_from_what_goes_goes(graph: Graph, data: st.DataObject) -> None:
    """At any depth, with every claim that was proposed with any of it; everything else stays."""
    first = data.draw(st.sets(st.integers(0, len(graph) - 1), min_size=1, max_size=2))
    with world(policy=PEOPLE) as home:
        memory = home.ana
        records: list[str] = []
        claims: list[str] = []
        for number, sources in enumerate(graph):
            kept = memory.remember(
                f"it is {number}",
                scope=["project:p"],
                kind=CITY,
                subject=f"project:p{number}",
                value=f"v{number}",
                derived_from=[records[each] for each in sources],
            )
            records.append(kept.record_id)
            claims += [note.claim_id for note in kept.claims]
        gone = reached(graph, first)

        receipt = memory.forget(record=[records[each] for each in sorted(first)])

        assert receipt.records == len(gone)
        for number, (record_id, claim_id) in enumerate(zip(records, claims, strict=True)):
            assert is_there(memory, record_id) is is_there(memory, claim_id) is (number not in gone)
        audit = memory.verify(views=True)
        assert (audit.holds, audit.views) == (True, "equal")
