"""Who wears a claim down: one principal once, three who are independent to the archive, and nobody what is self-told."""

from __future__ import annotations

from typing import Any

import pytest
from believers import (  # noqa: F401  # pytest finds the fixtures here
    ANA_IS,
    active,
    claim,
    conflicts,
    dan_fixture,
    eve_fixture,
    home_fixture,
    says,
)
from worlds import World

from heedful.service.project import refold

CITIES = ("Beijing", "Canton", "Paris")
OF_ANA: dict[str, Any] = {"scope": ANA_IS, "subject": "user:ana"}


def worth(home: World, claim_id: str) -> tuple[str, float, int]:
    found = claim(home, claim_id)
    return found.status.value, found.confidence, found.conflicts_lost


@pytest.mark.parametrize("home", ["sqlite", "postgresql"], indirect=True)
def test_one_who_says_otherwise_three_times_wears_a_claim_down_once(home: World, dan: Any, eve: Any) -> None:
    """Each time is a conflict all the same; the controls: others take the second part, and the third."""
    first = dan("Shanghai")
    for city in CITIES:
        eve(city)
    assert worth(home, first) == ("active", 0.8, 1)
    assert sum(each.because == "peers" and each.standing_id == first for each in conflicts(home)) == len(CITIES)

    says(home.memory("person:bob"), "Rome")
    assert worth(home, first) == ("active", 0.6, 2)
    says(home.ana, "Oslo")
    assert worth(home, first) == ("archived", 0.4, 3)

    before, session = home.views(), home.app.session(principal="person:ana")
    session.store.write(lambda writing: refold(writing, session.text_of, progress=lambda _position: None))
    assert home.views() == before


def test_one_persons_three_approved_pages_wear_a_claim_down_once(home: World, dan: Any, eve: Any) -> None:
    """Who fetched them is one principal; a person approved each."""
    first = dan("Shanghai")
    for city in CITIES:
        page = eve(city, grade="document", record_type="document", source_ref=f"doc:{city}")
        home.bob.approve(page, reason="so it says")
    assert worth(home, first) == ("active", 0.8, 1)


def test_lost_conflicts_never_archive_what_is_self_told(home: World, dan: Any, eve: Any) -> None:
    """Of one who says it often, nor of three who say it once: the last word on Ana is Ana's."""
    own = says(home.ana, "Shanghai", **OF_ANA)
    for city in CITIES:
        eve(city, **OF_ANA)
    assert worth(home, own) == ("active", 0.8, 1)
    dan("Rome", **OF_ANA)
    says(home.memory("person:own"), "Oslo", **OF_ANA)
    assert worth(home, own) == ("active", 0.4, 3)
    assert active(home, "user:ana") == ["Shanghai"]
    assert {each.because for each in conflicts(home)} == {"standing-self-told"}


def test_lost_conflicts_never_archive_what_its_subject_confirmed(home: World, dan: Any, eve: Any) -> None:
    """Dan had said it of Ana, and says otherwise now, as two others do."""
    told = dan("Shanghai", **OF_ANA)
    home.ana.confirm(told, reason="so it is")
    for number, city in enumerate(CITIES):
        eve(city, **OF_ANA)
        if number == 0:
            says(home.memory("person:own"), "Oslo", **OF_ANA)
    dan("Rome", **OF_ANA)
    assert worth(home, told) == ("active", 0.4, 3)


def test_what_a_withdrawal_gave_back_is_taken_again(home: World, dan: Any, eve: Any) -> None:
    """Else a record that is withdrawn would shield a claim from its speaker's next word."""
    first = dan("Shanghai")
    gone = eve("Beijing")
    home.bob.reject(claim(home, gone).evidence[0], reason="forged")
    assert worth(home, first) == ("active", 1, 0)
    says(home.memory("person:bob"), "Rome")
    eve("Canton")
    assert worth(home, first) == ("active", 0.6, 2)
