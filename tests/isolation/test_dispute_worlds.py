"""Non-interference of conflicts, questions, overrides, grounds, tasks and the two times, in worlds of disputes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from dispute_faults import DISPUTE_FAULTS
from isolation_stores import Places, postgres_places, say, sqlite_places
from planted import Fault

from heedful.adapters.storage.sqlite.store import SqliteStore
from heedful.testing.isolation.disputes import make_dispute_world
from heedful.testing.isolation.limits import small_limits
from heedful.testing.isolation.play import play
from heedful.testing.postgres import PostgresServer

SEEDS = {"sqlite": range(14, 26), "postgresql": range(14, 18)}
"""From where several auditors are among those who ask."""
WORLDS_MAX = 12
"""Worlds in which a fault must show."""
FIRST = {"conflicts-of-all": 10, "provenance-of-all": 4, "ground-by-any-id": 22, "erased-with-its-scope": 14}
"""The world to begin at, where that is not the first: one in which the fault shows."""


@pytest.fixture(params=["sqlite", "postgresql"])
def places(request: pytest.FixtureRequest) -> Iterator[Places]:
    """Places of each engine."""
    if request.param == "sqlite":
        with sqlite_places() as made:
            yield made
        return
    server: PostgresServer = request.getfixturevalue("postgres")
    with postgres_places(server) as made:
        yield made


def test_what_is_not_visible_changes_no_byte_of_what_disputes_tell(
    places: Places, request: pytest.FixtureRequest
) -> None:
    """Conflicts, provenance, questions, diagnosis, both times, why; and what overrides, answers and tasks say."""
    seeds = SEEDS[request.node.callspec.params["places"]]
    answers = hidden = 0
    for seed in seeds:
        compared = places.compare(seed, make=make_dispute_world)
        assert compared.difference is None, str(compared.difference)
        answers += compared.answers
        hidden += compared.hidden
    worlds = len(seeds)
    say(f"{worlds} worlds of disputes, {answers} answers, {hidden} steps hidden, 0 differ")
    # The control of its size: enough is asked, and enough is hidden.
    assert answers > worlds * places.steps_max / 10
    assert hidden > worlds * places.steps_max / 20


@pytest.mark.parametrize("fault", DISPUTE_FAULTS, ids=lambda fault: fault.name)
def test_a_planted_fault_of_disputes_is_caught(fault: Fault) -> None:
    """By a difference of answers."""
    first = FIRST.get(fault.name, 0)
    with sqlite_places() as places, fault.planted(places.engine):
        seeds = range(first, first + WORLDS_MAX)
        world = next((s for s in seeds if places.compare(s, make=make_dispute_world).difference is not None), None)
    say(f"{fault.name} ({fault.tells}): caught in world {world}")
    assert world is not None


def test_worlds_of_disputes_reach_what_they_are_to_show() -> None:
    """Every verb is answered, and conflicts, ghosts, sources and questions are told."""
    told: Counter[str] = Counter()
    marks = (b"ToldConflict(", b"Ghost(", b"Provenance(", b"Overridden(")
    with small_limits():
        for seed in SEEDS["sqlite"]:
            world = make_dispute_world(seed)
            store = SqliteStore.in_memory()
            played = play(world, world.steps, store, named="w")
            store.close()
            for step in world.steps:
                told[f"{step.verb} {'refused' if step.number in played.refused else 'done'}"] += 1
                told[f"{step.verb} about"] += "rests_on" in step.fields
                answer = played.answers.get(step.number, b"")
                told.update(mark.decode() for mark in marks if mark in answer)
    say(str(dict(told)))
    for verb in ("correct", "retract", "confirm", "pin", "answer", "task_add", "conflicts", "provenance", "scorecard",
                 "diagnose", "recall", "why", "show", "queue", "forget", "hold", "release", "erase"):  # fmt: skip
        assert told[f"{verb} done"], verb
    assert told["remember about"]
    for mark in marks:
        assert told[mark.decode()], mark


def test_a_world_of_disputes_comes_from_its_seed_alone() -> None:
    """The same seed gives the same history, another gives another."""
    assert make_dispute_world(3) == make_dispute_world(3)
    assert make_dispute_world(3) != make_dispute_world(4)
