"""Rebuild: one that was stopped at any point goes on when it is run again, also beside others."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from ledger_moves import place
from rebuilding import (  # noqa: F401  # pytest finds the fixtures here
    dump,
    few_events_fixture,
    folder_fixture,
    interrupted,
    lived_fixture,
    run,
    session_at,
)
from worlds import PROJECT

from heedful.adapters.storage.sqlite.connection import Session as Connection
from heedful.service import rebuild as module
from heedful.service.rebuild import Rebuilt

SECONDS_MAX = 60.0
CHILD = f"""
import os, signal, sys
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).parent)!r})
from ledger_moves import place
from heedful.service import rebuild as module

module.EVENTS_MAX = 4
folder, where, stop_at = sys.argv[1], sys.argv[2], int(sys.argv[3])
fold_event, done = module.fold_event, 0

def die():
    global done
    done += 1
    if done >= stop_at:
        os.kill(os.getpid(), signal.SIGKILL)

def fold_and_die(*arguments):
    fold_event(*arguments)
    die()

if where == "within":
    module.fold_event = fold_and_die
with place(Path(folder)) as app:
    session = app.session(principal="person:ana", adopts=False)
    module.rebuild(session, progress=(lambda _done: die()) if where == "between" else (lambda _done: None))
"""


@pytest.mark.parametrize("where", ["between", "within"])
def test_one_that_is_killed_goes_on_when_it_is_run_again(lived: Path, tmp_path: Path, where: str) -> None:
    """At many points, also in the midst of a transaction: the views are those of one that was never stopped."""
    with place(Path(shutil.copytree(lived, tmp_path / "whole"))) as app:
        session = session_at(app)
        expected = dump(session.store)
        head = module.total(session) // 2
    stops = (1, head, head + 1, head + 2, head + 5) if where == "between" else (1, 6, head // 2, head)
    resumed = []
    for stop_at in stops:
        folder = Path(shutil.copytree(lived, tmp_path / str(stop_at)))
        ended = subprocess.run(
            [sys.executable, "-c", CHILD, folder, where, str(stop_at)],
            capture_output=True,
            timeout=SECONDS_MAX,
            check=False,
        )
        assert ended.returncode == -signal.SIGKILL, ended.stderr.decode()
        with place(folder) as app:
            session = session_at(app)
            rebuilt = run(session)
            resumed.append(rebuilt.resumed_from)
            assert rebuilt.ledger_position == head
            assert dump(session.store) == expected
    assert any(resumed)


def test_several_at_once_fold_by_turns(folder: Path) -> None:
    """Each comes to the end, no event is folded twice, and the views are right."""
    with place(folder) as app:
        session = session_at(app)
        before = dump(session.store)
        interrupted(session, after=4)
        ended: list[Rebuilt] = []
        threads = [threading.Thread(target=lambda: ended.append(run(session_at(app)))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(ended) == 4
        assert dump(session.store) == before


def test_the_command_goes_on_where_one_was_stopped(tmp_path: Path) -> None:
    """While it is stopped every other command ends with 8 and names the code; after it all is well."""
    command = Path(sys.executable).with_name("heedful")

    def heedful(*words: str) -> tuple[int, dict[str, object]]:
        ended = subprocess.run([command, *words, "--json"], cwd=tmp_path, capture_output=True, text=True, check=False)
        return ended.returncode, json.loads(ended.stdout)

    assert heedful("init", ".", "--scope", PROJECT[0])[0] == 0
    assert heedful("remember", "tea at four")[0] == 0
    (path,) = (tmp_path / ".heedful" / "tenants").glob("*.db")
    connection = Connection(str(path), lock_wait_seconds=5.0)
    connection.cursor.execute("UPDATE state SET checkpoint = checkpoint - 1")
    connection.close()
    code, answer = heedful("recall", "tea")
    assert (code, answer["error"]["code"]) == (8, "views_rebuilding")  # type: ignore[index]
    code, answer = heedful("rebuild")
    assert (code, answer["resumed_from"]) == (0, int(answer["ledger_position"]) - 1)  # type: ignore[call-overload]
    assert heedful("recall", "tea")[0] == 0
    assert heedful("rebuild")[1]["resumed_from"] is None
