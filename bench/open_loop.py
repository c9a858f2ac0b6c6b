"""Requests that come at a fixed rate, whether or not the last one was answered: latency from the intended moment.

Run: python bench/open_loop.py [--rate 100] [--seconds 60] [--database DSN] [--engine sqlite] [--knee] [--ci] [--json]

Without --database a PostgreSQL server of its own is started on this machine. Of the requests 80 % are recalls, 15 %
remember, 5 % judge an action. A closed loop would wait for a slow answer and so leave out what it kept from coming.
--knee goes on with higher rates until p95 is above its target.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from _peer_texts import asked, told
from _report import Figure, Report, arguments_of, bench_folder, exact, machine, percentile, spread
from _stores import new_store

from heedful import Memory
from heedful.kernel.errors import HeedfulError
from heedful.testing.postgres import postgres_server

RECORDS = 2_000
WORKERS = 16
TARGET_P95_MS = 100.0
FLOOR_P95_MS = 1_000.0
TARGET_RECALL_MS = 5.0
FLOOR_RECALL_MS = 50.0
KNEE_STEP = 25.0
KNEE_RATE_MAX = 1_000.0
ALONE = 500
QUESTIONS = asked(RECORDS, 997)


@dataclass(frozen=True, slots=True)
class Answered:
    """A request: its verb, seconds from the intended moment to its answer, how late it was sent, and its error."""

    verb: str
    seconds: float
    late_seconds: float
    error: str


def one_request(memory: Memory, number: int, due: float, kinds: random.Random) -> Answered:
    """The request that was due then is made."""
    late = time.perf_counter() - due
    verb = kinds.choices(("recall", "remember", "judge"), (80, 15, 5))[0]
    question = QUESTIONS[number % len(QUESTIONS)]
    scope = (f"user:u{question.user}",)
    error = ""
    try:
        if verb == "recall":
            memory.recall(question.text, scope=scope)
        elif verb == "remember":
            memory.remember(f"arrival {number} noted for {question.user}", scope=scope)
        else:
            memory.judge("Bash", {"command": "ls -l"}, scope=scope)
    except HeedfulError as raised:
        error = raised.code
    return Answered(verb, time.perf_counter() - due, late, error)


def open_loop(memory: Memory, rate: float, seconds: float) -> list[Answered]:
    """The answers, in order of sending."""
    rng = random.Random(5)
    count = int(rate * seconds)
    with ThreadPoolExecutor(WORKERS) as pool:
        started = time.perf_counter() + 0.1
        waiting = []
        for number in range(count):
            due = started + number / rate
            time.sleep(max(0.0, due - time.perf_counter()))
            waiting.append(pool.submit(one_request, memory, number, due, random.Random(rng.random())))
        return [each.result() for each in waiting]


def recalls_alone(memory: Memory, count: int) -> list[float]:
    """Seconds of recalls one after another."""
    took = []
    for number in range(count):
        one = QUESTIONS[number % len(QUESTIONS)]
        started = time.perf_counter()
        memory.recall(one.text, scope=(f"user:u{one.user}",))
        took.append(time.perf_counter() - started)
    return took


@contextlib.contextmanager
def database_of(arguments: argparse.Namespace, folder: Path) -> Iterator[str | None]:
    """The DSN to use; None for SQLite."""
    if arguments.engine == "sqlite":
        yield None
    elif arguments.database:
        yield arguments.database
    else:
        with postgres_server(folder / "server") as server:
            yield server.create_database()


def measure(report: Report, memory: Memory, rate: float, seconds: float) -> None:
    """The report's rows and figures."""
    for one in told(RECORDS):
        memory.remember(one.text, scope=(f"user:u{one.user}",))
    recalls_alone(memory, 50)
    alone = recalls_alone(memory, ALONE)
    report.row("recall alone", {"calls": len(alone), **spread(alone, scale=1e3, unit="ms")})
    answers = open_loop(memory, rate, seconds)
    for verb in ("recall", "remember", "judge"):
        took = [one.seconds for one in answers if one.verb == verb]
        report.row(f"{verb} at {rate:g}/s", {"requests": len(took), **spread(took, scale=1e3, unit="ms")})
    late = [one.late_seconds for one in answers]
    report.row("sent late", spread(late, scale=1e3, unit="ms"))
    every = percentile([one.seconds for one in answers], 95) * 1e3
    p50 = percentile(alone, 50) * 1e3
    report.figures += [
        Figure("recall alone, p50", round(p50, 2), "ms", "<=", TARGET_RECALL_MS, FLOOR_RECALL_MS),
        Figure(f"all at {rate:g}/s, p95", round(every, 1), "ms", "<=", TARGET_P95_MS, FLOOR_P95_MS),
        exact("errors", sum(bool(one.error) for one in answers)),
    ]


def add_knee(report: Report, memory: Memory, rate: float, seconds: float) -> None:
    """A row for each higher rate, up to the first at which p95 is above its target."""
    while rate < KNEE_RATE_MAX:
        rate += KNEE_STEP
        answers = open_loop(memory, rate, seconds)
        took = [one.seconds for one in answers]
        errors = sum(bool(one.error) for one in answers)
        report.row(f"all at {rate:g}/s", {"errors": errors, **spread(took, scale=1e3, unit="ms")})
        if percentile(took, 95) * 1e3 > TARGET_P95_MS:
            return


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", type=float, default=100.0, help="requests a second")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long")
    parser.add_argument("--engine", choices=("postgresql", "sqlite"), default="postgresql")
    parser.add_argument("--knee", action="store_true", help="find the rate at which p95 passes its target")
    parser.add_argument("--database", help="an empty database, instead of a server of its own")
    arguments = arguments_of(parser)
    with bench_folder(arguments) as folder:
        report = Report(f"Open loop on {arguments.engine}", machine(folder))
        (folder / "server").mkdir()
        with database_of(arguments, folder) as dsn, new_store(folder / "store", database=dsn) as memory:
            seconds = 8.0 if arguments.ci else arguments.seconds
            measure(report, memory, arguments.rate, seconds)
            if arguments.knee:
                add_knee(report, memory, arguments.rate, seconds)
    return report.finish(arguments)


if __name__ == "__main__":
    sys.exit(main())
