"""Writes and reads from 4 processes at once on one store: nothing fails, nothing is lost, the ledger has no gap.

Run: python bench/processes.py [--each 200] [--ci] [--json] [--folder DIR]

Each process remembers and recalls in turn, half in a scope of its own and half in one that all share. Every recall
asks for a word that stands in the newest acknowledged write alone, and must bring it. A fifth reader then looks for
each acknowledged record.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing.synchronize import Barrier
from pathlib import Path
from queue import Empty

from _report import Report, arguments_of, bench_folder, exact, machine, spread
from _stores import new_store, open_store, session_of
from _texts import words

from heedful import Memory
from heedful.kernel.errors import HeedfulError, NotFoundError
from heedful.ports.store import Chain, StoredRecord

PROCESSES = 4
SHARED = ("project:shared",)
WORDS_EACH = 40
PROCESS_SECONDS_MAX = 300.0
START_SECONDS_MAX = 60.0


@dataclass(slots=True)
class Told:
    """What one process reports; everything in it was acknowledged to it.

    Attributes:
        kept: record id -> (ledger position, word that stands in it alone).
        unseen: recalls that did not bring the newest write.
        errors: each as its code, or its type where it is none of ours.
    """

    kept: dict[str, tuple[int, str]] = field(default_factory=dict)
    unseen: int = 0
    errors: list[str] = field(default_factory=list)
    write_seconds: list[float] = field(default_factory=list)
    read_seconds: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Checked:
    """What a reader that came afterwards found wrong, each as a count; and the ledger's length."""

    lost: int
    gaps: int
    doubled: int
    does_not_hold: int
    events: int


def marker(process: int, number: int) -> str:
    """A word that stands in one record alone."""
    return f"marker{process}x{number}"


def work(folder: Path, process: int, each: int, start: Barrier, told: multiprocessing.Queue[Told]) -> None:
    """So many writes and reads, begun by all at once; the report goes into the queue whatever happens."""
    report = Told()
    rng = random.Random(process)
    try:
        with open_store(folder) as memory:
            start.wait(START_SECONDS_MAX)
            for number in range(each):
                _write_and_read(memory, process, number, rng, report)
    except HeedfulError as error:
        report.errors.append(error.code)
    finally:
        told.put(report)


def _write_and_read(memory: Memory, process: int, number: int, rng: random.Random, report: Told) -> None:
    scope = SHARED if number % 2 else (f"project:p{process}",)
    word = marker(process, number)
    try:
        started = time.perf_counter()
        kept = memory.remember(f"{word} {words(rng, WORDS_EACH)}", scope=scope)
        report.write_seconds.append(time.perf_counter() - started)
        report.kept[kept.record_id] = (kept.position, word)
        started = time.perf_counter()
        packet = memory.recall(f"What became of {word}?", scope=scope)
        report.read_seconds.append(time.perf_counter() - started)
        report.unseen += kept.record_id not in {item.item_id for item in packet.items}
    except HeedfulError as error:
        report.errors.append(error.code)


def run_all(folder: Path, each: int) -> list[Told]:
    """The reports of all processes; one that died without a report has an error instead."""
    context = multiprocessing.get_context("spawn")
    told: multiprocessing.Queue[Told] = context.Queue()
    start = context.Barrier(PROCESSES)
    running = [context.Process(target=work, args=(folder, number, each, start, told)) for number in range(PROCESSES)]
    for process in running:
        process.start()
    reports: list[Told] = []
    deadline = time.monotonic() + PROCESS_SECONDS_MAX
    try:
        while len(reports) < len(running) and time.monotonic() < deadline:
            try:
                reports.append(told.get(timeout=1))
            except Empty:
                if not any(process.is_alive() for process in running):
                    break
    finally:
        for process in running:
            process.join(5)
            if process.is_alive():
                process.kill()
                process.join()
    silent = len(running) - len(reports)
    return reports + [Told(errors=["process_died"]) for _ in range(silent)]


def check(memory: Memory, reports: Sequence[Told]) -> Checked:
    """What a reader that came afterwards finds of all that was acknowledged."""
    acknowledged = [(record_id, *kept) for report in reports for record_id, kept in report.kept.items()]
    with session_of(memory).store.read() as reading:
        positions = [sealed.envelope.position for sealed in reading.events(Chain.LEDGER)]
    lost = sum(not is_there(memory, *each) for each in acknowledged)
    taken = Counter(position for _record_id, position, _word in acknowledged)
    audit = memory.verify(views=True)
    return Checked(
        lost=lost,
        gaps=len(set(range(1, (positions[-1] if positions else 0) + 1)) - set(positions)),
        doubled=sum(count - 1 for count in taken.values()),
        does_not_hold=0 if audit.holds else 1,
        events=len(positions),
    )


def is_there(memory: Memory, record_id: str, position: int, word: str) -> bool:
    """True where the record stands at the position it was acknowledged with, and holds its word."""
    try:
        stored, _evidence = memory.show(record_id)
    except NotFoundError:
        return False
    # Anything else has an id that was never acknowledged as a record's.
    if not isinstance(stored, StoredRecord):
        return False
    return stored.position == position and word in (stored.record.content or "")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, help="writes, and reads, of each process")
    arguments = arguments_of(parser)
    each: int = arguments.each or (50 if arguments.ci else 200)
    with bench_folder(arguments) as folder:
        report = Report(f"{PROCESSES} processes, {each} writes and {each} reads each, one store", machine(folder))
        new_store(folder).close()
        started = time.perf_counter()
        reports = run_all(folder, each)
        seconds = time.perf_counter() - started
        with open_store(folder) as memory:
            checked = check(memory, reports)
    errors = Counter(error for one in reports for error in one.errors)
    kept = sum(len(one.kept) for one in reports)
    report.row("write, until durable", spread([one for told in reports for one in told.write_seconds] or [0.0]))
    report.row("read, while others write", spread([one for told in reports for one in told.read_seconds] or [0.0]))
    report.row("together", {"seconds with start-up": round(seconds, 1), "ledger events": checked.events})
    report.notes += [f"error {code}: {count} times" for code, count in errors.items()]
    report.figures += [
        exact("errors", errors.total()),
        exact("writes acknowledged", kept, PROCESSES * each),
        exact("acknowledged writes that a fifth reader does not find", checked.lost),
        exact("recalls that miss the newest write", sum(one.unseen for one in reports)),
        exact("gaps in the ledger's positions", checked.gaps),
        exact("positions given twice", checked.doubled),
        exact("broken chains or views that differ from a refold", checked.does_not_hold),
    ]
    return report.finish(arguments)


if __name__ == "__main__":
    sys.exit(main())
