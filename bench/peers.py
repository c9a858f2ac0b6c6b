"""Heedful beside other memory systems, in one run: the same texts, vectors, questions and machine moment.

Run: python -m bench peers [--records 2000] [--systems heedful,mem0-qdrant] [--seconds-max 900] [--ci] [--json]

Each system runs in a process of its own, one after another. The others are no dependencies of ours: `make peers`
installs them into .venv-peers, which is used where it is there; what is not installed has a row that says so. Heedful
answers with a whole packet (policy, bridges, both legs of retrieval, labels); the others with a list of texts.
`writes_per_s`: written one by one. `starved`: questions with fewer than five answers, though the asker has a hundred
memories. `leaked`: questions that brought another user's memory. `rss_mb`: the process at its largest; of a system on
a server, the client alone. `disk_mb`: the files; of a system on a server, its database.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from _peer_systems import NEEDS_DATABASE, SYSTEMS
from _report import arguments_of, bench_folder, machine
from rich.console import Console
from rich.table import Table

OURS = ("heedful", "heedful-postgresql")
COLUMNS = (
    "system",
    "records",
    "writes_per_s",
    "p50_ms",
    "p95_ms",
    "p99_ms",
    "hit_at_5",
    "starved",
    "leaked",
    "rss_mb",
    "disk_mb",
)
CI_RECORDS = 500
BAR_CHARACTERS = 46
WORKER = Path(__file__).with_name("_peer_worker.py")
PEERS_PYTHON = WORKER.parents[1] / ".venv-peers" / "bin" / "python"
Row = dict[str, Any]


def measure(name: str, records: int, folder: Path, dsn: str | None, seconds_max: int) -> Row:
    """The system's row; where it could not be measured, a row with the reason as `not_run`."""
    folder.mkdir()
    python = str(PEERS_PYTHON) if PEERS_PYTHON.exists() else sys.executable
    command = [python, str(WORKER), name, str(records), str(folder), *([dsn] if dsn else [])]
    try:
        ended = subprocess.run(command, timeout=seconds_max, check=False, text=True, capture_output=True)
    except subprocess.TimeoutExpired:
        return {"system": name, "records": records, "not_run": f"took longer than {seconds_max} s"}
    if ended.returncode:
        last = (ended.stderr.strip().splitlines() or ["no message"])[-1]
        return {"system": name, "records": records, "not_run": last[:200]}
    row: Row = json.loads(ended.stdout.strip().splitlines()[-1])
    return row


@contextlib.contextmanager
def database(name: str, folder: Path) -> Iterator[tuple[str | None, Any]]:
    """An empty database of a server of its own, where the system needs one, and how large it is in MB."""
    if name not in NEEDS_DATABASE:
        yield None, None
        return
    from heedful.testing.postgres import postgres_server  # noqa: PLC0415

    with postgres_server(folder) as server:
        dsn = server.create_database()
        name_there = dsn.rpartition("/")[2]
        yield dsn, lambda: int(server.run_sql("postgres", f"SELECT pg_database_size('{name_there}')")) / 1e6


def run(names: list[str], records: int, folder: Path, seconds_max: int, *, quiet: bool) -> list[Row]:
    """A row for each system, in the order given."""
    rows = []
    for name in names:
        if not quiet:
            print(f"{name}: {records:,} memories ...", file=sys.stderr, flush=True)
        with database(name, folder / f"{name}-server") as (dsn, size_mb):
            row = measure(name, records, folder / name, dsn, seconds_max)
            if size_mb is not None and "not_run" not in row:
                row["disk_mb"] = round(size_mb(), 2)
        rows.append(row)
        if not quiet:
            print(
                f"  {row.get('not_run') or {key: row[key] for key in ('p50_ms', 'hit_at_5')}}",
                file=sys.stderr,
                flush=True,
            )
    return rows


def show(rows: list[Row], told_of: dict[str, Any]) -> None:
    """The table and the chart."""
    console = Console(width=140)
    console.print(", ".join(f"{name}: {value}" for name, value in told_of.items()))
    table = Table(*COLUMNS)
    for row in rows:
        values = [str(row.get(column, "")) for column in COLUMNS]
        if "not_run" in row:
            values[2] = f"not run: {row['not_run']}"
        table.add_row(*values)
    console.print(table)
    measured = [row for row in rows if "not_run" not in row]
    slowest = max((float(row["p50_ms"]) for row in measured), default=1.0)
    console.print("p50 of a search by user, ms")
    for row in sorted(measured, key=lambda each: float(each["p50_ms"])):
        bar = "#" * max(1, round(float(row["p50_ms"]) / slowest * BAR_CHARACTERS))
        console.print(f"  {row['system']:20} {bar} {row['p50_ms']}", highlight=False)


def failures(rows: list[Row]) -> list[str]:
    """What is wrong with our own rows: not run, starved, leaked, or found too little."""
    found = []
    for row in rows:
        if row["system"] not in OURS:
            continue
        if "not_run" in row:
            found.append(f"{row['system']}: {row['not_run']}")
        elif row["starved"] or row["leaked"] or row["hit_at_5"] < 0.99:
            found.append(f"{row['system']}: hit@5 {row['hit_at_5']}, {row['starved']} starved, {row['leaked']} leaked")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=2_000, help="memories, a hundred for each user")
    parser.add_argument("--systems", default=",".join(SYSTEMS), help="which, with commas between")
    parser.add_argument("--seconds-max", type=int, default=900, help="for one system")
    arguments = arguments_of(parser)
    names = [name for name in arguments.systems.split(",") if name]
    unknown = sorted(set(names) - set(SYSTEMS))
    if unknown:
        parser.error(f"no such system: {', '.join(unknown)}; there are {', '.join(SYSTEMS)}")
    if arguments.ci:
        names = [name for name in names if name in (*OURS, "bare-sqlite-numpy")]
    with bench_folder(arguments) as folder:
        told_of = machine(folder)
        records = CI_RECORDS if arguments.ci else arguments.records
        rows = run(names, records, folder, arguments.seconds_max, quiet=arguments.json)
    wrong = failures(rows)
    if arguments.json:
        print(json.dumps({"machine": told_of, "rows": rows, "failures": wrong}, indent=1))
    else:
        show(rows, told_of)
        print("\n".join(f"FAIL: {each}" for each in wrong) or "PASS: ours starve nobody, leak nothing, hit@5 >= 0.99")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
