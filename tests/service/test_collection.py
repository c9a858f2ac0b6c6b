"""Collection: what nobody used for a month, and of which one is not sure, is archived; guards and pins never are."""

from __future__ import annotations

from households import ADDRESS, COMMUTE, PARKING, home_fixture, says  # noqa: F401  # pytest finds the fixture here
from upkeep_steps import DAYS_31, add, moves, session_of, standing, status, told
from worlds import FREEZE, World, house_fixture, world  # noqa: F401  # pytest finds the fixture here

from heedful.evidence.packet import Packet
from heedful.kernel.ids import ClaimId, PrincipalId
from heedful.kernel.ladder import Tier
from heedful.ledger.belief_events import ClaimPinned, ClaimPromoted, ClaimWeighed

ANA = PrincipalId("person:ana")


def claims_in(packet: Packet) -> list[str]:
    """The claims that it hands over; the records that they rest on stay what they were."""
    return [item.item_id for item in packet.items if item.item == "claim"]


def test_what_is_faint_and_unused_is_archived_with_its_reason(house: World) -> None:
    """Not before the month is over; never what one is sure of; the ledger and the report tell why."""
    faint, sure = told(house, "The canteen may close"), told(house, "Tea at four", confidence=0.9)
    house.clock.go(seconds=29 * 86_400)
    assert house.ana.maintain("collect").runs[0].report.moved == 0  # type: ignore[union-attr]

    house.clock.go(seconds=2 * 86_400)
    report = house.ana.maintain("collect").runs[0].report

    assert (status(house, faint), status(house, sure)) == ("archived", "active")
    assert report is not None
    (move,) = report.moves
    assert (move.claim_id, move.statement, move.from_status) == (faint, "The canteen may close", "active")
    assert move.reason == standing(house, faint).status_reason
    assert move.reason.startswith("collected: unused since 2026-11-29T")
    assert move.reason.endswith(", confidence 0.3")
    assert claims_in(house.ana.recall("canteen")) == []


def test_what_was_handed_over_in_the_month_stays(house: World) -> None:
    """The control: the same claim, handed over before the month began, goes."""
    used, once = told(house, "The canteen may close"), told(house, "The lift may stop")
    assert claims_in(house.ana.recall("lift stop")) == [once]
    session_of(house).access.flush()
    house.clock.go(seconds=20 * 86_400)
    assert claims_in(house.dan.recall("canteen close")) == [used]
    house.clock.go(seconds=12 * 86_400)

    house.ana.maintain("collect")

    assert (status(house, used), status(house, once)) == ("active", "archived")


def test_pins_authority_questions_and_guards_are_spared(house: World) -> None:
    """However faint and unused; the control beside them goes."""
    pinned, ruled = told(house, "The canteen may close"), told(house, "Ring twice")
    freeze, plain = house.freeze("Nothing leaves.", confidence=0.2), told(house, "The lift may stop")
    add(house, ClaimPinned(ClaimId(pinned), True, ANA, "keep it"))
    add(house, ClaimPromoted(ClaimId(ruled), Tier.UNVERIFIED, Tier.OPERATOR, ANA, "a rule of ours"))
    add(house, ClaimWeighed(ClaimId(freeze), 0.1, 0, ANA, "doubt", None))
    house.clock.go(seconds=DAYS_31)

    house.ana.maintain("collect")

    assert moves(house, "archived") == [plain]
    assert standing(house, freeze).kind == FREEZE


def test_what_was_taken_back_from_the_archive_counts_as_used(house: World) -> None:
    """For another month, and no longer."""
    faint = told(house, "The canteen may close")
    house.clock.go(seconds=DAYS_31)
    house.ana.maintain("collect")
    house.ana.unarchive(faint, reason="it is needed")
    house.clock.go(seconds=8 * 86_400)
    house.ana.maintain()
    assert status(house, faint) == "active"

    house.clock.go(seconds=DAYS_31)
    house.ana.maintain()
    assert status(house, faint) == "archived"


def test_both_limits_are_settings() -> None:
    """How long unused, and below which confidence."""
    with world(collect_unused_days=2.0, collect_confidence_below=0.8) as house:
        claim_id = told(house, "The canteen may close", confidence=0.7)
        house.clock.go(seconds=3 * 86_400)
        house.ana.maintain("collect")
        assert status(house, claim_id) == "archived"


def test_a_report_tells_what_rests_on_what_went(home: World) -> None:
    """And that is out of the current answers until somebody looks at it; what both goes and rests goes once."""
    address = says(home.ana, "I live in Bonn.", ADDRESS, "Bonn", confidence=0.2)
    commute = says(home.ana, "It takes me 40 minutes.", COMMUTE, 40, rests_on=[address])
    parking = says(home.ana, "I park in the yard.", PARKING, "yard", rests_on=[address], confidence=0.2)
    home.clock.go(seconds=DAYS_31)

    report = home.ana.maintain("collect").runs[0].report

    assert report is not None
    assert {move.claim_id for move in report.moves} == {address, parking}
    resting = {move.claim_id: set(move.resting) for move in report.moves}
    assert resting == {address: {commute, parking}, parking: set()}
    assert [status(home, each) for each in (address, commute, parking)] == ["archived", "quarantined", "archived"]
    assert home.ana.verify(views=True).holds
