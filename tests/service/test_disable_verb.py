"""Disable: a bridge stops at once, what it brought is set apart by who may, and a second call goes on."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from worlds import (
    DEPLOY,
    FREEZE,
    QUESTION,
    World,
    code_of,
    house_fixture,  # noqa: F401  # pytest finds the fixture here
    world,
)
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here

from heedful.claims.claim import Claim
from heedful.kernel.ids import PrincipalId
from heedful.ledger.events import ClaimTransitioned
from heedful.service import walk

BRIDGE = "deploy.freeze"
OTHER = "deploy.rollback-plan"


def status_of(house: World, claim_id: str) -> str:
    """Where the claim stands."""
    shown, _ = house.ana.show(claim_id)
    assert isinstance(shown, Claim)
    return str(shown.status)


def brought_by(house: World, bridge: str) -> bool:
    """Whether the bridge brings anything for the question now."""
    return any(note.bridge_id == bridge for item in house.ana.recall(QUESTION).items for note in item.bridges)


def test_a_disabled_bridge_brings_nothing_and_its_claims_are_set_apart(house: World) -> None:
    """By a packet; a claim that nobody was shown stays as it is, and the ledger says who and why."""
    claim_id = house.freeze()
    assert brought_by(house, BRIDGE)
    untouched = house.freeze("Another freeze, which no packet was made for.")
    found = house.ana.disable_bridge(BRIDGE, reason="wrong since Monday", quarantine=True)

    assert (found.was_off, found.quarantined, found.left) == (False, (claim_id,), 0)
    assert (status_of(house, claim_id), status_of(house, untouched)) == ("quarantined", "active")
    assert not brought_by(house, BRIDGE)
    moved = house.events()[-1]
    assert isinstance(moved, ClaimTransitioned)
    assert moved.actor == "person:ana"
    assert "wrong since Monday" in moved.reason
    assert house.ana.verify(views=True).holds


def test_without_quarantine_the_claims_stay(house: World) -> None:
    """The control: the first level alone; other bridges go on."""
    claim_id = house.freeze()
    brought_by(house, BRIDGE)
    found = house.ana.disable_bridge(BRIDGE, reason="r")

    assert (found.quarantined, status_of(house, claim_id)) == ((), "active")
    assert house.ana.status().modes[0].mode == "off"


def test_what_a_verdict_named_is_set_apart_as_well(house: World) -> None:
    """A gate that was asked without a packet."""
    claim_id = house.freeze()
    rules = [ruling.rule for ruling in house.agent.judge("Bash", DEPLOY).rulings]
    assert f"bridge:{BRIDGE}" in rules

    assert house.ana.disable_bridge(BRIDGE, reason="r", quarantine=True).quarantined == (claim_id,)


def test_what_another_bridge_brought_is_left_alone(house: World) -> None:
    """Only packets that name this very bridge count."""
    claim_id = house.freeze()
    brought_by(house, BRIDGE)

    assert house.ana.disable_bridge(OTHER, reason="r", quarantine=True).quarantined == ()
    assert status_of(house, claim_id) == "active"


def test_a_second_call_goes_on_where_the_first_was_stopped(house: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Page by page: what is done stays done, and the rest is found."""
    monkeypatch.setattr(walk, "PAGE_EVENTS", 1)
    first = house.freeze()
    brought_by(house, BRIDGE)
    house.ana.disable_bridge(BRIDGE, reason="r", quarantine=True)
    house.ana.enable_bridge(BRIDGE, reason="r")
    second = house.freeze("A later freeze.")
    brought_by(house, BRIDGE)
    found = house.ana.disable_bridge(BRIDGE, reason="again", quarantine=True)

    assert (found.quarantined, found.left) == ((second,), 1)
    assert house.ana.disable_bridge(BRIDGE, reason="again", quarantine=True).quarantined == ()
    assert {status_of(house, first), status_of(house, second)} == {"quarantined"}


