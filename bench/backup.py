"""Whether a backup that is taken while others write loses anything, and whether a changed one is ever taken for whole.

Run: python bench/backup.py [--rounds N] [--writers N] [--changes N] [--ci] [--json] [--folder DIR]

Rounds: writers keep records as fast as they can; a backup is taken in between, restored elsewhere and verified with
its views. Lost is what was acknowledged before the backup began and is not in what was restored. The control is what
`cp` of the databases does at the same moments: it has to be found broken, or without something acknowledged.

Changes: one random byte of a backup, or a random tail cut off, plain and encrypted; none may be restored. The control
is the file as it was, which is.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Self

from _report import Report, arguments_of, bench_folder, exact, machine
from _stores import SCOPE, new_store, session_of, settings_in

from heedful import Memory
from heedful.kernel.errors import HeedfulError
from heedful.kernel.ids import RecordId
from heedful.settings import STORE_FOLDER, Settings

WARM_RECORDS = 40
TEXT = "Invoice {number} of writer {writer} is rounded per line. 发票 🧾"


class Writers:
    """Threads that write; `acknowledged` are the ids of what they were told is kept."""

    def __init__(self, memory: Memory, count: int) -> None:
        self.acknowledged: list[str] = []
        self._memory = memory
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._write, args=(each,)) for each in range(count)]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def more(self, count: int) -> list[str]:
        """What was acknowledged, after so many more were."""
        wanted = len(self.acknowledged) + count
        while len(self.acknowledged) < wanted:
            time.sleep(0.001)
        return list(self.acknowledged)

    def _write(self, writer: int) -> None:
        number = 0
        while not self._stop.is_set():
            kept = self._memory.remember(TEXT.format(number=number, writer=writer), scope=SCOPE)
            self.acknowledged.append(kept.record_id)
            number += 1


def found_in(folder: Path, settings: Settings, wanted: list[str]) -> tuple[int, bool]:
    """How many of the records are missing in that store, and whether its chains and views hold."""
    with Memory.open(folder, settings=settings) as memory:
        with session_of(memory).store.read() as reading:
            found = reading.records_by_ids([RecordId(each) for each in wanted])
        return len(wanted) - len(found), memory.verify(views=True).holds


def plain_copy_fails(store: Path, to: Path, settings: Settings, wanted: list[str]) -> bool:
    """True where a copy of the databases alone, made while others write, is broken or misses something."""
    ignored = shutil.ignore_patterns("*.db-wal", "*.db-shm")
    shutil.copytree(store / STORE_FOLDER, to / STORE_FOLDER, ignore=ignored)
    try:
        missing, holds = found_in(to, settings, wanted)
    except HeedfulError:
        return True
    return bool(missing) or not holds


@contextmanager
def elsewhere(folder: Path, settings: Settings) -> Iterator[Settings]:
    """The settings of another machine with a copy of the keys: what is signed here meanwhile is not pinned there."""
    keys = folder / "keys"
    assert settings.keys_dir is not None
    shutil.copytree(settings.keys_dir, keys, ignore=shutil.ignore_patterns("pins"))
    yield replace(settings, keys_dir=str(keys))
    shutil.rmtree(folder)


def rounds_of(folder: Path, count: int, writers: int, report: Report) -> None:
    """Backups while others write."""
    settings = settings_in(folder / "store")
    lost = broken = controls = size = 0
    seconds: list[float] = []
    with new_store(folder / "store") as memory, Writers(memory, writers) as writing:
        for number in range(count):
            before = writing.more(WARM_RECORDS)
            file = folder / f"{number}.backup"
            started = time.monotonic()
            size = memory.backup(file).size_bytes
            seconds.append(time.monotonic() - started)
            with elsewhere(folder / str(number), settings) as there:
                to = folder / str(number)
                Memory.restore(file, to=to / "restored", without_register=True, settings=there)
                missing, holds = found_in(to / "restored", there, before)
                lost, broken = lost + missing, broken + (not holds)
                controls += plain_copy_fails(folder / "store", to / "copied", there, writing.more(1))
            file.unlink()
        acknowledged = len(writing.acknowledged)
    report.row(
        "backups while others write",
        {"rounds": count, "acknowledged": acknowledged, "bytes": size, "seconds, longest": round(max(seconds), 2)},
    )
    report.figures += [
        exact("acknowledged records lost", lost),
        exact("restored stores that do not hold", broken),
        exact("plain copies found broken or behind (the control)", controls, count),
    ]


def changes_of(folder: Path, count: int, report: Report) -> None:
    """Backups with a byte changed or a tail cut off."""
    settings = settings_in(folder / "store")
    key_file = folder / "secret.key"
    key_file.write_bytes(bytes(range(32)))
    with new_store(folder / "store") as memory:
        memory.remember(TEXT.format(number=1, writer=1), scope=SCOPE)
        memory.backup(folder / "plain.backup")
        memory.backup(folder / "locked.backup", key_file=key_file)
    chance, taken, restored = random.Random(7), 0, 0
    for which in ("plain", "locked"):
        content = (folder / f"{which}.backup").read_bytes()
        secret = key_file if which == "locked" else None
        restored += is_restored(folder, content, settings, secret)
        for _ in range(count // 2):
            changed = bytearray(content)
            if chance.random() < 0.2:
                del changed[chance.randrange(len(content)) :]
            else:
                changed[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
            taken += is_restored(folder, bytes(changed), settings, secret)
    report.row("changed backups", {"changes": count // 2 * 2})
    report.figures += [
        exact("changed backups restored", taken),
        exact("unchanged backups restored (the control)", restored, 2),
    ]


def is_restored(folder: Path, content: bytes, settings: Settings, key_file: Path | None) -> bool:
    """True where the file gives a store."""
    file, to = folder / "tried.backup", folder / "tried"
    file.write_bytes(content)
    try:
        Memory.restore(file, to=to, without_register=True, settings=settings, key_file=key_file)
    except HeedfulError:
        return to.exists() and any(to.iterdir())
    shutil.rmtree(to)
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--writers", type=int, default=4)
    parser.add_argument("--changes", type=int, default=400)
    arguments = arguments_of(parser)
    rounds, changes = (2, 20) if arguments.ci else (arguments.rounds, arguments.changes)
    with bench_folder(arguments) as folder:
        report = Report("Backups", machine(folder))
        (folder / "rounds").mkdir()
        rounds_of(folder / "rounds", rounds, arguments.writers, report)
        (folder / "changes").mkdir()
        changes_of(folder / "changes", changes, report)
    return report.finish(arguments)


if __name__ == "__main__":
    sys.exit(main())
