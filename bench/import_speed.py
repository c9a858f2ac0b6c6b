"""Batched import of 1 KB records with redaction on, and where its time goes.

Run: python bench/import_speed.py [--items 20000] [--ci] [--json] [--folder DIR] [--profile]

A transcript is made: a quarter each of user messages, agent messages, tool calls and tool results, with a secret in
every fortieth. Afterwards no file of the store may hold one of the secrets.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import apsw
from _report import Figure, Report, arguments_of, bench_folder, exact, machine, percentile
from _stores import items_of, new_store, session_of
from _texts import KILOBYTE, Planted, files_with, write_transcript

from heedful.ledger.events import RecordAdmitted
from heedful.ledger.registry import decode_payload
from heedful.observations.redact import redact
from heedful.observations.text import search_tokens
from heedful.ports.store import Chain
from heedful.service.keeping.import_ import BATCH_ITEMS, ImportReport

TARGET_RATE = 5_000
FLOOR_RATE = 500
ROUNDS = 3
PROFILED_LINES = 40


@dataclass(frozen=True, slots=True)
class Imported:
    """One import: how long, what it said, the secrets that a file still holds, and the events that it made."""

    seconds: float
    cpu_seconds: float
    report: ImportReport
    leaked: int
    events: tuple[RecordAdmitted, ...]


@dataclass(frozen=True, slots=True)
class Taken:
    """What a part took, by the wall and by the processor."""

    seconds: float
    cpu_seconds: float


@contextmanager
def profiled(*, wanted: bool) -> Iterator[None]:
    """The block runs; with `wanted`, what took its time is printed to standard error."""
    if not wanted:
        yield
        return
    with cProfile.Profile() as profile:
        yield
    pstats.Stats(profile, stream=sys.stderr).sort_stats("tottime").print_stats(PROFILED_LINES)


def timed(action: Callable[[], object]) -> Taken:
    """What the action took."""
    started, cpu_started = time.perf_counter(), time.process_time()
    action()
    return Taken(time.perf_counter() - started, time.process_time() - cpu_started)


def import_once(folder: Path, transcript: Path, planted: Planted, *, profile: bool = False) -> Imported:
    """The transcript, imported into a new store."""
    with new_store(folder) as memory:
        reports: list[ImportReport] = []
        with profiled(wanted=profile):
            taken = timed(lambda: reports.append(memory.import_trace(transcript)))
        with session_of(memory).store.read() as reading:
            sealed = [each for each in reading.events(Chain.LEDGER) if each.envelope.type == "record.admitted"]
        events = [decode_payload(one.envelope.type, one.envelope.version, one.payload or b"") for one in sealed]
    leaked = len({found for _path, found in files_with(folder, planted.secrets)})
    admitted = tuple(event for event in events if isinstance(event, RecordAdmitted))
    return Imported(taken.seconds, taken.cpu_seconds, reports[0], leaked, admitted)


def parts(folder: Path, transcript: Path, imported: Imported) -> dict[str, Taken]:
    """What each part takes alone, on the same items and events."""
    texts: list[str] = []
    with new_store(folder / "read") as memory:
        reading = timed(lambda: texts.extend(item.content.decode() for item in items_of(memory, transcript)))
    return {
        "read the transcript": reading,
        "redact": timed(lambda: [redact(text) for text in texts]),
        "cut into search tokens": timed(lambda: [search_tokens(text) for text in texts]),
        f"seal and store, {BATCH_ITEMS} a commit": _store_alone(folder / "parts", imported.events),
        f"bare apsw, {BATCH_ITEMS} rows a FULL commit": _bare_rows(folder / "bare.db", texts),
    }


def _store_alone(folder: Path, events: tuple[RecordAdmitted, ...]) -> Taken:
    with new_store(folder) as memory:
        session = session_of(memory)

        def store() -> None:
            for batch in batched_of(events):
                session.store.write(partial(session.append, events=batch))

        return timed(store)


def _bare_rows(path: Path, texts: list[str]) -> Taken:
    connection = apsw.Connection(str(path))
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode = WAL").fetchall()
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("CREATE TABLE rows (id INTEGER PRIMARY KEY, content TEXT NOT NULL)")

    def write() -> None:
        for start in range(0, len(texts), BATCH_ITEMS):
            cursor.execute("BEGIN IMMEDIATE")
            cursor.executemany(
                "INSERT INTO rows (content) VALUES (?)", [(text,) for text in texts[start : start + BATCH_ITEMS]]
            )
            cursor.execute("COMMIT")

    taken = timed(write)
    connection.close()
    return taken


def batched_of(events: tuple[RecordAdmitted, ...]) -> list[tuple[RecordAdmitted, ...]]:
    """The events in batches of the import's size."""
    return [events[start : start + BATCH_ITEMS] for start in range(0, len(events), BATCH_ITEMS)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, help="records in the transcript")
    parser.add_argument("--profile", action="store_true", help="print a profile of one more import to standard error")
    arguments = arguments_of(parser)
    items: int = arguments.items or (3_000 if arguments.ci else 20_000)
    with bench_folder(arguments) as folder:
        report = Report(f"import of {items} records of 1 KB, redaction on", machine(folder))
        transcript = folder / "session.jsonl"
        planted = write_transcript(
            transcript, session_id="00c0ffee-0000-4000-8000-000000000000", items=items, rng=random.Random(7)
        )
        rounds = [import_once(folder / f"round-{number}", transcript, planted) for number in range(ROUNDS)]
        seconds = percentile([each.seconds for each in rounds], 50)
        cpu_seconds = percentile([each.cpu_seconds for each in rounds], 50)
        for number, each in enumerate(rounds, start=1):
            _add(report, f"import, round {number}", items, Taken(each.seconds, each.cpu_seconds))
        for name, taken in parts(folder, transcript, rounds[-1]).items():
            _add(report, f"of it: {name}" if "bare" not in name else name, items, taken)
        if arguments.profile:
            import_once(folder / "profiled", transcript, planted, profile=True)
    report.row("what was imported", _counts(rounds[-1], planted, transcript_bytes=items * KILOBYTE))
    report.row("without waiting for others", {"records/s of processor time": round(items / cpu_seconds)})
    report.figures.append(
        Figure("records a second, median round", items / seconds, "1/s", ">=", TARGET_RATE, FLOOR_RATE)
    )
    report.figures.append(exact("records admitted", rounds[-1].report.admitted, items))
    report.figures.append(exact("planted secrets that were cut", rounds[-1].report.redactions, len(planted.secrets)))
    report.figures.append(exact("planted secrets in any file of the stores", sum(each.leaked for each in rounds)))
    return report.finish(arguments)


def _add(report: Report, name: str, items: int, taken: Taken) -> None:
    report.row(
        name,
        {
            "seconds": round(taken.seconds, 2),
            "CPU seconds": round(taken.cpu_seconds, 2),
            "us a record": round(taken.seconds / items * 1e6, 1),
            "records/s": round(items / taken.seconds),
        },
    )


def _counts(imported: Imported, planted: Planted, *, transcript_bytes: int) -> dict[str, int | float | str]:
    sizes = [len(event.record.content or "") for event in imported.events]
    return {
        "median characters": percentile(sizes, 50),
        "MB": round(transcript_bytes / 1e6, 1),
        "secrets planted": len(planted.secrets),
        "redactions": imported.report.redactions,
        "problems": len(imported.report.problems),
        **imported.report.counts,
    }


if __name__ == "__main__":
    sys.exit(main())
