"""Hybrid recall: words and vectors together find what either would miss, and chance is no answer."""

from __future__ import annotations

from dataclasses import replace

import pytest
from concepts import SLIP, SWIM, texts, use
from worlds import FREEZE, World, code_of, house_fixture  # noqa: F401  # pytest finds the fixture here
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here

from heedful.evidence.packet import Packet
from heedful.evidence.render import render_json
from heedful.kernel.ids import PacketId
from heedful.recall.request import Scorer
from heedful.service.rebuild import rebuild


def test_a_slip_of_the_pen_is_found_at_once(house: World) -> None:
    """The vector comes with the record; by words alone (the control) nothing is found."""
    house.ana.remember(SWIM)
    house.ana.remember("The boiler is serviced in March.")

    assert texts(house.ana.recall(SLIP)) == [SWIM]
    use(house, None)
    assert house.ana.recall(SLIP).items == ()
    assert house.ana.recall(SLIP).degraded == ()


def test_a_claim_is_found_by_a_slip_as_well(house: World) -> None:
    """Claims have vectors of what they are found by."""
    house.freeze("Rotterdam shipments stopped.")
    packet = house.ana.recall("Roterdam shippments?")
    assert "claim" in [item.item for item in packet.items if not item.bridges]


def test_what_is_near_by_chance_is_not_found(house: World) -> None:
    """A question about something else brings nothing, and the packet says so."""
    for number in range(30):
        house.ana.remember(f"The invoice of week {number} was corrected, and the ledger holds.")
    packet = house.ana.recall("Which orchestra premiered the cello concerto?")
    assert (packet.items, packet.sufficiency) == ((), "insufficient")
    assert "nothing-visible-matches" in packet.sufficiency_reasons


def test_a_neighbour_is_never_enough(house: World) -> None:
    """It is handed out, as weak; with the word written right (the control) it is enough."""
    house.ana.remember(SWIM)
    house.ana.remember("The boiler is serviced in March.")
    assert (texts(house.ana.recall(SLIP)), house.ana.recall(SLIP).sufficiency) == ([SWIM], "insufficient")
    assert house.ana.recall("Does the physiotherapist want me to swim?").sufficiency == "sufficient"


def test_an_exact_identifier_stands_first(house: World) -> None:
    """Also where its neighbour is newer, nearer and has more of the words."""
    exact = "Ticket OPS-20931 asks for a bigger heap."
    house.ana.remember(exact)
    for number in range(20):
        house.ana.remember(
            f"Ticket OPS-2{number:02}13 asks for a bigger heap on the search nodes, what does it ask for?"
        )
    assert texts(house.ana.recall("What does ticket OPS-20931 ask for on the search nodes?"))[0] == exact


def test_a_rebuild_makes_the_same_vectors_again(house: World) -> None:
    """The packet is the same, byte for byte but for its id and instant."""
    house.ana.remember(SWIM)
    house.freeze()
    before = house.ana.recall(SLIP)
    rebuild(house.ana._session, progress=lambda _done: None)
    after = house.ana.recall(SLIP)
    assert render_json(alike(after)) == render_json(alike(before))
    assert texts(after) == [SWIM]


def test_what_is_rejected_is_near_nothing(house: World) -> None:
    """Its vector goes with its row; until then (the control) it was found."""
    slip = "Roterdam shippments?"
    claim_id = house.ana.remember("Rotterdam shipments stopped.", kind=FREEZE).claims[0].claim_id
    assert claim_id in [item.item_id for item in house.ana.recall(slip).items]
    house.bob.reject(claim_id, reason="it was a dream")
    assert claim_id not in [item.item_id for item in house.ana.recall(slip).items]


def test_other_peoples_rows_change_nothing_of_mine(house: World) -> None:
    """Neither order nor score nor label: nearer rows in another scope, and of a higher classification."""
    mine = ["The physiotherapist told me to swim.", "A therapist came to the office.", "Physical stock was counted."]
    for text in mine:
        house.ana.remember(text)
    before = house.cyd.recall(SLIP)
    for number in range(60):
        house.ana.remember(f"{SLIP} {number}", scope=["project:other"])
        house.ana.remember(f"{SLIP} {number}", classification="restricted")
    after = house.cyd.recall(SLIP)

    assert texts(before)[0] == mine[0]
    assert render_json(alike(after)) == render_json(alike(before))
    # The control: whoever sees them has another packet.
    assert render_json(alike(house.ana.recall(SLIP))) != render_json(alike(before))


def test_a_filter_holds_for_neighbours_too(house: World) -> None:
    """A type that was not asked for is not found by nearness."""
    house.ana.remember(SWIM)
    assert house.ana.recall(SLIP, record_types=["tool_result"]).items == ()
    assert texts(house.ana.recall(SLIP, record_types=["human_note"])) == [SWIM]


SCORERS: tuple[tuple[Scorer, Scorer], ...] = (("linear", "tiered"), ("tiered", "linear"))


@pytest.mark.parametrize(("scorer", "other"), SCORERS)
def test_both_scorers_are_reached_by_request_and_by_setting(house: World, scorer: Scorer, other: Scorer) -> None:
    """They give different scores, and a word that is neither is refused."""
    house.ana.remember(SWIM)
    by_request = score_of(house.ana.recall("swim?", scorer=scorer))
    house.app.settings = replace(house.app.settings, scorer=scorer)

    assert score_of(house.ana.recall("swim?")) == pytest.approx(by_request, abs=1e-4)
    assert abs(score_of(house.ana.recall("swim?", scorer=other)) - by_request) > 0.01
    assert code_of(lambda: house.ana.recall("swim?", scorer="best")) == "choice_unknown"


def score_of(packet: Packet) -> float:
    score = packet.items[0].score
    assert score is not None
    return score


def alike(packet: Packet) -> Packet:
    """The packet without what differs between two looks: its id and instant."""
    return replace(packet, packet_id=PacketId(""), as_of="")
