"""One tenant with 1,000,000 records of 10,000 users: what a user of fixed size pays, beside a tenant with 2,000.

Run: python bench/scale.py [--records 1000000] [--questions 2000] [--rebuild] [--ci] [--json] [--folder DIR]

Each user has a hundred memories and an active decision state. The same questions are asked of the small tenant and of
the large one in turn, so that both meet the same moods of the machine. Then as many users are asked for as the large
one has, once each, for what the caches hold; single writes are timed at that size; and both verify. With `--rebuild`
the large one's views are made anew at the end, for how long the log of the database gets.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from _peer_texts import MEMORIES_EACH, Told, asked, marks, told, users_of
from _peer_worker import disk_mb
from _report import Figure, Report, arguments_of, bench_folder, exact, machine, percentile, spread
from _stores import new_store, session_of

from heedful import Memory
from heedful.service.rebuild import rebuild

SMALL = 2_000
LARGE = 1_000_000
CI_LARGE = 12_000
BATCH = 1_000
WRITES = 500
GROWTH_TARGET = 2.0
GROWTH_FLOOR = 8.0
RSS_TARGET_MB = 1_000.0
# A checkpoint at 16 MB, and pages of what one transaction drops or folds: some three for each row at the most.
LOG_TARGET_MB = 150.0
USERS_ASKED_MAX = 10_000
PROGRESS_EVERY = 50_000
FREEZE = "Nothing of u{user} goes out to customers before the audit is over."
DEPLOY = "Deploy to production today: "


def fill(memory: Memory, records: int) -> float:
    """The memories and decision states are there; memories a second, in batches."""
    started, kept = time.perf_counter(), 0
    for many in _batches(told(records)):
        answers = memory.remember_many([{"content": one.text, "scope": (f"user:u{one.user}",)} for one in many])
        kept += len(answers)
        if kept % PROGRESS_EVERY < BATCH:
            rate = kept / (time.perf_counter() - started)
            print(f"  {kept:,} of {records:,}, {rate:,.0f} a second", file=sys.stderr, flush=True)
    seconds = time.perf_counter() - started
    assert kept == records, f"{kept} of {records} were kept"
    for user in range(users_of(records)):
        told_of = memory.remember(FREEZE.format(user=user), kind="release.freeze", scope=(f"user:u{user}",))
        memory.approve(told_of.claims[0].claim_id)
    return records / seconds


def ask(memory: Memory, user: int, text: str) -> tuple[float, float, bool, bool]:
    """Wall and processor seconds of a recall, whether it had the answer and the decision state, and a leak."""
    started, cpu_started = time.perf_counter(), time.thread_time()
    packet = memory.recall(DEPLOY + text, scope=(f"user:u{user}",))
    cpu, wall = time.thread_time() - cpu_started, time.perf_counter() - started
    leaked = any(item.scope != (f"user:u{user}",) for item in packet.items)
    return wall, cpu, any(item.bridges for item in packet.items), leaked


def paired(report: Report, small: Memory, large: Memory, questions: int) -> float:
    """Rows for the same number of questions of both, in turn; the growth of the processor time's p50."""
    walls: dict[str, list[float]] = {"2,000": [], "large": []}
    cpus: dict[str, list[float]] = {"2,000": [], "large": []}
    wrong = leaks = 0
    both = (("2,000", small, asked(SMALL, questions)), ("large", large, asked(_records(large), questions)))
    for turn in range(questions):
        for name, memory, asked_of in both:
            one = asked_of[turn]
            wall, cpu, minded, leaked = ask(memory, one.user, one.text)
            walls[name].append(wall)
            cpus[name].append(cpu)
            wrong += not minded
            leaks += leaked
    for name, took in walls.items():
        report.row(f"recall at {name}", {"questions": questions, **spread(took, scale=1e3, unit="ms")})
        report.row(f"recall at {name}, processor time", spread(cpus[name], scale=1e3, unit="ms"))
    growth = percentile(walls["large"], 50) / percentile(walls["2,000"], 50)
    report.row("growth", {"p50": round(growth, 2), "p95": round(_ratio(walls, 95), 2)})
    report.figures.append(exact("decision states that did not come to mind", wrong))
    report.figures.append(exact("answers with another user's memory", leaks))
    return growth


