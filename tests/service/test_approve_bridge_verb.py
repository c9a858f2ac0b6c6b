"""Approval of bridges: one of high risk of a store's own stays in shadow until two people have read it as it is."""

from __future__ import annotations

from functools import cache

import pytest
from worlds import (
    SOLO,
    TWO_PEOPLE,
    World,
    code_of,
    house_fixture,  # noqa: F401  # pytest finds the fixture here
)
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here

from heedful import Memory
from heedful.adapters.registry_files import pack_documents, registry_of
from heedful.bridges.registry import Registry
from heedful.kernel.ids import PrincipalId
from heedful.ledger.events import RegistryBridgeApproved

BRIDGE = "team.books"
OWN = """\
action_classes:
  bookkeeping: {description: Invoices are booked., on_no_bridge: retrieve, phrases: {en: [book ... invoices]}, mode: enforce}
kinds:
  team.closing:
    {description: The books close., form: constraint, cardinality: one, comparator: text, risk: medium,
     applies_to: [bookkeeping], expiry_test: Accounting says so.}
bridges:
  team.books:
    from: [bookkeeping]
    activates: [team.closing]
    effect: review
    risk: high
    authority: maintainer-approved
    evidence: the handbook
    source_opened: true
    reason: It would be booked in the wrong month.
    owner: team
    mode: enforce
"""
ASKED = "Please book the invoices"


@cache
def own(text: str = OWN, policy: str = TWO_PEOPLE) -> Registry:
    """The bundled pack with documents of the team's own."""
    return registry_of((*pack_documents("delivery"), ("team.yaml", text), ("policy.yaml", policy)))


@pytest.fixture(name="team")
def team_fixture(house: World) -> World:
    """A house with a bridge of high risk that nobody has approved, and a claim that it would bring."""
    house.app.registry = own()
    claim_id = house.ana.remember("The books close on Friday.", kind="team.closing").claims[0].claim_id
    house.bob.approve(claim_id)
    return house


def decided(memory: Memory) -> tuple[str, str, bool]:
    """What the packet asks for, what it would, and whether the bridge brought the claim."""
    packet = memory.recall(ASKED)
    brought = any(note.bridge_id == BRIDGE for item in packet.items for note in item.bridges)
    return str(packet.decision), str(packet.would_be), brought


def test_it_is_in_shadow_until_two_people_have_approved_it(team: World) -> None:
    """Reported as what would be; one person is not enough, nor one person twice; with the second it holds at once."""
    assert decided(team.dan) == ("allow", "review", False)
    (waiting,) = team.bob.pending_bridges()
    assert (waiting.bridge_id, waiting.approved_by, waiting.needed) == (BRIDGE, (), 2)

    first = team.bob.approve_bridge(BRIDGE, reason="read it")
    assert (first.approvals_missing, first.solo) == (1, False)
    assert code_of(lambda: team.bob.approve_bridge(BRIDGE, reason="again")) == "approval_refused"
    assert decided(team.dan) == ("allow", "review", False)
    assert team.cyd.pending_bridges()[0].approved_by == ("person:bob",)

    assert team.cyd.approve_bridge(BRIDGE, reason="so did I").approvals_missing == 0
    assert decided(team.dan) == ("review", "review", True)
    assert team.bob.pending_bridges() == ()
    event = next(each for each in team.events() if isinstance(each, RegistryBridgeApproved))
    assert (event.bridge_digest, event.actor, event.reason) == (waiting.digest, "person:bob", "read it")
    assert team.ana.verify(views=True).holds


def test_a_change_needs_approvals_of_its_own(team: World) -> None:
    """Whatever changed; going back to what was approved takes no further one, and comments change nothing."""
    for memory in (team.bob, team.cyd):
        memory.approve_bridge(BRIDGE, reason="r")
    team.app.registry = own(OWN.replace("the handbook", "the handbook, section 3"))
    assert decided(team.dan)[2] is False
    assert team.bob.pending_bridges()[0].approved_by == ()
    team.app.registry = own(OWN + "# a comment\n")
    assert decided(team.dan)[2] is True


