"""Residue of a store in a folder; see ports.residue."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from heedful.ports.residue import Looked

BYTES_MAX = 8 << 30
"""So much is read in one look; files beyond it are named as unread."""
_CHUNK_BYTES = 8 << 20


class FolderResidue:
    """See Residue: every file below one folder, logs and temporary ones too."""

    def __init__(self, folder: Path) -> None:
        """Looks below that folder."""
        self._folder = folder

    def look(self, needles: Sequence[bytes]) -> Looked:
        """See Residue.look."""
        places, unread = [], []
        files = size = 0
        for path in sorted(each for each in self._folder.rglob("*") if each.is_file() and not each.is_symlink()):
            name = path.relative_to(self._folder).as_posix()
            try:
                if size + path.stat().st_size > BYTES_MAX:
                    unread.append(name)
                    continue
                found, length = _has(path, needles)
            except FileNotFoundError:
                continue  # a log that its database took in meanwhile
            except OSError:
                unread.append(name)
                continue
            files, size = files + 1, size + length
            if found:
                places.append(name)
        return Looked(tuple(places), files, size, tuple(unread))


def _has(path: Path, needles: Sequence[bytes]) -> tuple[bool, int]:
    length = 0
    found = False
    for chunk, fresh in _chunks(path, max(map(len, needles), default=1) - 1):
        length += fresh
        found = found or any(needle in chunk for needle in needles)
    return found, length


def _chunks(path: Path, overlap: int) -> Iterator[tuple[bytes, int]]:
    """The file in chunks, each with the end of the one before, and how much of it is new."""
    tail = b""
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            yield tail + chunk, len(chunk)
            tail = (tail + chunk)[-overlap:] if overlap else b""
