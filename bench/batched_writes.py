"""`Memory.remember_many` beside one `remember` after another and beside bare apsw, in the same folder and the same run.

Run: python bench/batched_writes.py [--items 4000] [--ci] [--json] [--folder DIR] [--profile]

Short memories (120 characters) and long ones (1 KB), redaction on; with the vectors that a store makes by default and
without. The sides take turns in rounds. Rates are given by the wall, and by processor time, which other work on the
machine distorts less; the figure is taken of the round that was disturbed least.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import apsw
from _report import Figure, Report, Value, arguments_of, bench_folder, exact, machine
from _stores import new_store
from _texts import KILOBYTE, prose

from heedful.service.keeping.remember_many import BATCH_ITEMS

SHORT = 120
TARGET_RATE = 10_000
FLOOR_RATE = 1_000
TARGET_TO_SINGLE = 3.0
FLOOR_TO_SINGLE = 1.3
ROUNDS = 3
ALONE_SHARE = 10  # one by one is done with a tenth of the items
PROFILED_LINES = 40


@dataclass(frozen=True, slots=True)
class Taken:
    """What one round took for each item, in seconds."""

    wall: float
    cpu: float


def timed(action: Callable[[], object], items: int) -> Taken:
    """What the action took for each of so many items; only this thread's processor time is counted."""
    started, cpu_started = time.perf_counter(), time.thread_time()
    action()
    return Taken((time.perf_counter() - started) / items, (time.thread_time() - cpu_started) / items)


class Bare:
    """Rows of text in batches of the same size, a FULL commit each."""

    def __init__(self, path: Path) -> None:
        self._connection = apsw.Connection(str(path))
        self._cursor = self._connection.cursor()
        self._cursor.execute("PRAGMA journal_mode = WAL").fetchall()
        self._cursor.execute("PRAGMA synchronous = FULL")
        self._cursor.execute("CREATE TABLE rows (id INTEGER PRIMARY KEY, content TEXT NOT NULL)")

    def write(self, texts: list[str]) -> None:
        """The texts, kept."""
        for start in range(0, len(texts), BATCH_ITEMS):
            self._cursor.execute("BEGIN IMMEDIATE")
            rows = [(text,) for text in texts[start : start + BATCH_ITEMS]]
            self._cursor.executemany("INSERT INTO rows (content) VALUES (?)", rows)
            self._cursor.execute("COMMIT")

    def close(self) -> None:
        """The file is closed."""
        self._connection.close()


def measure(report: Report, folder: Path, characters: int, items: int) -> None:
    """The rows and figures of texts of this length."""
    rng = random.Random(characters)
    rounds: dict[str, list[Taken]] = {}
    kept = 0
    bare = Bare(folder / f"bare-{characters}.db")
    with (
        new_store(folder / f"{characters}-ngrams") as usual,
        new_store(folder / f"{characters}-none", embedder="none") as plain,
        new_store(folder / f"{characters}-router", router="bundled") as telling,
    ):
        for memory in (usual, plain, telling):
            memory.remember_many([prose(rng, characters) for _ in range(BATCH_ITEMS)])
        for _ in range(ROUNDS):
            texts = [prose(rng, characters) for _ in range(items)]
            few = texts[: items // ALONE_SHARE]
            sides: dict[str, tuple[Callable[[], object], int]] = {
                "remember_many": (lambda texts=texts: usual.remember_many(texts), items),  # type: ignore[misc]
                "remember_many, no vectors": (lambda texts=texts: plain.remember_many(texts), items),  # type: ignore[misc]
                "remember_many, telling kinds": (lambda texts=texts: telling.remember_many(texts), items),  # type: ignore[misc]
                "one by one": (lambda few=few: [usual.remember(text) for text in few], len(few)),  # type: ignore[misc]
                "bare apsw": (lambda texts=texts: bare.write(texts), items),  # type: ignore[misc]
            }
            for name, (action, count) in sides.items():
                rounds.setdefault(name, []).append(timed(action, count))
        kept = sum(memory.status().counts["records"] for memory in (usual, plain, telling))
    bare.close()
    expected = 3 * BATCH_ITEMS + ROUNDS * (3 * items + items // ALONE_SHARE)
    report.figures.append(exact(f"{characters} characters: records that are missing", expected - kept))
    _report(report, characters, rounds)


def _report(report: Report, characters: int, rounds: dict[str, list[Taken]]) -> None:
    best = {
        name: Taken(min(each.wall for each in taken), min(each.cpu for each in taken)) for name, taken in rounds.items()
    }
    for name, taken in best.items():
        row: dict[str, Value] = {
            "us an item": round(taken.wall * 1e6, 1),
            "CPU us": round(taken.cpu * 1e6, 1),
            "items/s": round(1 / taken.wall),
            "items/s of processor time": round(1 / taken.cpu),
        }
        report.row(f"{characters} characters, {name}", row)
    if characters == SHORT:
        ratio = best["one by one"].cpu / best["remember_many"].cpu
        report.figures.append(
            Figure("processor time, one by one to remember_many", ratio, "", ">=", TARGET_TO_SINGLE, FLOOR_TO_SINGLE)
        )
        for name in ("remember_many", "remember_many, no vectors"):
            figure = f"{SHORT} characters: {name}, a second of processor time"
            report.figures.append(Figure(figure, 1 / best[name].cpu, "1/s", ">=", TARGET_RATE, FLOOR_RATE))


def profile(folder: Path, items: int) -> None:
    """What takes the time of short memories, on standard error."""
    rng = random.Random(1)
    with new_store(folder / "profiled") as memory:
        texts = [prose(rng, SHORT) for _ in range(items)]
        with cProfile.Profile() as profiled:
            memory.remember_many(texts)
    pstats.Stats(profiled, stream=sys.stderr).sort_stats("tottime").print_stats(PROFILED_LINES)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, help="items a round and side")
    parser.add_argument("--profile", action="store_true", help="print a profile of one more round to standard error")
    arguments = arguments_of(parser)
    items: int = arguments.items or (1_000 if arguments.ci else 4_000)
    with bench_folder(arguments) as folder:
        report = Report(f"batched writes, {BATCH_ITEMS} a transaction, redaction on", machine(folder))
        for characters in (SHORT, KILOBYTE):
            measure(report, folder, characters, items)
        if arguments.profile:
            profile(folder, items)
    return report.finish(arguments)


if __name__ == "__main__":
    sys.exit(main())
