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
DAYS = ("2025-12-31", "2026-01-15", "2026-02-15", "2026-03-15")


def held(home: World, day: str) -> list[Any]:
    """The values that held at the start of the day, by what is known now."""
    at_us = parse_time(day, field="day").at_us
    claims: list[Claim] = [claim_of(home, each.claim_id) for each in home.events() if isinstance(each, ClaimProposed)]
    return sorted(each.value for each in claims if each.status in ("active", "superseded") and _holds(each, at_us))


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
