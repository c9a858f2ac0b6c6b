"""Jobs: one worker at a time, each piece whole, and whoever comes after a dead worker goes on where it stopped."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from households import ADDRESS, COMMUTE, PARKING, home_fixture, says  # noqa: F401  # pytest finds the fixture here
from upkeep_steps import DAYS_31, moves, session_of, status, told
from worlds import World, code_of, house_fixture, world  # noqa: F401  # pytest finds the fixture here

from heedful.ports.store import StoredJob
from heedful.service.belief import follow
from heedful.service.jobs import collect, expire, retain
from heedful.service.jobs.collect import COLLECT
from heedful.service.jobs.job import RunReport, decoded
from heedful.service.jobs.lease import LEASE_SECONDS, Taken, take
from heedful.service.jobs.run import run_job

SECONDS_MAX = 60
CLAIMS = 7
PIECE = 2


@contextmanager
def faint(folder: Path | None = None) -> Iterator[tuple[World, list[str]]]:
    """A world with claims that the collection takes, in order of their ids; pieces of two."""
    with world(folder) as house, pytest.MonkeyPatch.context() as patched:
        ids = sorted(told(house, f"The canteen may close {number}") for number in range(CLAIMS))
        house.clock.go(seconds=DAYS_31)
        for module in (collect, expire, retain):
            patched.setattr(module, "PIECE_CLAIMS", PIECE)
        yield house, ids


def stored(house: World) -> StoredJob:
    """The job as it is kept."""
    with session_of(house).store.read() as reading:
        job = reading.job("collect")
    assert job is not None
    return job


class StopError(Exception):
    """What stops a worker."""


def stopping(after: int) -> Callable[[int], None]:
    """A progress that stops the worker when it has looked at so many claims."""

    def progress(done: int) -> None:
        if done >= after:
            raise StopError

    return progress


def test_a_worker_that_was_stopped_leaves_its_place_to_the_next() -> None:
    """Nothing is moved twice, and the report is of the whole run."""
    with faint() as (house, ids):
        with pytest.raises(StopError):
            run_job(session_of(house), COLLECT, always=False, progress=stopping(4))
        assert moves(house, "archived") == ids[:4]
        assert (stored(house).holder, stored(house).progress) == (None, ids[3])

        report = house.ana.maintain().runs[3].report

        assert moves(house, "archived") == ids
        assert report is not None
        assert (report.resumed, report.moved, report.looked_at) == (1, CLAIMS, CLAIMS)
        assert [move.claim_id for move in report.moves] == ids


def test_nobody_else_runs_what_somebody_holds() -> None:
    """Until the lease ends; then another goes on, and the first can do nothing more."""
    with faint() as (house, ids):
        session = session_of(house)
        assert isinstance(take(session, COLLECT, "person:bob/1", always=False), Taken)

        (run,) = house.ana.maintain("collect").runs
        assert (run.outcome, run.held_by, run.report) == ("held", "person:bob/1", None)
        assert moves(house, "archived") == []

        house.clock.go(seconds=LEASE_SECONDS)
        assert house.ana.maintain("collect").runs[0].outcome == "ran"
        assert moves(house, "archived") == ids


def test_a_worker_whose_lease_was_taken_keeps_nothing_of_its_piece() -> None:
    """It is told so, and the other's work stands."""
    with faint() as (house, ids):

        def overtaken(done: int) -> None:
            if done == PIECE:
                house.clock.go(seconds=LEASE_SECONDS + 1)
                assert house.ana.maintain("collect").runs[0].outcome == "ran"

        assert code_of(lambda: run_job(session_of(house), COLLECT, always=True, progress=overtaken)) == "lease_lost"

        assert moves(house, "archived") == ids
        assert stored(house).holder is None


