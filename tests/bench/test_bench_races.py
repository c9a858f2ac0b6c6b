"""Races of erasures: nothing comes back, and where nobody looks, things do."""

from __future__ import annotations

import random
from pathlib import Path

from bench_modules import erasure_races, races, stores

from heedful import Memory


def raced(memory: Memory, folder: Path, wanted: int) -> races.Outcome:
    """What came of so many races against a thread."""
    outcome = races.Outcome()
    other = races.InThread(memory.acting_as(stores.PRINCIPAL, channel="person"), folder)
    erasure_races.batch(memory, [other], wanted, random.Random(1), outcome)
    other.close()
    return outcome


def test_nothing_of_what_was_erased_meanwhile_is_there(tmp_path: Path) -> None:
    """Whatever is made of it, by every door, in rows, events and a refold."""
    with stores.new_store(tmp_path / "store") as memory:
        outcome = raced(memory, tmp_path, len(races.MAKES))
    assert (outcome.shown, outcome.left, outcome.broken) == ([], [], [])
    assert sum((outcome.made + outcome.refused).values()) == len(races.MAKES)


def test_control_where_nobody_looks_what_was_erased_comes_back(tmp_path: Path) -> None:
    """With the guards off, in the bench alone."""
    with stores.new_store(tmp_path / "store") as memory, races.unguarded():
        outcome = raced(memory, tmp_path, 9)
    assert outcome.resurrections
