"""How long after a revocation was answered any process still hands out what was revoked: it must be no answer at all.

Run: python bench/revocation_lag.py [--rounds 200] [--engine sqlite|postgresql|both] [--ci] [--json] [--folder DIR]

In each round a record with an active claim is told, and two other processes and a thread of this one ask for it without
pause, until all have found it. Then it is revoked: rejected, its consent withdrawn, corrected, or erased. An answer is
stale where it began after the revocation was answered and shows it; of what was corrected the claim alone, as who said
what stays said. The lag is how long after that the last answer ended that shows it, of those that had begun before. The
control keeps answers for a while, as a cache does that nobody tells.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Event
from pathlib import Path

from _races import ANSWER_SECONDS_MAX, Source, told
from _report import Report, arguments_of, bench_folder, exact, machine, percentile
from _stores import PRINCIPAL, SCOPE, new_store, settings_in
from erasure_races import ENGINES, databases

from heedful import Memory

ROUNDS, ROUNDS_CI = 200, 12
CONTROLS = 8
READERS = 2
AFTER_SECONDS = 0.05
"""So long answers are looked at after the revocation."""
KEPT_SECONDS = 0.5
"""So long the control keeps an answer."""


@dataclass(frozen=True, slots=True)
class Read:
    """An answer: when it began and ended, in seconds of the clock that never goes back, and whether it shows it."""

    began: float
    ended: float
    shown: bool


class Reader:
    """Asks for a source without pause; `kept_seconds` is how long it keeps an answer, as a cache that nobody tells."""

    def __init__(self, memory: Memory, kept_seconds: float) -> None:
        """Nothing is kept yet; `but` is what may be shown of a source."""
        self._memory, self._kept_seconds = memory, kept_seconds
        self._kept: dict[tuple[int, str], tuple[float, bool]] = {}
        self.but: str | None = None

    def ask(self, source: Source, impact: str) -> bool:
        """True where the answer shows the source."""
        key = source.number, impact
        kept = self._kept.get(key)
        if kept is not None and time.monotonic() < kept[0] + self._kept_seconds:
            return kept[1]
        packet = self._memory.recall(f"who is called, {source.mark}?", scope=SCOPE, impact=impact)
        ids = {source.claim_id, source.record_id}
        shown = any(item.item_id in ids and item.item_id != self.but for item in packet.items)
        self._kept[key] = time.monotonic(), shown
        return shown

    def watch(self, source: Source, found: Event, over: Event) -> list[Read]:
        """Every answer until it is over; `found` is set when one shows the source."""
        reads = []
        while not over.is_set():
            for impact in ("read", "propose"):
                began = time.monotonic()
                shown = self.ask(source, impact)
                reads.append(Read(began, time.monotonic(), shown))
            if reads[-1].shown:
                found.set()
        return reads


def serve(place: tuple[Path, str | None], kept_seconds: float, pipe: Connection, events: tuple[Event, Event]) -> None:
    """Another process, which watches what it is told to."""
    folder, database = place
    with Memory.open(folder, database=database, settings=settings_in(folder)) as memory:
        reader = Reader(memory, kept_seconds)
        pipe.send([])
        while (asked := pipe.recv()) is not None:
            source, reader.but = asked
            pipe.send(reader.watch(source, *events))


class Process:
    """One of the other processes."""

    def __init__(self, folder: Path, database: str | None, kept_seconds: float) -> None:
        """It is started, and has opened the store."""
        context = multiprocessing.get_context("spawn")
        self.found, self.over = context.Event(), context.Event()
        self._pipe, theirs = context.Pipe()
        events = (self.found, self.over)
        self._process = context.Process(target=serve, args=((folder, database), kept_seconds, theirs, events))
        self._process.start()
        self.reads()

    def watch(self, source: Source, but: str | None) -> None:
        """It begins; `but` is what may be shown of it."""
        self.found.clear()
        self.over.clear()
        self._pipe.send((source, but))

    def reads(self) -> list[Read]:
        """What it was answered, once it is over."""
        if not self._pipe.poll(ANSWER_SECONDS_MAX):
            raise TimeoutError("the other process does not answer")
        reads: list[Read] = self._pipe.recv()
        return reads

    def close(self) -> None:
        """It ends."""
        self._pipe.send(None)
        self._process.join(ANSWER_SECONDS_MAX)


REVOKES: dict[str, Callable[[Memory, Source], object]] = {
    "rejected": lambda memory, source: memory.reject(source.record_id, reason="not so"),
    "consent": lambda memory, source: memory.withdraw_consent(subject=source.subject),
    "corrected": lambda memory, source: memory.correct(source.claim_id, "somebody else", reason="as I know"),
    "erased": lambda memory, source: memory.forget(record=source.record_id),
}


@dataclass(slots=True)
class Lags:
    """What rounds came to: the lag of each, milliseconds; answers that were stale, and all that began afterwards."""

    ms: list[float]
    stale: int = 0
    later: int = 0


def rounds(folder: Path, database: str | None, wanted: int, kept_seconds: float) -> dict[str, Lags]:
    """So many rounds of each sort of revocation."""
    lags = {name: Lags([]) for name in REVOKES}
    chance = random.Random(1)
    with new_store(folder, database=database) as memory, ThreadPoolExecutor(1) as pool:
        others = [Process(folder, database, kept_seconds) for _ in range(READERS)]
        own = Reader(memory.acting_as(PRINCIPAL, channel="person"), kept_seconds)
        for number in range(wanted):
            name = list(REVOKES)[number % len(REVOKES)]
            source = told(memory, number, chance)
            but = source.record_id if name == "corrected" else None
            found, over = multiprocessing.Event(), multiprocessing.Event()
            for each in others:
                each.watch(source, but)
            own.but = but
            begun = pool.submit(own.watch, source, found, over)
            if not all(each.wait(ANSWER_SECONDS_MAX) for each in (found, *(other.found for other in others))):
                raise TimeoutError("it was not found before it was revoked, so nothing is measured")
            REVOKES[name](memory, source)
            answered = time.monotonic()
            time.sleep(AFTER_SECONDS)
            for event in (over, *(each.over for each in others)):
                event.set()
            reads = [*begun.result(ANSWER_SECONDS_MAX), *(read for each in others for read in each.reads())]
            _count(lags[name], reads, answered)
        for each in others:
            each.close()
    return lags


def _count(lags: Lags, reads: list[Read], answered: float) -> None:
    later = [each for each in reads if each.began > answered]
    lags.later += len(later)
    lags.stale += sum(each.shown for each in later)
    last = max(each.ended for each in reads if each.shown)
    lags.ms.append(max(0.0, (last - answered) * 1_000))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--engine", choices=(*ENGINES, "both"), default="both")
    arguments = arguments_of(parser)
    wanted = arguments.rounds or (ROUNDS_CI if arguments.ci else ROUNDS)
    engines = ENGINES if arguments.engine == "both" else (arguments.engine,)
    with bench_folder(arguments) as folder:
        report = Report("revocation lag", machine(folder))
        for engine in engines:
            with databases(engine) as new_database:
                found = rounds(folder / engine, new_database(), wanted, 0.0)
            for name, lags in found.items():
                values = {"p50 ms": round(percentile(lags.ms, 50), 2), "p99 ms": round(percentile(lags.ms, 99), 2)}
                report.row(f"{engine}, {name}", values | {"answers afterwards": lags.later, "stale": lags.stale})
            report.figures.append(exact(f"{engine}: stale answers", sum(each.stale for each in found.values())))
            unasked = [name for name, lags in found.items() if not lags.later]
            report.figures.append(exact(f"{engine}: revocations after which nobody asked", len(unasked)))
        kept = rounds(folder / "control", None, CONTROLS, KEPT_SECONDS)
        stale = sum(each.stale for each in kept.values())
        report.row("control, answers are kept", {"stale": stale})
        report.figures.append(exact("control: no answer was stale", int(not stale)))
    return report.finish(arguments)


if __name__ == "__main__":
    sys.exit(main())
