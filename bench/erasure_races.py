"""What is made of a record while it is erased: in races of threads and of processes, nothing of it comes back.

Run: python bench/erasure_races.py [--races 5000] [--engine sqlite|postgresql|both] [--seed 1] [--ci] [--json]

In each race a record with an active claim is erased, and at the same time something is made of it, or done to it:
records, summaries, claims, corrections, confirmations, tasks, packets, verdicts, imports, jobs, rejections, merges, a
second eraser, a hold, the release of one. Every other race is against another process. Afterwards the owner asks every
door for it. Of each batch of races, each in a store of its own, the job runs; then no row and no event has the record's
mark, both chains verify, and a refold gives the views.

The control has nobody look whether a source was erased: then things come back. It runs on SQLite, in threads.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path

from _races import (
    ANSWER_SECONDS_MAX,
    MAKES,
    InThread,
    Other,
    Outcome,
    Source,
    left_in,
    made_of,
    race,
    settle,
    shown_by,
    told,
    unguarded,
)
from _report import Report, arguments_of, bench_folder, exact, machine
from _stores import new_store, settings_in

from heedful import Memory
from heedful.testing.postgres import postgres_server

RACES, RACES_CI = 5_000, 68
BATCH = 170
"""Races in one store: it is refolded, and every row of it is read."""
CONTROLS, CONTROLS_CI = 170, 34
ENGINES = ("sqlite", "postgresql")


def serve(folder: Path, database: str | None, pipe: Connection) -> None:
    """Another process: it makes what it is told to, until it is told nothing more."""
    with Memory.open(folder, database=database, settings=settings_in(folder)) as memory:
        pipe.send("ready")
        while (asked := pipe.recv()) is not None:
            make, source, wait_seconds = asked
            waiting = multiprocessing.Event()
            waiting.wait(wait_seconds)
            pipe.send(made_of(memory, make, source, folder))


class InProcess:
    """Another process with the same store."""

    def __init__(self, folder: Path, database: str | None) -> None:
        """It is started, and has opened the store."""
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(folder, database, theirs))
        self._process.start()
        self.answer()

    def start(self, make: str, source: Source, wait_seconds: float) -> None:
        """See Other.start."""
        self._pipe.send((make, source, wait_seconds))

    def answer(self) -> str:
        """See Other.answer."""
        if not self._pipe.poll(ANSWER_SECONDS_MAX):
            raise TimeoutError("the other process does not answer")
        said = self._pipe.recv()
        assert isinstance(said, str)
        return said

    def close(self) -> None:
        """It ends."""
        with suppress(OSError):  # it may have died, which its answer told
            self._pipe.send(None)
        self._process.join(ANSWER_SECONDS_MAX)


def batch(memory: Memory, others: list[Other], wanted: int, chance: random.Random, outcome: Outcome) -> None:
    """So many races, against each of the others in turn; then the whole store is looked at."""
    makes, sources = list(MAKES), []
    for number in range(wanted):
        # By steps that have no divisor in common, so that each is made by each.
        make, other = makes[number % len(makes)], others[number // len(makes) % len(others)]
        source = told(memory, number, chance)
        sources.append(source)
        said = race(memory, other, make, source, chance)
        (outcome.made if said.startswith("made") else outcome.refused)[f"{make} {said.partition(' ')[2]}"
            if said.startswith("refused") else make] += 1  # fmt: skip
        settle(memory, make)
        outcome.shown += [f"{make}: {door}" for door in shown_by(memory, source, said)[:1]]
    outcome.left += left_in(memory, [each.mark for each in sources])
    audit = memory.verify(views=True)
    if not audit.holds or audit.views != "equal":
        outcome.broken.append(f"{audit.ledger.broken} {audit.access.broken} {audit.views}")


def run(
    folder: Path, races: int, new_database: Callable[[], str | None], chance: random.Random, *, processes: bool
) -> Outcome:
    """What came of so many races."""
    outcome = Outcome()
    for number, start in enumerate(range(0, races, BATCH)):
        place, database = folder / f"batch{number}", new_database()
        with new_store(place, database=database) as memory:
            others: list[Other] = [InThread(memory.acting_as("person:bench", channel="person"), place)]
            if processes:
                others.append(InProcess(place, database))
            try:
                batch(memory, others, min(BATCH, races - start), chance, outcome)
            finally:
                for each in others:
                    each.close()
    return outcome


@contextmanager
def databases(engine: str) -> Iterator[Callable[[], str | None]]:
    """Makes an empty database for each store, or none."""
    if engine == "sqlite":
        yield lambda: None
        return
    with postgres_server() as server:
        yield server.create_database


def measure(report: Report, name: str, outcome: Outcome) -> None:
    """What the races came to, and what must be nought."""
    made, refused = sum(outcome.made.values()), sum(outcome.refused.values())
    report.row(name, {"races": made + refused, "made": made, "refused": refused})
    report.row(f"{name}, made", dict(sorted(outcome.made.items())))
    report.row(f"{name}, refused", dict(sorted(outcome.refused.items())))
    report.notes += [f"{name}: {what}" for what in (*outcome.shown, *outcome.left, *outcome.broken)[:20]]
    report.figures.append(exact(f"{name}: resurrections", outcome.resurrections))
    report.figures.append(exact(f"{name}: stores that do not verify or refold", len(outcome.broken)))
    report.figures.append(exact(f"{name}: only one of both orders was met", int(not (made and refused))))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--races", type=int)
    parser.add_argument("--engine", choices=(*ENGINES, "both"), default="both")
    parser.add_argument("--seed", type=int, default=1)
    arguments = arguments_of(parser)
    ci: bool = arguments.ci
    engines = ENGINES if arguments.engine == "both" else (arguments.engine,)
    numbers = count()
    with bench_folder(arguments) as folder:
        report = Report("what is made of a record while it is erased", machine(folder))
        for engine in engines:
            races = arguments.races or (RACES_CI if ci else RACES)
            with databases(engine) as new_database:
                place = folder / f"{engine}{next(numbers)}"
                measure(report, engine, run(place, races, new_database, random.Random(arguments.seed), processes=True))
        with unguarded():
            wanted = CONTROLS_CI if ci else CONTROLS
            found = run(folder / "control", wanted, lambda: None, random.Random(arguments.seed), processes=False)
        report.row("control, nobody looks", {"races": wanted, "resurrections": found.resurrections})
        report.figures.append(exact("control: nothing came back", int(not found.resurrections)))
    return report.finish(arguments)


if __name__ == "__main__":
    sys.exit(main())
