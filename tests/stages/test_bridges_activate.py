"""What comes to mind: every condition beside its denial, and every cap."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from registry_builders import ALL_MODES, SCOPE, SMALL, asked, built, small_with, state

from heedful.bridges.activate import activate, eligible_bridges, kinds_of
from heedful.bridges.classify import classify
from heedful.bridges.registry import Registry
from heedful.bridges.request import Activations, Modes
from heedful.claims.claim import Claim, ClaimStatus, Visibility
from heedful.kernel.ids import ActionClassId, BridgeId
from heedful.kernel.ladder import Consent, Decision, Mode
from heedful.kernel.scope import Scope, parse_scope
from heedful.testing.builders import NOON_US

SMALL_REGISTRY = small_with()
NUTS = "Bake macarons"


def run(
    *claims: Claim, text: str = NUTS, registry: Registry = SMALL_REGISTRY, modes: Modes = ALL_MODES, **more: Any
) -> Activations:
    """What this request brings to mind."""
    classified = classify(asked(text, more.get("tool")), registry)
    scope: Scope = more.get("scope", SCOPE)
    answered: bool = more.get("is_answered", False)
    return activate(classified, claims, registry, modes, at_us=NOON_US, request_scope=scope, is_answered=answered)


def pairs(found: Activations) -> list[tuple[str, str]]:
    """(bridge, effect) of what is in mind."""
    return [(one.bridge_id, one.effect) for one in found.in_mind]


def test_a_claim_comes_to_mind_for_a_question_that_never_mentions_it() -> None:
    """An allergy for a cake that contains its cause, with the bridge, the reason and the way."""
    (strict, mild) = run(state("diet.allergy")).in_mind
    assert (strict.bridge_id, strict.effect, mild.bridge_id, mild.effect) == (
        "cook.allergy", Decision.DENY, "cook.taste", Decision.NOTICE,
    )  # fmt: skip
    assert strict.reason == "What harms somebody must be known before cooking."
    assert strict.via.startswith("cook (phrase: the text has 'bake'); tree-nut ('macaron: macaron contains almond")


def test_the_predicate_must_hold() -> None:
    """Bread has nothing to do with nuts: the bridge with the predicate stays out, the other one does not."""
    assert pairs(run(state("diet.allergy"), text="Bake bread")) == [("cook.taste", "notice")]


def test_the_class_must_be_one_that_the_bridge_starts_from() -> None:
    """A flight is not cooking, whatever the claim is."""
    found = run(state("diet.allergy", applies_to=(ActionClassId("travel"),)), text="Book a flight with macarons")
    assert found.in_mind == ()


def test_a_descendant_of_the_bridge_s_class_is_covered() -> None:
    """A bridge from cook holds for cook.guests."""
    assert ("cook.taste", "notice") in pairs(run(state("diet.taste"), text="A dinner party"))


def test_a_bridge_brings_descendants_of_its_kind_and_no_look_alikes() -> None:
    """`diet` covers diet.taste; it does not cover dietary or the kind above it."""
    assert pairs(run(state("diet.taste"), text="Bake bread")) == [("cook.taste", "notice")]
    assert run(state("dietary.taste"), state("die", 2), text="Bake bread").in_mind == ()


@pytest.mark.parametrize(
    "changes",
    [
        {"applies_to": ()},
        {"applies_to": (ActionClassId("travel"),)},
        {"applies_to": (ActionClassId("cook.guests"),)},
        {"not_for": (ActionClassId("cook"),)},
        {"visibility": Visibility.QUERY},
        {"consent": Consent.DENIED},
        {"valid_to_us": NOON_US},
        {"valid_from_us": NOON_US + 1},
        {"scope": parse_scope(["project:other"])},
        {"status": ClaimStatus.QUARANTINED},
        {"status": ClaimStatus.EXPIRED},
        {"status": ClaimStatus.REVOKED},
        {"status": ClaimStatus.SUPERSEDED},
        {"status": ClaimStatus.ARCHIVED},
    ],
)
def test_each_condition_alone_keeps_a_claim_out(changes: dict[str, Any]) -> None:
    """The control is the first test: the same claim without the change comes to mind."""
    found = run(state("diet.allergy", **changes))
    assert found.in_mind == found.shadow == ()


def test_not_for_silences_a_class_and_its_descendants_only() -> None:
    """A claim silent before cook.guests still speaks before cook: no class that is added takes another away."""
    claim = state("diet.taste", not_for=(ActionClassId("cook.guests"),))
    assert run(claim, text="A dinner party").in_mind == ()
    found = run(claim, text="A dinner party", tool="oven.on").in_mind
    assert [one.action_class for one in found] == ["cook"]


def test_the_tenant_s_own_claims_apply_everywhere() -> None:
    """The empty scope is part of every scope."""
    assert run(state("diet.taste", scope=Scope(()))).in_mind


@pytest.mark.parametrize("status", [ClaimStatus.PROPOSED, ClaimStatus.EVIDENCE_VERIFIED, ClaimStatus.POLICY_REVIEWED])
def test_an_unreviewed_claim_asks_for_a_review_at_most(status: ClaimStatus) -> None:
    """It never denies; where policy hides it, it is not there."""
    assert pairs(run(state("diet.allergy", status=status))) == [("cook.allergy", "review"), ("cook.taste", "notice")]
    hidden = small_with("unreviewed: advisory", "unreviewed: hidden")
    assert run(state("diet.allergy", status=status), registry=hidden).in_mind == ()


def test_where_an_answer_is_all_that_follows_what_is_unreviewed_is_a_notice() -> None:
    """The answer states it; what is done then is judged by itself. The controls: approved, and before something is
    done."""
    waiting = state("diet.allergy", status=ClaimStatus.EVIDENCE_VERIFIED)
    assert pairs(run(waiting, is_answered=True)) == [("cook.allergy", "notice"), ("cook.taste", "notice")]
    assert ("cook.allergy", "review") in pairs(run(waiting))
    assert ("cook.allergy", "deny") in pairs(run(state("diet.allergy"), is_answered=True))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("effect: deny\n", "effect: deny\n    contested: true\n"),
        ("effect: deny\n", "effect: deny\n    certainty: probable\n"),
        ("source_opened: true", "source_opened: false"),
    ],
)
def test_an_unsure_bridge_asks_at_most(old: str, new: str) -> None:
    """Contested, probable and unread bridges are capped also where nobody ran the check."""
    assert ("cook.allergy", "ask") in pairs(run(state("diet.allergy"), registry=small_with(old, new)))


def test_an_expired_bridge_carries_nothing() -> None:
    """From the instant of its expiry on; the day before it still does."""
    for expires, carried in (("2026-05-28", False), ("2026-05-30", True)):
        registry = small_with("effect: deny\n", f"effect: deny\n    expires: {expires}\n")
        assert ("cook.allergy" in dict(pairs(run(state("diet.allergy"), registry=registry)))) is carried


def modes_of(**changes: Any) -> Modes:
    """Modes with fields changed."""
    return Modes(changes.get("bridges", {}), changes.get("classes", {}), changes.get("pre_router", Mode.ENFORCE))


def test_the_lower_mode_of_bridge_and_class_holds() -> None:
    """A mode set at run time holds before the shipped one; a class's holds for its descendants."""
    cook, taste = ActionClassId("cook"), BridgeId("cook.taste")
    cases = [
        (modes_of(), Mode.ENFORCE),
        (modes_of(bridges={taste: Mode.ADVISE}), Mode.ADVISE),
        (modes_of(classes={cook: Mode.ADVISE}), Mode.ADVISE),
        (modes_of(classes={cook: Mode.SHADOW, ActionClassId("cook.guests"): Mode.ENFORCE}), Mode.ENFORCE),
        (modes_of(bridges={taste: Mode.SHADOW}, classes={cook: Mode.ADVISE}), Mode.SHADOW),
        (modes_of(pre_router=Mode.SHADOW), Mode.SHADOW),
    ]
    for modes, expected in cases:
        found = run(state("diet.taste"), text="A dinner party", modes=modes)
        assert [one.mode for one in (*found.in_mind, *found.shadow)] == [expected]
        assert bool(found.shadow) is (expected is Mode.SHADOW)


