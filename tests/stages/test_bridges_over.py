"""What a message says is over: which parts may say so, and what of all that is held they end."""

from __future__ import annotations

from dataclasses import replace

import pytest
from registry_builders import SMALL, built

from heedful.bridges.over import MAYBE_OVER_MIN, SOMEBODY_ELSE, Ending, Held, ended_by, endings_in
from heedful.bridges.routed import NOTHING_TOLD, Told
from heedful.bridges.tell import PHRASE_CONFIDENCE
from heedful.kernel.ids import KindId

TASTE = KindId("diet.taste")
ALLERGY, LEASE, FREEZE = KindId("diet.allergy"), KindId("home.lease"), KindId("release.freeze")
REGISTRY = built(SMALL.replace("{description: A.,", "{description: A., ends: {en: [outgrew the allergy]},"))
NUTS = Held("He can't have walnuts", None, {ALLERGY: 0.8})
MILK = Held("Cheese makes her ill", None, {ALLERGY: 0.8})
FLAT = Held("The landlord forbids ladders", None, {LEASE: 0.9})
BOTH = Held("My daughter can't have walnuts", "daughter", {ALLERGY: 0.8})


def ending(text: str = "All clear at last", over: float = 0.99, relation: str | None = None, **kinds: float) -> Ending:
    """Words that speak of these kinds, named by their last part."""
    known = {"allergy": ALLERGY, "lease": LEASE, "freeze": FREEZE}
    return Ending(text, relation, over, {known[name]: likely for name, likely in kinds.items()}, "test")


def test_words_of_the_kind_end_what_is_held_and_other_words_do_not() -> None:
    """By the kind alone, where they surely say that something is over. The control: another kind, and less sure."""
    assert ended_by(ending(allergy=0.9), [NUTS]) == (0,)
    assert ended_by(ending(freeze=0.9), [NUTS]) == ()
    assert ended_by(ending(allergy=0.9, over=MAYBE_OVER_MIN), [NUTS]) == ()
    assert ended_by(ending("Walnuts, walnuts", allergy=0.9, over=MAYBE_OVER_MIN), [NUTS]) == ()


def test_of_two_of_a_kind_the_words_end_the_one_that_they_share_words_with() -> None:
    """Whatever the order in which they are held."""
    words = ending("The test shows that walnuts are fine", allergy=0.9)
    assert ended_by(words, [NUTS, MILK]) == (0,)
    assert ended_by(words, [MILK, NUTS]) == (1,)


def test_of_two_that_are_as_likely_none_ends_and_the_same_said_twice_ends_twice() -> None:
    """Which of two allergies is over would be a guess."""
    assert ended_by(ending(allergy=0.9), [NUTS, MILK]) == ()
    assert ended_by(ending(allergy=0.9), [NUTS, NUTS]) == (0, 1)


def test_words_about_one_person_end_nothing_of_another() -> None:
    """The speaker's own end leaves the daughter's, and hers the speaker's; the son's ends neither."""
    words = "Walnuts are fine again"
    assert ended_by(ending(words, allergy=0.9), [BOTH, NUTS]) == (1,)
    assert ended_by(ending(words, relation="daughter", allergy=0.9), [NUTS, BOTH]) == (1,)
    assert ended_by(ending(words, relation="son", allergy=0.9), [BOTH]) == ()


@pytest.mark.parametrize("relation", ["sibling", "colleague", "friend", SOMEBODY_ELSE])
def test_news_of_somebody_outside_of_the_household_ends_nothing_of_nobody_in_particular(relation: str) -> None:
    """The controls: the same of a child, whom people speak of without naming them again, and of the same person."""
    words = "Walnuts are fine again"
    assert ended_by(ending(words, relation=relation, allergy=0.9), [NUTS]) == ()
    assert ended_by(ending(words, relation="child", allergy=0.9), [NUTS]) == (0,)
    own = replace(NUTS, relation=relation)
    assert ended_by(ending(words, relation=relation, allergy=0.9), [own]) == (0,)


