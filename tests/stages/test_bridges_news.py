"""News by meaning: which parts of a message may be news, and what of all that is held they end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from registry_builders import SMALL, built

from heedful.bridges.news import LISTED_MAX, PARTS_MAX, STRANGERS_NEAR, LikenessOf, news_in, over_by, part_meant
from heedful.bridges.over import Ending, Held
from heedful.bridges.routed import Likeness, Told
from heedful.kernel.ids import KindId

ALLERGY, LEASE = KindId("diet.allergy"), KindId("home.lease")
REGISTRY = built(SMALL)
NUTS = Held("He can't have walnuts", None, {ALLERGY: 0.8}, ("m1",))
FLAT = Held("The landlord forbids ladders", None, {LEASE: 0.9}, ("m2",))
CLOSE, FAR = STRANGERS_NEAR + 0.4, 0.0
OVER = Ending("He ate a whole bowl and nothing happened", None, 0.9, {}, "test", heard=3.0)
TELLS = Told(((ALLERGY, 0.5),), 0.95, 0.8, "test")


def near(places: Mapping[str, float], heard: float = 3.0) -> LikenessOf:
    """What is as near to these statements, and far from all others."""
    return lambda _, statements: Likeness(heard, tuple(places.get(each, FAR) for each in statements))


def unknown(text: str, statements: Sequence[str]) -> None:
    """What texts mean is not known."""
    del text, statements


def test_news_ends_what_it_is_nearest_to_though_no_kind_and_no_word_is_the_same() -> None:
    """The controls: near to nothing, and no news."""
    assert over_by(OVER, [FLAT, NUTS], near({NUTS.statement: CLOSE})) == (1,)
    assert over_by(OVER, [FLAT, NUTS], near({})) == ()
    plain = replace(OVER, over=0.02, heard=-9.0)
    assert over_by(plain, [FLAT, NUTS], near({NUTS.statement: CLOSE})) == ()


def test_of_two_that_it_is_as_near_to_it_ends_neither() -> None:
    """It would be a guess. The control: two parts of one message, which are no rivals."""
    close = near({NUTS.statement: CLOSE, FLAT.statement: CLOSE})
    assert over_by(OVER, [FLAT, NUTS], close) == ()
    assert over_by(OVER, [replace(FLAT, origin=NUTS.origin), NUTS], close) == (0, 1)


def test_a_part_of_the_same_message_that_it_is_not_near_to_stands() -> None:
    """Who told of the flat and of the walnuts in one breath still has the flat."""
    assert over_by(OVER, [replace(FLAT, origin=NUTS.origin), NUTS], near({NUTS.statement: CLOSE})) == (1,)


def test_a_part_of_the_same_message_ends_too_where_it_is_about_as_near_as_a_stranger_might_be() -> None:
    """Though it would not end by itself: another message as near stands."""
    mate = replace(FLAT, origin=NUTS.origin)
    close = near({NUTS.statement: CLOSE, FLAT.statement: STRANGERS_NEAR - 0.05})
    assert over_by(OVER, [mate, NUTS], close) == (0, 1)
    assert over_by(OVER, [FLAT, NUTS], close) == (1,)


def test_alone_in_a_store_it_has_to_be_as_near_as_among_strangers() -> None:
    """What is no nearer than any stranger might be ends nothing, though there is no rival."""
    assert over_by(OVER, [NUTS], near({NUTS.statement: STRANGERS_NEAR - 0.1})) == ()
    assert over_by(OVER, [NUTS], near({NUTS.statement: CLOSE})) == (0,)


def test_news_of_somebody_else_and_the_same_said_again_end_nothing() -> None:
    """However near they are. The control: of the same person."""
    close = near({NUTS.statement: CLOSE})
    assert over_by(replace(OVER, relation="sibling"), [NUTS], close) == ()
    assert over_by(replace(OVER, text=NUTS.statement), [NUTS], close) == ()
    assert over_by(replace(OVER, relation="sibling"), [replace(NUTS, relation="sibling")], close) == (0,)


def test_nothing_held_and_no_meaning_known_end_nothing() -> None:
    """An embedder that gives no answer after it gave one is no news either."""
    assert over_by(OVER, [], near({})) == ()
    assert over_by(OVER, [NUTS], unknown) == ()


def test_of_many_only_the_likeliest_are_compared() -> None:
    """By their kinds and words; among those is the one that is meant."""
    asked: list[int] = []

    def counted(text: str, statements: Sequence[str]) -> Likeness:
        asked.append(len(statements))
        found = near({NUTS.statement: CLOSE})(text, statements)
        assert found is not None
        return found

    many = [replace(FLAT, statement=f"Ladder {number}", origin=(f"l{number}",)) for number in range(LISTED_MAX * 2)]
    words = replace(OVER, kinds={ALLERGY: 0.9})
    assert over_by(words, [*many, NUTS], counted) == (len(many),)
    assert asked == [LISTED_MAX]


def test_the_parts_that_may_be_news_are_its_sentences_and_all_of_them_together() -> None:
    """But for questions, and for what denies an end; none where meaning is unknown, which is told apart."""
    said = "She ate walnuts. All clear! Is that fine?"
    found = news_in(said, REGISTRY, lambda _: TELLS, near({}))
    assert found is not None
    assert {each.text for each in found} == {"She ate walnuts.", "All clear!", "She ate walnuts. All clear!"}
    assert news_in("The ban is not lifted.", REGISTRY, lambda _: TELLS, near({})) == ()
    assert news_in("Is that fine?", REGISTRY, lambda _: TELLS, near({})) == ()
    assert news_in(said, REGISTRY, lambda _: TELLS, unknown) is None


@pytest.mark.parametrize(("told", "heard", "count"), [(TELLS, 3.0, 1), (TELLS, -9.0, 0)])
def test_what_bears_no_sign_of_news_is_not_compared(told: Told, heard: float, count: int) -> None:
    found = news_in("All clear!", REGISTRY, lambda _: replace(told, ended=0.02), near({}, heard))
    assert found is not None
    assert len(found) == count


def test_small_talk_is_no_news() -> None:
    """The control: the same where it tells something lasting."""
    small = replace(TELLS, durable=0.2)
    assert news_in("All clear!", REGISTRY, lambda _: small, near({})) == ()
    assert news_in("All clear!", REGISTRY, lambda _: TELLS, near({})) != ()


def test_of_a_long_list_no_part_is_looked_for() -> None:
    """Each part costs as much as a message. The control: a list of as many as are compared."""
    asked: list[int] = []

    def counted(_: str, statements: Sequence[str]) -> Likeness:
        asked.append(len(statements))
        return Likeness(3.0, (*(FAR for _ in statements[1:]), CLOSE))

    parts = [f"thing {number}" for number in range(PARTS_MAX)]
    assert part_meant(OVER, ", ".join(parts), counted) == parts[-1]
    longer = ", ".join([*parts, "one more"])
    assert part_meant(OVER, longer, counted) == longer
    assert asked == [PARTS_MAX]
