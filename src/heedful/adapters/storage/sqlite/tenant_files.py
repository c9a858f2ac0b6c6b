"""The files of an erased tenant, which go."""

from __future__ import annotations

import time
from pathlib import Path

from heedful.adapters.file_names import sync_folder
from heedful.adapters.storage.refusals import store_busy
from heedful.adapters.storage.sqlite.connection import Session, driver_errors
from heedful.adapters.storage.sqlite.database import has_content
from heedful.kernel.errors import UnavailableError
from heedful.ports.erasure import Scrubbed

_POLL_SECONDS = 0.02
_BESIDE = ("", "-wal", "-shm", "-journal")
_COULD_NOT = (
    "the blocks of removed files were not written over; what a file system or disk keeps is its operator's to end",
)


def _is_whole(path: Path, lock_wait_seconds: float) -> bool:
    """True where all that was committed is in the database, and the log is empty; or another one removed the file."""
    try:
        with driver_errors:
            session = Session(str(path), lock_wait_seconds=lock_wait_seconds, makes_file=False)
            try:
                return session.truncate_log()
            finally:
                session.close()
    except (UnavailableError, OSError):
        if has_content(path):
            raise
        return True


def remove_files(path: Path, *, lock_wait_seconds: float) -> Scrubbed:
    """The database at `path`, which is marked as erased, is gone with its log; names are durably off the folder.

    Whoever has it open goes on seeing the mark, as it is in the database itself before that goes.

    Raises:
        BusyError: `store_busy` where somebody reads an older moment for longer than `lock_wait_seconds`.
        UnavailableError: `store_unavailable`.
    """
    deadline = time.monotonic() + lock_wait_seconds
    while has_content(path) and not _is_whole(path, max(0.0, deadline - time.monotonic())):
        if time.monotonic() >= deadline:
            raise store_busy()
        time.sleep(_POLL_SECONDS)  # SQLite does not wait for another that does the same just now
    try:
        for suffix in _BESIDE:
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        sync_folder(path.parent)
    except OSError as error:
        raise UnavailableError(
            "store_unavailable",
            "the erased tenant's files can't be removed",
            next_step="check the store's folder and its permissions, then ask for the same again",
        ) from error
    return Scrubbed(_COULD_NOT)
