"""Redeem at once: of many threads or processes with one permit exactly one wins, on both engines."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from permits import Answer, judged, permitted, redeem, token_of
from worlds import World, code_of, world

from heedful import Memory
from heedful.adapters.storage.sqlite.reading import SqliteReading
from heedful.gate.permit import PermitRefused, Redeemed
from heedful.kernel.ids import PermitId, VerdictId
from heedful.ledger.permit_events import PermitRedeemed
from heedful.ports.store import StoredPermit
from heedful.settings import Settings

THREADS = 8
ROUNDS = 5
PROCESSES = 2
SECONDS_MAX = 120.0
BROKEN = "ledger_inconsistent"
COMMAND = {"command": "kubectl apply -f prod/"}


def at_once(house: World, token: str) -> list[Answer]:
    """What each of the threads was answered, each with a session of its own."""
    barrier = threading.Barrier(THREADS)
    memories = [house.agent for _ in range(THREADS)]

    def one(memory: Memory) -> Answer:
        barrier.wait(SECONDS_MAX)
        return redeem(memory, token)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(one, memories))


@pytest.mark.parametrize("place", ["memory", "file", "database"])
def test_of_many_threads_one_wins(tmp_path: Path, place: str, request: pytest.FixtureRequest) -> None:
    """The others are told that it is used; the ledger has one use for each permit, and a refold gives the same."""
    database = request.getfixturevalue("emptied_database") if place == "database" else None
    with world(tmp_path if place == "file" else None, database=database) as house:
        permitted(house)
        for _ in range(ROUNDS):
            answers = at_once(house, token_of(judged(house.agent)))
            assert sum(isinstance(each, Redeemed) for each in answers) == 1
            refusals = [each.reason for each in answers if isinstance(each, PermitRefused)]
            assert refusals == ["redeemed"] * (THREADS - 1)
        assert sum(isinstance(each, PermitRedeemed) for each in house.events()) == ROUNDS
        assert house.ana.verify(views=True).views == "equal"


def test_control_where_the_use_is_not_looked_up_all_win(monkeypatch: pytest.MonkeyPatch) -> None:
    """With that fault planted in the store one permit is good for every thread: the race is there to be lost."""
    sound = SqliteReading.permit

    def forgetful(reading: SqliteReading, permit_id: PermitId) -> StoredPermit | None:
        stored = sound(reading, permit_id)
        return None if stored is None else replace(stored, redeemed_position=None)

    monkeypatch.setattr(SqliteReading, "permit", forgetful)
    with world() as house:
        permitted(house)
        answers = at_once(house, token_of(judged(house.agent)))
        assert sum(isinstance(each, Redeemed) for each in answers) == THREADS


def test_a_ledger_in_which_a_permit_is_used_twice_does_not_hold_together() -> None:
    """Nor one in which it is used before it is there: folding stops, whoever wrote that. The control is one use."""
    with world() as house:
        permitted(house)
        permit = judged(house.agent).permit
        assert permit is not None
        session = house.agent._session
        used = PermitRedeemed(permit.permit_id, VerdictId("v"), session.principal, "d")
        unknown = PermitRedeemed(PermitId("nothing"), VerdictId("v"), session.principal, "d")
        assert code_of(lambda: session.store.write(lambda writing: session.append(writing, [unknown]))) == BROKEN
        assert code_of(lambda: session.store.write(lambda writing: session.append(writing, [used, used]))) == BROKEN
        session.store.write(lambda writing: session.append(writing, [used]))
        answer = redeem(house.agent, permit.token)
        assert isinstance(answer, PermitRefused)
        assert answer.reason == "redeemed"


def founded(folder: Path, database: str | None) -> tuple[str, dict[str, str]]:
    """The token of a permit in a new store of one person, and the environment in which commands find that."""
    settings = Settings(keys_dir=str(folder / "keys"), router="none")
    with Memory.init(
        folder, database=database, scope=["project:payments"], principal="person:ana", settings=settings
    ) as memory:
        memory.remember(
            "Staging is green.", record_type="verification", attributes={"verifies": "deploy", "passed": True}
        )
        memory.approve(memory.judge("Bash", COMMAND).verdict_id, reason="go")
        token = token_of(memory.judge("Bash", COMMAND))
    named = {} if database is None else {"HEEDFUL_DATABASE": database}
    return token, {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "HEEDFUL_KEYS_DIR": str(folder / "keys"),
        "HEEDFUL_PRINCIPAL": "person:ana",
        "HEEDFUL_ROUTER": "none",
        **named,
    }


def redeemed_by_processes(folder: Path, token: str, environment: dict[str, str]) -> list[dict[str, Any]]:
    """What each of the processes printed, which were started together."""
    command = [sys.executable, "-m", "heedful", "permit", "redeem", "-", "--tool", "Bash", "--json"]
    started = [
        subprocess.Popen(
            [*command, "--args", json.dumps(COMMAND)],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(PROCESSES)
    ]
    for process in started:  # each is told before any is waited for
        assert process.stdin is not None
        process.stdin.write(token)
        process.stdin.close()
    printed = []
    for process in started:
        with process:
            assert process.stdout is not None
            out = process.stdout.read()
            process.wait(SECONDS_MAX)
        printed.append(json.loads(out) | {"exit": process.returncode})
    return printed


@pytest.mark.parametrize("place", ["sqlite", "postgresql"])
def test_of_two_processes_one_wins(tmp_path: Path, place: str, request: pytest.FixtureRequest) -> None:
    """Exit 0 and `redeemed` for one, exit 1 and a reason for the other; whoever comes later is refused as well."""
    database = request.getfixturevalue("database") if place == "postgresql" else None
    token, environment = founded(tmp_path, database)
    answers = redeemed_by_processes(tmp_path, token, environment)

    assert sorted((each["outcome"], each["exit"]) for each in answers) == [("redeemed", 0), ("refused", 1)]
    assert [each["reason"] for each in answers if each["outcome"] == "refused"] == ["redeemed"]
    later = redeemed_by_processes(tmp_path, token, environment)
    assert [each["reason"] for each in later] == ["redeemed"] * PROCESSES
