"""Why not: somebody asks why a claim of theirs stayed silent, and nobody learns of a claim by asking."""

from __future__ import annotations

import pytest
from worlds import (
    DEPLOY,
    FREEZE,
    HIDDEN,
    QUESTION,
    TWO_PEOPLE,
    World,
    code_of,
    house_fixture,  # noqa: F401  # pytest finds the fixture here
)
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here

from heedful.bridges.why_not import Obstacle
from heedful.kernel.ids import PrincipalId
from heedful.service.recalling import in_mind


def first(found: object) -> Obstacle:
    """The first reason."""
    return found.reasons[0].obstacle  # type: ignore[attr-defined,no-any-return]


def test_what_comes_to_mind_has_no_reason_and_the_packet_agrees(house: World) -> None:
    """The control of all the rest: over a question, and over a tool call."""
    claim_id = house.freeze()
    by_question, by_call = house.dan.why_not(claim_id, QUESTION), house.dan.why_not(claim_id, tool="Bash", args=DEPLOY)

    assert (by_question.outcome, by_question.reasons) == ("in-mind", ())
    assert (by_call.outcome, by_call.classes[0].method) == ("in-mind", "tool")
    assert [item.item_id for item in house.dan.recall(QUESTION).items] == [claim_id]


def test_a_request_that_decides_nothing_is_told_with_what_was_recognised(house: World) -> None:
    """No class, so no bridge; the claim itself is well."""
    found = house.dan.why_not(house.freeze(), "Purple.")

    assert (found.outcome, first(found), found.classes) == ("silent", Obstacle.NO_CLASS, ())
    assert found.claim.kind == FREEZE


def test_status_expiry_scope_and_policy_are_told(house: World) -> None:
    """Each where it holds, beside the claim that comes to mind."""
    claim_id = house.freeze()
    assert first(house.ana.why_not(claim_id, QUESTION, scope=["project:other"])) is Obstacle.OTHER_SCOPE
    assert first(house.ana.why_not(claim_id, QUESTION, as_of="2027-01-01")) is Obstacle.EXPIRED
    house.use(HIDDEN)
    assert first(house.ana.why_not(house.freeze_proposed(), QUESTION)) is Obstacle.UNREVIEWED
    house.bob.reject(claim_id, reason="lifted")
    revoked = house.ana.why_not(claim_id, QUESTION)
    assert (first(revoked), "lifted" in revoked.reasons[0].text) == (Obstacle.STATUS, True)


def test_a_switch_is_told(house: World) -> None:
    """A bridge that is off, and one in shadow; taken back, it comes to mind again."""
    claim_id = house.freeze()
    bridges = [way.bridge_id for way in house.ana.why_not(claim_id, QUESTION).ways if way.bridge_id]
    for mode, obstacle, outcome in (("off", Obstacle.OFF, "silent"), ("shadow", Obstacle.SHADOW, "shadow")):
        for bridge in bridges:
            house.ana.set_mode(bridge, mode, reason="r")
        found = house.ana.why_not(claim_id, QUESTION)
        assert (first(found), found.outcome) == (obstacle, outcome)
    for bridge in bridges:
        house.ana.set_mode(bridge, None, reason="r")
    assert house.ana.why_not(claim_id, QUESTION).outcome == "in-mind"


def test_nobody_learns_of_a_claim_that_they_may_not_see(house: World) -> None:
    """Above the clearance, of another scope, of a denied kind, or of no id: one answer. A stranger gets none."""
    above = house.ana.remember("x", kind=FREEZE, classification="restricted").claims[0].claim_id
    elsewhere = house.ana.remember("x", kind=FREEZE, scope=["project:other"]).claims[0].claim_id
    plain = house.freeze()
    codes = {
        code_of(lambda each=each: house.dan.why_not(each, QUESTION))  # type: ignore[misc]
        for each in (above, elsewhere, "01a22161-fe93-75e4-b971-2d327f95c9c2", "\ud800", "\0")
    }
    assert codes == {"item_not_found"}
    assert house.ana.why_not(above, QUESTION).claim.claim_id == above
    denied = TWO_PEOPLE.replace(
        '"person:dan": {roles: [], clearance: normal',
        '"person:dan": {denied_kinds: [release], roles: [], clearance: normal',
    )
    house.use(denied)
    assert code_of(lambda: house.dan.why_not(plain, QUESTION)) == "item_not_found"
    assert code_of(lambda: house.stranger.why_not(plain, QUESTION)) == "principal_may_not"


def test_an_agent_may_ask_of_what_it_sees(house: World) -> None:
    """It reads no more by it than by `why`."""
    assert house.agent.why_not(house.freeze(), QUESTION).outcome == "in-mind"
    assert code_of(lambda: house.agent.why_not(house.freeze_proposed(), QUESTION, scope=[])) == "scope_empty"


def test_another_tenant_knows_nothing_of_it(house: World) -> None:
    """The id of one tenant's claim is nothing in another."""
    claim_id = house.freeze()
    house.app.add_tenant("acme", PrincipalId("person:ana"))

    assert code_of(lambda: house.memory("person:ana", tenant="acme").why_not(claim_id, QUESTION)) == "item_not_found"


def test_what_is_not_looked_at_is_not_called_silent(house: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where more bear on the request than are looked at, that is the answer."""
    earlier, later = house.freeze(), house.freeze("A second freeze, which comes after the first.")
    monkeypatch.setattr(in_mind, "DECISION_STATES_MAX", 1)

    assert house.ana.why_not(later, QUESTION).outcome == "crowded"
    assert house.ana.why_not(earlier, QUESTION).outcome == "in-mind"
