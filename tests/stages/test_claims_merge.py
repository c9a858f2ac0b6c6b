"""Which subjects are one, by what was said of them."""

from __future__ import annotations

from dataclasses import replace

from heedful.claims.merge import Merge, MergeStanding, joins_of
from heedful.testing.store_contract.merges import build_merge


def pair(number: int, subject: str, other: str, standing: MergeStanding = MergeStanding.JOINED) -> Merge:
    return replace(build_merge(number), subject=subject, other=other, standing=standing)


def test_subjects_are_one_over_any_number_of_steps_in_any_order() -> None:
    """But not by what was undone, or said to be two."""
    steps = [pair(1, "a", "b"), pair(2, "c", "d"), pair(3, "b", "c"), pair(4, "x", "y")]
    others = [pair(5, "d", "e", MergeStanding.UNDONE), pair(6, "a", "x", MergeStanding.APART)]
    for order in (steps + others, (steps + others)[::-1]):
        joins = joins_of(order)
        assert joins.all_of("d") == ("a", "b", "c", "d")
        assert (joins.first("d"), joins.others("a")) == ("a", ("b", "c", "d"))
        assert (joins.are_one("a", "d"), joins.are_one("a", "x"), joins.are_one("d", "e")) == (True, False, False)
        assert (joins.all_of("e"), joins.others("e"), joins.are_one("e", "e")) == (("e",), (), True)
