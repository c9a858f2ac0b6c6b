"""Maintain: claims whose time has passed expire when a session opens, and the past answers as it did before."""

from __future__ import annotations

import msgspec
import pytest
from worlds import FREEZE, QUESTION, START, World, house_fixture  # noqa: F401  # pytest finds the fixture here

from heedful.claims.claim import Claim
from heedful.evidence.items import HISTORICAL
from heedful.ledger.events import ClaimTransitioned
from heedful.service import maintain
from heedful.service.maintain import expire_due

DAYS_10 = 10 * 86_400


def status(house: World, claim_id: str) -> str:
    """Where the claim stands, by a session that maintains nothing."""
    with house.app.session(principal="person:ana", adopts=False).store.read() as reading:
        claim = reading.claim(claim_id)  # type: ignore[arg-type]
        assert isinstance(claim, Claim)
        return claim.status


def expiries(house: World) -> list[ClaimTransitioned]:
    """The moves to `expired` in the ledger."""
    moves = [event for event in house.events() if isinstance(event, ClaimTransitioned)]
    return [move for move in moves if move.to_status == "expired"]


def test_a_due_claim_expires_when_a_session_opens(house: World) -> None:
    """Not before its end; once; with the reason, and by no person."""
    claim_id = house.freeze()
    house.memory("person:dan")
    assert status(house, claim_id) == "active"

    house.clock.go(seconds=DAYS_10)
    assert status(house, claim_id) == "active"
    house.memory("person:dan")
    house.memory("person:dan")

    assert status(house, claim_id) == "expired"
    (move,) = expiries(house)
    assert (move.claim_id, move.actor, move.reason) == (
        claim_id,
        "service:heedful",
        "it held until 2026-12-07T00:00:00Z",
    )
    assert house.ana.verify(views=True).holds


def test_what_has_no_end_or_is_not_active_does_not_expire(house: World) -> None:
    """A proposal whose time has passed stays one."""
    proposed = house.ana.remember("frozen", kind=FREEZE, until="2026-12-01").claims[0].claim_id
    endless = house.ana.remember("tea", kind="note", form="fact", consent="explicit").claims[0].claim_id
    house.clock.go(seconds=DAYS_10)
    session = house.app.session(principal="person:ana")

    assert expire_due(session) == 0
    assert (status(house, proposed), status(house, endless)) == ("evidence-verified", "active")


def test_more_than_one_transaction_takes_are_left_to_the_next_call(
    house: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No writer waits for all of them."""
    monkeypatch.setattr(maintain, "DUE_MAX", 2)
    told = {"kind": "note", "form": "fact", "consent": "explicit", "until": "2026-12-01"}
    for number in range(3):
        house.ana.remember(f"tea {number}", **told)  # type: ignore[arg-type]
    house.clock.go(seconds=DAYS_10)
    session = house.app.session(principal="person:ana", adopts=False)

    assert [expire_due(session) for _ in range(3)] == [2, 1, 0]


def test_a_past_instant_has_the_same_decision_states_before_and_after_they_expired(house: World) -> None:
    """The packet of `as_of` is equal but for its id, the visible position, and that it says what has ended since."""
    claim_id = house.freeze()
    ana = house.ana
    before = ana.recall(QUESTION, as_of="2026-12-01T00:00:00Z")
    house.clock.go(seconds=DAYS_10)
    assert expire_due(house.app.session(principal="person:ana", adopts=False)) == 1
    after = ana.recall(QUESTION, as_of="2026-12-01T00:00:00Z")

    assert [item.item_id for item in before.items] == [claim_id]
    seen, again = msgspec.to_builtins(before), msgspec.to_builtins(after)
    for each in (seen, again):
        del each["packet_id"], each["ledger_position"], each["tokens"]
    (was,), (now,) = seen.pop("items"), again.pop("items")
    assert (was.pop("currency"), now.pop("currency")) == ("current", HISTORICAL)
    assert now.pop("flags") == (*was.pop("flags"), HISTORICAL)
    assert (again, now) == (seen, was)
    assert ana.recall(QUESTION).items == ()
    assert START < "2026-12-01"
