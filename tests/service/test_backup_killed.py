"""A backup or restore that is killed at any file operation: no half of either is ever taken for one, and it goes on."""

from __future__ import annotations

from pathlib import Path

import pytest
from backing import Lived, home_fixture, killed_at

from heedful.kernel.errors import NotFoundError
from heedful.settings import STORE_FOLDER

__all__ = ("home_fixture",)


def test_a_killed_backup_is_no_backup(home: Lived, tmp_path: Path) -> None:
    """Whole or not there; what it left is cleared away by the next, and nothing is left in the store."""

    def work() -> None:
        with home.memory() as memory:
            memory.backup(tmp_path / "out.backup")

    killed = 0
    for operation in (40, 60, 70):
        killed += killed_at(operation, work)
        if (tmp_path / "out.backup").exists():
            home.restore(tmp_path / f"at-{operation}", tmp_path / "out.backup", register=[], without_register=True)
            (tmp_path / "out.backup").unlink()
    assert killed >= 2
    work()
    assert {each.name for each in tmp_path.iterdir() if not each.is_dir()} == {"out.backup"}
    assert not list((home.folder / "store").rglob(".copy-*"))


def test_a_killed_restore_serves_nobody(home: Lived, tmp_path: Path) -> None:
    """Nothing is there, or all of it, with what was erased; what it left is cleared away by the next."""
    killed = 0
    for operation in (60, 90, 105):
        killed += killed_at(operation, lambda: home.restore(tmp_path))
        if (tmp_path / STORE_FOLDER).exists():
            with home.memory(tmp_path) as memory, pytest.raises(NotFoundError):
                memory.show(home.gone)
            (tmp_path / STORE_FOLDER).rename(tmp_path / f"at-{operation}")
        for left in tmp_path.glob(".heedful-restoring-*"):
            assert not (left / STORE_FOLDER / "store.json").exists(), "nobody opens what was put together by half"
    assert killed >= 2
    home.restore(tmp_path)
    assert not list(tmp_path.glob(".heedful-restoring-*"))
