"""Corroboration through the verbs: whoever says the same, it counts only where it comes from elsewhere."""

from __future__ import annotations

from typing import Any

from believers import (  # noqa: F401  # pytest finds the fixtures here
    CITY,
    PAYMENTS,
    TEAM,
    claim,
    dan_fixture,
    eve_fixture,
    home_fixture,
    rulings,
    says,
)
from worlds import World

WORDS = "the team has been in Shanghai for as long as anybody remembers"


def page(home: World, words: str, run_id: str, **more: Any) -> str:
    """The id of the claim of a page that Eve brings and Bob approves."""
    kept = home.memory("person:eve").remember(
        words, kind=CITY, value="Shanghai", subject=TEAM, scope=PAYMENTS, grade="document", run_id=run_id, **more
    )
    home.bob.approve(kept.claims[0].claim_id)
    return kept.claims[0].claim_id


def stated(home: World) -> tuple[str, str]:
    """The ids of Dan's record and claim."""
    kept = home.memory("person:dan").remember(
        WORDS, kind=CITY, value="Shanghai", subject=TEAM, scope=PAYMENTS, consent="explicit"
    )
    return kept.record_id, kept.claims[0].claim_id


def test_copies_and_summaries_of_what_was_said_add_nothing_and_a_page_of_its_own_does(home: World) -> None:
    """The same bytes, what is made from them over two steps, and what is made from a record that is not there."""
    record, held = stated(home)
    summary = home.memory("person:eve").remember(
        "Shanghai, in short", scope=PAYMENTS, grade="summary", derived_from=[record]
    )
    page(home, WORDS, "run-1")
    page(home, "Shanghai, it is said", "run-2", derived_from=[summary.record_id])
    page(home, "Shanghai, from somewhere", "run-3", derived_from=["01981f6e-0000-7000-8000-000000000000"])
    assert (claim(home, held).tier, len(claim(home, held).evidence)) == (1, 1)

    page(home, "Their door says Shanghai", "run-4")
    page(home, "Their letters come from Shanghai", "run-4")
    assert (claim(home, held).tier, len(claim(home, held).evidence)) == (2, 2)
    assert {each[2] for each in rulings(home)} == {"merged"}


def test_what_rests_on_less_is_not_lifted_above_it(home: World, dan: Any, eve: Any) -> None:
    """Two say the same of what follows from a claim that one alone says."""
    ground = dan("Shanghai", subject="service:ledger")
    held = says(home.memory("person:dan"), "Hongqiao", subject="service:x", rests_on=[ground])
    eve("Hongqiao", subject="service:x")
    free = dan("Hongqiao", subject="service:y")
    eve("Hongqiao", subject="service:y")

    assert claim(home, held).tier == 1
    assert claim(home, free).tier == 2
