"""What a message tells: by the kinds' own phrases, by a classifier, by both; and what it says is over."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from registry_builders import SMALL, built, small_with

from heedful.bridges.registry import Registry
from heedful.bridges.routed import NOTHING_TOLD, Told
from heedful.bridges.sentences import (
    SENTENCE_CHARACTERS_MAX,
    SENTENCES_MAX,
)
from heedful.bridges.tell import (
    BESIDE_MIN,
    CONFIDENCE_MIN,
    FACTS_MAX,
    LIKELIEST_MIN,
    SURE_KIND_MIN,
    SURELY_LASTING_MIN,
    Fact,
    facts_of,
)
from heedful.kernel.scope import parse_scope

_PLAIN = "form: preference, cardinality: many, comparator: text, expiry_test: A., risk: low, applies_to: [cook]"
MORE_KINDS = "".join(
    f"  diet.more{number}: {{description: C., {_PLAIN}, phrases: {{en: [topic{number} thing]}}}}\n"
    for number in range(6)
)


def registry_with(form: str = "form: fact") -> Registry:
    """The small registry with phrases for its kinds, and more kinds."""
    return built(
        SMALL.replace(
            "{description: A., form: fact,",
            "{description: A., phrases: {en: [allergic to, nut allergy], zh: [过敏]},"
            f" ends: {{en: [outgrew the allergy], zh: [不再过敏]}}, {form},",
        )
        .replace("{description: B.,", "{description: B., phrases: {en: [spicy food], zh: [爱吃辣]},")
        .replace("entities:\n", MORE_KINDS + "entities:\n", 1)
    )


REGISTRY = registry_with()
ALLERGY, TASTE = "diet.allergy", "diet.taste"


def silent(text: str) -> Told:
    """No classifier."""
    del text
    return NOTHING_TOLD


def facts(text: str, told: Told = NOTHING_TOLD) -> tuple[Fact, ...]:
    """The facts of a message, each sentence of which a classifier takes for the same."""
    return facts_of(text, REGISTRY, lambda _: told)


def kinds(text: str, told: Told = NOTHING_TOLD) -> list[str]:
    return [fact.kind for fact in facts(text, told)]


def a_told(*likely: tuple[str, float], durable: float = 0.9, ended: float = 0.0) -> Told:
    return Told(likely, durable, ended, "classifier")


def test_phrases_tell_a_kind_and_other_words_tell_nothing() -> None:
    """The sentence is the statement, and the phrase is why."""
    (fact,) = facts("I am allergic to walnuts.")
    assert (fact.kind, fact.statement, fact.relation, fact.ended) == (ALLERGY, "I am allergic to walnuts.", None, False)
    assert fact.because == "the text has 'allergic to'"
    assert facts("The weather is fine today.") == facts("") == ()


def test_a_registry_without_phrases_tells_nothing_without_a_classifier() -> None:
    """The control: the same words and no kind that knows them."""
    assert facts_of("I am allergic to walnuts.", small_with(), silent) == ()


@pytest.mark.parametrize(
    "text",
    [
        "I am not allergic to walnuts.",
        "She was never allergic to anything.",
        "He isn't allergic to eggs.",
        "我不过敏。",
    ],
)
def test_what_is_denied_is_not_told(text: str) -> None:
    """A negation right before the phrase; the control is the first test."""
    assert kinds(text) == []


def test_a_negation_elsewhere_denies_nothing() -> None:
    """Far before the phrase, or after it, it is about something else."""
    assert kinds("I can not come on Friday, since as you know I am allergic to walnuts.") == [ALLERGY]
    assert kinds("I am allergic to walnuts, not almonds.") == [ALLERGY]


def test_chinese_is_told_by_its_own_phrases() -> None:
    """By substring, with its own full stops."""
    assert kinds("今天天气很好。我女儿对坚果过敏。") == [ALLERGY]
    assert kinds("今天天气很好。我们去公园。") == []


def test_one_message_may_tell_two_kinds_each_with_its_sentence() -> None:
    """Two sentences, two statements, surest first, then by id."""
    found = facts("I have a nut allergy, as my doctor says. My wife and I both love spicy food a lot.")
    assert [(fact.kind, fact.statement) for fact in found] == [
        (ALLERGY, "I have a nut allergy, as my doctor says."),
        (TASTE, "My wife and I both love spicy food a lot."),
    ]


def test_one_sentence_may_tell_two_kinds() -> None:
    """Both rest on the same words."""
    found = facts("I love spicy food and have a nut allergy.")
    assert [fact.kind for fact in found] == [ALLERGY, TASTE]
    assert len({fact.statement for fact in found}) == 1


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("My daughter is allergic to walnuts.", "daughter"),
        ("Our little boy is allergic to walnuts.", "son"),
        ("我女儿对坚果过敏。", "daughter"),
        ("我家狗对鸡肉过敏。", "pet"),
        ("I am allergic to walnuts.", None),
        ("His daughter is allergic to walnuts.", None),
    ],
)
def test_a_fact_names_whom_of_the_speakers_own_it_is_about(text: str, relation: str | None) -> None:
    """`my` and `our`, in English and Chinese; the speaker and other people's own are nobody of these."""
    assert [(fact.kind, fact.relation) for fact in facts(text)] == [(ALLERGY, relation)]