def test_a_mode_that_was_set_does_not_get_past_it(team: World) -> None:
    """Nobody enforces what nobody has read; switched off it stays off."""
    team.ana.set_mode(BRIDGE, "enforce", reason="r")
    assert decided(team.dan)[2] is False
    team.ana.set_mode(BRIDGE, "off", reason="r")
    assert decided(team.dan) == ("allow", "allow", False)


def test_why_not_says_that_it_waits(team: World) -> None:
    """And no longer when it does not."""
    claim_id = team.ana.recall("When do the books close?").items[0].item_id
    found = team.ana.why_not(claim_id, ASKED)
    assert (found.outcome, "until people approve it" in found.reasons[0].text) == ("shadow", True)
    for memory in (team.bob, team.cyd):
        memory.approve_bridge(BRIDGE, reason="r")
    assert team.ana.why_not(claim_id, ASKED).outcome == "in-mind"


def test_what_came_with_a_release_waits_for_nobody(house: World) -> None:
    """Of high risk or not; an override of one is the store's own word, and waits."""
    assert any(bridge.risk == "high" for bridge in house.app.registry.bridges.values())
    assert house.bob.pending_bridges() == ()
    assert code_of(lambda: house.bob.approve_bridge("deploy.freeze", reason="r")) == "bridge_needs_none"

    released = next(bridge for bridge in house.app.registry.bridges.values() if bridge.risk == "high")
    house.app.registry = own(f"bridges: {{{released.id}: {{override: true, owner: team}}}}")
    assert [each.bridge_id for each in house.bob.pending_bridges()] == [released.id]


def test_lower_risks_wait_where_policy_says_so(team: World) -> None:
    """By default they don't; then one person is enough."""
    medium = OWN.replace("risk: high", "risk: medium")
    team.app.registry = own(medium)
    assert (decided(team.dan)[2], team.bob.pending_bridges()) == (True, ())

    team.app.registry = own(medium, TWO_PEOPLE.replace("policy:\n", "policy:\n  bridge_approval: all\n"))
    assert decided(team.dan)[2] is False
    assert team.bob.approve_bridge(BRIDGE, reason="r").approvals_missing == 0
    assert decided(team.dan)[2] is True


def test_one_person_is_enough_where_one_runs_the_store(team: World) -> None:
    """And the ledger says so."""
    team.app.registry = own(OWN, SOLO)
    found = team.ana.approve_bridge(BRIDGE, reason="r")

    assert (found.approvals_missing, found.solo, decided(team.ana)[2]) == (0, True, True)
    event = team.events()[-1]
    assert isinstance(event, RegistryBridgeApproved)
    assert event.reason == "r (solo)"


def test_who_may_not_approves_nothing(team: World) -> None:
    """Agents by either door, who has no role, an auditor, a stranger; and a bridge that is not there is not found."""
    count = len(team.events())
    for memory in (team.agent, team.memory("agent:pip"), team.dan, team.memory("person:aud"), team.stranger):
        assert code_of(lambda m=memory: m.approve_bridge(BRIDGE, reason="r")) == "principal_may_not"  # type: ignore[misc]
        assert code_of(memory.pending_bridges) == "principal_may_not"
    for name in ("no.such", "", "\ud800"):
        assert code_of(lambda n=name: team.bob.approve_bridge(n, reason="r")) == "bridge_not_found"  # type: ignore[misc]
    assert len(team.events()) == count


def test_another_tenant_has_approved_nothing(team: World) -> None:
    """Its people read it for themselves."""
    for memory in (team.bob, team.cyd):
        memory.approve_bridge(BRIDGE, reason="r")
    team.app.add_tenant("acme", PrincipalId("person:ana"))

    assert [each.bridge_id for each in team.memory("person:bob", tenant="acme").pending_bridges()] == [BRIDGE]