def test_the_same_said_again_ends_nothing_however_sure_it_sounds() -> None:
    """Nor do words in common with what is of another kind."""
    assert ended_by(ending(NUTS.statement, allergy=0.9), [NUTS]) == ()
    assert ended_by(ending("He can't have walnuts in the flat", lease=0.9), [NUTS]) == ()


def test_words_of_another_kind_of_the_same_domain_end_nothing_by_the_words_in_common() -> None:
    """Where they may well be no news. The control: the same words of the kind."""
    words = ending("No walnuts in the salad, he can't stand them", over=0.6)
    assert ended_by(replace(words, kinds={TASTE: 0.9}), [NUTS]) == ()
    assert ended_by(replace(words, kinds={ALLERGY: 0.9}), [NUTS]) == (0,)


def test_nothing_held_is_not_ended() -> None:
    assert ended_by(ending(allergy=0.9), []) == ()


def test_among_many_the_one_that_is_meant_ends() -> None:
    assert ended_by(ending(lease=0.9), [NUTS, FLAT, MILK]) == (1,)


@pytest.mark.parametrize(
    ("told", "count"),
    [
        (NOTHING_TOLD, 0),
        (Told((), 0.9, 0.1, "test"), 0),
        (Told(((ALLERGY, 0.5),), 0.9, 0.8, "test"), 1),
        (Told(((ALLERGY, 0.5),), 0.2, 0.8, "test"), 0),
    ],
)
def test_parts_that_may_say_so_are_those_that_the_classifier_takes_for_an_end(told: Told, count: int) -> None:
    """From MAYBE_OVER_MIN on; a wish, a question and small talk tell nothing that lasts, and end nothing."""
    found = endings_in("She eats them again.", REGISTRY, lambda _: told)
    assert len(found) == count
    assert all((each.over, each.kinds) == (0.8, {ALLERGY: 0.5}) for each in found)


def test_a_kinds_own_words_for_its_end_are_surer_than_a_classifier_that_hears_nothing() -> None:
    """And they name the kind. The control: the same words denied."""
    (found,) = endings_in("She outgrew the allergy.", REGISTRY, lambda _: NOTHING_TOLD)
    assert (found.over, dict(found.kinds)) == (PHRASE_CONFIDENCE, {ALLERGY: PHRASE_CONFIDENCE})
    assert "outgrew the allergy" in found.because
    assert endings_in("She never outgrew the allergy.", REGISTRY, lambda _: NOTHING_TOLD) == ()


def test_the_whole_is_read_where_no_sentence_says_so_by_itself() -> None:
    """The end may lie between two sentences; an end in one of them is not that of what another one repeats."""
    between = "She saw Dr. Li. All clear!"
    (found,) = endings_in(between, REGISTRY, lambda text: Told((), 0.9, 0.8 if text == between else 0.0, "test"))
    assert found.text == between
    (found,) = endings_in(between, REGISTRY, lambda text: Told((), 0.9, 0.8 if "All" in text else 0.0, "test"))
    assert found.text == "All clear!"


def test_a_question_ends_nothing() -> None:
    """The control: the same as a statement."""
    over = Told(((ALLERGY, 0.5),), 0.95, 0.8, "test")
    assert endings_in("Is the allergy gone?", REGISTRY, lambda _: over) == ()
    assert len(endings_in("The allergy is gone.", REGISTRY, lambda _: over)) == 1


def test_news_of_a_new_value_ends_the_old_one_as_words_that_say_it_is_over_do() -> None:
    """The control: words of the kind that are no news."""
    words = "She may have walnuts in small cakes now"
    for changed, ended in ((0.9, (0,)), (0.05, ())):
        assert ended_by(replace(ending(words, over=0.02, allergy=0.9), changed=changed), [NUTS, MILK]) == ended