def test_a_short_sentence_comes_with_the_one_before() -> None:
    """`Allergic to walnuts.` alone says nothing of whom; a full sentence stands alone."""
    (short,) = facts("I met my daughter at school. She is allergic to walnuts.")
    assert short.statement == "I met my daughter at school. She is allergic to walnuts."
    assert short.relation == "daughter"
    (full,) = facts("I met my daughter at school. The boy next to her is allergic to walnuts.")
    assert full.statement == "The boy next to her is allergic to walnuts."
    assert full.relation is None


@pytest.mark.parametrize("text", ["I outgrew the allergy last year.", "我现在不再过敏了。"])
def test_words_that_end_a_kind_say_that_it_is_over(text: str) -> None:
    """The kind's own words; the control tells it as standing."""
    assert [(fact.kind, fact.ended) for fact in facts(text)] == [(ALLERGY, True)]
    assert [(fact.kind, fact.ended) for fact in facts("I have a nut allergy.")] == [(ALLERGY, False)]


def test_a_classifier_says_that_something_is_over() -> None:
    """Above its threshold, and not below."""
    sure = a_told((ALLERGY, 0.8), ended=0.9)
    unsure = a_told((ALLERGY, 0.8), ended=0.1)
    assert [fact.ended for fact in facts("The doctor cleared it.", sure)] == [True]
    assert [fact.ended for fact in facts("The doctor cleared it.", unsure)] == [False]


def test_a_classifier_tells_kinds_that_no_phrase_names() -> None:
    """Its method and probability are why."""
    (fact,) = facts("Walnuts send me to hospital.", a_told((ALLERGY, 0.8)))
    assert (fact.kind, fact.confidence, fact.because) == (ALLERGY, 0.8, "classifier: 0.80")
    assert facts("Walnuts send me to hospital.") == ()


def test_a_phrase_counts_less_where_a_classifier_hears_chatter() -> None:
    """It knows what is spoken of, and not whether anything is told."""
    chatter, lasting, alone = (
        max((fact.confidence for fact in facts("I wish I loved spicy food!", told)), default=0.0)
        for told in (a_told(durable=0.0), a_told(durable=1.0), NOTHING_TOLD)
    )
    assert chatter < lasting < alone


def test_a_phrase_and_a_classifier_together_are_surer_than_either() -> None:
    """Both say the same kind."""
    both = facts("I am allergic to walnuts.", a_told((ALLERGY, 0.5)))[0].confidence
    alone = facts("Walnuts send me to hospital.", a_told((ALLERGY, 0.5)))[0].confidence
    assert both > alone >= 0.5


def test_kinds_that_the_registry_lacks_are_passed_over() -> None:
    """A classifier is older or newer than the registry; what it knows of both still counts."""
    assert kinds("Walnuts!", a_told(("no.such.kind", 0.99), (ALLERGY, 0.8))) == [ALLERGY]
    assert kinds("Walnuts!", a_told(("no.such.kind", 0.99))) == []


def test_a_kind_much_less_sure_than_the_surest_is_left_out() -> None:
    """Beside it it is noise; alone it may be all there is."""
    less = 0.9 * BESIDE_MIN
    assert kinds("Walnuts!", a_told((ALLERGY, 0.9), (TASTE, less - 0.01))) == [ALLERGY]
    assert kinds("Walnuts!", a_told((ALLERGY, 0.9), (TASTE, less + 0.01))) == [ALLERGY, TASTE]
    assert kinds("Walnuts!", a_told((TASTE, less - 0.01))) == [TASTE]


