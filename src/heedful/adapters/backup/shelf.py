"""Shelf: a folder with backups: what they are called in it, which there are, and which are past their time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from heedful.adapters.backup.reading import read_header
from heedful.adapters.backup.writing import clear_parts
from heedful.adapters.file_names import sync_folder
from heedful.kernel.errors import UnavailableError
from heedful.kernel.times import US_A_SECOND, format_time
from heedful.ledger.backup import Header

SUFFIX = ".heedful-backup"
BACKUPS_MAX = 100_000
_SHORT_CHARACTERS = 8


@dataclass(frozen=True, slots=True)
class ShelvedBackup:
    """A backup in a folder.

    Attributes:
        expires_at: when it is to be gone: as it says itself, or earlier where the setting is lower now.
        secret: what it is encrypted under: `passphrase`, `key file`, or None.
        is_expired: that time has come. is_deleted: and it is gone.
    """

    file: str
    size_bytes: int
    backup_id: str
    made_at: str
    expires_at: str
    secret: str | None
    is_expired: bool
    is_deleted: bool


def backup_path(destination: Path, header: Header) -> Path:
    """The file to make: the destination, or in it, where it is a folder, one of a name of its own."""
    if not destination.is_dir():
        return destination
    made_at = datetime.fromtimestamp(header.made_at_us / US_A_SECOND, UTC).strftime("%Y%m%dT%H%M%SZ")
    return destination / f"{header.store_id[-_SHORT_CHARACTERS:]}-{made_at}-{header.backup_id[-4:]}{SUFFIX}"


def shelved(folder: Path, store_id: str, *, now_us: int, keep_us: int, prune: bool) -> tuple[ShelvedBackup, ...]:
    """This store's backups in the folder, the oldest first. With `prune`, those past their time are gone, durably.

    Other files, and other stores' backups, are left alone and not told; what interrupted backups left is gone then too.

    Raises:
        UnavailableError: `backup_unavailable`.
    """
    try:
        found = _found(folder, store_id)
        told = []
        for header, size, path in found:
            expires_us = min(header.expires_at_us, header.made_at_us + keep_us)
            is_expired = expires_us <= now_us
            if is_expired and prune:
                path.unlink(missing_ok=True)
            told.append(
                ShelvedBackup(
                    file=str(path),
                    size_bytes=size,
                    backup_id=header.backup_id,
                    made_at=format_time(header.made_at_us),
                    expires_at=format_time(expires_us),
                    secret=None if header.lock is None else header.lock.by,
                    is_expired=is_expired,
                    is_deleted=is_expired and prune,
                )
            )
        if prune:
            clear_parts(folder)
            sync_folder(folder)
    except OSError as error:
        raise UnavailableError(
            "backup_unavailable",
            "the folder of backups can't be read or written",
            next_step="check its name and who may use it",
        ) from error
    return tuple(told)


def _found(folder: Path, store_id: str) -> list[tuple[Header, int, Path]]:
    found = []
    for path in sorted(folder.iterdir())[:BACKUPS_MAX]:
        if not path.is_file() or path.is_symlink():
            continue
        read = read_header(path)
        if read is not None and read[0].store_id == store_id:
            found.append((read[0], read[1], path))
    return sorted(found, key=lambda each: (each[0].made_at_us, each[0].backup_id))
