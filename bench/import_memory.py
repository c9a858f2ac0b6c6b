"""How much memory the import of a long trace takes, and how long it goes on at its speed.

Run: python bench/import_memory.py [--megabytes 1000] [--format heedful|claude-code] [--ci] [--json] [--folder DIR]

A trace of records of 1 KB is written into the temporary folder and imported by a process of its own, redaction on. A
short trace of the same sort is imported first, so that what every import loads is not counted. The folder takes up to
eight times the trace. Linux alone tells what is measured here (VmHWM: the most memory that the process ever had).
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from _report import Figure, Report, arguments_of, bench_folder, exact, machine
from _stores import new_store
from _texts import code, prose, write_transcript

TARGET_MB = 200
MEGABYTE = 1_000_000
WARM_ITEMS = 2_000
POOL = 2_000
SHARES = 10
IMPORT_SECONDS_MAX = 7_200.0
FORMATS = ("heedful", "claude-code")
_TYPES = ("human_note", "message", "tool_call", "tool_result")


@dataclass(frozen=True, slots=True)
class Seen:
    """What the importing process says of itself.

    Attributes:
        before_mb: memory before the trace; most_mb: the most until its end.
        at_share: memory after each tenth of the way, in MB.
    """

    admitted: int
    seconds: float
    cpu_seconds: float
    before_mb: float
    most_mb: float
    at_share: tuple[float, ...]


def write_trace(path: Path, sort: str, items: int, *, name: str) -> None:
    """So many records of 1 KB, each with an id of its own."""
    if sort == "claude-code":
        session_id = f"{name}-0000-4000-8000-000000000000"
        write_transcript(path, session_id=session_id, items=items, rng=random.Random(items))
        return
    with path.open("w", encoding="utf-8") as file:
        for row in _plain_rows(items, name):
            file.write(json.dumps(row) + "\n")


def _plain_rows(items: int, name: str) -> Iterator[dict[str, object]]:
    rng = random.Random(items)
    pool = [(code if number % 4 > 1 else prose)(rng) for number in range(min(items, POOL))]
    for number in range(items):
        text = f"{name} {number}: {pool[number % len(pool)]}"
        record_type = _TYPES[number % 4]
        yield {"id": f"{name}-{number}", "run_id": name, "record_type": record_type, "content": text}


def memory_mb(field: str) -> float:
    """A field of this process's own status: VmRSS is what it has, VmHWM the most that it ever had."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{field}:")) * 1_024 / MEGABYTE


def client(folder: Path, warm: Path, trace: Path, pipe: Connection) -> None:
    """Imports both and tells what it took."""
    with new_store(folder) as memory:
        memory.import_trace(warm)
        before = memory_mb("VmRSS")
        size = trace.stat().st_size
        seen: list[float] = []

        def note(done: int) -> None:
            if done * SHARES >= (len(seen) + 1) * 2 * size:
                seen.append(memory_mb("VmRSS"))

        started, cpu_started = time.perf_counter(), time.process_time()
        report = memory.import_trace(trace, progress=note)
        seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - cpu_started
    # The system notes the most now and then, and may be a little behind.
    most = max(memory_mb("VmHWM"), before, *seen)
    pipe.send(Seen(report.admitted, seconds, cpu_seconds, before, most, tuple(seen)))


def measured(folder: Path, sort: str, items: int) -> Seen:
    """What another process took to import such a trace.

    Raises:
        TimeoutError: it said nothing for IMPORT_SECONDS_MAX.
    """
    warm, trace = folder / "warm.jsonl", folder / "trace.jsonl"
    write_trace(warm, sort, WARM_ITEMS, name="00c0ffef")
    write_trace(trace, sort, items, name="00c0ffee")
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=client, args=(folder / "store", warm, trace, theirs))
    process.start()
    theirs.close()
    try:
        if not ours.poll(IMPORT_SECONDS_MAX):
            raise TimeoutError(f"the import took longer than {IMPORT_SECONDS_MAX} s")
        seen: Seen = ours.recv()
        return seen
    finally:
        process.join(10)
        if process.is_alive():
            process.kill()
            process.join()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, help="content of the trace")
    parser.add_argument("--format", choices=FORMATS, default="heedful", help="what the trace is written as")
    arguments = arguments_of(parser)
    megabytes: int = arguments.megabytes or (10 if arguments.ci else 1_000)
    items = megabytes * 1_000
    with bench_folder(arguments) as folder:
        report = Report(f"import of a trace of {megabytes} MB ({arguments.format}), redaction on", machine(folder))
        seen = measured(folder, arguments.format, items)
        kept = sum(path.stat().st_size for path in (folder / "store").rglob("*") if path.is_file())
    growth = seen.most_mb - seen.before_mb
    report.row(
        "import",
        {
            "records": items,
            "seconds": round(seen.seconds, 1),
            "records/s": round(items / seen.seconds),
            "records/s of processor time": round(items / seen.cpu_seconds),
            "MB before": round(seen.before_mb),
            "MB at the most": round(seen.most_mb),
            "MB on disk": round(kept / MEGABYTE),
        },
    )
    # A format that is read once is at its end after half of the two readings that progress is told of.
    report.row("MB after each tenth", {str(share): round(each) for share, each in enumerate(seen.at_share, start=1)})
    report.figures.append(Figure("memory that the import added", growth, "MB", "<=", TARGET_MB, TARGET_MB))
    report.figures.append(exact("records admitted", seen.admitted, items))
    return report.finish(arguments)


if __name__ == "__main__":
    sys.exit(main())
