"""What rests on a claim is so only as long as that is: it is never served when that is over."""

from __future__ import annotations

import pytest
from households import ADDRESS, COMMUTE, HOME, HOME_ADDRESS, PARKING, claim_of, home_fixture, says  # noqa: F401
from worlds import World, code_of

from heedful.claims.claim import ClaimStatus
from heedful.claims.lifecycle import GROUND_RETURNED, is_changing
from heedful.kernel.ladder import Tier
from heedful.observations.record import RecordStatus
from heedful.ports.store import StoredRecord

COMMUTING = "It takes me 40 minutes to work."


def house_of_cards(home: World) -> tuple[str, str, str]:
    """An address, a commute that rests on it, and a parking place that rests on the commute."""
    address = says(home.ana, HOME_ADDRESS, ADDRESS, "Shanghai", since="2026-01-01")
    commute = says(home.ana, COMMUTING, COMMUTE, 40, rests_on=[address])
    parking = says(home.ana, "I park at the station.", PARKING, "station", rests_on=[commute])
    return address, commute, parking


def statuses(home: World, *claim_ids: str) -> list[str]:
    """Where each stands."""
    return [claim_of(home.ana, each).status.value for each in claim_ids]


def test_what_rests_on_a_corrected_claim_leaves_the_answers_over_any_steps(home: World) -> None:
    """In the same transaction, for a stated reason; the answer names what is to be looked at again."""
    address, commute, parking = house_of_cards(home)
    before = len(home.events())
    done = home.ana.correct(address, "Berlin", since="2026-11-01", reason="I moved")

    assert statuses(home, address, commute, parking) == ["superseded", "quarantined", "quarantined"]
    assert done.needs_review == (commute, parking)
    assert all(is_changing(claim_of(home.ana, each)) for each in (commute, parking))
    assert claim_of(home.ana, commute).status_reason == "its ground changed: what it rests on is superseded"
    assert [each.claim_id for each in home.bob.review_queue().claims] == [commute, parking]
    assert len(home.events()) > before
    assert home.ana.verify(views=True).holds


@pytest.mark.parametrize("end", ["retract", "reject", "withdraw", "expire"])
def test_however_the_ground_ends_what_rests_on_it_waits(home: World, end: str) -> None:
    """Retracted, rejected, without evidence, or past its time."""
    more = {"until": "2026-12-01"} if end == "expire" else {}
    address = says(home.ana, HOME_ADDRESS, ADDRESS, "Shanghai", **more)
    commute = says(home.ana, COMMUTING, COMMUTE, 40, rests_on=[address])
    record_id = claim_of(home.ana, address).evidence[0]
    if end == "retract":
        assert home.ana.retract(address, reason="no").needs_review == (commute,)
    elif end == "reject":
        home.bob.reject(address)
    elif end == "withdraw":
        assert home.bob.reject(record_id).quarantined == (address, commute)
    else:
        home.clock.go(seconds=5 * 86_400)
        home.ana.maintain(job="expire")
    assert statuses(home, commute) == ["quarantined"]


def test_a_claim_of_its_own_stays_when_another_ends(home: World) -> None:
    """The control: what does not rest on it is untouched, and so is what rests on what still stands."""
    address, *_ = house_of_cards(home)
    alone = says(home.ana, "I drink tea.", PARKING, "tea house")
    home.ana.retract(address, reason="no")
    assert statuses(home, alone) == ["active"]


def test_who_looks_again_puts_it_back(home: World) -> None:
    """A reviewer's word: the commute is the same; the parking place, which rested on it, stands again by itself."""
    address, commute, parking = house_of_cards(home)
    home.ana.correct(address, "Berlin", since="2026-11-01", reason="I moved")
    home.bob.approve(commute, reason="as long as before")
    assert statuses(home, commute, parking) == ["active", "active"]
    assert claim_of(home.ana, parking).status_reason == GROUND_RETURNED


