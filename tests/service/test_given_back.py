"""What a claim lost to one whose evidence is withdrawn comes back to it, as far as nothing else stands against it."""

from __future__ import annotations

from typing import Any

import pytest
from believers import (  # noqa: F401  # pytest finds the fixtures here
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

JANUARY, FEBRUARY, MARCH = "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z"


def withdrawn(home: World, claim_id: str) -> tuple[str, ...]:
    """The claims that stand again as the record of this one is withdrawn."""
    done = home.bob.reject(claim(home, claim_id).evidence[0], reason="a forgery")
    assert home.ana.verify(views=True).holds
    return done.standing_again


def bounds(home: World, claim_id: str) -> tuple[int | None, int | None]:
    valid = claim(home, claim_id).valid
    return valid.start_us, valid.end_us


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
