"""What a request decides where a router reads it too: classes, hints, what decides nothing; phrases stay a witness."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from registry_builders import SMALL, asked, built, small_with

from heedful.bridges.classify import (
    HINT_MIN,
    HINTS_MAX,
    PHRASE_CLASSES_MAX,
    RECOGNISED_MIN,
    UNKNOWN_INERT_MAX,
    classify,
)
from heedful.bridges.request import Classified, ClassMatch
from heedful.bridges.routed import Routed, not_routed

REGISTRY = small_with()
MANY = built(
    SMALL.replace(
        "  cook: {",
        "".join(f"  c{at:02}: {{description: C., on_no_bridge: ask}}\n" for at in range(20)) + "  cook: {",
        1,
    )
)


def routed(*likely: tuple[str, float], inert: float = 0.0) -> Routed:
    return Routed(likely, inert, "router")


def found(text: str, *likely: tuple[str, float], inert: float = 0.0, tool: str | None = None) -> Classified:
    return classify(asked(text, tool), REGISTRY, lambda _: routed(*likely, inert=inert))


def told(matches: tuple[ClassMatch, ...]) -> list[tuple[str, str]]:
    return [(match.action_class, match.method) for match in matches]


def test_a_router_tells_a_class_that_no_phrase_names() -> None:
    """Its method and probability are why; without it (the control) nothing is recognised."""
    (match,) = found("Something sweet for Sunday?", ("cook", 0.9)).classes
    assert (match.action_class, match.method, match.because) == ("cook", "router", "router: 0.90")
    assert classify(asked("Something sweet for Sunday?"), REGISTRY, not_routed).classes == ()


def test_what_is_possible_and_no_more_is_a_hint() -> None:
    """Between the two thresholds; below the lower it is nothing."""
    classified = found("Something sweet?", ("cook", 0.9), ("travel", 0.2))
    assert (told(classified.classes), told(classified.hints)) == ([("cook", "router")], [("travel", "router")])
    assert HINT_MIN <= classified.hints[0].confidence < RECOGNISED_MIN
    unlikely = found("Something sweet?", ("cook", 0.9), ("travel", HINT_MIN / 2))
    assert (told(unlikely.classes), unlikely.hints) == ([("cook", "router")], ())


def test_where_nothing_is_decided_words_weigh_less_and_are_not_silenced() -> None:
    """A class that was recognised becomes a hint; it does not vanish."""
    likely = ("cook", RECOGNISED_MIN + 0.05)
    sure, unsure = found("Something sweet?", likely), found("Something sweet?", likely, inert=1.0)
    assert (told(sure.classes), sure.hints) == ([("cook", "router")], ())
    assert (unsure.classes, told(unsure.hints)) == ((), [("cook", "router")])
    assert 0 < unsure.hints[0].confidence < sure.classes[0].confidence


def test_what_a_tool_or_a_caller_says_is_not_weighed() -> None:
    """The router reads words alone: a tool's class is as sure as ever, however inert the words are."""
    classified = found("What is bread?", ("inert.explain", 0.9), inert=1.0, tool="oven.on")
    assert ("cook", 1.0) in [(match.action_class, match.confidence) for match in classified.classes]


def test_the_words_of_an_unknown_call_never_make_it_surely_inert() -> None:
    """They may be anybody's. The control: the same words as a question, and those of a call that is known."""
    assert found("Just looking.", inert=1.0, tool="attic.rummage").inert == UNKNOWN_INERT_MAX
    assert found("Just looking.", inert=0.05, tool="attic.rummage").inert == 0.05
    assert found("Just looking.", inert=1.0).inert == 1.0
    assert found("Just looking.", inert=1.0, tool="oven.on").inert == 0.0


def test_an_inert_class_is_not_demoted_by_being_inert() -> None:
    """It is the class that is right there."""
    assert told(found("Why is bread brown?", ("inert.explain", 0.9), inert=1.0).classes) == [
        ("inert.explain", "router")
    ]


def test_a_phrase_and_the_router_together_are_surer_than_either() -> None:
    """Two witnesses; the surer of them is named."""
    both = found("Bake bread", ("cook", 0.6)).classes[0].confidence
    router_alone = found("Something sweet?", ("cook", 0.6)).classes[0].confidence
    phrase_alone = found("Bake bread", ("travel", 0.6))
    assert both > router_alone
    assert both > max(
        match.confidence for match in (*phrase_alone.classes, *phrase_alone.hints) if match.action_class == "cook"
    )


def test_a_phrase_that_the_router_does_not_hear_weighs_half() -> None:
    """It knows the word and not what is meant; with no router at all the phrase is all there is."""
    heard = classify(asked("Bake bread"), REGISTRY, not_routed).classes[0]
    unheard = found("Bake bread", ("travel", 0.9))
    (cook,) = [match for match in (*unheard.classes, *unheard.hints) if match.action_class == "cook"]
    assert (cook.method, cook.because) == ("phrase", "the text has 'bake'")
    assert cook.confidence < heard.confidence


def test_of_a_class_and_its_descendant_the_descendant() -> None:
    """Whoever tells them; the ancestor is covered anyway."""
    assert told(found("Something sweet?", ("cook", 0.9), ("cook.guests", 0.8)).classes) == [("cook.guests", "router")]


def test_classes_that_the_registry_lacks_are_passed_over() -> None:
    """The router is older or newer than the registry; an unknown id is no error and no class."""
    classified = found("Something sweet?", ("no.such.class", 0.99), ("cook", 0.9))
    assert (told(classified.classes), classified.hints) == ([("cook", "router")], ())
    assert found("Something sweet?", ("no.such.class", 0.99)) == found("Something sweet?")


def test_words_add_so_many_classes_and_so_many_hints() -> None:
    """Surest first; the sixth class is a hint, and beyond the last hint nothing is kept."""
    likely = tuple((f"c{at:02}", round(0.9 - at / 100, 3)) for at in range(20))
    classified = classify(asked("anything"), MANY, lambda _: routed(*likely))
    names = [match.action_class for match in (*classified.classes, *classified.hints)]
    assert (len(classified.classes), len(classified.hints)) == (PHRASE_CLASSES_MAX, HINTS_MAX)
    assert names == [name for name, _ in likely[: PHRASE_CLASSES_MAX + HINTS_MAX]]


@given(
    st.text(st.characters(), max_size=60),
    st.lists(
        st.tuples(st.sampled_from(["cook", "cook.guests", "travel", "inert.explain", "gone"]), st.floats(0.0, 1.0)),
        unique_by=lambda each: each[0],
    ),
    st.floats(0.0, 1.0),
)
def test_any_text_and_any_probability_give_bounded_confidences(
    text: str, likely: list[tuple[str, float]], inert: float
) -> None:
    """In order, between nothing and certainty, no class twice, and the same again."""
    classified = found(text + " bake", *likely, inert=inert)
    matches = (*classified.classes, *classified.hints)
    assert all(0.0 < match.confidence <= 1.0 for match in matches)
    assert len({match.action_class for match in matches}) == len(matches)
    assert all(match.confidence >= RECOGNISED_MIN for match in classified.classes)
    assert list(classified.classes) == sorted(classified.classes, key=lambda match: -match.confidence)
    assert classified == found(text + " bake", *likely, inert=inert)
