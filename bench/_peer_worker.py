"""One system of the peers' comparison, filled and asked in a process of its own; prints its row as JSON.

Run by peers.py: python bench/_peer_worker.py SYSTEM RECORDS FOLDER [DSN]
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from _peer_systems import SYSTEMS, TOP, System
from _peer_texts import Asked, Told, asked, marks, told
from _report import percentile

SINGLE_WRITES = 500
BATCH = 500
QUESTIONS = 500
WARM_UP = 50


def fill(system: System, records: int) -> float:
    """The memories are there; memories a second, of those that were written one by one."""
    all_told = told(records)
    started, count = time.perf_counter(), 0
    for one in islice(all_told, SINGLE_WRITES):
        system.add(one)
        count += 1
    rate = count / (time.perf_counter() - started)
    for many in _batches(all_told):
        system.add_many(many)
    return rate


def ask(system: System, questions: list[Asked]) -> dict[str, float]:
    """Latencies in milliseconds, and how many questions hit, starved (fewer than TOP answers) and leaked."""
    for one in questions[:WARM_UP]:
        system.search(one.user, one.text)
    took, hits, starved, leaked = [], 0, 0, 0
    for one in questions:
        started = time.perf_counter()
        texts = system.search(one.user, one.text)
        took.append(time.perf_counter() - started)
        found = [mark for text in texts for mark in marks(text)]
        hits += (one.user, one.number) in found[:TOP]
        starved += len(found) < TOP
        leaked += any(user != one.user for user, _number in found)
    return {
        **{f"p{percent}_ms": round(percentile(took, percent) * 1e3, 3) for percent in (50, 95, 99)},
        "hit_at_5": round(hits / len(questions), 4),
        "starved": starved,
        "leaked": leaked,
    }


def peak_rss_mb() -> float:
    """The most memory that this process had, in MB."""
    for line in Path("/proc/self/status").read_text("ascii").splitlines():
        if line.startswith("VmHWM:"):
            return round(int(line.split()[1]) / 1024, 1)
    return -1.0


def disk_mb(folder: Path) -> float:
    """The bytes of all files below the folder, in MB."""
    return round(sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6, 2)


def main() -> int:
    name, records, folder = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    system = SYSTEMS[name](folder, sys.argv[4] if len(sys.argv) > 4 else None)
    try:
        rate = fill(system, records)
        asked_of = ask(system, asked(records, QUESTIONS))
        rss = peak_rss_mb()
    finally:
        system.close()
    row = {"system": name, "records": records, "writes_per_s": round(rate, 1), **asked_of, "rss_mb": rss}
    print(json.dumps(row | {"disk_mb": disk_mb(folder)}))
    return 0


def _batches(all_told: Iterator[Told]) -> Iterator[list[Told]]:
    while many := list(islice(all_told, BATCH)):
        yield many


if __name__ == "__main__":
    sys.exit(main())
