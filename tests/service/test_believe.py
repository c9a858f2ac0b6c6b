"""What is believed when somebody says otherwise: each rule of the table through the verbs, on a real store."""

from __future__ import annotations

from typing import Any

import pytest
from believers import (  # noqa: F401  # pytest finds the fixtures here
    ANA_IS,
    CITY,
    PAYMENTS,
    PETS,
    TEAM,
    active,
    claim,
    conflicts,
    dan_fixture,
    eve_fixture,
    home_fixture,
    own_fixture,
    rulings,
    says,
)
from worlds import World

from heedful.ledger.belief_events import BeliefEvent
from heedful.ledger.events import ClaimProposed


def test_what_cannot_contradict_stands_side_by_side_and_leaves_no_trace(home: World, dan: Any) -> None:
    """Two animals, two subjects, two scopes, a plan beside a fact, and times that do not meet: no row and no event."""
    dan("cat", kind=PETS)
    dan("dog", kind=PETS)
    dan("Shanghai")
    dan("Beijing", subject="service:ledger")
    dan("Beijing", scope=ANA_IS, subject=TEAM)
    dan("Beijing", form="plan")
    dan("Paris", since="2020-01-01", until="2021-01-01")

    assert rulings(home) == []
    assert not [event for event in home.events() if isinstance(event, BeliefEvent)]


@pytest.mark.parametrize("home", ["sqlite", "postgresql"], indirect=True)
def test_one_speakers_later_word_ends_the_earlier_and_keeps_it_for_its_time(home: World, dan: Any) -> None:
    """An update is no conflict that wears anybody down: the old value is history."""
    old = dan("Shanghai", since="2026-01-01")
    new = dan("Beijing", since="2026-03-01")

    assert rulings(home) == [("later-word", "supersede", "b_wins")]
    assert active(home) == ["Beijing"]
    was, now = claim(home, old), claim(home, new)
    assert (was.status, was.valid_to_us) == ("superseded", now.valid_from_us)
    assert (was.confidence, was.conflicts_lost, was.conflicts_open) == (1, 0, 0)


def test_what_begins_in_the_future_leaves_the_present_as_it_is(home: World, dan: Any) -> None:
    """Until then the old value holds; its end is known."""
    old = dan("Shanghai", since="2026-01-01")
    dan("Beijing", since="2027-06-01")

    assert active(home) == ["Shanghai", "Beijing"]
    assert claim(home, old).valid_to_us is not None


def test_a_stretch_that_ends_leaves_the_time_before_and_after_to_the_old_value(home: World, dan: Any) -> None:
    """The rest is a claim of its own, of the same evidence."""
    old = dan("Shanghai", since="2026-01-01")
    middle = dan("Beijing", since="2026-03-01", until="2026-04-01")
    rest = claim(
        home,
        next(
            each.claim_id
            for each in home.events()
            if isinstance(each, ClaimProposed) and each.value == "Shanghai" and each.claim_id != old
        ),
    )

    assert active(home) == ["Shanghai"]
    assert (rest.valid_from_us, claim(home, middle).status) == (claim(home, middle).valid_to_us, "expired")
    assert rest.evidence == claim(home, old).evidence
    assert rest.status == "active"


def test_what_arrives_late_is_history_at_once(home: World, dan: Any) -> None:
    """It held until what is known to come after it; that stays as it is."""
    now = dan("Beijing", since="2026-03-01")
    late = dan("Shanghai", since="2026-01-01")

    assert rulings(home) == [("late-arrival", "supersede", "a_wins")]
    assert active(home) == ["Beijing"]
    assert (claim(home, late).status, claim(home, late).valid_to_us) == ("superseded", claim(home, now).valid_from_us)
    assert claim(home, now).confidence == 1


def test_an_inner_stretch_cuts_a_standing_claim_that_gave_no_start(home: World, dan: Any) -> None:
    """Told without a start, it might reach back; what is told of a stretch is what held then."""
    open_ended = dan("Shanghai")
    inner = dan("Beijing", since="2026-01-01", until="2026-12-24")

    assert rulings(home) == [("late-arrival", "supersede", "a_wins")]
    assert claim(home, open_ended).valid_from_us == claim(home, inner).valid_to_us
    assert active(home) == ["Shanghai", "Beijing"]


