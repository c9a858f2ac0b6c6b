"""Checkpoints are made without anybody asking, at intervals, and only of chains that go on from the last one."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_checkpoints import events_of
from worlds import World, house_fixture, world  # noqa: F401  # pytest finds the fixture here

from heedful.kernel.errors import InvalidInputError
from heedful.ledger.checkpoint import decode
from heedful.ports.store import Chain
from heedful.service.maintain import JobReport
from heedful.service.session import Session
from heedful.settings import Settings
from heedful.testing.tampering import put_chain, resealed

DAY = 86_400


def signed(house: World, who: str = "person:ana") -> JobReport | None:
    """The report of a run where one is due."""
    run = next(each for each in house.memory(who).maintain().runs if each.job == "checkpoint")
    return run.report


def pinned_size(house: World) -> int:
    """How many events of the ledger the last checkpoint signed; 0: there is none."""
    session: Session = house.app.session(principal="person:ana")
    content = session.signing.pinned(session.store.tenant.tenant_id)
    return 0 if content is None else decode(content).note("ledger").note.size


def test_what_was_added_is_signed_once_a_day(house: World) -> None:
    """The first run signs all, the next what is behind; where nothing is new nothing is signed, and sooner nothing runs."""
    house.freeze()
    report = signed(house)
    assert report is not None
    assert report.found == ()
    assert report.looked_at == pinned_size(house) == len(events_of(house, Chain.LEDGER))
    house.ana.remember("Nothing ships before the audit ends.")
    assert signed(house) is None
    house.clock.go(seconds=DAY)
    again = signed(house)
    assert again is not None
    assert 0 < (again.looked_at or 0) < report.looked_at
    assert house.ana.verify().checkpoints == 1
    house.clock.go(seconds=DAY)
    idle = signed(house)
    assert idle is not None
    assert idle.looked_at == 0


def test_the_setting_says_how_often(tmp_path: Path) -> None:
    """Every hour. The control: not after half of one; and a setting that is no number of hours is refused."""
    with world(tmp_path, checkpoint_hours=1.0) as house:
        assert signed(house) is not None
        house.clock.go(seconds=1_800)
        assert signed(house) is None
        house.clock.go(seconds=1_900)
        assert signed(house) is not None
    with pytest.raises(InvalidInputError, match="checkpoint_hours"):
        Settings(checkpoint_hours=0)


def test_another_chain_is_never_signed(tmp_path: Path) -> None:
    """The last checkpoint stays, the report says why."""
    with world(tmp_path) as house:
        house.freeze()
        assert signed(house) is not None
        size = pinned_size(house)
        put_chain(tmp_path, resealed(events_of(house, Chain.LEDGER), 3))
    with world(tmp_path) as house:
        house.clock.go(seconds=2 * DAY)
        report = signed(house)
        assert report is not None
        assert [each.startswith("nothing was signed, checkpoint_forked") for each in report.found] == [True]
        assert pinned_size(house) == size
        assert not house.ana.verify().holds
