"""Latency classes: what is not visible changes neither which statements answer a request nor how they are shaped.

By counting, never by the clock. Left out is what does not depend on the request: upkeep (a group of access entries that
is sealed, waiting rows that enter the index, vectors that are loaded into memory), and the numbers of scopes that a
connection happens to know. Whether a granted scope is in use at all does show here, so each one is in use.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import apsw
import pytest
from isolation_stores import say

from heedful.adapters.storage.sqlite.store import SqliteStore
from heedful.testing.isolation.differential import small_limits, without_the_invisible
from heedful.testing.isolation.history import make_world
from heedful.testing.isolation.people import PEOPLE, SCOPES
from heedful.testing.isolation.play import Played, play
from heedful.testing.isolation.steps import HOME, Step, World

WORLDS = 25
UPKEEP = re.compile(r"FROM scopes WHERE key IN|FROM search_pending ORDER|FROM vectors|FROM state|PRAGMA|sqlite_schema")
# Not what waits for review: verdicts of the last hour are walked to find it, whoever may see them.
READ_VERBS = ("recall", "judge", "show", "why", "status")
Statements = list[str]


class Tracer:
    """The statements of each step that is watched."""

    def __init__(self) -> None:
        self.by_step: dict[int, Statements] = {}
        self._now: Statements | None = None

    def traced(self, connection: apsw.Connection) -> None:
        """From here on this connection tells its statements."""
        connection.set_exec_trace(self._tell)

    def _tell(self, _cursor: apsw.Cursor, statement: str, _values: object) -> bool:
        if self._now is not None and statement.lstrip().startswith("SELECT") and not UPKEEP.search(statement):
            self._now.append(statement)
        return True

    @contextmanager
    def watch(self, step: Step) -> Iterator[None]:
        """What runs within the block is of this step."""
        self._now = self.by_step.setdefault(step.number, [])
        try:
            yield
        finally:
            self._now = None


@pytest.fixture
def tracer() -> Iterator[Tracer]:
    """Every connection that is made from here on is traced."""
    made = Tracer()
    apsw.connection_hooks.append(made.traced)
    yield made
    apsw.connection_hooks.remove(made.traced)


def in_use(world: World) -> World:
    """The world with a visible record in every scope that the requester reads, before all else."""
    scopes = [scope for scope in SCOPES if world.requester.may_read(scope)]
    fields = {"content": "it is in use", "consent": "implicit", "source_ref": None}
    first = [
        Step(number - 100, HOME, PEOPLE[0], "remember", scope, fields=fields) for number, scope in enumerate(scopes)
    ]
    return replace(world, steps=(*first, *world.steps))


def statements(tracer: Tracer, world: World, steps: tuple[Step, ...], whole: Played | None) -> Played:
    """What came of the steps; the tracer has their statements."""
    tracer.by_step.clear()
    store = SqliteStore.in_memory()
    played = play(world, steps, store, named="w", ids=None if whole is None else whole.ids, watch=tracer.watch)
    store.close()
    return played


def is_compared(step: Step) -> bool:
    """Not `why` and `show` of a verdict: to see whether it may be shown, what it rests on is looked at."""
    is_of_verdict = step.target is not None and step.target.made == "verdict" and step.verb != "judge"
    return step.verb in READ_VERBS and not is_of_verdict


def differing(tracer: Tracer, seed: int) -> tuple[int, list[str]]:
    """How many requests of a seed's worlds were compared, and those whose statements differ."""
    world = in_use(make_world(seed))
    whole = statements(tracer, world, world.steps, None)
    of_whole = dict(tracer.by_step)
    statements(tracer, world, without_the_invisible(world, whole), whole)
    compared = [step for step in world.steps if step.number in of_whole and is_compared(step)]
    return len(compared), [
        f"seed {seed}, {step}\n  {of_whole[step.number]}\n  {tracer.by_step[step.number]}"
        for step in compared
        if of_whole[step.number] != tracer.by_step[step.number]
    ]


def test_what_is_not_visible_changes_no_statement(tracer: Tracer) -> None:
    """The same statements in the same order, each with as many values."""
    compared = 0
    with small_limits():
        for seed in range(WORLDS):
            count, found = differing(tracer, seed)
            compared += count
            assert not found, found[0]
    say(f"{compared} requests, the same statements")
    assert compared > WORLDS


def test_the_control_one_look_more_is_seen(tracer: Tracer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A check of each hidden row, of the sort that tells by its time, changes the statements."""
    from heedful.service import recall  # noqa: PLC0415

    sound = recall._rules

    def slower(reading: object, visible: object, request: object) -> object:
        for scope in reading.scopes():  # type: ignore[attr-defined]
            if scope not in visible.scopes:  # type: ignore[attr-defined]
                reading.registry_revisions()  # type: ignore[attr-defined]
        return sound(reading, visible, request)  # type: ignore[arg-type]

    monkeypatch.setattr(recall, "_rules", slower)
    with small_limits():
        assert any(differing(tracer, seed)[1] for seed in range(WORLDS))
