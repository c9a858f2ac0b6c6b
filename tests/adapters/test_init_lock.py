"""The lock of `init`: it leaves no empty folder of its own behind, and guards the folder that is there."""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path

import pytest

from heedful.adapters.store_folder import init_lock
from heedful.kernel.errors import BusyError
from heedful.settings import STORE_FOLDER

WAIT_SECONDS = 30.0


def _fail(parent: Path, *, leaves: str = "") -> None:
    with suppress(ZeroDivisionError), init_lock(parent, wait_seconds=WAIT_SECONDS):
        if leaves:
            (parent / STORE_FOLDER / leaves).touch()
        raise ZeroDivisionError


def test_a_folder_that_it_made_for_nothing_is_gone(tmp_path: Path) -> None:
    """The controls: one that was there, one that has something in it, and one of a block that ends well stay."""
    folder = tmp_path / STORE_FOLDER
    _fail(tmp_path)
    assert not folder.exists()
    _fail(tmp_path, leaves="half")
    assert [path.name for path in folder.iterdir()] == ["half"]
    (folder / "half").unlink()
    _fail(tmp_path)
    assert folder.exists()
    folder.rmdir()
    with init_lock(tmp_path, wait_seconds=WAIT_SECONDS):
        pass
    assert folder.exists()


def test_who_waited_for_a_folder_that_went_locks_the_one_that_is_there(tmp_path: Path) -> None:
    """Else a third would lock the new folder while the second writes into it."""
    entered, leave = threading.Event(), threading.Event()
    waited: list[str] = []

    def second() -> None:
        with init_lock(tmp_path, wait_seconds=WAIT_SECONDS):
            entered.set()
            assert leave.wait(WAIT_SECONDS)
            waited.append("done")

    thread = threading.Thread(target=second)
    with suppress(ZeroDivisionError), init_lock(tmp_path, wait_seconds=WAIT_SECONDS):
        thread.start()
        assert not entered.wait(0.2)
        raise ZeroDivisionError
    assert entered.wait(WAIT_SECONDS)
    with pytest.raises(BusyError), init_lock(tmp_path, wait_seconds=0.01):
        pass
    leave.set()
    thread.join(WAIT_SECONDS)
    assert waited == ["done"]
    # The control: nobody has it now.
    with init_lock(tmp_path, wait_seconds=0.01):
        pass
