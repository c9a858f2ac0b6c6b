"""Non-interference in many worlds: what a requester may not see changes no byte of what they are handed.

Run: python bench/non_interference.py [--worlds 2000] [--engine sqlite|postgresql|both] [--first 0] [--runs] [--json]

Each world is a seed: a history of several tenants and many principals is played whole, and again without everything
that one of them may not see, and all answers to that one are compared byte for byte (heedful.testing.isolation).
With `--runs` the worlds are of runs: states, causes, mining, workflows, permits and the queue are asked for. A
difference is printed with its seed; `--first SEED --worlds 1` plays that world alone. The last line but the figures is
the control: the same worlds with search statistics over all rows, in which differences must be found.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from heedful.adapters.storage.postgres.reading import PostgresReading
from heedful.adapters.storage.postgres.store import PostgresStore
from heedful.adapters.storage.sqlite.reading import SqliteReading
from heedful.adapters.storage.sqlite.store import SqliteStore
from heedful.kernel.ladder import Classification
from heedful.ports.rows import Visible
from heedful.testing.isolation.differential import Compared, compare_worlds
from heedful.testing.isolation.history import make_world
from heedful.testing.isolation.limits import small_limits
from heedful.testing.isolation.runs import make_run_world
from heedful.testing.isolation.steps import STEPS_MAX, World
from heedful.testing.postgres import postgres_server

WORLDS = 2_000
POSTGRES_STEPS_MAX = 40
CONTROL_WORLDS = 20
PROGRESS_EVERY = 100
DIFFERENCES_SHOWN = 5
Compare = Callable[[int], Compared]
Make = Callable[..., World]


@dataclass(frozen=True, slots=True)
class Figures:
    """What an engine's worlds showed.

    Attributes:
        hidden: steps of the whole worlds that the others were played without, or with less.
        control: of CONTROL_WORLDS worlds on a broken store, those in which an answer differed; at least one must.
    """

    engine: str
    worlds: int
    answers: int
    hidden: int
    differ: int
    control: int
    seconds: float

    @property
    def holds(self) -> bool:
        """True where nothing differs and the control does."""
        return self.differ == 0 and self.control > 0


@contextmanager
def sqlite_worlds(make: Make) -> Iterator[Compare]:
    """Each world in memory, in two new stores."""

    def compare(seed: int) -> Compared:
        with closing(SqliteStore.in_memory()) as whole, closing(SqliteStore.in_memory()) as other:
            return compare_worlds(seed, whole, other, named=f"w{seed}", make=make)

    yield compare


@contextmanager
def postgres_worlds(make: Make) -> Iterator[Compare]:
    """All worlds in two databases of a server of our own, each with tenants of its own."""
    played = 0
    with postgres_server() as server, ExitStack() as stack:
        whole, other = (stack.enter_context(closing(PostgresStore.open(server.create_database()))) for _ in range(2))

        def compare(seed: int) -> Compared:
            nonlocal played
            played += 1
            steps_max = min(STEPS_MAX, POSTGRES_STEPS_MAX)
            return compare_worlds(seed, whole, other, named=f"w{played}", steps_max=steps_max, make=make)

        yield compare


@contextmanager
def counts_over_all_rows(reading: type[Any]) -> Iterator[None]:
    """Within the block a store's visible position, and its claims about a subject, are of what is not visible too."""
    sound, about = reading.visible_position, reading.claims_about

    def of_all(self: Any, visible: Visible) -> int:
        count: int = sound(self, Visible((*visible.scopes, *self.scopes()), Classification.RESTRICTED))
        return count

    def about_all(self: Any, visible: Visible, subject: str, **more: Any) -> Any:
        return about(self, Visible((*visible.scopes, *self.scopes()), Classification.RESTRICTED), subject, **more)

    reading.visible_position, reading.claims_about = of_all, about_all
    try:
        yield
    finally:
        reading.visible_position, reading.claims_about = sound, about


def run_worlds(engine: str, compare: Compare, reading: type[Any], *, first: int, worlds: int) -> Figures:
    """The figures of these seeds; differences and progress go to stderr."""
    started = time.monotonic()
    answers = hidden = differ = 0
    for number in range(worlds):
        compared = compare(first + number)
        answers += compared.answers
        hidden += compared.hidden
        if compared.difference is not None:
            differ += 1
            if differ <= DIFFERENCES_SHOWN:
                print(compared.difference, file=sys.stderr)
        if (number + 1) % PROGRESS_EVERY == 0:
            spent = time.monotonic() - started
            print(f"{engine}: {number + 1} of {worlds} worlds, {differ} differ, {spent:.0f} s", file=sys.stderr)
    seconds = time.monotonic() - started
    with counts_over_all_rows(reading):
        control = sum(compare(first + number).difference is not None for number in range(CONTROL_WORLDS))
    return Figures(engine, worlds, answers, hidden, differ, control, round(seconds, 1))


def main() -> int:
    """0 where nothing differs and the control does."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=WORLDS)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--engine", choices=("sqlite", "postgresql", "both"), default="both")
    parser.add_argument("--runs", action="store_true", help="worlds of runs, and what is asked of those")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    places = {"sqlite": (sqlite_worlds, SqliteReading), "postgresql": (postgres_worlds, PostgresReading)}
    found: list[Figures] = []
    with small_limits():
        for engine, (open_worlds, reading) in places.items():
            if given.engine in (engine, "both"):
                with open_worlds(make_run_world if given.runs else make_world) as compare:
                    found.append(run_worlds(engine, compare, reading, first=given.first, worlds=given.worlds))
    if given.json:
        print(json.dumps([asdict(each) for each in found]))
    else:
        for each in found:
            print(
                f"{each.engine}: {each.worlds} worlds, {each.answers} answers, {each.hidden} steps hidden: "
                f"{each.differ} differ ({each.seconds:.0f} s); control: {each.control} of {CONTROL_WORLDS} differ"
            )
    return 0 if all(each.holds for each in found) else 1


if __name__ == "__main__":
    sys.exit(main())
