"""What a claim lost to one whose evidence is withdrawn comes back to it, as far as nothing else stands against it."""

from __future__ import annotations

from typing import Any

import pytest
from believers import (  # noqa: F401  # pytest finds the fixtures here
    ANA_IS,
    TEAM,
    active,
    claim,
    dan_fixture,
    eve_fixture,
    home_fixture,
    own_fixture,
    says,
)
from households import ADDRESS, COMMUTE, HOME_ADDRESS, POLICY, claim_of
from households import says as says_at_home
from worlds import World, world

from heedful.kernel.times import parse_time
from heedful.ledger.events import ClaimProposed

OWN: dict[str, Any] = {"subject": "user:ana", "scope": ANA_IS, "run_id": "r"}
JANUARY, FEBRUARY, MARCH = "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z"


def withdrawn(home: World, claim_id: str) -> tuple[str, ...]:
    """The claims that stand again as the record of this one is withdrawn."""
    done = home.ana.reject(claim(home, claim_id).evidence[0], reason="a forgery")
    assert home.ana.verify(views=True).holds
    return done.standing_again


def bounds(home: World, claim_id: str) -> tuple[int | None, int | None]:
    valid = claim(home, claim_id).valid
    return valid.start_us, valid.end_us


def claims_with(home: World, value: str) -> list[str]:
    """The claims that have the value, in ledger order."""
    proposed = [each for each in home.events() if isinstance(each, ClaimProposed)]
    return [each.claim_id for each in proposed if each.value == value]


def us(*times: str) -> tuple[int, ...]:
    return tuple(parse_time(each, field="time").at_us for each in times)


@pytest.mark.parametrize("home", ["sqlite", "postgresql"], indirect=True)
def test_what_a_withdrawn_word_had_ended_stands_again_and_holds_as_before(home: World, dan: Any) -> None:
    """Step by step; one that something else ended meanwhile holds until that."""
    first, second, third = dan("Shanghai", since=JANUARY), dan("Beijing", since=FEBRUARY), dan("Xian", since=MARCH)
    assert withdrawn(home, second) == ()  # it is history: told of is what stands now
    assert active(home) == ["Xian"]
    assert bounds(home, first) == us(JANUARY, MARCH)
    assert withdrawn(home, third) == (first,)
    assert active(home) == ["Shanghai"]
    assert bounds(home, first) == (*us(JANUARY), None)


def test_a_stretch_goes_back_to_what_it_was_cut_from(home: World, dan: Any) -> None:
    """Up to where the rest begins, which is a claim of its own."""
    first, inner = dan("Shanghai", since=JANUARY), dan("Beijing", since=FEBRUARY, until=MARCH)
    withdrawn(home, inner)
    assert bounds(home, first) == us(JANUARY, MARCH)
    assert active(home) == ["Shanghai"]


def test_a_forged_peer_takes_nothing_that_lasts(home: World, dan: Any, eve: Any) -> None:
    """Its question is closed, confidence and count are as before; and back again it is asked anew, once."""
    stands, forged = dan("Shanghai"), eve("Beijing")
    record_id = claim(home, forged).evidence[0]
    assert claim(home, stands).confidence == 0.8
    withdrawn(home, forged)
    told = claim(home, stands)
    assert (told.confidence, told.conflicts_lost, told.conflicts_open) == (1.0, 0, 0)
    assert home.bob.review_queue().questions == ()
    home.bob.approve(record_id)
    home.bob.approve(forged)
    told = claim(home, stands)
    assert (told.confidence, told.conflicts_lost, told.conflicts_open) == (0.8, 1, 1)


def test_what_forgeries_had_worn_out_leaves_the_archive(home: World, dan: Any) -> None:
    """One of the three is enough: two conflicts are not."""
    stands = dan("Shanghai")
    forged = [says(home.memory(f"person:{who}"), f"city {who}") for who in ("eve", "ana", "bob")]
    assert claim(home, stands).status == "archived"
    assert stands in withdrawn(home, forged[0])
    assert (claim(home, stands).status, claim(home, stands).conflicts_lost) == ("active", 2)


