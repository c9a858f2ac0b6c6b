"""Two who agree keep what either has; an own word is weakened by nobody; sweeps change nothing; questions stay."""

from __future__ import annotations

from typing import Any

import pytest
from believers import (  # noqa: F401  # pytest finds the fixtures here
    ANA_IS,
    CITY,
    PAYMENTS,
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

from heedful import Memory
from heedful.claims.claim import Claim
from heedful.kernel.ids import ClaimId
from heedful.kernel.times import parse_time
from heedful.service.maintain import expire_due

OWN = {"scope": ANA_IS, "subject": "user:ana"}


def test_an_operators_word_is_not_folded_into_what_somebody_merely_said(home: World, dan: Any, own: Any) -> None:
    """The operator's has the record of the other, which keeps the time before it; nobody displaces it then."""
    first = dan("Shanghai", since="2026-01-01")
    rule = own(" shanghai", since="2026-03-01")

    assert rulings(home) == [("equal-values", "supersede", "merged")]
    was, held = claim(home, first), claim(home, rule)
    assert (was.status, was.status_reason) == ("superseded", f"merged into claim {rule}")
    assert (was.valid_from_us, was.valid_to_us) == (at("2026-01-01"), at("2026-03-01"))
    assert (held.status, held.tier, len(held.evidence)) == ("active", 3, 2)
    assert held.valid_from_us == at("2026-03-01")

    dan("Beijing", since="2026-06-01")
    assert active(home) == [" shanghai"]
    assert rulings(home)[-1] == ("operator", "flag", "a_wins")


def test_the_record_of_what_is_taken_in_counts_only_from_another_origin(home: World) -> None:
    """The twin of the test above: the operator had said it before, as anybody may."""
    person = home.memory("person:own")
    before = says(person, "Shanghai")
    rule = says(person, "Shanghai", grade="operator")

    assert claim(home, before).status == "superseded"
    assert (claim(home, rule).tier, len(claim(home, rule).evidence)) == (3, 1)


def test_an_operators_word_that_is_withdrawn_leaves_no_authority_of_theirs(home: World, dan: Any) -> None:
    """What another had said of it as well is worth what it is worth alone; the twin, whose other record goes, stays."""
    rules = []
    for name, city in (("one", "Shanghai"), ("two", "Lima")):
        dan(city, property_name=name)
        kept = home.memory("person:own").remember(
            f"it is {city}",
            value=city,
            kind=CITY,
            scope=PAYMENTS,
            subject=TEAM,
            grade="operator",
            property_name=name,
            consent="explicit",
        )
        rules.append((kept.claims[0].claim_id, kept.record_id))
    (falls, own_record), (stays, _) = rules
    assert claim(home, falls).tier == claim(home, stays).tier == 3

    home.ana.reject(own_record, reason="a mistake")
    home.ana.reject(claim(home, stays).evidence[1], reason="a mistake")

    assert [(claim(home, each).status, claim(home, each).tier) for each in (falls, stays)] == [
        ("active", 1),
        ("active", 3),
    ]


def test_an_equal_or_a_lower_authority_is_merged_into_what_stands(home: World, dan: Any, own: Any) -> None:
    """The denial: only more authority turns it round."""
    rule = own("Shanghai")
    again, other = own("Shanghai"), dan("Shanghai")

    assert claim(home, rule).status == "active"
    assert {claim(home, each).status_reason for each in (again, other)} == {f"merged into claim {rule}"}


def test_what_is_pinned_stays_and_the_operators_word_stands_beside_it(home: World, dan: Any, own: Any) -> None:
    """Neither ends, and nothing is asked: they say the same."""
    kept = dan("Shanghai")
    home.ana.pin(kept, reason="keep it")
    before = claim(home, kept)
    rule = own("Shanghai")

    assert rulings(home) == []
    assert claim(home, kept) == before
    assert (claim(home, rule).status, claim(home, rule).tier) == ("active", 3)


def test_nobody_lengthens_an_operators_word(home: World, dan: Any, own: Any) -> None:
    """Who says the same of a longer time says it beside that; the twin, of its time, is merged into it."""
    rule = own("Shanghai", since="2026-01-01", until="2027-01-01")
    longer = dan("Shanghai", since="2026-02-01", until="2030-01-01")
    within = dan("Shanghai", since="2026-02-01", until="2026-12-24")

    assert claim(home, rule).valid_to_us == at("2027-01-01")
    assert claim(home, longer).status == "active"
    assert claim(home, within).status_reason == f"merged into claim {rule}"


def test_who_loses_or_waits_has_taken_nothing_before(home: World, dan: Any, own: Any) -> None:
    """What it loses to is met first, so that nothing ends for a claim that does not stand itself."""
    first = dan("Shanghai", since="2026-01-01", until="2026-03-01")
    kept = dan("Rome", since="2027-01-01", until="2028-01-01")
    own("Beijing", since="2027-02-01")
    waits = own("Rome", since="2026-01-01")

    assert claim(home, first).status in ("active", "expired")
    assert claim(home, waits).status == "policy-reviewed"
    assert claim(home, kept).status == "active"
    assert "Rome" in active(home)


def test_others_who_say_the_same_do_not_weaken_an_own_word(home: World, dan: Any, eve: Any) -> None:
    """Told by ana of herself and by dan too, it stays her word; the control: of others alone it never is."""
    own = says(home.ana, "Beijing", **OWN)
    dan("Beijing", **OWN)
    assert (claim(home, own).tier, len(claim(home, own).evidence)) == (2, 2)
    eve("Paris", **OWN)
    assert rulings(home)[-1] == ("standing-self-told", "flag", "a_wins")
    assert claim(home, own).confidence == 1

    team = dan("Beijing")
    eve("Beijing")
    says(home.ana, "Paris")
    assert rulings(home)[-1] == ("lower-authority", "flag", "a_wins")
    assert claim(home, team).status == "active"


def test_an_own_word_stays_one_when_it_is_merged_into_what_others_said(home: World, dan: Any) -> None:
    """Though from the same session, so that neither corroborates the other; the twin: of somebody else it is."""
    told = dan("Beijing", run_id="run-1", **OWN)
    own = says(home.ana, "Beijing", run_id="run-1", **OWN)
    dan("Paris", **OWN)

    assert (claim(home, told).status, claim(home, own).status) == ("active", "superseded")
    assert claim(home, told).confirmed_by == ("person:ana",)
    assert rulings(home)[-1] == ("standing-self-told", "flag", "a_wins")

    other = dan("Beijing", run_id="run-1")
    says(home.ana, "Beijing", run_id="run-1")
    assert claim(home, other).confirmed_by == ()


@pytest.mark.parametrize("swept", [True, False])
def test_what_is_over_is_not_weighed_against_swept_or_not(home: World, swept: bool, dan: Any) -> None:
    """A word of another about that time stands beside it; the same speaker's late word finds its place in it."""
    over = dan("Rome", since="2026-01-01", until="2027-01-01")
    late_of = dan("Rome", since="2026-01-01", until="2027-01-01", property_name="second home")
    dan("Oslo", since="2027-03-01", property_name="second home")
    from_eve, from_dan = memory_of(home, "person:eve"), memory_of(home, "person:dan")
    home.clock.go(seconds=400 * 86_400)
    if swept:
        expire_due(home.app.session(principal="person:dan"))

    says(from_eve, "Oslo", since="2026-06-01")
    says(from_dan, "Bern", since="2026-06-01", property_name="second home")

    held = stored(home, over)
    assert (held.status == "expired") is swept
    assert (held.conflicts_lost, held.valid_to_us) == (0, at("2027-01-01"))
    assert stored(home, late_of).valid_to_us == at("2026-06-01")
    assert rulings(home) == [("late-arrival", "supersede", "a_wins")]


def test_a_question_stays_with_the_part_of_a_pinned_claim_that_still_stands(home: World) -> None:
    """A correction of a month that is over splits it; the twin: where the whole is corrected nobody has to answer."""
    told = OWN | {"since": "2025-01-01"}
    kept = says(home.ana, "Beijing", **told)
    home.ana.pin(kept, reason="keep it")
    says(home.memory("person:dan"), "Rome", **told)

    home.ana.correct(kept, "Suzhou", since="2025-02-01", until="2025-03-01", reason="a month away")

    held = claim(home, kept)
    assert rulings(home) == [("pinned", "ask", None)]
    assert (held.status, held.pinned, held.conflicts_open, held.valid_from_us) == ("active", True, 1, at("2025-03-01"))
    was = [
        each.value
        for each in home.ana.recall("It is Beijing", scope=ANA_IS, as_of="2025-01-15").items
        if each.item == "claim"
    ]
    assert was == ["Beijing"]

    home.ana.correct(kept, "Nanjing", reason="never there")
    assert rulings(home) == [("pinned", "ask", "b_wins")]


def test_a_merge_adds_no_time_in_which_another_contradicts(home: World, dan: Any, eve: Any) -> None:
    """Who says it there says it beside, and is asked about; the control: what nobody contradicts is merged."""
    first = dan("Shanghai", since="2026-01-01", until="2027-01-01")
    other = eve("Beijing", since="2027-02-01")
    third = says(home.ana, "Shanghai", since="2026-06-01")

    assert claim(home, first).valid_to_us == at("2027-01-01")
    assert claim(home, third).status == "active"
    (asked,) = conflicts(home)
    assert (asked.standing_id, asked.newcomer_id, asked.because) == (other, third, "peers")

    within = says(home.memory("person:bob"), "Shanghai", since="2025-01-01", until="2026-12-24")
    assert claim(home, within).status_reason == f"merged into claim {first}"
    assert claim(home, first).valid_from_us == at("2025-01-01")


def test_a_question_that_a_correction_closes_does_not_say_which_part_of_the_other_claim_stays(
    home: World, dan: Any, eve: Any
) -> None:
    """The other one's own time before it is its own, as of any claim that gives up a stretch."""
    wrong = dan("Beijing", since="2026-01-01", until="2027-01-01", **OWN)
    other = eve("Rome", since="2025-01-01", **OWN)
    assert [each[0] for each in rulings(home)] == ["peers"]

    home.ana.correct(wrong, "Suzhou", reason="never there")

    was = claim(home, other)
    assert (was.status, was.valid_from_us, was.valid_to_us) == ("superseded", at("2025-01-01"), at("2026-01-01"))
    assert sorted(active(home, "user:ana")) == ["Rome", "Suzhou"]


def memory_of(home: World, who: str) -> Memory:
    """A memory that is open before time passes: opening one notes what is over."""
    return Memory(home.app, home.app.session(principal=who), owns_app=False)


def stored(home: World, claim_id: str) -> Claim:
    """The claim as it stands, without a session that notes what is over."""
    session = home.app.session(principal="person:ana", adopts=False)
    with session.store.read() as reading:
        found = reading.claim(ClaimId(claim_id))
    assert found is not None
    return found


def at(day: str) -> int:
    return parse_time(day, field="day").at_us


def test_what_was_merged_into_a_withdrawn_word_comes_back(home: World) -> None:
    """Of one person's two words, so that neither carries the other's claim."""
    person = home.memory("person:own")
    before = says(person, "Shanghai", since="2026-01-01")
    rule = says(person, "Shanghai", grade="operator", since="2026-03-01")
    assert claim(home, before).status == "superseded"

    home.ana.reject(claim(home, rule).evidence[0], reason="a mistake")

    assert (claim(home, before).status, claim(home, before).valid_to_us) == ("active", None)
