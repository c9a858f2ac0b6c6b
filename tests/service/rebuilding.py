"""A store in which something of everything happened, and rebuilds of it that are stopped where a test wants."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from ledger_moves import live_through
from worlds import world

from heedful.bootstrap import App
from heedful.kernel.ladder import Mode
from heedful.observations.record import Channel
from heedful.ports.store import TenantStore, Writing
from heedful.service import rebuild as module
from heedful.service.rebuild import Rebuilt, rebuild
from heedful.service.session import Session
from heedful.service.whole import beneath

SECONDS_MAX = 60.0
EVENTS_AT_ONCE = 4
ROWS_AT_ONCE = 10


@pytest.fixture(scope="module", name="lived")
def lived_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store in which something of everything happened."""
    folder = tmp_path_factory.mktemp("lived")
    with world(folder) as house:
        live_through(house, folder)
    return folder


@pytest.fixture(name="folder")
def folder_fixture(lived: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(lived, tmp_path / "copy"))


def session_at(app: App, principal: str = "person:ana", channel: Channel = Channel.PERSON) -> Session:
    """A session that writes nothing by itself."""
    return app.session(principal=principal, channel=channel, adopts=False)


def dump(store: TenantStore) -> list[bytes]:
    """Every row of the views, whether or not they are whole."""
    with beneath(store).read() as reading:
        return list(reading.dump_views())


def run(session: Session, progress: Callable[[int], None] = lambda _done: None) -> Rebuilt:
    """A rebuild of few rows and events at a time."""
    return rebuild(session, progress=progress)


@pytest.fixture(autouse=True, name="few_events")
def few_events_fixture(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a small ledger takes many transactions, and its views as well."""
    monkeypatch.setattr(module, "EVENTS_MAX", EVENTS_AT_ONCE)
    monkeypatch.setattr(module, "DROPPED_ROWS_MAX", ROWS_AT_ONCE)


def head_of(session: Session) -> int:
    """The ledger's position: what `progress` comes to when the ledger is checked; twice that: when all is dropped."""
    return module.total(session) // 3


def interrupted(session: Session, *, after: int) -> None:
    """A rebuild that came to the position `after` and was stopped there."""
    _stopped(session, at_least=2 * head_of(session) + after)


def interrupted_dropping(session: Session) -> None:
    """A rebuild that was stopped when the first rows of the views were gone."""
    _stopped(session, at_least=head_of(session) + 1)
    with beneath(session.store).read() as reading:
        assert reading.checkpoint() == 0
        assert list(reading.modes()), "modes are the last to go"


def spoil(app: App) -> list[bytes]:
    """The views with what no event brought, and without what one did."""
    session = session_at(app)

    def work(writing: Writing) -> None:
        writing.put_mode("bridge", "nobody's", Mode.OFF)
        writing.delete_search_row(3)

    session.store.write(work)
    return dump(session.store)


_CHILD = f"""
import os, signal, sys
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).parent)!r})
from ledger_moves import on_postgres, on_sqlite, place
from heedful.service import rebuild as module

module.EVENTS_MAX, module.DROPPED_ROWS_MAX = {EVENTS_AT_ONCE}, {ROWS_AT_ONCE}
folder, where, stop_at, *dsn = sys.argv[1:]
done = 0

def die():
    global done
    done += 1
    if done >= int(stop_at):
        os.kill(os.getpid(), signal.SIGKILL)

def dying(work):
    def works_and_dies(*arguments, **named):
        result = work(*arguments, **named)
        die()
        return result
    return works_and_dies

if where == "within":
    module.fold_event = dying(module.fold_event)
if where == "dropping":
    module._drop_some = dying(module._drop_some)
with place(Path(folder), on_postgres(*dsn) if dsn else on_sqlite) as app:
    session = app.session(principal="person:ana", adopts=False)
    module.rebuild(session, progress=(lambda _done: die()) if where == "between" else (lambda _done: None))
"""


def killed(folder: Path, where: str, stop_at: int, *dsn: str) -> None:
    """A rebuild by another process, ended by the system at its `stop_at`-th step.

    `where`: "between" transactions, "within" one that folds, or "dropping", within one that drops.
    """
    ended = subprocess.run(
        [sys.executable, "-c", _CHILD, folder, where, str(stop_at), *dsn],
        capture_output=True,
        timeout=SECONDS_MAX,
        check=False,
    )
    assert ended.returncode == -signal.SIGKILL, ended.stderr.decode()


def _stopped(session: Session, *, at_least: int) -> None:
    class Stop(Exception):  # noqa: N818
        pass

    def progress(done: int) -> None:
        if done >= at_least:
            raise Stop

    with pytest.raises(Stop):
        run(session, progress)
