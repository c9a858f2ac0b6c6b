"""A store in which something of everything happened, and rebuilds of it that are stopped where a test wants."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from ledger_moves import live_through
from worlds import world

from heedful.bootstrap import App
from heedful.observations.record import Channel
from heedful.ports.store import TenantStore
from heedful.service import rebuild as module
from heedful.service.rebuild import Rebuilt, rebuild
from heedful.service.session import Session
from heedful.service.whole import beneath


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
    """A rebuild of few events at a time."""
    return rebuild(session, progress=progress)


@pytest.fixture(autouse=True, name="few_events")
def few_events_fixture(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a small ledger takes many transactions."""
    monkeypatch.setattr(module, "EVENTS_MAX", 4)


def interrupted(session: Session, *, after: int) -> None:
    """A rebuild that came to the position `after` and was stopped there."""

    class Stop(Exception):  # noqa: N818
        pass

    head = module.total(session) // 2

    def progress(done: int) -> None:
        if done >= head + after:
            raise Stop

    with pytest.raises(Stop):
        run(session, progress)
