"""Coverage: counts what was handed out and what people said of it, for those who may audit."""

from __future__ import annotations

import pytest
from worlds import (
    QUESTION,
    World,
    code_of,
    house_fixture,  # noqa: F401  # pytest finds the fixture here
)
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here

from heedful.kernel.ids import PrincipalId
from heedful.service import walk
from heedful.service.governing.coverage import BridgeUse, Coverage

BRIDGE = "deploy.freeze"


def use_of(found: Coverage, bridge: str = BRIDGE) -> BridgeUse:
    """What the report says of the bridge."""
    return next(use for use in found.bridges if use.bridge_id == bridge)


def test_an_unused_store_has_hit_nothing(house: World) -> None:
    """Every bridge and class is listed as never hit; nothing is only ever wrong."""
    found = house.ana.coverage()

    assert (found.packets, found.bridges, found.bridges_only_wrong) == (0, (), ())
    assert set(found.bridges_never_hit) == set(house.app.registry.bridges)
    assert set(found.classes_never_hit) == set(house.app.registry.vocabulary.action_classes)


def test_activations_and_marks_are_counted_by_bridge(house: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over any number of pages; a later mark of the same person takes the place of the earlier one."""
    monkeypatch.setattr(walk, "PAGE_EVENTS", 2)
    house.freeze()
    first, second, third = (house.dan.recall(QUESTION) for _ in range(3))
    house.agent.recall("Purple.")
    house.dan.mark(first.packet_id, "1", relevant=False, reason="r")
    house.dan.mark(first.packet_id, "1", relevant=True, reason="I see now")
    house.dan.mark(second.packet_id, "1", relevant=False, reason="r")
    house.bob.mark(second.packet_id, "1", relevant=True, reason="I disagree")
    found = house.memory("person:aud").coverage()
    use = use_of(found)

    assert third.items
    assert found.packets == 4
    assert (use.activations, use.marked, use.relevant, use.precision) == (3, 3, 2, 0.6667)
    assert BRIDGE not in found.bridges_never_hit
    assert not {*first.action_classes, "deploy"} & set(found.classes_never_hit)
    assert found.bridges_only_wrong == ()


def test_a_bridge_that_was_only_ever_wrong_is_named(house: World) -> None:
    """And its revisions stand apart: under the next registry it starts anew."""
    house.freeze()
    house.dan.mark(house.dan.recall(QUESTION).packet_id, "1", relevant=False, reason="r")
    before = house.app.registry.revision
    found = house.ana.coverage()
    assert BRIDGE in found.bridges_only_wrong

    house.use(house.policy.replace("verification_max_age_seconds: 3600", "verification_max_age_seconds: 3601"))
    house.dan.mark(house.dan.recall(QUESTION).packet_id, "1", relevant=True, reason="r")
    after = use_of(house.ana.coverage())
    assert [(each.revision, each.precision) for each in after.revisions] == [
        (before, 0.0),
        (house.app.registry.revision, 1.0),
    ]
    assert (after.marked, after.relevant, after.precision) == (2, 1, 0.5)


def test_who_may_not_audit_gets_no_counts(house: World) -> None:
    """They count what others were handed."""
    for memory in (house.bob, house.dan, house.agent, house.memory("agent:pip"), house.stranger):
        assert code_of(memory.coverage) == "principal_may_not"


def test_another_tenants_packets_do_not_count(house: World) -> None:
    """Each counts its own."""
    house.app.add_tenant("acme", PrincipalId("person:ana"))
    house.freeze()
    house.ana.recall(QUESTION)

    assert house.memory("person:ana", tenant="acme").coverage().packets == 0
    assert house.ana.coverage().packets == 1
