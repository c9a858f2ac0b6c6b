"""The write benchmarks: what they count is right, and what is missing would show."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from bench_modules import batched_writes, concurrent_writes, report, stores

from heedful import Memory

MISSING = "records that are missing"


def figures(made: report.Report) -> dict[str, float]:
    """Figure name -> its value."""
    return {figure.name: figure.value for figure in made.figures}


def test_batched_writes_miss_nothing(tmp_path: Path) -> None:
    """Every side kept what it was given."""
    made = report.Report("few", {})
    batched_writes.measure(made, tmp_path, 40, 20)

    assert figures(made)[f"40 characters: {MISSING}"] == 0
    assert len(made.rows) == 5


def test_control_a_lost_record_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch of which one item is never given to the store."""
    given = Memory.remember_many
    monkeypatch.setattr(Memory, "remember_many", lambda self, items: given(self, list(items)[1:]))
    made = report.Report("few", {})
    batched_writes.measure(made, tmp_path, 40, 20)

    assert figures(made)[f"40 characters: {MISSING}"] > 0


def test_writers_at_once_miss_nothing(tmp_path: Path) -> None:
    """And each write of each writer has its latency."""
    with stores.new_store(tmp_path) as memory:
        turn = concurrent_writes.turn(memory, 3, 4, (f"note {number}" for number in itertools.count()))

        assert len(turn.latencies) == 12
        assert memory.status().counts["records"] == 12


def test_a_slow_disk_is_made_where_a_compiler_is(tmp_path: Path) -> None:
    """A process before which the library stands writes as ever, and misses nothing."""
    shim = concurrent_writes.built_shim(tmp_path)
    numbers = concurrent_writes.run_child(tmp_path / "disk", 0.1, shim, writers=2, writes=2)

    assert numbers["missing"] == 0