def test_a_correction_of_the_same_start_takes_its_place_whole(home: World, dan: Any) -> None:
    """What was corrected away never held."""
    old = dan("Shanghai", since="2026-01-01", until="2027-01-01")
    new = dan("Beijing", since="2026-01-01")

    assert rulings(home) == [("same-start", "supersede", "b_wins")]
    assert claim(home, old).valid.is_empty
    assert claim(home, new).valid_to_us is not None


def test_peers_that_contradict_are_both_flagged_and_demoted_and_a_question_is_asked(
    home: World, dan: Any, eve: Any
) -> None:
    """The standing one loses 0.2, the newcomer starts at a half, and both stay until a person answers."""
    first, second = dan("Shanghai"), eve("Beijing")

    assert rulings(home) == [("peers", "ask", None)]
    assert active(home) == ["Shanghai", "Beijing"]
    a, b = claim(home, first), claim(home, second)
    assert (a.confidence, a.conflicts_lost, a.conflicts_open) == (0.8, 1, 1)
    assert (b.confidence, b.conflicts_lost, b.conflicts_open) == (0.5, 0, 1)
    assert conflicts(home)[0].question is not None


def test_three_lost_conflicts_archive_a_claim(home: World, dan: Any) -> None:
    """Three others say otherwise; the control: after two it stands."""
    first = dan("Shanghai")
    for number, who in enumerate(("person:eve", "person:ana", "person:bob")):
        assert claim(home, first).status == ("active")
        says(home.memory(who), f"city {number}")

    assert claim(home, first).status == "archived"


def test_a_peer_who_changes_their_mind_leaves_no_old_value_active(home: World, dan: Any, eve: Any) -> None:
    """Also while a question waits: it is closed with the value that nobody says any more, and asked of the new one."""
    dan("Shanghai")
    eve("Beijing")
    eve("Canton")

    assert active(home) == ["Shanghai", "Canton"]
    assert rulings(home) == [
        ("peers", "ask", "a_wins"),
        ("later-word", "supersede", "b_wins"),
        ("peers", "ask", None),
    ]


def test_who_comes_to_agree_with_another_has_left_their_own_earlier_word(home: World, dan: Any, eve: Any) -> None:
    """Though what they say now becomes evidence of the other's claim; the control: who keeps silent is still asked."""
    first = dan("Shanghai")
    eve("Beijing")
    assert active(home) == ["Shanghai", "Beijing"]
    eve("Shanghai")

    assert active(home) == ["Shanghai"]
    assert rulings(home) == [
        ("peers", "ask", "a_wins"),
        ("later-word", "supersede", "b_wins"),
        ("equal-values", "supersede", "merged"),
    ]
    assert claim(home, first).tier == 2


def test_ones_own_word_of_oneself_ends_what_others_say_though_another_said_it_before(
    home: World, dan: Any, eve: Any
) -> None:
    """Nobody is asked any more which of two others is right."""
    of_ana = {"scope": ANA_IS, "subject": "user:ana"}
    first = dan("Shanghai", **of_ana)
    eve("Beijing", **of_ana)
    says(home.ana, "Shanghai", **of_ana)

    assert active(home, "user:ana") == ["Shanghai"]
    assert [each[2] for each in rulings(home)] == ["a_wins", "b_wins", "merged"]
    assert claim(home, first).status == "active"


def test_what_is_said_against_an_operator_ends_and_changes_nothing(home: World, dan: Any, own: Any) -> None:
    """The operator's word is untouched, and the newcomer is believed by half at most."""
    rule = own("Shanghai")
    other = dan("Beijing")

    assert claim(home, rule).tier == 3
    assert rulings(home) == [("operator", "flag", "a_wins")]
    assert (claim(home, rule).confidence, claim(home, rule).conflicts_lost) == (1, 0)
    assert (claim(home, other).status, claim(home, other).confidence) == ("superseded", 0.5)