def test_when_the_ground_returns_what_rests_on_it_stands_again_with_its_approvals(home: World) -> None:
    """The withdrawal of the ground's record is undone; what a person approved before needs no new approval."""
    address = says(home.ana, HOME_ADDRESS, ADDRESS, "Shanghai")
    told = home.ana.remember(COMMUTING, kind=COMMUTE, value=40, subject="user:ana", scope=HOME, rests_on=[address])
    commute = told.claims[0].claim_id
    home.bob.approve(commute)
    record_id = claim_of(home.ana, address).evidence[0]
    home.bob.reject(record_id)
    assert statuses(home, commute) == ["quarantined"]
    assert claim_of(home.ana, commute).approvals == ()

    home.bob.approve(record_id)
    home.bob.approve(address)
    back = claim_of(home.ana, commute)
    assert (back.status, back.approvals, back.approvals_before) == (ClaimStatus.ACTIVE, ("person:bob",), ())
    assert home.ana.verify(views=True).holds


def test_it_stands_again_only_when_all_that_it_rests_on_does(home: World) -> None:
    """One of two is not enough."""
    address = says(home.ana, HOME_ADDRESS, ADDRESS, "Shanghai")
    parking = says(home.ana, "I park at the station.", PARKING, "station")
    commute = says(home.ana, COMMUTING, COMMUTE, 40, rests_on=[address, parking])
    records = [claim_of(home.ana, each).evidence[0] for each in (address, parking)]
    for record_id in records:
        home.bob.reject(record_id)
        home.bob.approve(record_id)
    home.bob.approve(address)
    assert statuses(home, commute) == ["quarantined"]
    home.bob.approve(parking)
    assert statuses(home, commute) == ["active"]


def test_nothing_rests_on_what_does_not_stand_or_is_not_seen(home: World) -> None:
    """Each refusal names what to do; a circle cannot be said, as a claim rests on earlier ones alone."""
    address = says(home.ana, HOME_ADDRESS, ADDRESS, "Shanghai")

    def resting(ground: str, **more: object) -> str:
        told = {"kind": COMMUTE, "value": 40, "subject": "user:ana", "scope": HOME, "rests_on": [ground]} | more
        return code_of(lambda: home.ana.remember(COMMUTING, **told))  # type: ignore[arg-type]

    waiting = home.ana.remember("Perhaps Bonn.", kind=ADDRESS, value="Bonn", scope=HOME).claims[0].claim_id
    assert resting("no-such-claim") == "item_not_found"
    assert resting(waiting) == "ground_not_active"
    assert resting(address, scope=("project:payments",)) == "ground_not_shared"
    # Cat is denied addresses and not notes: she would learn that an address had changed.
    assert resting(address, kind="note") == "ground_not_shared"
    # What is said to the whole tenant is read by the grant of everything alone, which Bob and Eve do not have.
    everywhere = home.ana.remember(
        HOME_ADDRESS, kind=ADDRESS, value="Shanghai", subject="user:ana", scope=(), consent="explicit"
    )
    assert [each.status for each in everywhere.claims] == ["active"]
    assert resting(everywhere.claims[0].claim_id) == "ground_not_shared"
    assert resting(address, rests_on=[address] * 1 + [f"x{n}" for n in range(16)]) == "grounds_too_many"
    assert resting(address, kind=None) == "kind_missing"


def test_a_claim_is_as_secret_and_no_more_sure_than_what_it_rests_on(home: World) -> None:
    """Its label is the strictest of its grounds', its tier the least."""
    address = says(home.ana, HOME_ADDRESS, PARKING, "Shanghai")
    told = home.ana.remember(
        COMMUTING, kind=COMMUTE, value=40, subject="user:ana", scope=HOME, rests_on=[address], grade="operator"
    )
    assert claim_of(home.ana, told.claims[0].claim_id).tier is Tier.UNVERIFIED


def test_a_line_of_a_message_may_name_what_it_rests_on(home: World) -> None:
    """And one that names what is not there is a problem, and no failure."""
    ground = says(home.ana, "I park at the station.", PARKING, "station")
    said = f"remember: home.commute: 40 minutes. value=40 rests_on={ground}\nremember: home.commute: 5. rests_on=x"
    told = home.ana.remember(said, scope=HOME)
    assert claim_of(home.ana, told.claims[0].claim_id).rests_on == (ground,)
    assert "item_not_found" in told.problems[0]


