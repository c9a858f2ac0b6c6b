"""Latency classes: what is not visible changes neither which statements answer a request nor how they are shaped.

By counting, never by the clock, on each engine. Left out is what does not depend on the request: upkeep (a group of
access entries that is sealed, and whether anything at all was erased since; waiting rows that enter the index; vectors
that are loaded into memory), and the numbers of scopes that a connection happens to know. Whether a granted scope is in
use at all does show here, so each one is in use.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import apsw
import psycopg
import pytest
from isolation_stores import POSTGRES_STEPS_MAX, postgres_places, say

from heedful.adapters.storage.sqlite.store import SqliteStore
from heedful.ports.store import Store
from heedful.testing.isolation.differential import without_the_invisible
from heedful.testing.isolation.history import make_world
from heedful.testing.isolation.limits import small_limits
from heedful.testing.isolation.people import PEOPLE, SCOPES
from heedful.testing.isolation.play import Played, play
from heedful.testing.isolation.steps import HOME, STEPS_MAX, Step, World, known_then
from heedful.testing.postgres import PostgresServer

WORLDS = 25
UPKEEP = {
    "sqlite": re.compile(
        r"FROM scopes WHERE key IN|FROM search_pending ORDER|FROM vectors|FROM state|PRAGMA|sqlite_schema|FROM erased_keys\)"
    ),
    "postgresql": re.compile(r"^SELECT u\.scope_key, s\.scope_id FROM unnest|FROM erased_keys\)"),
}
READS = re.compile(r"\s*(?:SELECT|WITH)\b(?!.*\b(?:INSERT INTO|UPDATE|DELETE FROM)\b)", re.DOTALL)
# Not what waits for review: verdicts of the last hour are walked to find it, whoever may see them.
READ_VERBS = ("recall", "judge", "show", "why", "status")
Statements = list[tuple[str, tuple[int | None, ...]]]
"""Each statement that read, and how many members each of its values has; None for a value that is no list."""


def members(value: object) -> int | None:
    """How many members a list has, or a list that is handed over as JSON."""
    if isinstance(value, list | tuple):
        return len(value)
    if isinstance(value, str) and value.startswith("["):
        return len(json.loads(value))
    return None


@dataclass
class Tracer:
    """The statements of each step that is watched."""

    upkeep: re.Pattern[str]
    by_step: dict[int, Statements] = field(default_factory=dict)
    now: Statements | None = None

    def tell(self, statement: str, values: Any) -> None:
        """This one is run."""
        if self.now is not None and READS.match(statement) and not self.upkeep.search(statement):
            given = values.values() if isinstance(values, dict) else values or ()
            self.now.append((statement, tuple(map(members, given))))

    @contextmanager
    def watch(self, step: Step) -> Iterator[None]:
        """What runs within the block is of this step."""
        self.now = self.by_step.setdefault(step.number, [])
        try:
            yield
        finally:
            self.now = None


@dataclass
class Engine:
    """Stores of one engine, all of whose statements the tracer is told.

    Attributes:
        kept: the stores for whole worlds and for others; None: a new one for each.
    """

    tracer: Tracer
    steps_max: int
    kept: tuple[Store, Store] | None = None
    worlds: Iterator[int] = field(default_factory=count)

    def store(self, *, is_whole: bool) -> AbstractContextManager[Store]:
        """A store for a block."""
        return closing(SqliteStore.in_memory()) if self.kept is None else nullcontext(self.kept[not is_whole])


@contextmanager
def traced_sqlite() -> Iterator[Engine]:
    """SQLite: every connection that is made within the block tells its statements."""
    tracer = Tracer(UPKEEP["sqlite"])

    def tell(_cursor: apsw.Cursor, statement: str, values: Any) -> bool:
        tracer.tell(statement, values)
        return True

    def traced(connection: apsw.Connection) -> None:
        connection.set_exec_trace(tell)

    apsw.connection_hooks.append(traced)
    try:
        yield Engine(tracer, STEPS_MAX)
    finally:
        apsw.connection_hooks.remove(traced)


@contextmanager
def traced_postgres(server: PostgresServer) -> Iterator[Engine]:
    """PostgreSQL: the driver's cursors tell what they are asked to run, and run it."""
    tracer = Tracer(UPKEEP["postgresql"])
    sound = psycopg.Cursor.execute

    def execute(cursor: Any, query: Any, params: Any = None, **options: Any) -> Any:
        tracer.tell(str(query), params)
        return sound(cursor, query, params, **options)

    with pytest.MonkeyPatch.context() as patch, postgres_places(server) as places:
        patch.setattr(psycopg.Cursor, "execute", execute)
        yield Engine(tracer, POSTGRES_STEPS_MAX, places.kept)