def test_an_operators_word_leaves_only_with_confirmation(home: World, own: Any) -> None:
    """Another of the same authority waits, and never became active."""
    rule = own("Shanghai")
    other = own("Beijing")

    assert rulings(home) == [("confirmation-needed", "ask", None)]
    assert active(home) == ["Shanghai"]
    assert claim(home, rule).confidence == 1
    assert claim(home, other).status == "policy-reviewed"


def test_who_waits_and_says_something_else_waits_with_that_alone(home: World, own: Any) -> None:
    """An earlier word of theirs must not become active by an answer later on."""
    own("Shanghai")
    earlier = own("Beijing")
    own("Canton")

    assert claim(home, earlier).status == "superseded"
    assert [each.resolution is None for each in conflicts(home)] == [False, True]


def test_ones_own_word_of_oneself_goes_before_what_others_say(home: World, dan: Any) -> None:
    """Whether it comes first or later; the twin: of somebody else it does not."""
    told = dan("Shanghai", scope=ANA_IS, subject="user:ana")
    own = says(home.ana, "Beijing", scope=ANA_IS, subject="user:ana")
    again = dan("Paris", scope=ANA_IS, subject="user:ana")

    assert rulings(home) == [("self-told", "supersede", "b_wins"), ("standing-self-told", "flag", "a_wins")]
    assert claim(home, told).status == claim(home, again).status == "superseded"
    assert (claim(home, own).status, claim(home, own).confidence) == ("active", 0.8)

    dan("Shanghai", scope=ANA_IS, subject="user:ben")
    says(home.ana, "Beijing", scope=ANA_IS, subject="user:ben")
    assert rulings(home)[-1] == ("peers", "ask", None)


def test_who_says_it_first_takes_nobodys_own_word_from_them(home: World, eve: Any) -> None:
    """What Ana says of herself had been said by Eve: it is confirmed by that, and Eve's later word ends nothing."""
    of_ana = {"scope": ANA_IS, "subject": "user:ana", "run_id": "r"}
    first = eve("Shanghai", **of_ana)
    says(home.ana, "Shanghai", **of_ana)
    assert claim(home, first).confirmed_by == ("person:ana",)
    eve("Berlin", **of_ana)
    assert active(home, "user:ana") == ["Shanghai"]
    assert rulings(home)[-1] == ("standing-self-told", "flag", "a_wins")


def test_an_independent_origin_that_says_the_same_corroborates(home: World, dan: Any, eve: Any) -> None:
    """The standing claim has the other's record too, and is CORROBORATED; the same person again adds nothing."""
    first = dan("Shanghai")
    again = dan(" shanghai ")
    assert claim(home, first).tier == 1
    other = eve("SHANGHAI")

    assert rulings(home) == [("equal-values", "supersede", "merged")] * 2
    held = claim(home, first)
    assert (held.tier, held.tier_at_write, len(held.evidence)) == (2, 1, 2)
    assert {claim(home, each).status for each in (again, other)} == {"superseded"}
    assert claim(home, other).status_reason == f"merged into claim {first}"


def test_merged_claims_hold_for_the_time_of_both(home: World, dan: Any, eve: Any) -> None:
    """A union, since they overlap."""
    first = dan("Shanghai", since="2026-03-01", until="2027-01-01")
    eve("Shanghai", since="2026-01-01")

    held = claim(home, first)
    assert held.valid_to_us is None
    assert held.valid_from_us is not None


def test_a_higher_authority_supersedes_and_a_lower_one_does_not(home: World, dan: Any, eve: Any) -> None:
    """Two who agree outweigh one; one more who does not agree changes nothing."""
    old = dan("Beijing", since="2026-01-01")
    says(home.memory("person:own"), "Shanghai", grade="operator", since="2026-02-01")
    eve("Canton")

    assert [each[0] for each in rulings(home)] == ["higher-authority", "operator"]
    assert (claim(home, old).confidence, claim(home, old).conflicts_lost) == (0.8, 1)
    assert active(home) == ["Shanghai"]
