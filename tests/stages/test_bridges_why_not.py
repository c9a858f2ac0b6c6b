"""Why not: every condition of activation by its own name, and never another answer than activation's own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from registry_builders import ALL_MODES, SCOPE, SMALL, asked, small_with, state

from heedful.bridges.activate import activate
from heedful.bridges.classify import classify
from heedful.bridges.registry import Registry
from heedful.bridges.request import Modes
from heedful.bridges.routed import NOT_ROUTED, Routed
from heedful.bridges.urgency import URGENCY_MIN
from heedful.bridges.why_not import Explained, Obstacle, explain_silence
from heedful.claims.claim import Claim, ClaimStatus, Visibility
from heedful.kernel.ids import ActionClassId, BridgeId
from heedful.kernel.ladder import Consent, Mode
from heedful.kernel.scope import parse_scope
from heedful.testing.builders import NOON_US

SMALL_REGISTRY = small_with()
HIDDEN = small_with("unreviewed: advisory", "unreviewed: hidden")
EXPIRED = small_with(
    "    owner: the cook\n    mode: enforce\n    examples: {must_fire: [Bake macarons",
    """\
    owner: the cook
    expires: "2020-01-01"
    mode: enforce
    examples: {must_fire: [Bake macarons""",
)
NUTS = "Bake macarons"
COOK, TRAVEL = ActionClassId("cook"), ActionClassId("travel")


def explained(
    claim: Claim, text: str = NUTS, *, registry: Registry = SMALL_REGISTRY, modes: Modes = ALL_MODES, **more: Any
) -> Explained:
    """Why not, for a request of the garden."""
    routed = more.pop("routed", NOT_ROUTED)
    classified = classify(asked(text), registry, lambda _: routed)
    given_ = {"at_us": NOON_US, "request_scope": SCOPE, **more}
    return explain_silence(claim, classified, registry, modes, **given_)


def obstacles(found: Explained) -> list[Obstacle]:
    return [reason.obstacle for reason in found.reasons]


def test_what_comes_to_mind_has_no_reason_not_to() -> None:
    """The control: both bridges are open, the surer way first."""
    found = explained(state("diet.allergy"))

    assert (found.outcome, found.reasons) == ("in-mind", ())
    assert {(way.bridge_id, way.obstacle) for way in found.ways} == {("cook.allergy", None), ("cook.taste", None)}
    assert found.urgency >= found.urgency_min == URGENCY_MIN


_OFF = Modes({}, {}, Mode.OFF)
_BRIDGE_OFF = Modes({BridgeId("cook.taste"): Mode.OFF, BridgeId("cook.allergy"): Mode.OFF}, {}, Mode.ENFORCE)
_CLASS_OFF = Modes({}, {COOK: Mode.OFF}, Mode.ENFORCE)
_SHADOW = Modes({}, {}, Mode.SHADOW)


@pytest.mark.parametrize(
    ("obstacle", "claim", "more"),
    [
        (Obstacle.PRE_ROUTER_OFF, {}, {"modes": _OFF}),
        (Obstacle.STATUS, {"status": ClaimStatus.REVOKED}, {}),
        (Obstacle.UNREVIEWED, {"status": ClaimStatus.EVIDENCE_VERIFIED}, {"registry": HIDDEN}),
        (Obstacle.QUERY_ONLY, {"visibility": Visibility.QUERY}, {}),
        (Obstacle.CONSENT, {"consent": Consent.DENIED}, {}),
        (Obstacle.EXPIRED, {"valid_to_us": NOON_US}, {}),
        (Obstacle.NOT_YET, {"valid_from_us": NOON_US + 1}, {}),
        (Obstacle.OTHER_SCOPE, {"scope": parse_scope(["project:cellar"])}, {}),
        (Obstacle.NO_CLASS, {}, {"text": "Good morning"}),
        (Obstacle.APPLIES_TO, {"applies_to": (TRAVEL,)}, {}),
        (Obstacle.NO_BRIDGE, {"applies_to": (TRAVEL,)}, {"text": "Book a flight"}),
        (Obstacle.NOT_FOR, {"not_for": (COOK,)}, {}),
        (Obstacle.OFF, {}, {"modes": _BRIDGE_OFF}),
        (Obstacle.OFF, {}, {"modes": _CLASS_OFF}),
        (Obstacle.BELOW_URGENCY, {}, {"urgency_min": 1.0}),
        (Obstacle.SHADOW, {}, {"modes": _SHADOW}),
    ],
)
def test_each_condition_is_named(obstacle: Obstacle, claim: dict[str, Any], more: dict[str, Any]) -> None:
    """It is the first reason, with a sentence; what comes to mind otherwise is the control above."""
    found = explained(state("diet.allergy", **claim), **more)

    assert obstacles(found)[0] is obstacle
    assert found.outcome == ("shadow" if obstacle is Obstacle.SHADOW else "silent")
    assert found.reasons[0].text


def test_a_predicate_and_an_expired_bridge_close_their_own_way_alone() -> None:
    """Bread has no allergen, and the other bridge is open all the same; so with the bridge that expired."""
    bread = {way.bridge_id: way.obstacle for way in explained(state("diet.allergy"), "Bake bread").ways}
    expired = {way.bridge_id: way.obstacle for way in explained(state("diet.allergy"), registry=EXPIRED).ways}

    assert bread == {"cook.taste": None, "cook.allergy": Obstacle.PREDICATE}
    assert expired == {"cook.taste": None, "cook.allergy": Obstacle.BRIDGE_EXPIRED}


def test_the_numbers_are_told() -> None:
    """What the urgency came to, and what is needed."""
    found = explained(state("diet.taste", confidence=0.5, status=ClaimStatus.EVIDENCE_VERIFIED), urgency_min=0.9)

    assert f"{found.urgency:g}" in found.reasons[0].text
    assert "0.9 is needed" in found.reasons[0].text


def test_a_switch_that_is_off_does_not_hide_the_rest() -> None:
    """Whoever turns it on again sees what would be."""
    found = explained(state("diet.allergy", valid_to_us=NOON_US), modes=_OFF)

    assert obstacles(found) == [Obstacle.PRE_ROUTER_OFF, Obstacle.EXPIRED]
    assert all(way.obstacle in (None, Obstacle.BELOW_URGENCY) for way in found.ways)


def test_a_hint_that_is_too_unlikely_is_told_with_its_confidence() -> None:
    """The class that nobody recognised is there, and how little it weighs."""
    routed = Routed((("travel", 0.6), ("cook", 0.1)), 0.9, "router")
    found = explained(state("diet.allergy"), "Good morning", routed=routed)

    assert obstacles(found) == [Obstacle.BELOW_URGENCY]
    assert "cook (router, 0.0" in found.reasons[0].text


def test_the_words_of_two_kinds_count_together() -> None:
    """Alone each is below what is needed; the two readings of one sentence are above it."""
    unsure = {
        "status": ClaimStatus.EVIDENCE_VERIFIED,
        "statement": "No nuts.",
        "evidence": state("diet.taste").evidence,
    }
    one = state("diet.allergy", 1, confidence=0.3, **unsure)
    other = state("diet.taste", 2, confidence=0.3, **unsure)
    needed = explained(one, "Bake bread").urgency + 0.01

    assert explained(one, "Bake bread", urgency_min=needed).outcome == "silent"
    assert explained(one, "Bake bread", urgency_min=needed, beside=[other]).outcome == "in-mind"


_CLAIMS = st.builds(
    lambda number, kind, changes: state(kind, number, statement="the same", **changes),
    st.integers(1, 3),
    st.sampled_from(["diet.allergy", "diet.taste"]),
    st.fixed_dictionaries(
        {},
        optional={
            "status": st.sampled_from(list(ClaimStatus)),
            "confidence": st.sampled_from([0.1, 0.3, 0.6]),
            "applies_to": st.sampled_from([(COOK,), (TRAVEL,), (COOK, TRAVEL), ()]),
            "not_for": st.sampled_from([(), (COOK,), (ActionClassId("cook.guests"),)]),
            "valid_to_us": st.sampled_from([None, NOON_US, NOON_US + 1]),
            "consent": st.sampled_from(list(Consent)),
            "visibility": st.sampled_from(list(Visibility)),
            "scope": st.sampled_from([SCOPE, parse_scope(["project:cellar"]), parse_scope([])]),
            "evidence": st.just(state("diet.taste").evidence),
        },
    ),
)
_MODES = st.builds(
    Modes,
    st.dictionaries(st.sampled_from([BridgeId("cook.allergy"), BridgeId("cook.taste")]), st.sampled_from(list(Mode))),
    st.dictionaries(st.sampled_from([COOK, TRAVEL]), st.sampled_from(list(Mode))),
    st.sampled_from(list(Mode)),
)
_TEXTS = st.sampled_from(
    [NUTS, "Bake bread", "Cook for ten guests", "Book a flight", "What is a cake?", "做饭要用坚果", ""]
)
_ROUTED = st.builds(
    lambda classes, inert: Routed(tuple(sorted(classes.items())), inert, "router"),
    st.dictionaries(st.sampled_from(["cook", "travel", "cook.guests"]), st.sampled_from([0.1, 0.3, 0.5])),
    st.sampled_from([0.0, 0.9]),
)


@given(_CLAIMS, st.lists(_CLAIMS, max_size=2), _MODES, _TEXTS, _ROUTED, st.sampled_from([0.1, 0.25, 0.5, 0.9]))
def test_it_never_says_otherwise_than_activation(  # what a request is made of
    claim: Claim, others: list[Claim], modes: Modes, text: str, routed: Routed, urgency_min: float
) -> None:
    """In mind by one is in mind by the other; and there is a reason exactly where it is not."""
    beside = [
        replace(each, claim_id=state("diet.taste", 10 + place).claim_id, evidence=claim.evidence)
        for place, each in enumerate(others)
    ]
    classified = classify(asked(text), SMALL_REGISTRY, lambda _: routed)
    found = explain_silence(
        claim,
        classified,
        SMALL_REGISTRY,
        modes,
        at_us=NOON_US,
        request_scope=SCOPE,
        urgency_min=urgency_min,
        beside=beside,
    )
    truth = activate(
        classified,
        sorted([claim, *beside], key=lambda each: each.position),
        SMALL_REGISTRY,
        modes,
        at_us=NOON_US,
        request_scope=SCOPE,
        urgency_min=urgency_min,
    )

    in_mind = any(one.claim.claim_id == claim.claim_id for one in truth.in_mind)
    assert (found.outcome == "in-mind") is in_mind
    assert (found.reasons == ()) is in_mind


def test_a_kind_below_the_one_that_a_bridge_brings_is_brought() -> None:
    """`diet` covers `diet.taste`; a kind of another family has no bridge."""
    assert "cook.taste" in SMALL
    assert explained(state("diet.taste")).outcome == "in-mind"
    assert obstacles(explained(state("dietary"))) == [Obstacle.NO_BRIDGE]
