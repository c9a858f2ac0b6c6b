"""Public reports of writers that lost rows, calls that tore a store apart, and imports that shut everybody out."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from report_cases import Case, load_cases, needs_cases, place_of
from report_steps import Answer, Steps
from report_store import OWNER, PROCESS_SECONDS_MAX, SETTINGS, ReportStore, message_row

from heedful.kernel.errors import HeedfulError

pytestmark = needs_cases
IMPORT_ROWS = 12_000
LIVE_WRITE_SECONDS_MAX = 5.0
"""Far below `lock_wait_seconds` (30): a live write waits for one batch of the import, not for all of it."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ReportStore]:
    with ReportStore(tmp_path) as store:
        yield store


def run(store: ReportStore, case_id: str) -> list[Answer]:
    return Steps(store).run(load_cases()[case_id])


def test_b074_writers_under_a_lock_lose_nothing(store: ReportStore) -> None:
    """Another process holds the write lock for 3 seconds; 24 threads write; 24 rows are there."""
    _, parallel, listed = run(store, "B074")
    assert Counter(parallel.outcomes) == {"ok": 24}
    assert set(listed.texts) == {f"note {number}" for number in range(24)}
    assert len(listed.texts) == 24
    assert store.memory().verify(views=True).holds


def test_b074_a_writer_that_waited_too_long_is_told_so(tmp_path: Path) -> None:
    """Rows and reported errors add up: each missing row has an error that its caller saw as one to try again."""
    with ReportStore(tmp_path, replace(SETTINGS, lock_wait_seconds=0.4, access_window_seconds=600.0)) as store:
        _, parallel, listed = run(store, "B074")
        outcomes = Counter(parallel.outcomes)
        assert outcomes["store_busy"] > 0
        assert set(outcomes) <= {"ok", "store_busy"}
        assert len(listed.texts) == outcomes["ok"]
        assert store.memory().verify(views=True).holds


def test_b074_writers_of_several_processes_lose_nothing(store: ReportStore) -> None:
    """Four processes of six writes each, beside the holder of the lock and a reader: 24 rows, no error."""
    with store.locked(2.0):
        writers = [
            subprocess.Popen([sys.executable, "-c", _WRITE_SIX, str(each)], env=store.environment())
            for each in range(4)
        ]
        while any(writer.poll() is None for writer in writers):
            assert store.memory().recall("note", scope=["user:ana"]).degraded == ()
            time.sleep(0.2)
    assert [writer.wait(PROCESS_SECONDS_MAX) for writer in writers] == [0] * 4
    texts = store.texts("t1/ana")
    assert Counter(texts) == {f"{process} note {number}": 1 for process in range(4) for number in range(6)}
    assert store.memory().verify(views=True).holds


def test_b074_control_a_read_does_not_wait_for_the_lock(store: ReportStore) -> None:
    """While the lock is held, reading goes on at once."""
    store.memory().remember("note 0", scope=["user:ana"])
    with store.locked():
        started = time.monotonic()
        assert store.texts("t1/ana") == ["note 0"]
        assert time.monotonic() - started < 1.0


def test_b075_parallel_calls_of_one_turn_equal_some_order(store: ReportStore) -> None:
    """Fifty turns of five calls at once; the store opens again, and every call that was accepted is there."""
    mcp, _, listed = run(store, "B075")
    assert mcp.awaits == "heedful.interfaces.mcp"
    assert listed.texts == ()
    with ThreadPoolExecutor(5) as pool:
        for turn in range(mcp.step["times"]):
            victim = store.memory().remember(f"turn {turn}: to be deleted", scope=["user:ana"])
            calls = [
                pool.submit(_remember, store, f"turn {turn}: {text}")
                for text in ("entity A", "entity B", "note on A", "A-B linked")
            ]
            calls.append(pool.submit(_withdraw, store, victim.record_id))
            assert [call.result() for call in calls] == ["ok"] * 5
    store.reopen()
    texts = store.texts("t1/ana")
    assert Counter(text.partition(": ")[2] for text in texts) == {
        "entity A": 50, "entity B": 50, "note on A": 50, "A-B linked": 50,
    }  # fmt: skip
    assert len(set(texts)) == 200
    counts = store.memory().status().counts
    assert (counts["records"], counts["records.withdrawn"]) == (250, 50)
    assert store.memory().verify(views=True).holds


def test_b077_a_big_import_does_not_stop_live_writes(store: ReportStore, tmp_path: Path) -> None:
    """Live writes go on while it runs; after kill -9 in the middle the store opens, and it resumes without a duplicate.

    The report's 1.4 GB and 30 seconds are cut to a transcript of some thousand rows, killed at half of them.
    """
    case = load_cases()["B077"]
    file, place = tmp_path / "big.jsonl", place_of("t1/importer")
    write_transcript(file, IMPORT_ROWS)
    store.start_import(file, place)
    waited = live_writes_until_half(store, case)
    assert store.import_runs
    assert store.kill_import() == -signal.SIGKILL
    store.reopen()
    half = imported_texts(store)
    assert 0 < len(half) < IMPORT_ROWS
    assert len(waited) > 0
    assert max(waited) < LIVE_WRITE_SECONDS_MAX
    assert sorted(store.texts("t1/ana")) == sorted(f"live {number}" for number in range(len(waited)))
    assert store.memory().verify(views=True).holds
    report = store.memory().import_trace(file, scope=place.scope)
    assert (report.duplicates, report.admitted) == (len(half), IMPORT_ROWS - len(half))
    assert imported_texts(store) == [text_of(number) for number in range(IMPORT_ROWS)]
    head = store.memory().status().ledger_position
    assert store.memory().import_trace(file, scope=place.scope).admitted == 0
    assert store.memory().status().ledger_position == head


def live_writes_until_half(store: ReportStore, case: Case) -> list[float]:
    """The seconds that each live write took, one every 50 ms, until half of the import is there."""
    live = case.steps[1]["do"]
    waited: list[float] = []
    memory = store.memory()
    deadline = time.monotonic() + PROCESS_SECONDS_MAX
    while memory.status().counts["records"] - len(waited) < IMPORT_ROWS // 2:
        assert time.monotonic() < deadline
        started = time.monotonic()
        memory.remember(live["text"].replace("{i}", str(len(waited))), scope=place_of(live["scope"]).scope)
        waited.append(time.monotonic() - started)
        time.sleep(0.05)
    return waited


def imported_texts(store: ReportStore) -> list[str]:
    return store.texts("t1/importer")


def text_of(number: int) -> str:
    return f"row {number}: " + "the build went on and printed another line " * 8


def write_transcript(file: Path, rows: int) -> None:
    """A conversation of so many messages, one after another."""
    with file.open("w", encoding="utf-8") as out:
        for number in range(rows):
            parent = f"m{number - 1}" if number else None
            out.write(json.dumps(message_row(f"m{number}", text_of(number), parent=parent, second=number)) + "\n")


def _remember(store: ReportStore, text: str) -> str:
    try:
        store.memory().remember(text, scope=["user:ana"])
    except HeedfulError as error:
        return error.code
    return "ok"


def _withdraw(store: ReportStore, record_id: str) -> str:
    try:
        store.memory(principal=OWNER).reject(record_id, reason="deleted in the same turn")
    except HeedfulError as error:
        return error.code
    return "ok"


_WRITE_SIX = """
import sys
from heedful import Memory
with Memory.open() as memory:
    for number in range(6):
        memory.remember(f"{sys.argv[1]} note {number}", scope=["user:ana"])
"""
