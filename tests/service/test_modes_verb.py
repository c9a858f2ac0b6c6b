"""Modes: people switch bridges and classes, at once everywhere, and the ledger has who and why."""

from __future__ import annotations

from pathlib import Path

import pytest
from worlds import QUESTION, World, code_of, house_fixture, world  # noqa: F401  # pytest finds the fixture here

from heedful.adapters.registry_files import pack_documents, registry_of
from heedful.ledger.events import RegistryModeSet
from heedful.ports.store import ModeSetting


@pytest.mark.parametrize(
    ("target", "target_type"),
    [("deploy.freeze", "bridge"), ("deploy.production", "action-class"), ("pre-router", "pre-router")],
)
def test_a_mode_is_set_taken_back_and_in_the_ledger(house: World, target: str, target_type: str) -> None:
    """A bridge, a class and the kill switch; None gives the registry's own mode back."""
    setting = house.ana.set_mode(target, "shadow", reason="a look")
    event = house.events()[-1]

    assert setting == ModeSetting(target_type, target, setting.mode if setting else None)  # type: ignore[arg-type]
    assert house.ana.status().modes == (setting,)
    assert isinstance(event, RegistryModeSet)
    assert (event.actor, event.reason, event.mode) == ("person:ana", "a look", "shadow")
    assert house.ana.set_mode(target, None, reason="done") is None
    assert house.ana.status().modes == ()


def test_an_operator_may_and_others_may_not(house: World) -> None:
    """Deny by default; nothing is written by a denial."""
    house.use(house.policy.replace("roles: []", "roles: [operator]"))
    assert house.dan.set_mode("deploy.freeze", "off", reason="r") is not None
    count = len(house.events())

    for memory in (house.bob, house.cyd, house.agent, house.stranger, house.memory("agent:pip", channel="person")):
        assert code_of(lambda memory=memory: memory.set_mode("deploy.freeze", "off", reason="r")) == "principal_may_not"  # type: ignore[misc]
    assert len(house.events()) == count


@pytest.mark.parametrize(
    ("target", "mode", "code"),
    [
        ("no.such", "off", "mode_target_unknown"),
        ("\ud800", "off", "mode_target_unknown"),
        ("deploy.freeze", "on", "mode_unknown"),
        ("deploy.freeze", "", "mode_unknown"),
    ],
)
def test_a_target_or_mode_that_is_none_is_refused(house: World, target: str, mode: str, code: str) -> None:
    """Each by its own code."""
    assert code_of(lambda: house.ana.set_mode(target, mode, reason="r")) == code


def test_a_name_of_a_bridge_and_a_class_is_ambiguous(house: World) -> None:
    """It is not guessed which was meant."""
    both = "deploy.rollback-plan"
    registry = house.app.registry
    assert both in registry.bridges
    document = f"action_classes:\n  {both}:\n    description: a class of the same name\n    on_no_bridge: retrieve\n"
    house.app.registry = registry_of(
        (*pack_documents("delivery"), ("own.yaml", document), ("policy.yaml", house.policy))
    )

    assert code_of(lambda: house.ana.set_mode(both, "off", reason="r")) == "mode_target_ambiguous"


def test_a_switch_holds_at_once_for_every_process(tmp_path: Path) -> None:
    """Another open store on the same files obeys the next time that it is asked."""
    with world(tmp_path) as one, world(tmp_path) as other:
        one.freeze()
        before = other.ana.recall(QUESTION).items
        one.ana.set_mode("pre-router", "off", reason="stop")
        after = other.ana.recall(QUESTION).items

    assert (len(before), after) == (1, ())


def test_the_lower_of_bridge_and_class_holds(house: World) -> None:
    """Enforcing the class does not wake a bridge that is off."""
    house.freeze()
    house.enforce()
    house.ana.set_mode("deploy.freeze", "off", reason="r")
    bridges = {bridge.bridge_id for item in house.ana.recall(QUESTION).items for bridge in item.bridges}

    assert "deploy.freeze" not in bridges
