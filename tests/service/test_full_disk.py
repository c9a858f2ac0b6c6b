"""A full disk: nothing more is kept, and an erasure goes through all the same, on room that was kept for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import apsw
import pytest
from believers import PEOPLE
from forgetting import ANA, told
from worlds import World, world

from heedful.adapters.reserve import RESERVE_FILE, FileReserve
from heedful.kernel.errors import NotFoundError, UnavailableError

MEBIBYTE = 1024 * 1024


class Room(NamedTuple):
    """What a disk says."""

    free: int


class _File(apsw.VFSFile):
    def __init__(self, name: str | apsw.URIFilename | None, flags: list[int], disk: SmallDisk) -> None:
        super().__init__(disk.base, name, flags)
        self._disk = disk

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802  # the driver's name
        growth = offset + len(data) - self.xFileSize()
        if growth > 0 and self._disk.used() + growth > self._disk.size:
            raise apsw.FullError("no space left on the device")
        super().xWrite(data, offset)


class SmallDisk(apsw.VFS):
    """The layer below SQLite: what all files in a folder hold together is bounded, as on a small disk."""

    def __init__(self, folder: Path) -> None:
        self.base = apsw.vfs_names()[0]
        self.size = 1 << 40
        self._folder = folder
        super().__init__("small-disk", self.base, makedefault=True)

    def used(self) -> int:
        """Bytes of every file in the folder."""
        return sum(each.stat().st_size for each in self._folder.rglob("*") if each.is_file())

    def fill(self) -> None:
        """Nothing is free from now on."""
        self.size = self.used()

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802  # the driver's name
        return _File(name, flags, self)


@contextmanager
def small_disk(folder: Path) -> Iterator[SmallDisk]:
    """While the block runs SQLite's files lie on such a disk."""
    disk = SmallDisk(folder)
    try:
        yield disk
    finally:
        disk.unregister()


def filled(home: World, disk: SmallDisk) -> str:
    """The id of a record in a store whose disk is full now, so that nothing more can be kept."""
    record_id, _ = told(home.ana, "Rome")
    home.ana.maintain("erase")
    disk.fill()
    with pytest.raises(UnavailableError) as refused:
        _go_on(home)
    assert refused.value.code == "store_unavailable"
    return record_id


def _go_on(home: World) -> None:
    for number in range(200):
        home.ana.remember("more" * 500 + str(number), scope=ANA)


def test_an_erasure_goes_through_on_what_was_kept_for_it(tmp_path: Path) -> None:
    """And what was kept is kept again once there is room."""
    with small_disk(tmp_path) as disk, world(tmp_path, policy=PEOPLE) as home:
        home.app.reserve = FileReserve(tmp_path, 1)
        record_id = filled(home, disk)
        assert (tmp_path / RESERVE_FILE).stat().st_size == MEBIBYTE
        receipt = home.ana.forget(scope=ANA)
        with pytest.raises(NotFoundError):
            home.ana.show(record_id)
        assert not (tmp_path / RESERVE_FILE).exists()
        disk.size = 1 << 40
        home.ana.maintain("erase")
        assert home.ana.receipt(receipt.erasure_id).stage == "scrubbed"
        assert (tmp_path / RESERVE_FILE).stat().st_size == MEBIBYTE
        audit = home.ana.verify(views=True)
        assert (audit.holds, audit.views) == (True, "equal")


def test_without_it_a_full_disk_stops_the_erasure(tmp_path: Path) -> None:
    """The control: the disk is as full, and nothing was kept."""
    with small_disk(tmp_path) as disk, world(tmp_path, policy=PEOPLE) as home:
        filled(home, disk)
        with pytest.raises(UnavailableError) as refused:
            home.ana.forget(scope=ANA)
        assert refused.value.code == "store_unavailable"
        disk.size = 1 << 40


def test_what_is_kept_never_fills_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is kept where twice as much is free, and let go where a store could not be opened."""
    reserve = FileReserve(tmp_path, 1)
    with monkeypatch.context() as patched:
        patched.setattr("heedful.adapters.reserve.shutil.disk_usage", lambda _folder: Room(2 * MEBIBYTE - 1))
        assert not reserve.keep()
    assert list(tmp_path.iterdir()) == []
    assert reserve.keep()
    assert reserve.keep(), "it is there already"
    reserve.release_if_full()
    assert (tmp_path / RESERVE_FILE).stat().st_size == MEBIBYTE
    with monkeypatch.context() as patched:
        patched.setattr("heedful.adapters.reserve.shutil.disk_usage", lambda _folder: Room(MEBIBYTE - 1))
        reserve.release_if_full()
    assert list(tmp_path.iterdir()) == []
    assert not reserve.release(), "nothing is kept"
