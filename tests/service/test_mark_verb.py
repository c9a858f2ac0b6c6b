"""Mark: a person says of an item that it was, or was not, worth bringing to mind; nobody learns anything by it."""

from __future__ import annotations

from worlds import (
    QUESTION,
    World,
    code_of,
    house_fixture,  # noqa: F401  # pytest finds the fixture here
)
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here

from heedful import Memory
from heedful.kernel.ids import PrincipalId
from heedful.ledger.events import ActivationMarked


def packet_of(memory: Memory) -> str:
    """A packet with the freeze in it."""
    packet = memory.recall(QUESTION)
    assert packet.items[0].bridges
    return str(packet.packet_id)


def test_a_mark_is_in_the_ledger_with_claim_bridges_and_revision(house: World) -> None:
    """And changes nothing else."""
    claim_id = house.freeze()
    views = house.views()[1:]  # without the ledger's position
    packet = house.dan.recall(QUESTION)
    marked = house.dan.mark(packet.packet_id, "1", relevant=False, reason="另一个团队的")
    event = house.events()[-1]

    assert (marked.claim_id, marked.relevant) == (claim_id, False)
    assert "deploy.freeze" in marked.bridge_ids
    assert isinstance(event, ActivationMarked)
    assert (event.actor, event.reason, event.registry_revision) == (
        "person:dan",
        "另一个团队的",
        packet.registry_revision,
    )
    assert house.views()[1:] == views
    assert house.ana.verify(views=True).holds


def test_a_reviewer_marks_what_an_agent_was_handed(house: World) -> None:
    """And an owner, who audits; somebody else's packet is nothing to who neither reviews nor audits."""
    house.freeze()
    packet_id = packet_of(house.agent)

    for memory in (house.bob, house.ana, house.memory("person:aud")):
        assert memory.mark(packet_id, "1", relevant=True, reason="r").relevant
    assert code_of(lambda: house.dan.mark(packet_id, "1", relevant=True, reason="r")) == "item_not_found"


def test_an_agent_never_marks_by_whichever_door(house: World) -> None:
    """Else it could talk its own bridges down; a stranger may nothing. No event is written."""
    house.freeze()
    packet_id = packet_of(house.agent)
    count = len(house.events())

    for memory in (house.agent, house.memory("agent:pip"), house.memory("person:dan", channel="agent"), house.stranger):
        assert code_of(lambda m=memory: m.mark(packet_id, "1", relevant=False, reason="r")) == "principal_may_not"  # type: ignore[misc]
    assert len(house.events()) == count


def test_what_is_not_there_or_not_to_be_seen_is_one_answer(house: World) -> None:
    """No packet, another's packet, and a packet whose item is above the reviewer's clearance."""
    above = house.ana.remember("x", kind="release.freeze", classification="restricted").claims[0].claim_id
    packet = house.ana.recall(QUESTION)
    assert [item.item_id for item in packet.items] == [above]

    for packet_id in (packet.packet_id, "01a22161-fe93-75e4-b971-2d327f95c9c2", "\ud800", ""):
        assert code_of(lambda p=packet_id: house.cyd.mark(p, "1", relevant=True, reason="r")) == "item_not_found"  # type: ignore[misc]
    assert house.bob.mark(packet.packet_id, "1", relevant=True, reason="r").claim_id == above


def test_only_what_a_bridge_brought_is_marked(house: World) -> None:
    """A key that is not in the packet, and an item that plain retrieval found."""
    house.ana.remember("The invoices go out on Mondays.")
    packet = house.ana.recall("When do the invoices go out?")
    assert packet.items
    assert not packet.items[0].bridges

    for cite in ("1", "99", "", "\ud800"):
        code = code_of(lambda c=cite: house.ana.mark(packet.packet_id, c, relevant=True, reason="r"))  # type: ignore[misc]
        assert code == "citation_unknown"


def test_another_tenant_has_no_such_packet(house: World) -> None:
    """Nor does its ledger get anything."""
    house.freeze()
    house.app.add_tenant("acme", PrincipalId("person:ana"))
    acme = house.memory("person:ana", tenant="acme")

    assert code_of(lambda: acme.mark(packet_of(house.ana), "1", relevant=True, reason="r")) == "item_not_found"
    assert not any(isinstance(event, ActivationMarked) for event in house.events(tenant="acme"))
