"""Scrubbing: no byte of what was forgotten is in the files, or the receipt says that some may be, and why."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from believers import PEOPLE
from forgetting import ANA, told
from worlds import World, world

from heedful.adapters.storage.sqlite import writing
from heedful.adapters.storage.sqlite.store import SqliteStore
from heedful.ports.store import TenantStore
from heedful.service.keeping.remember import Remembered

WORDS = "quaysidelanterns"


class Room(NamedTuple):
    """What is asked of a disk."""

    free: int


def raw(folder: Path) -> bytes:
    """Every byte of the databases and their logs, in small letters."""
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*.db*"))).lower()


def pieces(folder: Path) -> int:
    """How often a piece of the words stands there."""
    found = raw(folder)
    return sum(found.count(WORDS[start : start + 7].encode()) for start in range(len(WORDS) - 6))


@pytest.fixture(autouse=True)
def indexed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows enter the full-text index a few at a time, so that it has several segments."""
    monkeypatch.setattr(writing, "PENDING_ROWS_MAX", 6)


def forgotten(home: World, before: Callable[[], object] = lambda: None) -> str:
    """The id of an erasure, of records that were searched for, among others that stay."""
    record_id, _ = told(home.ana, WORDS)
    more: list[Any] = [{"content": f"{WORDS}{n}x", "source_ref": f"chat:{WORDS}{n}"} for n in range(20)]
    kept = home.ana.remember_many([*more, *(f"harbourmaster {n}" for n in range(20))], scope=ANA)
    ids = [each.record_id for each in kept[:20] if isinstance(each, Remembered)]
    home.ana.recall(f"is it {WORDS}?", scope=ANA)
    before()
    return home.ana.forget(record=[record_id, *ids]).erasure_id


def neighbour(folder: Path, home: World) -> tuple[SqliteStore, TenantStore]:
    """The same tenant in another handle, as another process has it."""
    store = SqliteStore.open(folder)
    return store, store.tenant_store(home.ana._session.store.tenant.tenant_id)


def test_no_piece_of_a_word_is_left_while_others_have_the_files_open(tmp_path: Path) -> None:
    """The controls: it is in the files until they are scrubbed, and what stays is found."""
    with world(tmp_path, policy=PEOPLE) as home:
        erasure_id = forgotten(home)
        store, handle = neighbour(tmp_path, home)
        with handle.read() as reading:
            before = len(tuple(reading.erasures(only_open=True, limit=9)))
        assert (before, pieces(tmp_path) > 0) == (1, True)
        home.ana.maintain("erase")
        receipt = home.ana.receipt(erasure_id)
        assert (receipt.stage, receipt.could_not) == ("scrubbed", ())
        assert receipt.backups_expire_at is not None
        assert pieces(tmp_path) == 0
        assert b"harbourmaster" in raw(tmp_path), "what stays is found"
        assert len(home.ana.recall("harbourmaster 3", scope=ANA).items) > 1
        audit = home.ana.verify(views=True)
        assert (audit.holds, audit.views) == (True, "equal")
        store.close()


def test_who_reads_an_older_moment_keeps_the_files_as_they_were(tmp_path: Path) -> None:
    """The receipt stays at `indexes` and says so, once; it is tried again, and comes through when they are done."""
    with world(tmp_path, policy=PEOPLE, lock_wait_seconds=0.05) as home:
        erasure_id = forgotten(home)
        store, handle = neighbour(tmp_path, home)
        with handle.read():
            home.ana.maintain("erase")
            first = home.ana.receipt(erasure_id)
            home.ana.maintain("erase")
            assert home.ana.receipt(erasure_id) == first, "an event is written where something changed, and else none"
        assert first.stage == "indexes"
        assert "somebody still reads" in first.could_not[0]
        assert [each.stage for each in first.reached] == ["logical", "indexes"]
        assert home.ana.maintain("erase").runs[0].outcome == "ran"
        done = home.ana.receipt(erasure_id)
        assert (done.stage, done.could_not) == ("scrubbed", ())
        assert home.ana.verify(views=True).views == "equal"
        store.close()


def test_it_is_tried_again_after_an_hour_and_not_before(tmp_path: Path) -> None:
    """The control: once it is scrubbed, nothing is due for a day."""
    with world(tmp_path, policy=PEOPLE, lock_wait_seconds=0.05) as home:
        forgotten(home)
        store, handle = neighbour(tmp_path, home)
        with handle.read():
            assert outcome(home) == "ran"
        store.close()
        assert outcome(home) == "not-due"
        home.clock.go(seconds=3_600)
        assert outcome(home) == "ran"
        home.clock.go(seconds=3_600)
        assert outcome(home) == "not-due"


def outcome(home: World) -> str:
    """What came of the job, where it is due."""
    return next(each.outcome for each in home.ana.maintain().runs if each.job == "erase")


def test_without_room_for_a_copy_the_receipt_says_how_much_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was erased is out of the rows all the same. The control: with room it goes on."""
    with world(tmp_path, policy=PEOPLE) as home:
        erasure_id = forgotten(home)
        with monkeypatch.context() as patched:
            patched.setattr("heedful.adapters.storage.sqlite.scrub.shutil.disk_usage", lambda _folder: Room(1_048_576))
            home.ana.maintain("erase")
        receipt = home.ana.receipt(erasure_id)
        assert receipt.stage == "indexes"
        assert "needs" in receipt.could_not[0]
        assert "1 MiB are free" in receipt.could_not[0]
        home.ana.maintain("erase")
        assert home.ana.receipt(erasure_id).stage == "scrubbed"


def test_counts_that_somebody_had_made_are_made_anew(tmp_path: Path) -> None:
    """SQLite's own samples of values, where `ANALYZE` was run by hand."""
    with world(tmp_path, policy=PEOPLE) as home:
        store, handle = neighbour(tmp_path, home)
        counted = partial(handle.write, lambda writing: writing._run("ANALYZE").fetchall())  # type: ignore[attr-defined]
        forgotten(home, counted)
        store.close()
        home.ana.maintain("erase")
        assert pieces(tmp_path) == 0


def test_a_store_in_memory_is_scrubbed_too() -> None:
    """Readers' copies of how it was before are gone with it."""
    with world(policy=PEOPLE) as home:
        erasure_id = forgotten(home)
        home.ana.maintain("erase")
        assert home.ana.receipt(erasure_id).stage == "scrubbed"
        assert home.ana.recall("harbourmaster 3", scope=ANA).items
