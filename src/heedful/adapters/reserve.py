"""Reserve: a file of zeros in the store's folder, for which the disk really keeps the blocks; see ports.reserve."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

from heedful.adapters.file_names import sync_folder

RESERVE_FILE = "reserve"
# Below this much free a store can't be opened, as its logs need room.
FULL_BYTES = 1024 * 1024
_MEBIBYTE = 1024 * 1024
_ZEROS = bytes(_MEBIBYTE)


class FileReserve:
    """See Reserve. Any number of processes may keep and release it."""

    def __init__(self, folder: Path, mebibytes: int) -> None:
        """That of the store in this folder."""
        self._path = folder / RESERVE_FILE
        self._mebibytes = mebibytes

    def keep(self) -> bool:
        """See Reserve.keep: where twice as much is free, so that keeping it is not what fills the disk."""
        size = self._mebibytes * _MEBIBYTE
        part = self._path.with_name(f".{RESERVE_FILE}-{os.getpid()}")
        try:
            if self._path.exists() and self._path.stat().st_size == size:
                return True
            if shutil.disk_usage(self._path.parent).free < 2 * size:
                return False
            with part.open("wb") as file:
                # Written, as blocks that were only promised may not be there on every file system.
                for _ in range(self._mebibytes):
                    file.write(_ZEROS)
                file.flush()
                os.fsync(file.fileno())
            part.replace(self._path)
            sync_folder(self._path.parent)
        except OSError:
            with suppress(OSError):
                part.unlink(missing_ok=True)
            return False
        return True

    def release(self) -> bool:
        """See Reserve.release."""
        try:
            self._path.unlink()
            sync_folder(self._path.parent)
        except OSError:
            return False
        return True

    def release_if_full(self) -> None:
        """The room is free where the disk has so little that not even a store can be opened."""
        with suppress(OSError):
            if shutil.disk_usage(self._path.parent).free < FULL_BYTES:
                self.release()
