"""People who say things of a team and of each other, of kinds with one value at a time, and what is held then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from worlds import TWO_PEOPLE, World, world

from heedful import Memory
from heedful.claims.claim import Claim
from heedful.claims.conflict import Conflict
from heedful.ledger.events import ClaimProposed

PEOPLE = (
    TWO_PEOPLE.replace(
        '"person:dan": {roles: [], clearance: normal, grants: ["project:payments"]}',
        '"person:dan": {roles: [], clearance: normal, grants: ["project:payments", "user:*"]}\n'
        '    "person:eve": {roles: [], clearance: normal, grants: ["project:payments", "user:*"]}\n'
        '    "person:own": {roles: [operator], clearance: normal, grants: ["project:payments", "user:*"]}',
    )
    + """
kinds:
  home.city: {description: Where one lives., form: fact, cardinality: one, comparator: text, risk: low}
  home.pets: {description: Which animals one has., form: fact, cardinality: many, comparator: text, risk: low}
"""
)
CITY, PETS = "home.city", "home.pets"
ANA_IS = ("user:ana",)
PAYMENTS = ("project:payments",)
TEAM = "project:payments"


@pytest.fixture(name="home")
def home_fixture(request: pytest.FixtureRequest) -> Any:
    """An empty store."""
    is_shared = getattr(request, "param", "sqlite") == "postgresql"
    database = request.getfixturevalue("emptied_database") if is_shared else None
    with world(policy=PEOPLE, database=database) as made:
        yield made


def says(memory: Memory, value: Any, **more: Any) -> str:
    """The id of the claim that this person states, of a team's city unless `more` says otherwise."""
    given = {"kind": CITY, "scope": PAYMENTS, "subject": TEAM, "consent": "explicit"} | more
    return memory.remember(f"it is {value}", value=value, **given).claims[0].claim_id


def claim(home: World, claim_id: str) -> Claim:
    item, _ = home.ana.show(claim_id)
    assert isinstance(item, Claim)
    return item


def conflicts(home: World) -> list[Conflict]:
    """Every conflict, the oldest first."""
    with home.app.session(principal="person:ana").store.read() as reading:
        return list(reversed(reading.conflicts(only_open=False, before=None, limit=100)))


def rulings(home: World) -> list[tuple[str, str, str | None]]:
    return [(each.because, each.outcome.value, each.resolution and each.resolution.value) for each in conflicts(home)]


def active(home: World, subject: str = TEAM) -> list[Any]:
    """Values that are held now, in ledger order."""
    with home.app.session(principal="person:ana").store.read() as reading:
        proposed = [each for each in home.events() if isinstance(each, ClaimProposed)]
        found = [reading.claim(each.claim_id) for each in proposed]
    return [each.value for each in found if each is not None and each.is_reviewed and each.subject == subject]


@pytest.fixture(name="dan")
def dan_fixture(home: World) -> Callable[..., str]:
    return lambda value, **more: says(home.memory("person:dan"), value, **more)


@pytest.fixture(name="eve")
def eve_fixture(home: World) -> Callable[..., str]:
    return lambda value, **more: says(home.memory("person:eve"), value, **more)


@pytest.fixture(name="own")
def own_fixture(home: World) -> Callable[..., str]:
    """An operator, who states it as such."""
    return lambda value, **more: says(home.memory("person:own"), value, grade="operator", **more)
