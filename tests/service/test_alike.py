"""What was told twice in other words is a hint to whoever reviews it, and never merged by that."""

from __future__ import annotations

from shutters import FREEZE
from worlds import World, house_fixture  # noqa: F401  # pytest finds the fixture here

FIRST = "Nothing ships to production before the quarter is closed."
AGAIN = "Before the quarter is closed, nothing at all ships to production!"


def _freeze(house: World, statement: str, **more: str) -> str:
    return house.ana.remember(statement, kind=FREEZE, **more).claims[0].claim_id  # type: ignore[arg-type]


def _hints(house: World) -> list[tuple[str, str]]:
    return [(each.claim_id, each.same_as) for each in house.ana.review_queue().alike]


def test_the_same_in_other_words_is_told_beside_the_one_before(house: World) -> None:
    """Of two that wait, and of one that waits and one that holds; both stay."""
    first = _freeze(house, FIRST)
    again = _freeze(house, AGAIN)
    assert _hints(house) == [(again, first)]
    for reviewer in (house.bob, house.cyd):
        reviewer.approve(first)
    assert _hints(house) == [(again, first)]
    assert [claim.claim_id for claim in house.ana.review_queue().claims] == [again]


def test_control_what_says_something_else_is_no_hint(house: World) -> None:
    """Other words, another kind, another subject, another scope."""
    _freeze(house, FIRST)
    _freeze(house, "Nobody touches the ledger tables on Fridays.")
    _freeze(house, AGAIN, subject="service:web")
    house.ana.remember(AGAIN, kind=FREEZE, scope=["project:other"])
    house.ana.remember(AGAIN, kind="release.blocker")
    assert _hints(house) == []


def test_what_one_may_not_see_is_no_hint_either(house: World) -> None:
    """The first stands in a message that Cyd is denied for what else it says; Ana is told of both."""
    before = 'grants: ["project:payments"]}\n    "person:dan"'
    denied = before.replace("}", ", denied_kinds: [release.blocker]}", 1)
    assert before in house.policy
    house.use(house.policy.replace(before, denied))
    house.ana.remember(f"remember: {FREEZE}: {FIRST}\nremember: release.blocker: The ledger is wrong.")
    again = _freeze(house, AGAIN)
    assert [each.claim_id for each in house.cyd.review_queue().claims] == [again]
    assert house.cyd.review_queue().alike == ()
    assert [claim_id for claim_id, _ in _hints(house)] == [again]
