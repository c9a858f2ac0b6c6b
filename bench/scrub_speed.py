"""How long an erasure takes: one record of a tenant of 100,000, to `logical`, and the job's way to `scrubbed`.

Run: python bench/scrub_speed.py [--engine sqlite|postgresql] [--records N] [--ci] [--json] [--folder DIR]

The records are kept in batches. One record is forgotten with what was made of it,
then a scope with a hundredth of all. Wanted: at most 1 s to `logical` for the one, and on SQLite at most 60 s for the
job of all stages. On PostgreSQL the time is told: its tables are all tenants'.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from _report import Figure, Report, arguments_of, bench_folder, exact, machine
from _stores import new_store
from _texts import words

from heedful import Memory
from heedful.service.keeping.remember import Remembered

RECORDS, CI_RECORDS = 100_000, 2_000
BATCH = 1_000
LOGICAL_SECONDS, SCRUB_SECONDS = 1.0, 60.0
SCOPE, SMALL = ("project:bench",), ("user:mia",)


@contextmanager
def database_of(folder: Path, engine: str) -> Iterator[str | None]:
    """The URL of a new database that its role may scrub wholly; None on SQLite."""
    if engine == "sqlite":
        yield None
        return
    from heedful.testing.postgres import postgres_server  # noqa: PLC0415  # an extra

    cluster = folder / "server"
    cluster.mkdir()
    folder.chmod(0o755)
    with postgres_server(cluster) as server:
        database = server.create_database()
        server.run_sql("postgres", "GRANT pg_checkpoint, pg_monitor TO heedful")
        server.run_sql(database.rpartition("/")[2], "GRANT EXECUTE ON FUNCTION pg_switch_wal() TO heedful")
        yield database


def fill(memory: Memory, records: int) -> str:
    """The id of one of so many records, a hundredth of them in a scope of its own."""
    chance = random.Random(7)
    first = ""
    for start in range(0, records, BATCH):
        items: list[Any] = [
            {"content": text, "scope": SMALL if number % 100 == 0 else SCOPE}
            for number, text in enumerate(words(chance, 20) for _ in range(min(BATCH, records - start)))
        ]
        kept = memory.remember_many(items, scope=SCOPE)
        first = first or next(each.record_id for each in kept if isinstance(each, Remembered) and each.record_id)
    return first


def timed(action: Callable[[], object]) -> float:
    """Seconds by the clock."""
    began = time.monotonic()
    action()
    return time.monotonic() - began


def measure(report: Report, folder: Path, engine: str, records: int) -> None:
    """The rows and figures."""
    with database_of(folder, engine) as database, new_store(folder / "store", database=database) as memory:
        record_id = fill(memory, records)
        logical = timed(lambda: memory.forget(record=record_id))
        job = timed(lambda: memory.maintain("erase"))
        size = sum(each.stat().st_size for each in folder.rglob("*") if each.is_file()) >> 20
        report.row(
            "one record", {"of": records, "logical s": round(logical, 3), "job s": round(job, 2), "MiB on disk": size}
        )
        many = timed(lambda: memory.forget(scope=SMALL))
        job_many = timed(lambda: memory.maintain("erase"))
        report.row("a scope", {"records": records // 100, "logical s": round(many, 3), "job s": round(job_many, 2)})
        stages = {each.stage for each in memory.receipts()}
    report.figures.append(exact("erasures that are not scrubbed", int(stages != {"scrubbed"})))
    report.figures.append(Figure("logical, of one record", logical, "s", "<=", LOGICAL_SECONDS, 10 * LOGICAL_SECONDS))
    if engine == "sqlite":
        report.figures.append(Figure("job to `scrubbed`", job, "s", "<=", SCRUB_SECONDS, 10 * SCRUB_SECONDS))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--records", type=int, default=RECORDS)
    arguments = arguments_of(parser)
    records = CI_RECORDS if arguments.ci else arguments.records
    with bench_folder(arguments) as folder:
        report = Report(f"how long an erasure takes, on {arguments.engine}", machine(folder))
        measure(report, folder, arguments.engine, records)
    return report.finish(arguments)


if __name__ == "__main__":
    sys.exit(main())