def found_share(memory: Memory, questions: int) -> float:
    """The share of questions whose answer is among the first five retrieved items."""
    hits = 0
    asked_of = asked(_records(memory), questions)
    for one in asked_of:
        packet = memory.recall(one.text, scope=(f"user:u{one.user}",))
        found = [mark for item in packet.items for mark in marks(item.text)]
        hits += (one.user, one.number) in found[:5]
    return hits / len(asked_of)


def many_users(report: Report, large: Memory) -> float:
    """Every user asks once; MB that the process has then, and a row."""
    users = min(users_of(_records(large)), USERS_ASKED_MAX)
    took = []
    for user in range(users):
        started = time.perf_counter()
        large.recall("Where do we keep the blue ledger of Perth?", scope=(f"user:u{user}",))
        took.append(time.perf_counter() - started)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    report.row("each user once (cold)", {"users": users, **spread(took, scale=1e3, unit="ms")})
    return round(peak, 1)


def writes(report: Report, memory: Memory, name: str) -> None:
    """A row for single writes at that size."""
    took = []
    for number in range(WRITES):
        started = time.perf_counter()
        memory.remember(f"written at size, number {number}, of no user in particular", scope=("user:writer",))
        took.append(time.perf_counter() - started)
    report.row(f"single writes at {name}", spread(took, scale=1e3, unit="ms") | {"max ms": round(max(took) * 1e3, 1)})


def rebuilt(report: Report, memory: Memory, folder: Path) -> float:
    """MB of the database's log at its longest while all views are made anew, and a row."""
    (database,) = (folder / ".heedful" / "tenants").glob("*.db")
    log, longest = database.with_name(f"{database.name}-wal"), 0

    def progress(_done: int) -> None:
        nonlocal longest
        longest = max(longest, log.stat().st_size if log.exists() else 0)

    started = time.perf_counter()
    rebuild(session_of(memory), progress=progress)
    took, log_mb = time.perf_counter() - started, round(longest / 1e6, 1)
    report.row("rebuild", {"seconds": round(took, 1), "log MB at most": log_mb})
    return log_mb


def measure(report: Report, folder: Path, records: int, questions: int, *, rebuilds: bool) -> None:
    """The report's rows and figures."""
    with new_store(folder / "small") as small, new_store(folder / "large") as large:
        fill(small, SMALL)
        report.row("fill", {"records": records, "records/s": round(fill(large, records))})
        growth = paired(report, small, large, questions)
        report.row("hit@5", {"2,000": found_share(small, 200), "large": found_share(large, 200)})
        peak = many_users(report, large)
        writes(report, small, "2,000")
        writes(report, large, "large")
        started = time.perf_counter()
        holds = large.verify().holds
        report.row("verify", {"seconds": round(time.perf_counter() - started, 1)})
        report.row("size", {"peak RSS MB": peak, "disk MB": disk_mb(folder / "large")})
        if rebuilds:
            log_mb = rebuilt(report, large, folder / "large")
            report.figures.append(Figure("log of a rebuild", log_mb, "MB", "<=", LOG_TARGET_MB, LOG_TARGET_MB))
    report.figures.append(Figure("recall p50, large to 2,000", round(growth, 2), "", "<=", GROWTH_TARGET, GROWTH_FLOOR))
    report.figures.append(Figure("peak memory", peak, "MB", "<=", RSS_TARGET_MB, RSS_TARGET_MB))
    report.figures.append(exact("ledgers that do not verify", int(not holds)))


def _records(memory: Memory) -> int:
    """How many memories it was filled with."""
    return (memory.status().counts["records"] // (MEMORIES_EACH + 1)) * MEMORIES_EACH


def _ratio(walls: dict[str, list[float]], percent: float) -> float:
    return percentile(walls["large"], percent) / percentile(walls["2,000"], percent)


def _batches(all_told: Iterator[Told]) -> Iterator[list[Told]]:
    while many := list(islice(all_told, BATCH)):
        yield many


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=LARGE, help="in the large tenant, a hundred for each user")
    parser.add_argument("--questions", type=int, default=2_000, help="of each tenant")
    parser.add_argument("--rebuild", action="store_true", help="also make the views of the large tenant anew")
    arguments = arguments_of(parser)
    with bench_folder(arguments) as folder:
        report = Report("A tenant of a million records beside one of 2,000", machine(folder))
        records, questions = (CI_LARGE, 300) if arguments.ci else (arguments.records, arguments.questions)
        measure(report, folder, records, questions, rebuilds=arguments.rebuild)
    return report.finish(arguments)


if __name__ == "__main__":
    sys.exit(main())
