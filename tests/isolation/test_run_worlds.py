"""Non-interference of the newer verbs: states, causes, mining, workflows, permits and the queue, in worlds of runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from isolation_stores import Places, postgres_places, say, sqlite_places
from planted import Fault
from run_faults import RUN_FAULTS

from heedful.adapters.storage.sqlite.store import SqliteStore
from heedful.testing.isolation.limits import small_limits
from heedful.testing.isolation.play import play
from heedful.testing.isolation.runs import make_run_world
from heedful.testing.postgres import PostgresServer

WORLDS = {"sqlite": 16, "postgresql": 8}
WORLDS_MAX = 40
"""Worlds in which a fault must show."""
FIRST = {
    "state-without-scopes": 11,
    "state-without-denied-kinds": 16,
    "placed-among-hidden": 95,
    "explained-by-hidden": 2,
    "retired-of-all": 2,
    "workflow-followed-by-hidden": 2,
    "causes-cut-counts-all": 5,
    "causes-by-any-id": 12,
    "gotchas-mined-of-all": 6,
    "gotchas-held-by-all": 46,
    "proposals-of-all-known": 73,
    "proposals-cut-before-filter": 128,
    "proposals-listed-to-all": 5,
    "queue-cut-counts-all": 5,
    "permit-spoilt-by-any-write": 8,
}
"""The world to begin at, where that is not the second: the first in which the fault shows, so that CI plays few."""
ON_POSTGRES = ("state-without-clearance",)
LOOKED_AT = 16
MENDED = (95,)
"""A world that differed once: a hidden look in the same run, by a later clock, put a state after another."""


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


def worlds_until_caught(places: Places, *, first: int = 0) -> int | None:
    """The first world in which an answer differed; None: in none did one."""
    for seed in range(first, first + WORLDS_MAX):
        if places.compare(seed, make=make_run_world).difference is not None:
            return seed
    return None


def test_what_is_not_visible_changes_no_byte_of_what_runs_tell(places: Places, request: pytest.FixtureRequest) -> None:
    """State on both axes, causes, mined workflows and gotchas, steps of a workflow, permits, the queue."""
    worlds = WORLDS[request.node.callspec.params["places"]]
    answers = hidden = 0
    for seed in range(worlds):
        compared = places.compare(seed, make=make_run_world)
        assert compared.difference is None, str(compared.difference)
        answers += compared.answers
        hidden += compared.hidden
    say(f"{worlds} worlds of runs, {answers} answers, {hidden} steps hidden, 0 differ")
    # The control of its size: enough is asked, and enough is hidden.
    assert answers > worlds * places.steps_max / 10
    assert hidden > worlds * places.steps_max / 10


@pytest.mark.parametrize("seed", MENDED)
def test_a_world_of_runs_that_differed_once_does_so_no_more(seed: int) -> None:
    """As it was played then, on SQLite with all of its steps."""
    with sqlite_places() as places:
        difference = places.compare(seed, make=make_run_world).difference
    assert difference is None, str(difference)


@pytest.mark.parametrize("fault", RUN_FAULTS, ids=lambda fault: fault.name)
def test_a_planted_fault_of_a_newer_verb_is_caught(fault: Fault) -> None:
    """By a difference of answers, not by a crash; the control is the same worlds without it, above."""
    with sqlite_places() as places, fault.planted(places.engine):
        world = worlds_until_caught(places, first=FIRST.get(fault.name, 1))
    say(f"{fault.name} ({fault.tells}): caught in world {world}")
    assert world is not None


@pytest.mark.parametrize("name", ON_POSTGRES)
def test_a_fault_of_the_store_is_caught_in_runs_on_postgresql(postgres: PostgresServer, name: str) -> None:
    """The same faults, planted in the other adapter."""
    fault = next(each for each in RUN_FAULTS if each.name == name)
    with postgres_places(postgres) as places, fault.planted(places.engine):
        assert worlds_until_caught(places) is not None


def test_worlds_of_runs_reach_what_they_are_to_show() -> None:
    """Every verb is answered, and what it can tell is told: also what is mined, retired, redeemed and unexplained."""
    told: Counter[str] = Counter()
    marks = (b"known=True", b"known=False", b"changed_by='", b"unexplained=True", b"is_cut=True", b"Sort.EXPLICIT",
             b"Sort.HYPOTHESIS", b"MinedGotcha(", b"'sort': 'workflow'", b"todo='step'", b"todo='verify'",
             b"todo='prove'", b"Redeemed(", b"PermitRefused(", b"heedful_permit_1")  # fmt: skip
    with small_limits():
        for seed in range(LOOKED_AT):
            world = make_run_world(seed)
            store = SqliteStore.in_memory()
            played = play(world, world.steps, store, named="w")
            store.close()
            for step in world.steps:
                answer = played.answers.get(step.number)
                if answer is not None:
                    told[f"{step.verb} {'refused' if step.number in played.refused else 'answered'}"] += 1
                    told.update(mark.decode() for mark in marks if mark in answer)
    say(str(dict(told)))
    for verb in ("state", "causes", "mine", "gotchas", "flow", "judge", "redeem", "queue", "recall", "remember"):
        assert told[f"{verb} answered"], verb
    for mark in marks:
        assert told[mark.decode()], mark


def test_a_world_of_runs_comes_from_its_seed_alone() -> None:
    """The same seed gives the same history, another gives another."""
    assert make_run_world(3) == make_run_world(3)
    assert make_run_world(3) != make_run_world(4)