def test_what_is_said_plainly_is_told_though_it_sounds_like_small_talk() -> None:
    """Where it is sure what it tells. The controls: a less sure kind, beside it and alone."""
    plain = a_told((ALLERGY, SURE_KIND_MIN), (TASTE, SURE_KIND_MIN - 0.1), durable=0.05)
    assert kinds("I'm vegan.", plain) == [ALLERGY]
    assert kinds("I'm vegan.", a_told((ALLERGY, SURE_KIND_MIN - 0.01), durable=0.05)) == []


def test_words_that_surely_tell_something_lasting_tell_their_likeliest_kind() -> None:
    """However unsure which it is, down to a floor. The controls: a second kind, and words that are less surely so."""
    likely = ((ALLERGY, 0.1), (TASTE, 0.09))
    assert kinds("She carries a pen.", a_told(*likely, durable=0.995)) == [ALLERGY]
    assert kinds("She carries a pen.", a_told(*likely, durable=0.95)) == []
    assert kinds("She carries a pen.", a_told((ALLERGY, LIKELIEST_MIN / 2), durable=0.995)) == []


def test_what_is_too_unlikely_is_not_told() -> None:
    """Just at the threshold it is."""
    assert kinds("Walnuts!", a_told((ALLERGY, CONFIDENCE_MIN))) == [ALLERGY]
    assert kinds("Walnuts!", a_told((ALLERGY, CONFIDENCE_MIN - 0.01))) == []


@pytest.mark.parametrize(
    ("scope", "expected"),
    [(["user:ana"], [ALLERGY]), (["project:garden", "user:ana"], [ALLERGY]), (["project:garden"], [])],
)
def test_what_is_narrow_is_told_where_a_person_is(scope: list[str], expected: list[str]) -> None:
    """In a project's scope it is nothing; a kind that is not narrow (the control) is told there too."""
    text = "I am allergic to walnuts."
    for registry, kinds_told in ((registry_with("narrow: true, form: fact"), expected), (REGISTRY, [ALLERGY])):
        found = facts_of(text, registry, silent, scope=parse_scope(scope))
        assert [fact.kind for fact in found] == kinds_told


def test_a_message_tells_so_many_kinds_and_no_more() -> None:
    """Of equally sure ones the first by id."""
    text = " ".join(f"This is a topic{number} thing for all of us." for number in range(6))
    assert kinds(text) == [f"diet.more{number}" for number in range(FACTS_MAX)]


def test_a_message_is_read_only_so_far() -> None:
    """The sentence within the limit is told, the one after it is not."""
    filler = "This is nothing. " * (SENTENCES_MAX - 1)
    assert kinds(filler + "I am allergic to walnuts.") == [ALLERGY]
    assert kinds(filler + "This is nothing. I am allergic to walnuts.") == []


def test_a_sentence_without_an_end_is_cut() -> None:
    """What lies behind the cut is not read."""
    assert kinds("so " * (SENTENCE_CHARACTERS_MAX // 3) + "I am allergic to walnuts") == []
    assert kinds("so " * (SENTENCE_CHARACTERS_MAX // 6) + "I am allergic to walnuts") == [ALLERGY]


@given(st.text(st.characters(), max_size=200), st.floats(0.0, 1.0), st.floats(0.0, 1.0), st.floats(0.01, 1.0))
def test_any_text_is_ordinary_input(text: str, durable: float, ended: float, probability: float) -> None:
    """NUL, halves of surrogate pairs, every script: bounded, ordered, and the same twice."""
    told = a_told((ALLERGY, probability), durable=durable, ended=ended)
    found = facts(text + " allergic to 过敏", told)
    assert len(found) <= FACTS_MAX
    assert all(CONFIDENCE_MIN <= fact.confidence <= 1.0 for fact in found[1:])
    least = LIKELIEST_MIN if durable >= SURELY_LASTING_MIN else CONFIDENCE_MIN
    assert all(least <= fact.confidence <= 1.0 for fact in found[:1])
    assert list(found) == sorted(found, key=lambda fact: (-fact.confidence, fact.kind))
    assert found == facts(text + " allergic to 过敏", told)


@pytest.mark.parametrize(
    "mark", ["?", "\uff1f", "\u061f", '?"', "? \U0001f600", "?!", "? :)", "?**", "\uff1f\u300d", " \u2047"]
)
def test_a_question_tells_nothing(mark: str) -> None:
    """Whoever asks whether it is so has not said that it is. The control: the same with a full stop."""
    told = a_told((ALLERGY, 0.9))
    assert kinds(f"Is he allergic to nuts{mark}", told) == []
    assert kinds("He is allergic to nuts.", told) == [ALLERGY]