def record_of(home: World, record_id: str) -> StoredRecord:
    """The record as the owner sees it."""
    item, _ = home.ana.show(record_id)
    assert isinstance(item, StoredRecord)
    return item


def test_what_was_made_from_a_withdrawn_record_goes_with_it_and_comes_back_with_it(home: World) -> None:
    """A summary, a copy of the summary, and the claims on both."""
    origin = home.ana.remember("I live in Shanghai and park at the station.", scope=HOME).record_id
    summary = home.ana.remember("Ana: Shanghai.", scope=HOME, derived_from=[origin], grade="summary").record_id
    copy = home.ana.remember(
        "Ana parks at the station.",
        scope=HOME,
        derived_from=[summary],
        kind=PARKING,
        value="station",
        consent="explicit",
    )
    other = home.ana.remember("Ana cycles.", scope=HOME).record_id
    claim_id = copy.claims[0].claim_id
    done = home.bob.reject(origin, reason="she took it back")

    gone = [record_of(home, each).status for each in (origin, summary, copy.record_id, other)]
    assert gone == [RecordStatus.WITHDRAWN] * 3 + [RecordStatus.ADMITTED]
    assert (done.withdrawn_with, done.quarantined) == ((summary, copy.record_id), (claim_id,))
    home.bob.approve(origin)
    assert [record_of(home, each).status for each in (summary, copy.record_id)] == [RecordStatus.ADMITTED] * 2
    assert statuses(home, claim_id) == ["quarantined"]
    assert home.ana.verify(views=True).holds


def test_a_claim_that_a_withdrawn_record_corroborated_falls_back(home: World) -> None:
    """It keeps its own evidence and stands; the tier that the other source gave it goes."""
    claim_id = says(home.ana, HOME_ADDRESS, ADDRESS, "Shanghai")
    other = home.memory("person:eve").remember(
        "Ana lives in Shanghai.", kind=ADDRESS, value="Shanghai", subject="user:ana", scope=HOME, consent="explicit"
    )
    assert claim_of(home.ana, claim_id).tier is Tier.CORROBORATED

    done = home.bob.reject(other.record_id, reason="she had it from Ana")
    fallen = claim_of(home.ana, claim_id)
    assert (fallen.status, fallen.tier) == (ClaimStatus.ACTIVE, Tier.UNVERIFIED)
    assert claim_id in done.fell_back
    assert home.ana.verify(views=True).holds


def test_a_claim_of_three_independent_words_stays_corroborated_without_one(home: World) -> None:
    """The control: two are left."""
    claim_id = says(home.ana, HOME_ADDRESS, ADDRESS, "Shanghai")
    others = [
        home.memory(each).remember(
            f"Ana is at home in Shanghai, {each}.",
            kind=ADDRESS,
            value="Shanghai",
            subject="user:ana",
            scope=HOME,
            consent="explicit",
        )
        for each in ("person:eve", "person:gus")
    ]
    home.bob.reject(others[0].record_id, reason="hearsay")
    assert claim_of(home.ana, claim_id).tier is Tier.CORROBORATED


@pytest.mark.parametrize("home", ["postgresql"], indirect=True)
def test_on_postgresql_what_rests_on_a_claim_goes_and_returns_with_it(home: World) -> None:
    """Over two steps; and a refold gives the same."""
    address, commute, parking = house_of_cards(home)
    record_id = claim_of(home.ana, address).evidence[0]
    home.bob.reject(record_id)
    assert statuses(home, address, commute, parking) == ["quarantined"] * 3
    home.bob.approve(record_id)
    home.bob.approve(address)
    assert statuses(home, address, commute, parking) == ["active"] * 3
    done = home.ana.correct(address, "Berlin", since="2026-03-01", until="2026-05-01", reason="a project there")
    assert done.needs_review == (commute, parking)
    assert home.ana.verify(views=True).holds
