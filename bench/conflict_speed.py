"""What weighing adds to a write: claims of a kind with one value among 100,000, beside a kind with many values.

Run: python bench/conflict_speed.py [--claims N] [--writes N] [--ci] [--json] [--folder DIR]

Three sorts of write take turns, so that whatever else the machine does meets all: a claim of a kind with many values,
which is weighed against nothing; one of a kind with one value whose subject is new; and one that contradicts what its
speaker said before, which ends that. What detection adds is the second less the first, by their medians.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from itertools import count

from _report import Figure, Report, arguments_of, bench_folder, exact, machine, percentile, spread
from _stores import SCOPE, new_store

from heedful import Memory
from heedful.service.keeping.remember_many import RememberItem

CLAIMS, CI_CLAIMS = 100_000, 2_000
WRITES, CI_WRITES = 300, 60
BATCH = 5_000
TARGET_MS, FLOOR_MS = 1.0, 10.0
MANY, ONE = "decision.made", "service.owner"


def item(number: int, kind: str, subject: str) -> RememberItem:
    """One claim of this kind that policy approves by itself."""
    return {
        "content": f"service {number} is owned by team {number % 97}",
        "kind": kind,
        "form": "fact",
        "subject": subject,
        "value": f"team {number % 97}",
        "consent": "explicit",
        "scope": SCOPE,
    }


def filled(memory: Memory, claims: int) -> int:
    """How many claims are active after so many were kept, each of a subject of its own."""
    active = 0
    for start in range(0, claims, BATCH):
        items = [item(number, ONE, f"service:filled-{number}") for number in range(start, min(claims, start + BATCH))]
        for answer in memory.remember_many(items):
            active += sum(note.status == "active" for note in getattr(answer, "claims", ()))
    return active


def timed(write: Callable[[], object]) -> float:
    """Seconds that it takes."""
    started = time.perf_counter()
    write()
    return time.perf_counter() - started


def measure(report: Report, memory: Memory, writes: int) -> None:
    """The report's rows and figures."""
    numbers = count()

    def say(kind: str, subject: str) -> Callable[[], object]:
        given = item(next(numbers), kind, subject)
        return lambda: memory.remember_many([given])

    taken: dict[str, list[float]] = {"nothing to weigh": [], "a new subject": [], "contradicts": []}
    for number in range(writes):
        taken["nothing to weigh"].append(timed(say(MANY, f"service:many-{number}")))
        taken["a new subject"].append(timed(say(ONE, f"service:new-{number}")))
        taken["contradicts"].append(timed(say(ONE, f"service:filled-{number}")))
    for name, seconds in taken.items():
        report.row(name, {"writes": len(seconds), **spread(seconds, scale=1e3, unit="ms")})
    medians = {name: percentile(seconds, 50) * 1e3 for name, seconds in taken.items()}
    added = max(0.0, round(medians["a new subject"] - medians["nothing to weigh"], 3))
    report.figures.append(Figure("detection adds to a write, p50", added, "ms", "<=", TARGET_MS, FLOOR_MS))
    found = len(memory.conflicts().conflicts)
    report.figures.append(exact("contradictions that were not found", max(0, min(500, writes) - found)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--claims", type=int, help="claims in the store before anything is timed")
    parser.add_argument("--writes", type=int, help="writes of each sort")
    arguments = arguments_of(parser)
    claims = arguments.claims or (CI_CLAIMS if arguments.ci else CLAIMS)
    writes = min(claims, arguments.writes or (CI_WRITES if arguments.ci else WRITES))
    with bench_folder(arguments) as folder, new_store(folder / "store") as memory:
        report = Report("What weighing adds to a write", machine(folder))
        active = filled(memory, claims)
        report.row("the store before", {"claims": claims, "active": active})
        report.figures.append(exact("claims that did not become active", claims - active))
        measure(report, memory, writes)
        return report.finish(arguments)


if __name__ == "__main__":
    sys.exit(main())
