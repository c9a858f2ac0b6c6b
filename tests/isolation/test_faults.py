"""The differential sees: each way in which isolation could be broken is planted, and is caught."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from isolation_stores import Places, postgres_places, say, sqlite_places
from planted import Fault
from service_faults import SERVICE_FAULTS
from storage_faults import STORAGE_FAULTS
from told_faults import TOLD_FAULTS

from heedful.testing.postgres import PostgresServer

WORLDS_MAX = 100
"""Worlds in which a fault must show."""
FIRST = {
    "duplicate-of-the-denied": 25,
    "ended-by-denied-kinds": 14,
    "scopes-told-by-errors": 33,
    "records-under-denied-by-id": 66,
    "ended-in-every-scope": 46,
    "ended-beside-hidden-rivals": 68,
    "own-reference-told": 86,
    "contradiction-with-hidden": 42,
    "others-answers-shown": 84,
    "ended-below-label": 105,
    "quarantined-all-told": 332,
    "verdicts-cut-before-filter": 268,
    "verdict-without-its-basis": 187,
    "end-told-below-the-ended": 222,
    "one-handle-for-all-tenants": 4,
    "nearest-without-clearance": 2,
    "nearest-without-denied-kinds": 12,
    "records-without-denied-kinds": 25,
    "denied-kinds-without-descendants": 7,
    "mind-of-other-scopes": 6,
    "rules-of-all": 51,
    "proof-above-clearance": 41,
    "consent-ignored": 9,
    "retry-is-not-a-duplicate": 6,
    "places-taken-by-hidden": 62,
}
"""The world to begin at, where that is not the first: one in which the fault shows, or shortly before one."""
FAULTS = (*STORAGE_FAULTS, *SERVICE_FAULTS, *TOLD_FAULTS)
SECOND_LOOK = (
    "search-without-scopes",
    "search-without-clearance",
    "search-without-denied-kinds",
    "search-shows-records-under-denied",
    "nearest-without-clearance",
    "nearest-without-denied-kinds",
)
ON_POSTGRES = (
    "search-without-clearance",
    "claims-without-clearance",
    "records-without-scopes",
    "one-handle-for-all-tenants",
    "search-without-denied-kinds",
    "denied-kinds-without-descendants",
)
"""Enough to show that worlds on PostgreSQL see: most faults are above the store, or the same for every adapter."""


@pytest.fixture(scope="module")
def on_sqlite() -> Iterator[Places]:
    """SQLite in memory."""
    with sqlite_places() as made:
        yield made


@pytest.fixture(scope="module")
def on_postgres(postgres: PostgresServer) -> Iterator[Places]:
    """Two databases of the server."""
    with postgres_places(postgres) as made:
        yield made


def worlds_until_caught(places: Places, *, first: int = 0) -> int | None:
    """How many worlds it took until an answer differed; None: in none did one."""
    for number in range(WORLDS_MAX):
        if places.compare(first + number).difference is not None:
            return number + 1
    return None


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_planted_fault_is_caught(on_sqlite: Places, fault: Fault) -> None:
    """By a difference of answers, not by a crash."""
    with fault.planted(on_sqlite.engine):
        worlds = worlds_until_caught(on_sqlite, first=FIRST.get(fault.name, 0))
    say(f"{fault.name} ({fault.tells}): caught in world {worlds}")
    assert worlds is not None


@pytest.mark.parametrize("name", ON_POSTGRES)
def test_a_fault_of_the_store_is_caught_on_postgresql(on_postgres: Places, name: str) -> None:
    """The same faults, planted in the other adapter."""
    fault = next(each for each in STORAGE_FAULTS if each.name == name)
    with fault.planted(on_postgres.engine):
        worlds = worlds_until_caught(on_postgres)
    say(f"{fault.name}: caught in world {worlds}")
    assert worlds is not None


def test_a_policy_that_lets_every_tenants_rows_through_is_caught_on_postgresql(
    on_postgres: Places, postgres: PostgresServer
) -> None:
    """Row-level security is all that keeps tenants apart there; a permissive policy beside it opens the views."""
    tables = ("records", "claims", "search_rows", "search_tokens")
    places = [postgres.superuser_dsn(dsn.rpartition("/")[2]) for dsn in on_postgres.dsns]

    def in_each(statement: str) -> None:
        for place in places:
            with psycopg.connect(place) as connection:
                for table in tables:
                    connection.execute(statement.format(table))

    in_each("CREATE POLICY leak ON heedful.{} FOR SELECT TO heedful_app USING (true)")
    try:
        worlds = worlds_until_caught(on_postgres)
    finally:
        in_each("DROP POLICY leak ON heedful.{}")
    say(f"policy-lets-all-through: caught in world {worlds}")
    assert worlds is not None
    assert on_postgres.compare(0).difference is None


@pytest.mark.parametrize("name", SECOND_LOOK)
def test_the_second_look_stops_a_search_that_filters_nothing(on_sqlite: Places, name: str) -> None:
    """With recall.visible as it is, no row is handed out: the answer is the error `invisible_row`."""
    fault = next(each for each in STORAGE_FAULTS if each.name == name)
    with fault.planted(on_sqlite.engine, second_look=True):
        for seed in range(WORLDS_MAX):
            difference = on_sqlite.compare(seed).difference
            if difference is not None and b"invisible_row" in difference.whole:
                return
    pytest.fail("no world met the second look")


def test_the_same_worlds_without_a_fault_are_clean(on_sqlite: Places) -> None:
    """After all of these: what was planted is gone."""
    for seed in range(10):
        assert on_sqlite.compare(seed).difference is None


def test_there_are_at_least_twenty_faults_and_each_has_a_name_of_its_own() -> None:
    """As the design of this test asks."""
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 20