def test_a_run_that_takes_long_renews_its_lease() -> None:
    """While it has claims to look at that it does not move."""
    with world() as house, pytest.MonkeyPatch.context() as patched:
        for number in range(CLAIMS):
            told(house, f"Tea at {number}", confidence=1.0)
        patched.setattr(collect, "PIECE_CLAIMS", 1)

        def slow(_done: int) -> None:
            house.clock.go(seconds=LEASE_SECONDS // 2)
            assert house.ana.maintain("collect").runs[0].outcome == "held"

        assert run_job(session_of(house), COLLECT, always=True, progress=slow)


def test_a_job_is_due_again_in_its_time() -> None:
    """Once it ran to its end: not before; `--job` runs it all the same."""
    with world() as house:
        assert [run.outcome for run in house.ana.maintain().runs] == ["ran"] * 7
        assert [run.outcome for run in house.ana.maintain().runs] == ["not-due"] * 7
        assert house.ana.maintain("collect").runs[0].outcome == "ran"
        house.clock.go(seconds=86_400)
        assert [run.outcome for run in house.ana.maintain().runs] == [
            "ran",
            "ran",
            "ran",
            "not-due",
            "not-due",
            "ran",
            "ran",
        ]
        house.clock.go(seconds=7 * 86_400)
        assert [run.outcome for run in house.ana.maintain().runs] == ["ran"] * 7


def test_a_clock_that_was_ahead_puts_nothing_off_for_long() -> None:
    """Neither what it finished nor what it holds. The control: a minute back is nothing."""
    with world() as house:
        house.ana.maintain()
        house.clock.go(seconds=-LEASE_SECONDS // 2)
        assert [run.outcome for run in house.ana.maintain().runs] == ["not-due"] * 7
        assert isinstance(take(session_of(house), COLLECT, "person:bob/1", always=True), Taken)
        house.clock.go(seconds=-LEASE_SECONDS // 2)
        assert house.ana.maintain("collect").runs[0].outcome == "held"

        house.clock.go(seconds=-365 * 86_400)
        assert {job.due_at for job in house.ana.status().jobs} == {None}
        assert [run.outcome for run in house.ana.maintain().runs] == ["ran"] * 7
        assert [run.outcome for run in house.ana.maintain().runs] == ["not-due"] * 7


def test_status_shows_each_job_to_who_may_maintain_or_audit(house: World) -> None:
    """When it is due, when it ran, and who holds it. The control: others see no job."""
    assert [(job.job, job.due_at, job.last_finished_at) for job in house.ana.status().jobs] == [
        (name, None, None) for name in ("expire", "retain", "consolidate", "collect", "recheck", "erase", "checkpoint")
    ]
    house.ana.maintain()
    take(session_of(house), COLLECT, "person:bob/1", always=True)

    jobs = house.memory("person:aud").status().jobs

    assert [job.last_finished_at is None for job in jobs] == [False] * 7
    assert [job.due_at is None for job in jobs] == [False, False, False, True, False, False, False]
    assert [job.held_by for job in jobs] == [None, None, None, "person:bob/1", None, None, None]
    assert house.dan.status().jobs == ()


def test_who_may_not_maintain_does_not(house: World) -> None:
    """A reviewer, somebody without a role, an agent, and an owner through an agent's door."""
    for memory in (house.bob, house.dan, house.agent, house.memory("person:ana", channel="agent")):
        assert code_of(lambda memory=memory: memory.maintain()) == "principal_may_not"  # type: ignore[misc]
        assert code_of(lambda memory=memory: memory.maintain_report("collect")) == "principal_may_not"  # type: ignore[misc]
    assert code_of(lambda: house.ana.maintain("dust")) == "choice_unknown"
    assert code_of(lambda: house.ana.maintain_report("collect")) == "job_never_ran"


_CHILD = f"""
import os, signal, sys
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).parent)!r})
from upkeep_steps import session_of
from worlds import World
from heedful.service.jobs import collect, run

collect.PIECE_CLAIMS = {PIECE}
folder, now_us = Path(sys.argv[1]), int(sys.argv[2])
put_piece, pieces = run.put_piece, []

def dying(*arguments):
    put_piece(*arguments)
    pieces.append(1)
    if len(pieces) == 2:
        os.kill(os.getpid(), signal.SIGKILL)

run.put_piece = dying
house = World(folder)
house.clock.at_us = now_us
run.run_job(session_of(house), collect.COLLECT, always=False, progress=lambda _done: None)
"""


def test_a_worker_that_is_killed_leaves_whole_pieces(tmp_path: Path) -> None:
    """In the middle of its second transaction: the next goes on when its lease has ended, and does nothing twice."""
    with faint(tmp_path) as (house, ids):
        now_us = house.clock.now_us()
        house.close()
        ended = subprocess.run(
            [sys.executable, "-c", _CHILD, tmp_path, str(now_us)], capture_output=True, timeout=SECONDS_MAX, check=False
        )
        assert ended.returncode == -signal.SIGKILL, ended.stderr.decode()

        with world(tmp_path) as again:
            again.clock.at_us = now_us + 10_000_000
            assert moves(again, "archived") == ids[:PIECE]
            assert again.ana.maintain("collect").runs[0].outcome == "held"
            again.clock.go(seconds=LEASE_SECONDS)
            assert again.ana.maintain("collect").runs[0].outcome == "ran"
            assert moves(again, "archived") == ids
            assert decoded(stored(again).report_json or "").moved == CLAIMS
            assert {status(again, each) for each in ids} == {"archived"}
            assert again.ana.verify(views=True).holds


def test_a_claim_on_which_too_much_rests_stops_nothing_else(home: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is left and told of; the others are moved; and sessions open. The control: with room enough it goes."""
    address = says(home.ana, "I live in Bonn.", ADDRESS, "Bonn", confidence=0.2, until="2026-12-01")
    for kind, value in ((COMMUTE, 40), (PARKING, "yard")):
        says(home.ana, f"It is {value}.", kind, value, rests_on=[address])
    notes = [told(home, f"The canteen may close {number}", until="2026-12-01") for number in range(5)]
    home.clock.go(seconds=DAYS_31)
    monkeypatch.setattr(follow, "FOLLOWED_MAX", 1)

    expired = run_job(session_of(home), expire.EXPIRE, always=True, progress=lambda _done: None)

    assert isinstance(expired, RunReport)
    assert (expired.moved, expired.left) == (5, (address,))
    assert {status(home, each) for each in notes} == {"expired"}
    assert status(home, address) == "active"
    assert home.ana.maintain("collect").runs[0].report.left == 1  # type: ignore[union-attr]

    monkeypatch.setattr(follow, "FOLLOWED_MAX", 2)
    home.ana.recall("Where does Ana live?", scope=["user:ana"])
    assert status(home, address) == "expired"
