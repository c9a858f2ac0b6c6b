"""Recall on 2,000 memories of 20 users, beside the bare FTS5 queries that it contains, and where its time goes.

Run: python bench/recall_speed.py [--iterations 2000] [--ci] [--json] [--folder DIR] [--profile]

Each user has 95 records and 5 active decision states, and asks in their own scope: the question matches words of
records and activates bridges. The bare queries are the very statements that the store ran for that recall, with the
same values on a connection of the same store, and nothing around them.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import random
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

from _report import Figure, Report, arguments_of, bench_folder, exact, machine, percentile, spread
from _stores import new_store, session_of
from _texts import words

from heedful import Memory
from heedful.adapters.storage.sqlite.reading import SqliteReading
from heedful.service import access
from heedful.service.recalling import candidates
from heedful.service.recalling import recall as recalling

TARGET_MS = 2.0
FLOOR_MS = 20.0
USERS = 20
MEMORIES_EACH = 100
WORDS_EACH = 60
WARM_RECALLS = 100
WRITERS = 8
PROFILED_LINES = 45
STATES = (
    ("release.freeze", "Nothing goes out to customers before the audit on the {day}th is over."),
    ("release.window", "Changes are made on weekdays between nine and {day}."),
    ("review.requirement", "A second engineer of {user}'s group looks at each change."),
    ("ci.requirement", "The nightly suite of {user} has to be green twice in a row."),
    ("capacity.limit", "The cluster has room for {day} more machines."),
)
QUESTIONS = (
    "Deploy the invoice worker to production this afternoon; did the retry after the timeout work?",
    "Can the payment cache go live today, and what did the alert in our region say?",
    "Ship the index of the ledger to production: was the backup of the table checked?",
    "Roll out the query worker to production now that the schema incident is closed",
    "Release the bucket cleanup to production, and tell who is the owner of the namespace",
)
# Public names that a recall goes through, as service/recalling/recall.py and the access journal call them.
PARTS = (
    ("classify and activate", recalling, "bring_to_mind"),
    ("search", SqliteReading, "search"),
    ("load records and claims", SqliteReading, "records_by_ids"),
    ("load records and claims", SqliteReading, "claims"),
    ("load records and claims", SqliteReading, "claim"),
    ("vector of the question", recalling, "vector_of_question"),
    ("near vectors", SqliteReading, "nearest"),
    ("rank and fuse", candidates, "fuse"),
    ("score", recalling, "score_candidates"),
    ("select", recalling, "select"),
    ("label sufficiency", recalling, "sufficiency_of"),
    ("assemble", recalling, "assemble"),
    ("canonical bytes", recalling, "packet_bytes"),
    ("journal", access.AccessJournal, "add"),
)


def user_scope(user: int) -> tuple[str, ...]:
    """The scope of one user."""
    return (f"user:u{user:02}",)


def question(number: int) -> tuple[str, tuple[str, ...]]:
    """What is asked in turn `number`, and by whom."""
    return QUESTIONS[number % len(QUESTIONS)], user_scope(number % USERS)


def fill(memory: Memory) -> None:
    """The memories of all users are there, and their decision states are active."""
    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(lambda user: fill_user(memory, user), range(USERS)))


def fill_user(memory: Memory, user: int) -> None:
    """The memories of one user are there."""
    rng = random.Random(user)
    scope = user_scope(user)
    for number in range(MEMORIES_EACH - len(STATES)):
        memory.remember(f"u{user:02} note {number}: {words(rng, WORDS_EACH)}", scope=scope)
    for kind, sentence in STATES:
        kept = memory.remember(sentence.format(user=f"u{user:02}", day=10 + user), kind=kind, scope=scope)
        memory.approve(kept.claims[0].claim_id)


def wrong_packets(memory: Memory) -> int:
    """Packets that hold another user's words, or lack a decision state or a record, of one for each user."""
    wrong = 0
    for number in range(USERS):
        asked, scope = question(number)
        items = memory.recall(asked, scope=scope).items
        brought = any(item.bridges for item in items)
        found = any(item.item == "record" for item in items)
        own = all(item.scope == scope for item in items)
        wrong += not (brought and found and own)
    return wrong


def timed_recalls(memory: Memory, iterations: int) -> tuple[list[float], list[float]]:
    """Seconds of each recall, by the wall and by this thread's processor time."""
    walls, cpus = [], []
    for number in range(iterations):
        asked, scope = question(number)
        started, cpu_started = time.perf_counter(), time.thread_time()
        memory.recall(asked, scope=scope)
        cpus.append(time.thread_time() - cpu_started)
        walls.append(time.perf_counter() - started)
    return walls, cpus


def statements_of(memory: Memory, number: int) -> list[tuple[str, Any]]:
    """The reads, with their values, that the store runs for the recall of turn `number`, in order."""
    seen: list[tuple[str, Any]] = []

    def keep(_cursor: object, statement: str, values: Any) -> bool:
        if statement.lstrip().startswith(("SELECT", "WITH")):
            seen.append((statement, values))
        return True

    with session_of(memory).store.read() as reading:
        assert isinstance(reading, SqliteReading)
        connection = reading._session.connection  # noqa: SLF001  # the very connection that the recall will be lent
    connection.set_exec_trace(keep)
    try:
        asked, scope = question(number)
        memory.recall(asked, scope=scope)
    finally:
        connection.set_exec_trace(None)
    return seen