def test_off_brings_nothing_and_the_kill_switch_brings_nothing_at_all() -> None:
    """A bridge that is off leaves its class without a bridge; the pre-router off says nothing of any class."""
    off = run(state("diet.taste"), text="Bake bread", modes=modes_of(bridges={BridgeId("cook.taste"): Mode.OFF}))
    assert (off.in_mind, off.shadow, [one.action_class for one in off.no_bridge]) == ((), (), ["cook"])
    killed = run(state("diet.taste"), text="Bake bread", modes=modes_of(pre_router=Mode.OFF))
    assert killed == Activations((), (), ())


def test_a_class_that_nothing_was_carried_to_says_what_to_do() -> None:
    """No link is invented; shadow activations do not count as carried."""
    assert [(one.action_class, one.on_no_bridge) for one in run(text="Book a flight").no_bridge] == [
        ("travel", "review")
    ]
    shadow = run(state("diet.taste"), text="Bake bread", modes=modes_of(pre_router=Mode.SHADOW))
    assert [one.action_class for one in shadow.no_bridge] == ["cook"]
    assert run(state("diet.taste"), text="Bake bread").no_bridge == ()


def test_two_classes_that_reach_one_bridge_bring_a_claim_once_by_the_highest_mode() -> None:
    """A class that the caller adds can't lower what the tool's class asks for."""
    modes = modes_of(classes={ActionClassId("cook.guests"): Mode.SHADOW})
    found = run(state("diet.taste"), text="A dinner party", tool="oven.on", modes=modes)
    assert [(one.action_class, one.mode) for one in found.in_mind] == [("cook", Mode.ENFORCE)]
    assert found.shadow == ()