@pytest.fixture(params=["sqlite", "postgresql"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """Each engine."""
    made = traced_sqlite() if request.param == "sqlite" else traced_postgres(request.getfixturevalue("postgres"))
    with made as traced:
        yield traced


def in_use(world: World) -> World:
    """The world with a visible record in every scope that the requester reads, before all else."""
    scopes = [scope for scope in SCOPES if world.requester.may_read(scope)]
    fields = {"content": "it is in use", "consent": "implicit", "source_ref": None}
    first = [
        Step(number - 100, HOME, PEOPLE[0], "remember", scope, fields=fields) for number, scope in enumerate(scopes)
    ]
    return replace(world, steps=(*first, *world.steps))


def statements(engine: Engine, world: World, steps: tuple[Step, ...], named: str, whole: Played | None) -> Played:
    """What came of the steps; the tracer has their statements."""
    engine.tracer.by_step.clear()
    ids = None if whole is None else whole.ids
    with engine.store(is_whole=whole is None) as store:
        return play(world, steps, store, named=named, ids=ids, watch=engine.tracer.watch)


def is_compared(step: Step) -> bool:
    """Not `why` and `show` of a verdict: to see whether it may be shown, what it rests on is looked at.

    Nor what was known then: the ledger is read for it, whatever is in it (docs/isolation.md).
    """
    is_of_verdict = step.target is not None and step.target.made == "verdict" and step.verb != "judge"
    return step.verb in READ_VERBS and not is_of_verdict and known_then(step) is None


def differing(engine: Engine, seed: int) -> tuple[int, list[str]]:
    """How many statements of a seed's worlds were compared, and the requests whose statements differ."""
    world = in_use(make_world(seed, steps_max=engine.steps_max))
    named = f"w{next(engine.worlds)}"
    whole = statements(engine, world, world.steps, named, None)
    of_whole = dict(engine.tracer.by_step)
    statements(engine, world, without_the_invisible(world, whole), named, whole)
    of_other = engine.tracer.by_step
    compared = [step for step in world.steps if step.number in of_whole and is_compared(step)]
    return sum(len(of_whole[step.number]) for step in compared), [
        f"seed {seed}, {step}\n  {of_whole[step.number]}\n  {of_other[step.number]}"
        for step in compared
        if of_whole[step.number] != of_other[step.number]
    ]


def test_what_is_not_visible_changes_no_statement(engine: Engine) -> None:
    """The same statements in the same order, each with as many values, and each list of as many members."""
    compared = 0
    with small_limits():
        for seed in range(WORLDS):
            some, found = differing(engine, seed)
            compared += some
            assert not found, found[0]
    say(f"{compared} statements, the same ones")
    assert compared > 10 * WORLDS


def one_look_more(reading: Any, hidden: list[Any]) -> None:
    """A statement for each hidden scope."""
    for _scope in hidden:
        reading.registry_revisions()


def a_longer_look(reading: Any, hidden: list[Any]) -> None:
    """One statement, whatever is hidden, with as many members as scopes are hidden."""
    reading.records_by_ids([f"of-{number}" for number in range(1 + len(hidden))])


@pytest.mark.parametrize("look", [one_look_more, a_longer_look])
def test_the_control_a_look_at_what_is_hidden_is_seen(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, look: Any
) -> None:
    """A check of each hidden row, of the sort that tells by its time, changes the statements."""
    from heedful.service.recalling import recall  # noqa: PLC0415

    sound = recall._rules

    def slower(reading: Any, visible: Any, request: Any) -> Any:
        look(reading, [scope for scope in reading.scopes() if scope not in visible.scopes])
        return sound(reading, visible, request)

    monkeypatch.setattr(recall, "_rules", slower)
    with small_limits():
        assert any(differing(engine, seed)[1] for seed in range(WORLDS))
