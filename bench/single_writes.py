"""Durable single writes of 1 KB beside bare apsw, one row a FULL commit, in the same folder and the same run.

Run: python bench/single_writes.py [--blocks 20] [--ci] [--json] [--folder DIR]

Both sides take turns in small blocks, so that whatever else the machine does meets both. The bare side is as fast as
it can be made without giving up the promise: prepared statements, the same WAL size, the same short waits for a lock,
and for threads one connection behind a lock instead of eight that fight for the file.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Self

import apsw
from _report import Figure, Report, Value, arguments_of, bench_folder, exact, machine, percentile, spread
from _stores import new_store, open_store
from _texts import prose

ALONE = "1 client"
PLAIN = "heedful, no vectors"
TARGET_RATIO = 0.5
FLOOR_RATIO = 0.05
BLOCK_WRITES = 50
# Longer where clients are processes: they do not begin a block at quite the same moment.
BLOCK_WRITES_OF_PROCESS = 150
WARM_WRITES = 50
THREADS = 8
PROCESSES = 4
WAL_PAGES = 4_000
CLIENT_SECONDS_MAX = 120.0
PAGE = b"\x5a" * 4_096
# Made before anything is timed.
TEXTS = [prose(random.Random(number)) for number in range(500)]

Write = Callable[[str], object]


class Bare:
    """What a program does that has apsw and nothing else."""

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        self._connection = apsw.Connection(str(path))
        self._connection.set_busy_handler(self._wait)
        self._run = self._connection.cursor().execute
        self._run("PRAGMA journal_mode = WAL").fetchall()
        self._run("PRAGMA synchronous = FULL")
        self._run(f"PRAGMA wal_autocheckpoint = {WAL_PAGES}").fetchall()
        self._run("CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, content TEXT NOT NULL)")

    def write(self, text: str) -> None:
        """One row, one FULL commit."""
        with self._lock:
            self._run("BEGIN IMMEDIATE")
            self._run("INSERT INTO rows (content) VALUES (?)", (text,))
            self._run("COMMIT")

    def count(self) -> int:
        """Rows in the file."""
        return int(self._run("SELECT count(*) FROM rows").get)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._connection.close()

    def _wait(self, attempts: int) -> bool:
        time.sleep(min(0.000_2 * 2 ** min(attempts, 10), 0.01) * random.uniform(0.5, 1))
        return True


class Synced:
    """What one fsync costs here: 4 KB at the end of a file, then fdatasync."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
        self._sync = getattr(os, "fdatasync", os.fsync)

    def write(self, _text: str) -> None:
        """One page, on disk."""
        os.write(self._file, PAGE)
        self._sync(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        os.close(self._file)


@dataclass(slots=True)
class Side:
    """What one side did: the latency of each write, and how long its blocks took together."""

    latencies: list[float] = field(default_factory=list)
    seconds: float = 0.0
    cpu_seconds: float = 0.0

    @property
    def rate(self) -> float:
        """Writes a second."""
        return len(self.latencies) / self.seconds

    @property
    def p50(self) -> float:
        """Seconds."""
        return percentile(self.latencies, 50)

    def shown(self) -> dict[str, Value]:
        """The row of a report."""
        return {"writes": len(self.latencies), "writes/s": round(self.rate, 1), **spread(self.latencies)}


def timed(write: Write, count: int) -> list[float]:
    """The seconds of each of so many writes, one after another."""
    latencies = []
    for text in random.sample(TEXTS, count):
        started = time.perf_counter()
        write(text)
        latencies.append(time.perf_counter() - started)
    return latencies


def take_turns(
    names: Sequence[str], run: Callable[[str, int], list[float]], *, blocks: int, each: int = BLOCK_WRITES
) -> dict[str, Side]:
    """What each side did in `blocks` blocks; the order turns around from block to block."""
    sides = {name: Side() for name in names}
    for name in names:
        run(name, WARM_WRITES)
    for block in range(blocks):
        for name in names if block % 2 == 0 else reversed(names):
            started, cpu_started = time.perf_counter(), time.process_time()
            latencies = run(name, each)
            side = sides[name]
            side.seconds += time.perf_counter() - started
            side.cpu_seconds += time.process_time() - cpu_started
            side.latencies += latencies
    return sides


def with_threads(writes: dict[str, Write], count: int, blocks: int) -> dict[str, Side]:
    """`take_turns` with so many threads that write at once; one client is the caller's own thread."""
    if count == 1:
        return take_turns(list(writes), lambda name, each: timed(writes[name], each), blocks=blocks)
    with ThreadPoolExecutor(count) as pool:

        def run(name: str, each: int) -> list[float]:
            return [one for part in pool.map(lambda _: timed(writes[name], each), range(count)) for one in part]

        return take_turns(list(writes), run, blocks=blocks)


def client(folder: Path, pipe: Connection) -> None:
    """A process that writes so much to such a side, as it is told, until it is told None."""
    with open_store(folder) as memory, Bare(folder / "bare.db") as bare:
        writes: dict[str, Write] = {"heedful": memory.remember, "bare apsw": bare.write}
        pipe.send(None)
        while (order := pipe.recv()) is not None:
            name, count = order
            pipe.send(timed(writes[name], count))


def with_processes(folder: Path, count: int, blocks: int) -> dict[str, Side]:
    """`take_turns` with so many processes that write at once."""
    context = multiprocessing.get_context("spawn")
    with ExitStack() as stack:
        pipes: list[Connection] = []
        for _ in range(count):
            ours, theirs = context.Pipe()
            process = context.Process(target=client, args=(folder, theirs))
            process.start()
            stack.callback(_end, process, ours)
            pipes.append(ours)
        for pipe in pipes:
            _answer(pipe)

        def run(name: str, each: int) -> list[float]:
            for pipe in pipes:
                pipe.send((name, each))
            return [one for pipe in pipes for one in _answer(pipe)]

        return take_turns(["heedful", "bare apsw"], run, blocks=blocks, each=BLOCK_WRITES_OF_PROCESS)


def _answer(pipe: Connection) -> list[float]:
    if not pipe.poll(CLIENT_SECONDS_MAX):
        raise TimeoutError(f"a client said nothing for {CLIENT_SECONDS_MAX} s")
    return pipe.recv() or []


def _end(process: multiprocessing.process.BaseProcess, pipe: Connection) -> None:
    if process.is_alive():
        with suppress(BrokenPipeError):
            pipe.send(None)
    process.join(10)
    if process.is_alive():
        process.kill()
        process.join()


def _add(report: Report, setting: str, sides: dict[str, Side], *, in_process: bool) -> None:
    for name, side in sides.items():
        cpu: dict[str, Value] = {}
        if in_process:
            cpu = {"CPU us a write": round(side.cpu_seconds / len(side.latencies) * 1e6, 1)}
        report.row(f"{setting}, {name}", side.shown() | cpu)
    ours, bare = sides["heedful"], sides["bare apsw"]
    rate_ratio, p50_ratio = ours.rate / bare.rate, bare.p50 / ours.p50
    report.row(
        f"{setting}, heedful to bare",
        {
            "rate ratio": round(rate_ratio, 3),
            "p50 ratio": round(p50_ratio, 3),
            "added us a write": round((ours.p50 - bare.p50) * 1e6, 1),
        },
    )
    if PLAIN in sides:
        report.row(
            f"{setting}, {PLAIN} to bare",
            {
                "rate ratio": round(sides[PLAIN].rate / bare.rate, 3),
                "p50 ratio": round(bare.p50 / sides[PLAIN].p50, 3),
                "added us a write": round((sides[PLAIN].p50 - bare.p50) * 1e6, 1),
            },
        )
    report.figures.append(Figure(f"{setting}: rate to bare", rate_ratio, "", ">=", TARGET_RATIO, FLOOR_RATIO))
    if setting == ALONE:
        report.figures.append(Figure(f"{setting}: p50 to bare", p50_ratio, "", ">=", TARGET_RATIO, FLOOR_RATIO))


def measure(report: Report, folder: Path, blocks: int) -> None:
    """The report's rows and figures."""
    fewer = max(2, blocks // 4)
    with (
        new_store(folder) as memory,
        new_store(folder / "plain", embedder="none") as plain,
        Bare(folder / "bare.db") as bare,
        Synced(folder / "raw") as raw,
    ):
        writes: dict[str, Write] = {"heedful": memory.remember, "bare apsw": bare.write}
        others: dict[str, Write] = {PLAIN: plain.remember, "write + fdatasync of 4 KB": raw.write}
        alone = with_threads({**writes, **others}, 1, blocks)
        _add(report, ALONE, alone, in_process=True)
        _add(report, f"{THREADS} threads", with_threads(writes, THREADS, fewer), in_process=True)
    _add(report, f"{PROCESSES} processes", with_processes(folder, PROCESSES, fewer), in_process=False)
    with open_store(folder) as memory, Bare(folder / "bare.db") as bare:
        # Both sides made as many writes, so what both kept is compared with each other.
        kept, rows = memory.status().counts["records"], bare.count()
    report.figures.append(exact("records kept, less rows that the bare side kept", kept - rows))
    synced = alone["write + fdatasync of 4 KB"].p50
    report.row("what one fsync costs here", {"p50 us": round(synced * 1e6, 1)})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--blocks", type=int, help=f"blocks of {BLOCK_WRITES} writes a client and side")
    arguments = arguments_of(parser)
    blocks: int = arguments.blocks or (6 if arguments.ci else 20)
    with bench_folder(arguments) as folder:
        report = Report("durable single writes of 1 KB: Memory.remember beside bare apsw", machine(folder))
        measure(report, folder, blocks)
    report.notes.append("the ratio depends on what an fsync costs: where it is dear, both sides wait for it alike")
    report.notes.append(
        "with several clients a p50 tells little: an unfair lock gives most a short wait, a few a long one"
    )
    return report.finish(arguments)


if __name__ == "__main__":
    sys.exit(main())