def test_eligible_kinds_are_those_that_some_bridge_could_bring() -> None:
    """What the store is asked for: nothing for a request that decides nothing, or with everything off."""

    def kinds(text: str, modes: Modes = ALL_MODES) -> tuple[str, ...]:
        classified = classify(asked(text), SMALL_REGISTRY)
        return kinds_of(eligible_bridges(classified, SMALL_REGISTRY, modes, at_us=NOON_US))

    assert kinds(NUTS) == ("diet", "diet.allergy")
    assert kinds("Bake bread") == ("diet",)
    assert kinds("hello") == kinds(NUTS, modes_of(pre_router=Mode.OFF)) == ()


@given(st.permutations([state("diet.allergy", n) for n in range(3)] + [state("diet.taste", n) for n in range(3, 6)]))
def test_the_order_of_claims_changes_nothing(claims: list[Claim]) -> None:
    """Strictest effect first, then claim id, then bridge id, whatever order the store gave."""
    found = run(*claims).in_mind
    assert list(found) == sorted(found, key=lambda one: (-one.effect.rank, one.claim.claim_id, one.bridge_id))
    assert len(found) == 9


_EFFECTS = st.sampled_from(["notice", "ask", "review", "deny"])
_STATUSES = st.sampled_from(list(ClaimStatus))


@given(_EFFECTS, _STATUSES, st.booleans(), st.booleans(), st.booleans())
def test_no_bridge_ever_grants_and_no_cap_is_ever_passed(
    effect: str, status: ClaimStatus, contested: bool, probable: bool, opened: bool
) -> None:
    """Whatever is combined: never `allow`; deny only for active claims over a sure bridge."""
    text = SMALL.replace(
        "effect: deny\n",
        f"effect: {effect}\n    contested: {str(contested).lower()}\n"
        f"    certainty: {'probable' if probable else 'established'}\n",
    ).replace("source_opened: true", f"source_opened: {str(opened).lower()}")
    found = run(state("diet.allergy", status=status), registry=built(text))
    unsure = contested or probable or not opened
    for one in found.in_mind:
        assert one.effect is not Decision.ALLOW
        assert one.effect.rank <= (Decision.ASK if unsure and one.bridge_id == "cook.allergy" else Decision.DENY).rank
        assert one.effect is not Decision.DENY or status is ClaimStatus.ACTIVE