def test_what_lost_to_a_forged_authority_stands_when_that_is_gone(home: World, dan: Any, own: Any) -> None:
    """It had been approved, and lost to that alone."""
    forged = own("Shanghai")
    lost = dan("Beijing")
    assert claim(home, lost).status == "superseded"
    assert withdrawn(home, forged) == (lost,)
    assert active(home) == ["Beijing"]


def test_what_comes_back_together_is_weighed_together_and_told_as_it_stands(home: World, dan: Any, own: Any) -> None:
    """All had lost to one; of what they say, one speaker's last word and the others stand, and are asked about."""
    forged = own("Shanghai")
    lost = [says(home.memory(f"person:{who}"), value) for who, value in (("dan", "A"), ("eve", "B"), ("dan", "C"))]
    back = withdrawn(home, forged)
    assert back == tuple(lost[1:])
    assert active(home) == ["B", "C"]
    assert len(home.bob.review_queue().questions) == 1


def test_the_same_said_twice_outlives_the_first_record(home: World, dan: Any) -> None:
    """It had been merged; its own record says it still."""
    first, again = dan("Shanghai", since=FEBRUARY), dan("shanghai", since=JANUARY)
    assert claim(home, again).status == "superseded"
    assert withdrawn(home, first) == (again,)
    assert active(home) == ["shanghai"]


def test_what_an_answer_ended_waits_for_a_person(home: World, dan: Any, eve: Any) -> None:
    """Somebody had decided: somebody looks again."""
    loses, wins = dan("Shanghai"), eve("Beijing")
    (asked,) = home.bob.conflicts(only_open=True).conflicts
    home.bob.answer(asked.conflict_id, "b", reason="they said so")
    assert withdrawn(home, wins) == ()
    assert claim(home, loses).status == "quarantined"
    home.bob.approve(loses)
    assert active(home, TEAM) == ["Shanghai"]


def test_what_stands_again_with_its_ground_meets_what_came_meanwhile() -> None:
    """It had gone with the address; when that returns, another commute is held, and both are asked about."""
    with world(policy=POLICY) as home:
        address = says_at_home(home.ana, HOME_ADDRESS, ADDRESS, "Shanghai")
        before = says_at_home(home.ana, "It takes me 40 minutes to work.", COMMUTE, 40, rests_on=[address])
        record_id = claim_of(home.ana, address).evidence[0]
        home.bob.reject(record_id)
        after = says_at_home(home.ana, "It takes me 20 minutes to work.", COMMUTE, 20)
        home.bob.approve(record_id)
        home.bob.approve(address)
        statuses = [claim_of(home.ana, each).status.value for each in (address, before, after)]
        assert statuses == ["active", "superseded", "active"]
        assert home.ana.verify(views=True).holds


def test_a_correction_whose_words_are_withdrawn_corrects_nothing() -> None:
    """The old value holds again, in all of its time."""
    with world(policy=POLICY) as home:
        address = says_at_home(home.ana, HOME_ADDRESS, ADDRESS, "Shanghai", since=JANUARY)
        done = home.ana.correct(address, "Berlin", reason="I moved")
        assert done.record_id is not None
        assert claim_of(home.ana, address).valid.is_empty
        assert home.bob.reject(done.record_id).standing_again == (address,)
        told = claim_of(home.ana, address)
        assert (told.status.value, told.valid.start_us, told.valid.end_us) == ("active", *us(JANUARY), None)
        assert home.ana.verify(views=True).holds


def test_a_confirmation_by_a_word_goes_with_that_words_record(home: World, dan: Any) -> None:
    """What others say no longer loses to it; in so many words it stays."""
    told = dan("Bonn", since=JANUARY, **OWN)
    again = says(home.ana, "bonn", **OWN)
    assert claim(home, told).confirmed_by == ("person:ana",)
    withdrawn(home, again)
    assert (claim(home, told).status, claim(home, told).confirmed_by) == ("active", ())

    once_more = says(home.ana, "BONN", **OWN)
    assert home.ana.confirm(told, reason="so it is").changed
    assert not home.ana.confirm(told, reason="so it is").changed
    withdrawn(home, once_more)
    assert claim(home, told).confirmed_by == ("person:ana",)


