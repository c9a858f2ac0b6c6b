"""How urgent a claim is: what forgetting it does, by how sure its class and itself are, summed over readings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from registry_builders import ALL_MODES, SCOPE, SMALL, asked, built, small_with, state

from heedful.bridges.activate import activate
from heedful.bridges.classify import classify
from heedful.bridges.registry import Registry
from heedful.bridges.request import Activations, ClassMatch, Modes
from heedful.bridges.routed import NOT_ROUTED, Routed
from heedful.bridges.urgency import SEVERITY_WEIGHT, urgency_of
from heedful.claims.claim import Claim, ClaimStatus
from heedful.kernel.ids import ActionClassId, BridgeId, ClaimId, RecordId
from heedful.kernel.ladder import Mode, Severity
from heedful.testing.builders import NOON_US

REGISTRY = small_with()
GRADED = small_with(
    "{description: A., form: fact,",
    "{description: A., consequences: {cook: low, cook.guests: critical}, form: fact,",
)
COOK, GUESTS, TRAVEL = ActionClassId("cook"), ActionClassId("cook.guests"), ActionClassId("travel")
UNREVIEWED: dict[str, Any] = {"status": ClaimStatus.EVIDENCE_VERIFIED}


def match_of(action_class: ActionClassId, confidence: float = 1.0) -> ClassMatch:
    return ClassMatch(action_class, confidence, "router", "")


def run(
    *claims: Claim,
    text: str = "Bake bread",
    registry: Registry = REGISTRY,
    modes: Modes = ALL_MODES,
    routed: Routed = NOT_ROUTED,
    **more: Any,
) -> Activations:
    classified = classify(asked(text), registry, lambda _: routed)
    return activate(classified, claims, registry, modes, at_us=NOON_US, request_scope=SCOPE, **more)


def urgency(*claims: Claim, **more: Any) -> float:
    """The highest threshold, in thousandths, at which something still comes to mind; -0.001: nothing ever does."""
    low, high = -1, 1_000
    while low < high:
        middle = (low + high + 1) // 2
        if run(*claims, **more, urgency_min=middle / 1_000).in_mind:
            low = middle
        else:
            high = middle - 1
    return low / 1_000


def ids(found: Activations) -> list[str]:
    """The claims in mind, each once, in order."""
    return list(dict.fromkeys(one.claim.claim_id for one in found.in_mind))


def two_readings(**changes: Any) -> tuple[Claim, Claim]:
    """One sentence of one record that may tell two kinds."""
    said = {"statement": "No nuts.", "evidence": (RecordId("r1"),), "confidence": 0.3, **UNREVIEWED, **changes}
    return state("diet.allergy", 1, **said), state("diet.taste", 2, **said)


def test_the_row_of_the_nearest_class_says_how_much_it_hurts() -> None:
    """A row of the class itself before that of the one above it."""
    claim = state("diet.allergy", applies_to=(COOK, TRAVEL))
    assert urgency_of(claim, match_of(COOK), GRADED) == (Severity.LOW, SEVERITY_WEIGHT[Severity.LOW])
    assert urgency_of(claim, match_of(GUESTS), GRADED) == (Severity.CRITICAL, 1.0)


def test_a_class_without_a_row_has_the_risk_of_the_kind_and_an_unknown_kind_the_middle() -> None:
    """Whoever states a claim may name classes that the matrix lacks; that silences nothing."""
    assert urgency_of(state("diet.allergy"), match_of(TRAVEL), GRADED)[0] is Severity.HIGH
    assert urgency_of(state("diet.taste"), match_of(COOK), GRADED)[0] is Severity.LOW
    assert urgency_of(state("no.such"), match_of(COOK), GRADED)[0] is Severity.MEDIUM


def test_an_unsure_class_and_an_unsure_claim_make_it_less_urgent() -> None:
    """Both are factors; what a person reviewed is sure, whatever the router thought when it was told."""
    sure = urgency_of(state("diet.allergy", confidence=0.5), match_of(COOK), REGISTRY)[1]
    assert urgency_of(state("diet.allergy", confidence=0.5), match_of(COOK, 0.5), REGISTRY)[1] == pytest.approx(
        sure / 2
    )
    unreviewed = state("diet.allergy", confidence=0.5, **UNREVIEWED)
    assert urgency_of(unreviewed, match_of(COOK), REGISTRY)[1] == pytest.approx(sure / 2)


def test_below_the_threshold_it_does_not_come_to_mind() -> None:
    """Just at the threshold it does."""
    claim = state("diet.taste", **UNREVIEWED, confidence=0.9)
    (one,) = run(claim).in_mind
    assert ids(run(claim, urgency_min=one.urgency)) == [claim.claim_id]
    assert run(claim, urgency_min=one.urgency + 0.001).in_mind == ()


def test_a_class_for_which_all_are_below_has_no_bridge() -> None:
    """It says what to do then, as if nothing were held."""
    found = run(state("diet.taste"), text="A dinner party", urgency_min=1.0)
    assert (found.in_mind, [none.action_class for none in found.no_bridge]) == ((), ["cook.guests"])
    assert run(state("diet.taste"), text="A dinner party").no_bridge == ()


def test_a_severe_claim_comes_over_a_hint_and_a_light_one_does_not() -> None:
    """What would hurt more comes to mind on less."""
    hint = Routed((("travel", 0.9), ("cook", 0.2)), 0.1, "router")
    severe = small_with(
        "{description: A., form: fact,", "{description: A., consequences: {cook: critical}, form: fact,"
    )
    claim = state("diet.allergy")
    assert urgency(claim, text="Sunday?", registry=severe, routed=hint) > urgency(
        claim, text="Sunday?", registry=GRADED, routed=hint
    )


def test_a_surer_class_and_a_request_that_decides_something_are_more_urgent() -> None:
    """What a router tells of the class, and of whether anything is decided at all."""
    claim = state("diet.allergy")

    def told(probability: float, inert: float) -> float:
        return urgency(claim, text="Sunday?", routed=Routed((("cook", probability),), inert, "router"))

    assert told(0.9, 0.1) > told(0.3, 0.1) > 0
    assert told(0.9, 0.1) > told(0.9, 0.9)


def test_two_readings_of_the_same_words_are_summed() -> None:
    """Each alone is too unlikely; that one of them holds is likely. The control: other words of another record."""
    allergy, taste = two_readings()
    least = max(urgency(allergy), urgency(taste)) + 0.01
    assert run(allergy, urgency_min=least).in_mind == run(taste, urgency_min=least).in_mind == ()
    assert set(ids(run(allergy, taste, urgency_min=least))) == {allergy.claim_id, taste.claim_id}
    elsewhere = state("diet.taste", 2, statement="No nuts.", evidence=(RecordId("r2"),), confidence=0.3, **UNREVIEWED)
    assert run(allergy, elsewhere, urgency_min=least).in_mind == ()


def test_two_classes_of_one_request_are_summed_and_two_bridges_are_not() -> None:
    """A pair of kind and class counts once, by however many bridges."""
    registry = small_with(
        "    from: [cook]\n    activates: [diet]\n", "    from: [cook, travel]\n    activates: [diet]\n"
    )
    claim = state("diet.taste", applies_to=(COOK, TRAVEL), **UNREVIEWED, confidence=0.5)
    one, both = "Bake bread", "Bake bread and book a flight"
    assert urgency(claim, text=both, registry=registry) > urgency(claim, text=one, registry=registry)
    nutty = state("diet.allergy", **UNREVIEWED, confidence=0.5)
    assert len(run(nutty, text="Bake macarons", urgency_min=0.0).in_mind) == 2
    assert urgency(nutty, text="Bake macarons") == urgency(nutty, text="Bake bread")


def test_what_is_in_shadow_adds_nothing() -> None:
    """With the bridge on, two readings are enough; with the second reading in shadow the first stays below."""
    allergy, taste = two_readings()
    narrow = SMALL.replace("activates: [diet]\n", "activates: [diet.taste]\n")
    registry = built(narrow)
    least = max(urgency(one, text="Bake macarons", registry=registry) for one in (allergy, taste)) + 0.01
    on = run(allergy, taste, text="Bake macarons", registry=registry, urgency_min=least)
    assert set(ids(on)) == {allergy.claim_id, taste.claim_id}
    shadow = Modes({BridgeId("cook.taste"): Mode.SHADOW}, {}, Mode.ENFORCE)
    found = run(allergy, taste, text="Bake macarons", registry=registry, modes=shadow, urgency_min=least)
    assert (found.in_mind, found.shadow) == ((), ())


def test_a_claim_that_only_shadow_brings_stays_there_beside_one_that_is_live() -> None:
    """It comes to nothing, and is no error."""
    live, quiet = state("diet.allergy", 1), state("diet.taste", 2, statement="Likes it hot.")
    shadow = Modes({BridgeId("cook.taste"): Mode.SHADOW}, {}, Mode.ENFORCE)
    narrow = built(SMALL.replace("activates: [diet]\n", "activates: [diet.taste]\n"))
    found = run(live, quiet, text="Bake macarons", registry=narrow, modes=shadow)
    assert ids(found) == [live.claim_id]


def test_what_is_approved_and_asks_for_a_review_comes_first_and_then_the_most_urgent() -> None:
    """Surer things wait for it; among the rest the more urgent is first. The control: unreviewed, it goes by that too."""
    strict = state("diet.allergy", 1, evidence=(RecordId("r1"),))
    sure = state("diet.taste", 2, statement="Likes it hot.", evidence=(RecordId("r2"),))
    unsure = state(
        "diet.taste", 3, statement="Likes it mild.", evidence=(RecordId("r3"),), **UNREVIEWED, confidence=0.8
    )
    found = run(unsure, sure, strict, text="Bake macarons", urgency_min=0.1)
    assert ids(found) == [strict.claim_id, sure.claim_id, unsure.claim_id]
    assert found.in_mind[0].effect == "deny"
    doubtful = replace(strict, status=UNREVIEWED["status"], confidence=0.3)
    assert ids(run(unsure, sure, doubtful, text="Bake macarons", urgency_min=0.0))[0] == sure.claim_id


def test_likeness_moves_a_claim_in_the_order_and_decides_nothing() -> None:
    """The nearer of two alike is first; nobody comes or goes for it."""
    one, other = (
        state("diet.taste", number, statement=f"Likes dish {number}.", evidence=(RecordId(f"r{number}"),))
        for number in (1, 2)
    )
    near = {ClaimId(other.claim_id): 0.9, ClaimId(one.claim_id): -0.9}
    assert ids(run(one, other, nearness=lambda: near)) == [other.claim_id, one.claim_id]
    assert ids(run(one, other, nearness=lambda: {one.claim_id: 0.9})) == [one.claim_id, other.claim_id]
    assert run(one, nearness=lambda: {one.claim_id: 1.0}, urgency_min=1.0).in_mind == ()


@given(
    st.floats(0.0, 1.0),
    st.floats(0.0, 1.0),
    st.floats(0.001, 1.0),
    st.sampled_from([NOT_ROUTED, Routed((("cook", 0.4),), 0.2, "router"), Routed((), 1.0, "router")]),
)
def test_a_lower_threshold_never_loses_a_claim(confidence: float, first: float, second: float, routed: Routed) -> None:
    """What comes to mind on much comes to mind on less, however unsure the claims are."""
    low, high = sorted((first, second))
    claims = two_readings(confidence=confidence)
    found = [set(ids(run(*claims, routed=routed, urgency_min=least))) for least in (low, high)]
    assert found[0] >= found[1]
