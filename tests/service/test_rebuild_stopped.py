"""Rebuild: one that was stopped at any point goes on when it is run again, also beside others."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from ledger_moves import memory, place
from rebuilding import (  # noqa: F401  # pytest finds the fixtures here
    dump,
    few_events_fixture,
    folder_fixture,
    head_of,
    interrupted,
    interrupted_dropping,
    killed,
    lived_fixture,
    run,
    session_at,
    spoil,
)
from worlds import PROJECT, code_of

from heedful.adapters.storage.sqlite.connection import Session as Connection
from heedful.service import rebuild as module
from heedful.service.rebuild import Rebuilt

WHERE = ["between", "within", "dropping"]


@pytest.mark.parametrize("where", WHERE)
def test_one_that_is_killed_goes_on_when_it_is_run_again(lived: Path, tmp_path: Path, where: str) -> None:
    """At many points, also in the midst of a transaction: the views are those of one that was never stopped.

    Between any two pieces that are dropped or folded, when an event or a piece was changed and not committed.
    """
    with place(Path(shutil.copytree(lived, tmp_path / "whole"))) as app:
        expected, spoilt = dump(session_at(app).store), spoil(app)
        head = head_of(session_at(app))
        told: list[int] = []
        run(session_at(app), told.append)
        assert dump(session_at(app).store) == expected != spoilt
    # Each event is told of once it is checked, then each piece that leaves something, then that all is gone.
    pieces = told.index(2 * head) - head
    assert pieces > 4
    stops = {
        "between": (1, head, *(head + more for more in (1, 2, pieces // 2, pieces, pieces + 1, pieces + 5))),
        "within": (1, 6, head // 2, head),
        "dropping": (1, 2, pieces, pieces + 1),
    }[where]
    resumed = []
    for stop_at in stops:
        folder = Path(shutil.copytree(lived, tmp_path / str(stop_at)))
        with place(folder) as app:
            spoil(app)
        killed(folder, where, stop_at)
        with place(folder) as app:
            session = session_at(app)
            if where != "between" or stop_at > head:
                assert code_of(lambda: memory(app).recall("tea")) == "views_rebuilding"
            rebuilt = run(session)
            resumed.append(rebuilt.resumed_from)
            assert rebuilt.ledger_position == head
            assert dump(session.store) == expected
            memory(app).recall("tea")
    assert 0 in resumed
    assert any(resumed) or where == "dropping"


def test_the_control_what_is_folded_over_views_that_are_left_is_not_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rebuild that took a checkpoint of 0 for dropped views would keep what no event brought."""
    with place(folder) as app:
        before, _ = dump(session_at(app).store), spoil(app)
        interrupted_dropping(session_at(app))
        with monkeypatch.context() as patched:
            patched.setattr(module, "_drop", lambda *_arguments: None)
            run(session_at(app))
        assert dump(session_at(app).store) != before
        run(session_at(app))
        assert dump(session_at(app).store) == before


@pytest.mark.parametrize("phase", ["dropping", "folding"])
def test_several_at_once_go_on_by_turns(folder: Path, phase: str) -> None:
    """Each comes to the end, no event is folded twice, and the views are right."""
    with place(folder) as app:
        session = session_at(app)
        before, _ = dump(session.store), spoil(app)
        if phase == "dropping":
            interrupted_dropping(session)
        else:
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