def test_a_confirmation_stays_as_long_as_one_of_their_words_does(home: World, dan: Any) -> None:
    """Also that of what was split off the claim; with the last word both are gone."""
    told = dan("Bonn", since=JANUARY, **OWN)
    words = [says(home.ana, "bonn", **OWN) for _ in range(2)]
    home.ana.correct(told, "Ulm", since=FEBRUARY, until=MARCH, reason="a month there")
    parts = [told, *(each for each in claims_with(home, "Bonn") if each != told)]
    assert len(parts) == 2
    withdrawn(home, words[0])
    assert [claim(home, each).confirmed_by for each in parts] == [("person:ana",)] * 2
    withdrawn(home, words[1])
    assert [claim(home, each).confirmed_by for each in parts] == [(), ()]


def test_history_that_a_late_word_had_cut_is_whole_again(home: World, dan: Any) -> None:
    """No conflict was noted there: it is found by what put it right."""
    first, _last = dan("Shanghai", since=JANUARY), dan("Xian", since=MARCH)
    late = dan("Beijing", since=FEBRUARY)
    assert bounds(home, first) == us(JANUARY, FEBRUARY)
    withdrawn(home, late)
    assert bounds(home, first) == us(JANUARY, MARCH)


def test_what_somebody_merely_names_in_a_reason_gives_nothing_back(home: World, dan: Any) -> None:
    """Only what was the cause does."""
    told, forged = dan("Bonn", since=JANUARY, **OWN), dan("Graz", **OWN)
    home.ana.reject(claim(home, forged).evidence[0])
    home.ana.correct(told, "Ulm", reason=f"claim {forged} says otherwise")
    assert active(home, "user:ana") == ["Ulm"]
    home.ana.approve(claim(home, forged).evidence[0])
    withdrawn(home, forged)
    assert active(home, "user:ana") == ["Ulm"]


def test_half_belief_lasts_as_long_as_one_of_those_who_contradict(home: World, dan: Any, eve: Any) -> None:
    """The newcomer's own confidence comes back with the last of them."""
    others = [dan("Shanghai"), eve("Beijing")]
    new = says(home.ana, "Graz")
    assert claim(home, new).confidence == 0.5
    withdrawn(home, others[1])
    assert claim(home, new).confidence == 0.5
    withdrawn(home, others[0])
    assert claim(home, new).confidence == 1.0


SECRET = POLICY.replace("classifications: [normal]", "classifications: [normal, sensitive]").replace(
    '"person:eve": {roles: [], clearance: normal', '"person:eve": {roles: [], clearance: sensitive'
)
LOW = '"person:low": {roles: [reviewer], clearance: normal, grants: ["user:*"]}'


@pytest.mark.parametrize("who", ["person:ana", "person:low"])
def test_what_comes_back_is_the_same_whoever_withdraws(who: str) -> None:
    """Also where that one does not see it: it meets what came meanwhile, and they are told of nothing."""
    with world(policy=SECRET.replace('"person:eve"', f'{LOW}\n    "person:eve"')) as home:
        lake = says_at_home(home.ana, "I park at the lake.", "home.parking", "lake", classification="sensitive")
        (first, last), (other,) = (
            [
                says_at_home(
                    home.memory(f"person:{by}"), f"It is {value}.", ADDRESS, value, since=since, rests_on=[lake]
                )
                for value, since in told
            ]
            for by, told in (("bob", [("Bonn", JANUARY), ("Ulm", FEBRUARY)]), ("eve", [("Graz", MARCH)]))
        )
        assert [claim_of(home.ana, each).status for each in (first, last, other)] == ["superseded", "active", "active"]
        done = home.memory(who).reject(claim_of(home.ana, last).evidence[0])
        assert done.standing_again == ((first,) if who == "person:ana" else ())
        (asked,) = home.ana.conflicts(only_open=True).conflicts
        assert {asked.a.claim_id, asked.b.claim_id} == {first, other}
        assert home.ana.verify(views=True).holds