def test_enabling_takes_the_setting_back_and_restores_no_claim(house: World) -> None:
    """What was set apart waits for a person; a bridge that nobody disabled has nothing to take back."""
    claim_id = house.freeze()
    brought_by(house, BRIDGE)
    house.ana.disable_bridge(BRIDGE, reason="r", quarantine=True)

    assert house.ana.enable_bridge(BRIDGE, reason="mended")
    assert (status_of(house, claim_id), house.ana.status().modes) == ("quarantined", ())
    assert not house.ana.enable_bridge(BRIDGE, reason="again")
    house.bob.approve(claim_id)
    house.cyd.approve(claim_id)
    assert brought_by(house, BRIDGE)


def test_who_may_not_changes_nothing(house: World) -> None:
    """A mode is an operator's, a quarantine a reviewer's; agents have neither, by whichever door."""
    house.use(house.policy.replace("roles: []", "roles: [operator]"))
    claim_id = house.freeze()
    brought_by(house, BRIDGE)
    count = len(house.events())
    for memory in (house.agent, house.memory("agent:pip"), house.stranger, house.memory("person:aud")):
        for quarantine in (True, False):
            assert (
                code_of(lambda m=memory, q=quarantine: m.disable_bridge(BRIDGE, reason="r", quarantine=q))  # type: ignore[misc]
                == "principal_may_not"
            )
        assert code_of(lambda m=memory: m.enable_bridge(BRIDGE, reason="r")) == "principal_may_not"  # type: ignore[misc]
    assert code_of(lambda: house.bob.disable_bridge(BRIDGE, reason="r", quarantine=True)) == "principal_may_not"
    assert code_of(lambda: house.dan.disable_bridge(BRIDGE, reason="r", quarantine=True)) == "principal_may_not"
    assert len(house.events()) == count

    house.dan.disable_bridge(BRIDGE, reason="an operator may")
    assert house.bob.disable_bridge(BRIDGE, reason="a reviewer may", quarantine=True).quarantined == (claim_id,)


def test_a_reviewer_moves_only_what_they_may_see(house: World) -> None:
    """And is told of nothing else; an owner moves the rest."""
    scope = ["project:payments", "environment:production"]
    claim_id = house.ana.remember("Nothing leaves.", kind=FREEZE, scope=scope).claims[0].claim_id
    assert house.ana.recall(QUESTION, scope=scope).items[0].bridges
    house.ana.disable_bridge(BRIDGE, reason="r")
    found = house.cyd.disable_bridge(BRIDGE, reason="r", quarantine=True)

    assert (found.quarantined, found.left) == ((), 0)
    assert house.ana.disable_bridge(BRIDGE, reason="r", quarantine=True).quarantined == (claim_id,)


def test_a_bridge_that_never_was_is_refused(house: World) -> None:
    """A slip of the hand quarantines nothing, and says so."""
    for name in ("deploy.frezze", "\ud800", ""):
        calls = (
            partial(house.ana.disable_bridge, name, reason="r", quarantine=True),
            partial(house.ana.enable_bridge, name, reason="r"),
        )
        assert [code_of(call) for call in calls] == ["bridge_not_found"] * 2


def test_another_tenant_is_not_touched(house: World) -> None:
    """Neither its bridge nor its claims."""
    house.app.add_tenant("acme", PrincipalId("person:ana"))
    house.freeze()
    brought_by(house, BRIDGE)
    acme = house.memory("person:ana", tenant="acme")
    found = acme.disable_bridge(BRIDGE, reason="r", quarantine=True)

    assert found.quarantined == ()
    assert house.ana.status().modes == ()
    assert brought_by(house, BRIDGE)


def test_it_holds_at_once_for_every_process(tmp_path: Path) -> None:
    """Another open store on the same files has it at its next request."""
    with world(tmp_path) as one, world(tmp_path) as other:
        one.freeze()
        before = brought_by(other, BRIDGE)
        one.ana.disable_bridge(BRIDGE, reason="stop", quarantine=True)

        assert (before, brought_by(other, BRIDGE)) == (True, False)
