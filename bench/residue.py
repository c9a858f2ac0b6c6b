"""Whether any byte of what was forgotten is left: random words of every class, through every door, then erased.

Run: python bench/residue.py [--engine sqlite|postgresql] [--canaries N] [--ci] [--json] [--folder DIR]

Words of 24 letters, or 8 Chinese characters, of each class come in through Python, the command line, a batch and an
import; all of it is erased by its scope, and the job `erase` runs to `scrubbed`. Then every byte of every file of the
store, its keys, exports that were made after, temporary files and, of PostgreSQL, the whole cluster with its log, is
looked through for each 12-byte window of each word: in UTF-8, UTF-16, hexadecimal, base64 in its three phases, JSON
escapes, capitals, and compressed (zlib, gzip, literals of pglz).

Controls that must fail: the same scan of what was planted, class by class; again when it was forgotten and the files
are not scrubbed yet; and each form of a word, put into a file, is found. What stays is found again by its words.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from _report import Report, arguments_of, bench_folder, exact, machine
from _residue_doors import ELSEWHERE, INLINE_BYTES_MAX, SCOPE, Words, plant
from _residue_scan import Hits, Scanner, examples
from _stores import PRINCIPAL, settings_in

from heedful import Memory
from heedful.settings import Settings

CI_CANARIES = 12
SEED = 20_261_201
SHOWN_MAX = 40


@dataclass(frozen=True, slots=True)
class Place:
    """Where a store is: what to scan, how it is set, and what a process of its own is told."""

    roots: tuple[Path, ...]
    settings: Settings
    database: str | None
    home: Path


@contextmanager
def placed(folder: Path, engine: str) -> Iterator[Place]:
    """A place for a store of this engine, and a server for it, where it needs one."""
    home = folder / "home"
    home.mkdir()
    if engine == "sqlite":
        yield Place((home, folder / "temporary"), _settings(home, None), None, home)
        return
    from heedful.testing.postgres import postgres_server  # noqa: PLC0415  # an extra

    cluster = folder / "server"
    cluster.mkdir()
    folder.chmod(0o755)
    with postgres_server(cluster) as server:
        database = server.create_database()
        name = database.rpartition("/")[2]
        server.run_sql("postgres", "GRANT pg_checkpoint, pg_monitor TO heedful")
        server.run_sql(name, "GRANT EXECUTE ON FUNCTION pg_switch_wal() TO heedful")
        yield Place((home, cluster, folder / "temporary"), _settings(home, database), database, home)


def _settings(home: Path, database: str | None) -> Settings:
    base = settings_in(home)
    return Settings(
        tenant=base.tenant,
        principal=PRINCIPAL,
        keys_dir=base.keys_dir,
        embedder="ngrams",
        router="none",
        database=database,
        inline_bytes_max=INLINE_BYTES_MAX,
    )


def environment_of(place: Place) -> dict[str, str]:
    """What the command line is told."""
    told = {
        "HEEDFUL_STORE": str(place.home),
        "HEEDFUL_PRINCIPAL": PRINCIPAL,
        "HEEDFUL_KEYS_DIR": str(place.settings.keys_dir),
        "HEEDFUL_ROUTER": "none",
        "HEEDFUL_INLINE_BYTES_MAX": str(INLINE_BYTES_MAX),
    }
    return told if place.database is None else {**told, "HEEDFUL_DATABASE": place.database}


def scanned(scanner: Scanner, place: Place, what: str, *, quiet: bool) -> Hits:
    """What is found in every file of the place."""
    hits: Hits = Counter()
    for root in place.roots:
        if root.exists():
            hits += scanner.folder(root, lambda done, whole: None if quiet else _progress(what, done, whole))
    if not quiet:
        print(file=sys.stderr)
    return hits


def _progress(what: str, done: int, whole: int) -> None:
    filled = 30 * done // max(whole, 1)
    print(f"\r{what}: [{'#' * filled:30}] {done >> 20:,} of {whole >> 20:,} MiB", end="", file=sys.stderr)


def measure(report: Report, folder: Path, engine: str, canaries: int, *, quiet: bool) -> None:
    """The rows and figures."""
    words = Words(canaries, SEED)
    (folder / "temporary").mkdir()
    os.environ["SQLITE_TMPDIR"] = tempfile.tempdir = str(folder / "temporary")
    with placed(folder, engine) as place:
        outside = folder / "traces"
        outside.mkdir()
        with Memory.init(
            place.home, scope=SCOPE, database=place.database, packs=("delivery",), settings=place.settings
        ) as memory:
            plant(memory, outside, environment_of(place), words)
            scanner = Scanner(words.by_class, with_pglz=engine == "postgresql")
            planted = scanned(scanner, place, "planted", quiet=quiet)
            began = time.monotonic()
            receipt = memory.forget(scope=SCOPE)
            logical = time.monotonic() - began
            before = scanned(scanner, place, "not scrubbed", quiet=quiet)
            began = time.monotonic()
            memory.maintain("erase")
            job = time.monotonic() - began
            receipt = memory.receipt(receipt.erasure_id)
            memory.export_ledger(place.home / "ledger.bundle")
            after = scanned(scanner, place, "scrubbed", quiet=quiet)
            stays = len(memory.recall("what stays 7", scope=ELSEWHERE).items)
            audit = memory.verify(views=True)
    add(report, words, (planted, before, after))
    report.row("erasing", {"records": receipt.records or 0, "logical s": round(logical, 3), "job s": round(job, 3)})
    report.notes += [f"could not: {each}" for each in receipt.could_not]
    report.figures.append(exact("windows left after `scrubbed`", after.total()))
    report.figures.append(exact("stage reached: scrubbed", int(receipt.stage == "scrubbed"), 1))
    report.figures.append(exact("what stays is found", int(stays > 0), 1))
    report.figures.append(exact("chains and views hold", int(audit.holds and audit.views == "equal"), 1))


def add(report: Report, words: Words, scans: tuple[Hits, Hits, Hits]) -> None:
    """A row for each class, and what the controls came to: planted, forgotten and not scrubbed, scrubbed."""
    _, before, after = scans
    unseen = []
    for name in words.by_class:
        planted, kept, left = (sum(count for (of, _, _), count in each.items() if of == name) for each in scans)
        windows = {"windows planted": planted, "not scrubbed": kept, "scrubbed": left}
        report.row(name, {"words": words.count, **windows})
        # Packets are sealed in groups: forgetting writes the last of them.
        unseen += [name] if not planted + kept else []
    for (name, form, file), count in sorted(after.items())[:SHOWN_MAX]:
        report.notes.append(f"left: {name}, {form}, {file}: {count}")
    found = Scanner({"example": ["qwertyuiopasdfghjklzxcvb"]}, with_pglz=True)
    missed = [form for form, content in examples().items() if not found.content(content, "example")]
    report.figures.append(exact("control: classes that nothing was found of where they were planted", len(unseen)))
    report.figures.append(exact("control: something is left before the scrub", int(before.total() > 0), 1))
    report.figures.append(exact("control: forms that are not found where they are", len(missed)))
    report.notes += [f"control: {each} was not found" for each in (*unseen, *missed)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--canaries", type=int, default=500, help="random words of each class")
    arguments = arguments_of(parser)
    canaries = CI_CANARIES if arguments.ci else arguments.canaries
    with bench_folder(arguments) as folder:
        report = Report(f"what is left of what was forgotten, on {arguments.engine}", machine(folder))
        measure(report, folder, arguments.engine, canaries, quiet=arguments.ci or arguments.json)
    return report.finish(arguments)


if __name__ == "__main__":
    sys.exit(main())
