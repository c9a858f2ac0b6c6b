"""Recheck: bytes that changed on disk are found by the weekly look, also where no command reads them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from test_checkpoints import events_of
from worlds import World, code_of, world

from heedful.adapters.storage.sqlite.connection import Session
from heedful.ledger.seal import SealedEvent
from heedful.ports.store import Chain
from heedful.service.jobs import recheck
from heedful.service.maintain import JobReport
from heedful.testing.tampering import database_of, put_chain, resealed


@pytest.fixture(name="store")
def store_fixture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """Records of several kinds, a claim, packets; read in pieces of 5 events."""
    monkeypatch.setattr(recheck, "PIECE_EVENTS", 5)
    with world(tmp_path) as house:
        house.freeze()
        house.ana.remember("发票 📜", attributes={"severity": 3, "late": True, "share": 0.5}, run_id="r1")
        house.ana.remember("x" * 70_000)
        house.ana.remember("The user said so.", source_ref="wiki:1", occurred_at="2026-11-01T10:00:00+02:00")
        house.agent.remember("It works.", record_type="verification")
        house.agent.recall("When do we deploy?", impact="execute")
        yield house


def rechecked(house: World, who: str = "person:ana") -> JobReport:
    """The report of a run now."""
    (run,) = house.memory(who).maintain("recheck").runs
    assert run.report is not None
    return run.report


def test_an_untouched_store_holds(store: World) -> None:
    """Every event of both chains is looked at, and every row says what was sealed."""
    store.ana.checkpoint()
    report = rechecked(store)
    assert report.found == ()
    assert report.looked_at == sum(len(events_of(store, chain)) for chain in Chain)
    assert report.finished_at is not None


def test_what_changed_on_disk_is_found(store: World, tmp_path: Path) -> None:
    """A payload, a row of a record, and a chain that was sealed anew after a checkpoint."""
    events = events_of(store, Chain.LEDGER)
    put_chain(tmp_path, edited(events, 7))
    assert rechecked(store).found == ("ledger, event 7: payload-mismatch",)
    put_chain(tmp_path, events)
    session = Session(str(database_of(tmp_path)), lock_wait_seconds=1.0)
    session.cursor.execute(
        "UPDATE records SET body = CAST(replace(CAST(body AS TEXT), 'user said so', 'user said no') AS BLOB)"
    )
    session.close()
    (row,) = rechecked(store).found
    assert "its row is not what was sealed" in row
    store.ana.checkpoint()
    put_chain(tmp_path, resealed(events, 4))
    assert any("checkpoint-mismatch" in each for each in rechecked(store).found)


def edited(events: list[SealedEvent], position: int) -> list[SealedEvent]:
    """The chain with another payload there, and nothing made to fit."""
    return [replace(each, payload=b"{}") if each.envelope.position == position else each for each in events]


def test_it_goes_on_where_it_was_stopped(store: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a piece that failed nothing is read twice."""
    whole = recheck._head_at
    looks = 0

    def fails_once(*given: object) -> object:
        nonlocal looks
        looks += 1
        if looks == 3:
            raise KeyboardInterrupt
        return whole(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(recheck, "_head_at", fails_once)
    with pytest.raises(KeyboardInterrupt):
        store.ana.maintain("recheck")
    report = rechecked(store)
    assert (report.resumed, report.found) == (1, ())
    assert report.looked_at == sum(len(events_of(store, chain)) for chain in Chain)


def test_who_may_not_audit_learns_that_something_is_amiss_and_not_where(store: World, tmp_path: Path) -> None:
    """Positions count what they may not see."""
    store.use(store.policy.replace("roles: [reviewer], clearance: restricted", "roles: [operator], clearance: normal"))
    put_chain(tmp_path, edited(events_of(store, Chain.LEDGER), 7))
    (told,) = rechecked(store, "person:bob").found
    assert "event" not in told
    assert code_of(lambda: store.agent.maintain("recheck")) == "principal_may_not"
