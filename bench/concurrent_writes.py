"""Sixteen writers at once beside one, on a disk as it is and on disks whose fsync costs 1.5 and 5 ms.

Run: python bench/concurrent_writes.py [--writes 60] [--writers 16] [--ci] [--json] [--folder DIR]

Writers that wait for a commit share the next one, so what they gain depends on what an fsync costs. A disk that is
slower than this one is made by a library in front of the system's own (`fdatasync` and `fsync` take so much longer);
it needs a C compiler and Linux, and without them only the disk as it is is measured.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import apsw
from _report import Figure, Report, Value, arguments_of, bench_folder, exact, machine, percentile, spread
from _stores import new_store
from _texts import prose

from heedful import Memory

DELAYS_MS = (0.0, 1.5, 5.0)
TARGET_GAIN = 5.0
FLOOR_GAIN = 1.5
ROUNDS = 3
CHARACTERS = 120
CHILD_SECONDS_MAX = 240.0
DELAY_NAME = "BENCH_FSYNC_DELAY_NS"
SHIM = r"""
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static void wait_for_disk(void) {
    const char *text = getenv("BENCH_FSYNC_DELAY_NS");
    long delay = text ? atol(text) : 0;
    struct timespec pause = {delay / 1000000000L, delay % 1000000000L};
    if (delay > 0) nanosleep(&pause, NULL);
}
int fdatasync(int file) { int result = syscall(SYS_fdatasync, file); wait_for_disk(); return result; }
int fsync(int file) { int result = syscall(SYS_fsync, file); wait_for_disk(); return result; }
"""


@dataclass(frozen=True, slots=True)
class Turn:
    """What some writers did at once: the seconds in all, and of each write."""

    seconds: float
    latencies: list[float]

    @property
    def rate(self) -> float:
        """Writes a second, of all together."""
        return len(self.latencies) / self.seconds


def built_shim(folder: Path) -> Path | None:
    """The library that makes an fsync slower, or None where it can't be built."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or sys.platform != "linux":
        return None
    source, library = folder / "slow_fsync.c", folder / "slow_fsync.so"
    source.write_text(SHIM, encoding="utf-8")
    built = subprocess.run(
        [compiler, "-shared", "-fPIC", "-O2", "-o", library, source], check=False, capture_output=True
    )
    return library if built.returncode == 0 else None


def turn(memory: Memory, writers: int, each: int, texts: Iterator[str]) -> Turn:
    """So many threads write so many memories each, and begin together."""
    own = [list(itertools.islice(texts, each)) for _ in range(writers)]
    latencies: list[list[float]] = [[] for _ in range(writers)]
    gate = threading.Barrier(writers + 1)

    def write(number: int) -> None:
        gate.wait()
        for text in own[number]:
            started = time.perf_counter()
            memory.remember(text)
            latencies[number].append(time.perf_counter() - started)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(writers)]
    for thread in threads:
        thread.start()
    gate.wait()
    started = time.perf_counter()
    for thread in threads:
        thread.join()
    return Turn(time.perf_counter() - started, [one for part in latencies for one in part])


def bare_commit_seconds(path: Path, writes: int) -> float:
    """What a FULL commit of one row costs here, the median."""
    connection = apsw.Connection(str(path))
    run = connection.cursor().execute
    run("PRAGMA journal_mode = WAL").fetchall()
    run("PRAGMA synchronous = FULL")
    run("CREATE TABLE rows (id INTEGER PRIMARY KEY, content TEXT NOT NULL)")
    took = []
    for _ in range(writes):
        started = time.perf_counter()
        run("BEGIN IMMEDIATE")
        run("INSERT INTO rows (content) VALUES (?)", ("x" * CHARACTERS,))
        run("COMMIT")
        took.append(time.perf_counter() - started)
    connection.close()
    return percentile(took, 50)


def child(folder: Path, writers: int, each: int) -> dict[str, object]:
    """One disk's numbers: rounds of one writer and of many take turns."""
    rng = random.Random(1)
    texts = (prose(rng, CHARACTERS) for _ in itertools.count())
    alone: list[Turn] = []
    together: list[Turn] = []
    with new_store(folder) as memory:
        turn(memory, 1, each, texts)
        for _ in range(ROUNDS):
            alone.append(turn(memory, 1, each, texts))
            together.append(turn(memory, writers, each, texts))
        kept = memory.status().counts["records"]
    best_alone, best_together = (max(turns, key=lambda one: one.rate) for turns in (alone, together))
    return {
        "bare": bare_commit_seconds(folder / "bare.db", each),
        "alone": [best_alone.rate, best_alone.latencies],
        "together": [best_together.rate, best_together.latencies],
        "missing": each + ROUNDS * each * (1 + writers) - kept,
    }


def run_child(folder: Path, delay_ms: float, shim: Path | None, *, writers: int, writes: int) -> dict[str, object]:
    """The child's numbers for a disk that is slower by so much."""
    environment = os.environ | {DELAY_NAME: str(round(delay_ms * 1e6))}
    if shim is not None:
        environment["LD_PRELOAD"] = str(shim)
    command = [sys.executable, __file__, "--child", str(folder), "--writers", str(writers)]
    command += ["--writes", str(writes)]
    ended = subprocess.run(command, check=True, capture_output=True, env=environment, timeout=CHILD_SECONDS_MAX)
    return cast("dict[str, object]", json.loads(ended.stdout))


def add(report: Report, disk: str, numbers: dict[str, object], writers: int) -> None:
    """The rows and figures of one disk."""
    rates: dict[str, float] = {}
    report.row(f"{disk}: bare FULL commit", {"p50 us": round(cast("float", numbers["bare"]) * 1e6, 1)})
    for side, name in (("alone", "1 writer"), ("together", f"{writers} writers")):
        rate, latencies = cast("tuple[float, list[float]]", numbers[side])
        rates[side] = rate
        row: dict[str, Value] = {"writes/s": round(rate, 1), **spread(latencies)}
        report.row(f"{disk}: {name}", row)
    gain = rates["together"] / rates["alone"]
    # Where an fsync costs next to nothing there is nothing to share: the interpreter runs one writer at a time.
    target, floor = (TARGET_GAIN, FLOOR_GAIN) if disk != _disk(0) else (0.8, 0.3)
    report.figures.append(Figure(f"{disk}: {writers} writers to 1", gain, "", ">=", target, floor))
    report.figures.append(exact(f"{disk}: records that are missing", cast("int", numbers["missing"])))


def _disk(delay_ms: float) -> str:
    return f"fsync + {delay_ms:g} ms" if delay_ms else "this disk"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--writes", type=int, default=60, help="writes of each writer in a round")
    parser.add_argument("--writers", type=int, default=16, help="threads that write at once")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    arguments = arguments_of(parser)
    if arguments.child is not None:
        print(json.dumps(child(arguments.child, arguments.writers, arguments.writes)))
        return 0
    if arguments.ci:
        arguments.writes = min(arguments.writes, 20)
    with bench_folder(arguments) as folder:
        report = Report(f"{arguments.writers} writers at once beside one, {CHARACTERS} characters", machine(folder))
        shim = built_shim(folder)
        for delay_ms in DELAYS_MS if shim is not None else DELAYS_MS[:1]:
            numbers = run_child(
                folder / f"disk-{delay_ms:g}", delay_ms, shim, writers=arguments.writers, writes=arguments.writes
            )
            add(report, _disk(delay_ms), numbers, arguments.writers)
    if shim is None:
        report.notes.append("no C compiler for Linux here, so no slower disks were made")
    return report.finish(arguments)


if __name__ == "__main__":
    sys.exit(main())
