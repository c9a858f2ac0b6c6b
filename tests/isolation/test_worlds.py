"""Non-interference: what a requester may not see changes no byte of what they are handed, errors included."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from isolation_stores import Places, postgres_places, say, sqlite_places

from heedful.adapters.storage.sqlite.store import SqliteStore
from heedful.testing.isolation.history import make_world
from heedful.testing.isolation.limits import small_limits
from heedful.testing.isolation.people import PEOPLE, REQUESTERS, SCOPES
from heedful.testing.isolation.play import play
from heedful.testing.isolation.steps import known_then
from heedful.testing.postgres import PostgresServer

WORLDS = 200
LOOKED_AT = 40
MENDED = (509, 1486, 1512)
"""Worlds of 2,000 that differed once: a yes in a scope that is not read; a reference that a hidden record had."""


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


def test_what_is_not_visible_changes_no_byte_of_any_answer(places: Places) -> None:
    """In 200 worlds: other tenants, scopes, classifications, refused statements, what others were handed."""
    answers = hidden = 0
    for seed in range(WORLDS):
        compared = places.compare(seed)
        assert compared.difference is None, str(compared.difference)
        answers += compared.answers
        hidden += compared.hidden
    say(f"{WORLDS} worlds, {answers} answers, {hidden} steps hidden, 0 differ")
    # The control of its size: enough is asked, and enough is hidden.
    assert answers > WORLDS * places.steps_max / 10
    assert hidden > WORLDS * places.steps_max / 10


@pytest.mark.parametrize("seed", MENDED)
def test_a_world_that_differed_once_does_so_no_more(seed: int) -> None:
    """As it was played then, on SQLite with all of its steps."""
    with sqlite_places() as places:
        difference = places.compare(seed).difference
    assert difference is None, str(difference)
    assert not make_world(seed).has_router


def test_worlds_reach_what_they_are_to_show() -> None:
    """Every verb is answered and refused, packets and queues are full, limits are met, everybody asks."""
    told: Counter[str] = Counter()
    with small_limits():
        for seed in range(LOOKED_AT):
            world = make_world(seed)
            store = SqliteStore.in_memory()
            played = play(world, world.steps, store, named="w")
            store.close()
            told[world.requester.name] += 1
            told["routers"] += world.has_router
            told["ends"] += sum(note.is_end for notes in played.notes.values() for note in notes)
            for step in world.steps:
                if step.number in played.answers:
                    told[f"{step.verb} known then"] += known_then(step) is not None
                    told[f"{step.verb} {'refused' if step.number in played.refused else 'answered'}"] += 1
                    answer = played.answers[step.number]
                    marks = (b"'cite': ", b'"cite":"', b"not searched", b"cut=True", b"duplicate=True", b"bridge_id",
                             b"blob", b"contradicted", b"quarantined=('", b"'rulings'", b"kept-before",
                             b"over, by what record", b"replaced by")  # fmt: skip
                    told.update(mark.decode() for mark in marks if mark in answer)
    say(str(dict(told)))
    assert {each.name for each in REQUESTERS} <= told.keys()
    for verb in (
        "recall",
        "judge",
        "remember",
        "why",
        "show",
        "queue",
        "status",
        "page",
        "approve",
        "reject",
    ):
        assert told[f"{verb} answered"], verb
    for verb in ("remember", "why", "show", "approve", "reject", "queue", "outcome", "mode", "verify"):
        assert told[f"{verb} refused"], verb
    assert all(told[f"{verb} known then"] for verb in ("recall", "why", "show", "queue"))
    for mark in ('"cite":"', "not searched", "cut=True", "duplicate=True", "bridge_id", "'rulings'", "routers", "ends",
                 "over, by what record"):  # fmt: skip
        assert told[mark], mark


def test_a_world_comes_from_its_seed_alone() -> None:
    """The same seed gives the same history, another gives another."""
    assert make_world(3) == make_world(3)
    assert make_world(3) != make_world(4)


def test_the_reference_model_denies_what_it_permits_elsewhere() -> None:
    """It is written apart from policy: whole names, the clearance, and everything only by the grant of everything."""
    by_name = {person.name: person for person in PEOPLE}
    gus, dan, fay = by_name["person:gus"], by_name["person:dan"], by_name["person:fay"]
    assert gus.may_see(("project:pay",), "restricted")
    assert not gus.may_see(("project:payments",), "normal")
    assert dan.may_see(("team:sre",), "normal")
    assert not dan.may_see(("team:sre",), "sensitive")
    assert not dan.may_write(("team:sre",))
    assert fay.may_see((), "normal")
    assert not dan.may_see((), "normal")
    assert all(any(not person.may_see(scope, "restricted") for scope in SCOPES) for person in REQUESTERS)
