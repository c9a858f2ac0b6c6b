"""Out of order: what one speaker says of several times is held alike, whichever of it arrives first."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from believers import claim as claim_of
from believers import home_fixture, says  # noqa: F401  # pytest finds the fixture here
from worlds import World

from heedful.claims.claim import Claim
from heedful.kernel.times import parse_time
from heedful.ledger.events import ClaimProposed

SAID = (("Porto", "2026-01-01"), ("Lisbon", "2026-02-01"), ("里斯本", "2026-03-01"))
NESTED = {
    # The clock stands in 2026: of some of these words all is over as they arrive, of others nothing.
    "over": (("2026-01-01", None), ("2026-02-01", "2026-04-01"), ("2026-02-15", "2026-03-01")),
    "to come": (("2026-01-01", None), ("2027-02-01", "2027-04-01"), ("2027-02-15", "2027-03-01")),
    "both": (("2026-01-01", "2027-12-01"), ("2026-02-01", "2027-04-01"), ("2026-03-15", "2027-03-15")),
    "crossing": (("2026-01-01", "2026-03-01"), ("2026-02-01", "2026-04-01"), ("2026-02-15", "2027-03-01")),
}
DAYS = ("2025-12-31", "2026-01-15", "2026-02-15", "2026-03-15")


_BELIEVED = ("active", "superseded", "expired")


def held(home: World, day: str, name: str | None = None) -> list[Any]:
    """The values that held at the start of the day, by what is known now; `name`: of this property alone."""
    at_us = parse_time(day, field="day").at_us
    claims: list[Claim] = [claim_of(home, each.claim_id) for each in home.events() if isinstance(each, ClaimProposed)]
    claims = [each for each in claims if name in (None, each.property) and each.status in _BELIEVED]
    return sorted(each.value for each in claims if _holds(each, at_us))


def _holds(claim: Claim, at_us: int) -> bool:
    return claim.in_mind.contains(at_us)


@pytest.mark.parametrize("order", tuple(permutations(range(3))), ids=str)
def test_three_values_of_one_speaker_hold_each_in_its_time(home: World, order: tuple[int, ...]) -> None:
    """In any order of arrival each holds from its start to the next one's, and the last is what holds now."""
    dan = home.memory("person:dan")
    for place in order:
        value, since = SAID[place]
        says(dan, value, since=since)

    assert [held(home, day) for day in DAYS] == [[], ["Porto"], ["Lisbon"], ["里斯本"]]
    assert [item.text for item in dan.recall("it is", as_of="2026-02-15").items if item.item == "claim"] == [
        "it is Lisbon"
    ]


@pytest.mark.parametrize("said", NESTED.values(), ids=NESTED)
def test_words_with_ends_inside_one_another_are_held_alike_in_any_order(
    home: World, said: tuple[tuple[str, str | None], ...]
) -> None:
    """At each instant the word that began last, of those that reach it; what it lay in comes back after its end."""
    dan = home.memory("person:dan")
    orders = {f"place {number}": order for number, order in enumerate(permutations(range(3)))}
    for name, order in orders.items():
        for place in order:
            since, until = said[place]
            says(dan, SAID[place][0], since=since, until=until, property_name=name)

    days = sorted({each for stretch in said for each in stretch if each is not None})
    expected = [_last_begun(said, day) for day in days]
    assert len({str(each) for each in expected}) >= 3
    for name in orders:
        assert [held(home, day, name) for day in days] == expected


def _last_begun(said: tuple[tuple[str, str | None], ...], day: str) -> list[str]:
    reach = [place for place, (since, until) in enumerate(said) if since <= day and (until is None or day < until)]
    return [SAID[place][0] for place in reach[-1:]]


def test_what_comes_back_after_a_later_words_end_is_asked_about_where_another_contradicts_it(home: World) -> None:
    """Its speaker says nothing else of that time; the control: until there nothing is asked."""
    dan, eve = home.memory("person:dan"), home.memory("person:eve")
    says(dan, "Lisbon", since="2026-02-01", until="2027-04-01")
    says(eve, "Faro", since="2027-05-01")
    assert home.ana.conflicts().conflicts == ()

    says(dan, "Porto", since="2026-01-01")

    late, asked = reversed(home.ana.conflicts().conflicts)
    assert [(each.because, each.b.value) for each in (late, asked)] == [("late-arrival", "Porto"), ("peers", "Porto")]
    assert asked.a.value == "Faro"
    assert held(home, "2026-01-15") == ["Porto"]
    assert held(home, "2026-03-01") == ["Lisbon"]
    assert held(home, "2027-04-15") == ["Porto"]
