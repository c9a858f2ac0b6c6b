"""Write-time hypotheses: where forgetting a claim would hurt."""

from __future__ import annotations

from registry_builders import delivery, small_with

from heedful.bridges.hypotheses import hurting_classes
from heedful.kernel.ids import KindId
from heedful.kernel.ladder import Decision
from heedful.testing.builders import NOON_US


def test_the_strictest_bridge_speaks_for_a_class() -> None:
    """Both bridges start from cook; the one that denies is kept."""
    (one,) = hurting_classes(KindId("diet.allergy"), small_with(), at_us=NOON_US)
    assert (one.action_class, one.effect, one.risk, one.bridge_id) == ("cook", Decision.DENY, "high", "cook.allergy")


def test_a_kind_that_no_bridge_brings_hurts_nowhere() -> None:
    """The control."""
    assert hurting_classes(KindId("weather.rain"), small_with(), at_us=NOON_US) == ()


def test_expired_and_switched_off_bridges_say_nothing() -> None:
    """What carries nothing makes no hypothesis; the cap of an unread source holds here too."""
    kind = KindId("diet.allergy")
    for new in ("effect: deny\n    expires: 2026-01-01\n", "effect: deny\n    mode: off\n"):
        registry = small_with("effect: deny\n", new.replace("    mode: off\n", ""))
        if "mode" in new:
            registry = small_with(
                "    mode: enforce\n    examples: {must_fire: [Bake macarons",
                "    mode: off\n    examples: {must_fire: [Bake macarons",
            )
        (one,) = hurting_classes(kind, registry, at_us=NOON_US)
        assert one.bridge_id == "cook.taste"
    (one,) = hurting_classes(kind, small_with("source_opened: true", "source_opened: false"), at_us=NOON_US)
    assert one.effect is Decision.ASK


def test_hypotheses_are_ordered_by_severity() -> None:
    """In the delivery pack a freeze hurts most before a production deploy or a publication, least before a merge."""
    found = hurting_classes(KindId("release.freeze"), delivery(), at_us=NOON_US)
    assert [one.action_class for one in found][:2] == ["deploy.production", "publish.release"]
    ranks = [one.effect.rank for one in found]
    assert ranks == sorted(ranks, reverse=True)
    assert len({one.action_class for one in found}) == len(found)
