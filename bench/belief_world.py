"""What is believed in generated worlds, on both engines, held against the reference model: nothing may differ.

Run: python bench/belief_world.py [--assertions 10000] [--engine sqlite|postgresql|both] [--first 0] [--ci] [--json]

A world is a seed: timed assertions, corrections, plans, scopes and late arrivals, played through the public verbs in a
tenant of its own. Compared are each claim's standing, the current values, the values as of a valid instant, those as
they were known at an earlier one, every conflict with its rule and resolution, and the views after a refold. A
difference is printed with its seed; `--first SEED --assertions 125` plays that world alone. The control is a product
whose rule for late arrivals is broken: differences must be found.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager

from _report import Report, arguments_of, bench_folder, exact, machine

from heedful.adapters.storage.postgres.store import PostgresStore
from heedful.adapters.storage.sqlite.store import SqliteStore
from heedful.ports.store import Store
from heedful.testing.belief_play import BeliefPlayer, Compared, broken_rule, compare
from heedful.testing.belief_world import make_world
from heedful.testing.postgres import postgres_server

ASSERTIONS = 10_000
CI_ASSERTIONS = 250
WORLD_ASSERTIONS = 125
"""Acts in one world: each has a tenant of its own."""
DIFFERENCES_SHOWN = 5
ENGINES = ("sqlite", "postgresql")
BAR = 30


@contextmanager
def opened(engine: str) -> Iterator[Store]:
    """A new store of this engine: SQLite in memory, or a database of a server of our own."""
    if engine == "sqlite":
        with closing(SqliteStore.in_memory()) as store:
            yield store
        return
    with postgres_server() as server, closing(PostgresStore.open(server.create_database())) as store:
        yield store


def run_worlds(engine: str, store: Store, *, first: int, assertions: int) -> Compared:
    """What was compared in worlds with so many acts in all; progress and the first differences go to stderr."""
    total, started = Compared(), time.monotonic()
    for number, done in enumerate(range(0, assertions, WORLD_ASSERTIONS)):
        acts = min(WORLD_ASSERTIONS, assertions - done)
        found = one_world(store, f"w{number}", first + number, acts)
        total.checks += found.checks
        for each in found.differences[: max(0, DIFFERENCES_SHOWN - len(total.differences))]:
            print(f"\n{engine}, seed {first + number}: {each}", file=sys.stderr)
        total.differences += found.differences
        reached = (done + acts) / assertions
        bar = ("#" * round(BAR * reached)).ljust(BAR, ".")
        spent = time.monotonic() - started
        print(
            f"\r{engine} [{bar}] {done + acts} of {assertions}, {len(total.differences)} differ, {spent:.0f} s",
            end="" if reached < 1 else "\n",
            file=sys.stderr,
            flush=True,
        )
    return total


def one_world(store: Store, named: str, seed: int, acts: int) -> Compared:
    """What was compared in the world of this seed, played in a tenant of this name."""
    world, player = make_world(seed, acts), BeliefPlayer(store, named)
    with player.app:
        player.play(world)
        return compare(player, world)


def main() -> int:
    """0 where nothing differs and the control does."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--assertions", type=int, help="acts in all worlds together")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--engine", choices=(*ENGINES, "both"), default="both")
    given = arguments_of(parser)
    assertions = given.assertions or (CI_ASSERTIONS if given.ci else ASSERTIONS)
    with bench_folder(given) as folder:
        report = Report("What is believed, against the reference model", machine(folder))
    for engine in ENGINES:
        if given.engine not in (engine, "both"):
            continue
        with opened(engine) as store:
            started = time.monotonic()
            found = run_worlds(engine, store, first=given.first, assertions=assertions)
            seconds = time.monotonic() - started
            with broken_rule():
                control = one_world(store, "control", given.first, WORLD_ASSERTIONS)
        report.row(engine, {"acts": assertions, **Counter(found.checks), "seconds": round(seconds, 1)})
        report.figures.append(exact(f"{engine}: answers that differ from the model", len(found.differences)))
        report.figures.append(exact(f"{engine}: a broken rule is found", int(bool(control.differences)), 1))
    return report.finish(given)


if __name__ == "__main__":
    sys.exit(main())