def bare_seconds(memory: Memory, statements: list[tuple[str, Any]]) -> float:
    """Seconds that these statements take by themselves, one after another."""
    with session_of(memory).store.read() as reading:
        assert isinstance(reading, SqliteReading)
        run = reading._session.cursor.execute  # noqa: SLF001  # the adapter's own connection, caches and all
        started = time.perf_counter()
        for statement, values in statements:
            run(statement, values).fetchall()
        return time.perf_counter() - started


@contextmanager
def measured(spent: dict[str, float]) -> Iterator[None]:
    """While the block runs, the seconds of each part are added up in `spent`.

    Parts are public names that the recall looks up when it calls them, so they are measured where they stand. A part
    that runs inside another counts there alone.
    """
    depth = [0]

    def around(name: str, action: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(action)
        def run(*values: Any, **named: Any) -> Any:
            depth[0] += 1
            started = time.perf_counter()
            try:
                return action(*values, **named)
            finally:
                depth[0] -= 1
                if not depth[0]:
                    spent[name] = spent.get(name, 0.0) + time.perf_counter() - started

        return run

    before = [(owner, name, getattr(owner, name)) for _part, owner, name in PARTS if hasattr(owner, name)]
    for part, owner, name in PARTS:
        if not hasattr(owner, name):
            spent[f"{part}: {name} is not there any more, so not measured"] = 0.0
            continue
        setattr(owner, name, around(part, getattr(owner, name)))
    try:
        yield
    finally:
        for owner, name, action in before:
            setattr(owner, name, action)


def breakdown(memory: Memory, iterations: int) -> dict[str, float]:
    """Part -> its mean seconds in a recall; `the rest` is what none of them took."""
    spent: dict[str, float] = {}
    with measured(spent):
        started = time.perf_counter()
        for number in range(iterations):
            asked, scope = question(number)
            memory.recall(asked, scope=scope)
        whole = time.perf_counter() - started
    spent["the rest"] = whole - sum(spent.values())
    return {name: seconds / iterations for name, seconds in spent.items()}


def add_bare(report: Report, memory: Memory, iterations: int, recall_p50: float) -> None:
    """Rows for the full-text statements and for all statements of a recall, run bare."""
    full_text, every, counts = [], [], []
    for number in range(iterations):
        statements = statements_of(memory, number)
        searching = [one for one in statements if "search_terms MATCH" in one[0]]
        assert searching, "a recall ran no full-text query: this benchmark no longer measures what it says"
        counts.append((len(searching), len(statements)))
        full_text.append(bare_seconds(memory, searching))
        every.append(bare_seconds(memory, statements))
    bare = percentile(full_text, 50)
    report.row(
        "bare FTS5 queries of it", {"statements": percentile([one for one, _ in counts], 50), **spread(full_text)}
    )
    report.row("bare, every read of it", {"statements": percentile([each for _, each in counts], 50), **spread(every)})
    report.row("recall to bare FTS5", {"p50 ratio": round(recall_p50 / bare, 1)})


def profile(memory: Memory, iterations: int) -> None:
    """What takes a recall's time, to standard error."""
    with cProfile.Profile() as profiled:
        timed_recalls(memory, iterations)
    pstats.Stats(profiled, stream=sys.stderr).sort_stats("tottime").print_stats(PROFILED_LINES)


def measure(report: Report, folder: Path, iterations: int, *, wants_profile: bool) -> None:
    """The report's rows and figures."""
    with new_store(folder) as memory:
        fill(memory)
        counts = memory.status().counts
        wrong = wrong_packets(memory)
        timed_recalls(memory, WARM_RECALLS)
        walls, cpus = timed_recalls(memory, iterations)
        p50 = percentile(walls, 50)
        report.row("recall", {"calls": iterations, **spread(walls, scale=1e3, unit="ms")})
        report.row("recall, processor time", spread(cpus, scale=1e3, unit="ms"))
        add_bare(report, memory, max(USERS, iterations // 10), p50)
        for name, seconds in sorted(breakdown(memory, iterations // 2).items(), key=lambda each: -each[1]):
            report.row(f"of it: {name}", {"mean us": round(seconds * 1e6, 1)})
        if wants_profile:
            profile(memory, iterations)
    report.row("the store", {"records": counts["records"], "active claims": counts["claims.active"]})
    report.figures.append(Figure("p50 of recall", p50 * 1e3, "ms", "<=", TARGET_MS, FLOOR_MS))
    report.figures.append(exact("active decision states", counts["claims.active"], USERS * len(STATES)))
    report.figures.append(exact("wrong packets", wrong))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--iterations", type=int)
    parser.add_argument("--profile", action="store_true", help="print a profile to standard error")
    arguments = arguments_of(parser)
    iterations: int = arguments.iterations or (300 if arguments.ci else 2_000)
    with bench_folder(arguments) as folder:
        report = Report(f"recall on {USERS * MEMORIES_EACH} memories of {USERS} users", machine(folder))
        measure(report, folder / "store", iterations, wants_profile=arguments.profile)
    report.notes.append("the target is for a quiet core: beside other work, read the processor time")
    return report.finish(arguments)


if __name__ == "__main__":
    sys.exit(main())
