"""Writing: a backup's file, which is there whole and durable under its name, or not at all."""

from __future__ import annotations

import fcntl
import hashlib
import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

import msgspec

from heedful.adapters.backup.locking import ChunkCipher
from heedful.adapters.file_names import sync_file, sync_folder
from heedful.kernel.errors import ConflictError, UnavailableError
from heedful.ledger.backup import (
    CHUNK_BYTES,
    END,
    END_FORMAT,
    TAG_BYTES,
    Header,
    Member,
    encode_header,
)
from heedful.ledger.signed import SignedText

MANIFEST_NUMBER = 0
PART_PREFIX = ".heedful-backup-"
_BUFFER_BYTES = 131_072


class BackupWriter:
    """A backup that is being written: members one after the other, then the manifest."""

    def __init__(self, file: BinaryIO, header: Header, key: bytes | None) -> None:
        """It begins with the header. `key` None: it is not encrypted."""
        self._file = file
        self._key = key
        self._beginning = encode_header(header)
        self._digest = hashlib.sha256(self._beginning).digest()
        self._at = file.write(self._beginning)
        self._numbers = MANIFEST_NUMBER
        self.members: list[Member] = []

    @property
    def header_bytes(self) -> bytes:
        """The beginning of the file."""
        return self._beginning

    def add(self, name: str, pieces: Iterable[bytes], key: bytes | None = None) -> Member:
        """The member that was written: the pieces, one behind the other, of any length. `key` None: the backup's."""
        self._numbers += 1
        cipher = self._cipher(self._key if key is None else key, self._numbers)
        digest, size, begun = hashlib.sha256(), 0, self._at
        for at, (chunk, is_last) in enumerate(_chunks(pieces)):
            digest.update(chunk)
            size += len(chunk)
            self._at += self._file.write(chunk if cipher is None else cipher.seal(at, chunk, is_last=is_last))
        member = Member(name, self._numbers, begun, self._at - begun, size, digest.hexdigest())
        self.members.append(member)
        return member

    def take_back(self, name: str) -> None:
        """The last members, from the one of that name on, are not in the file any more."""
        while any(each.name == name for each in self.members):
            self._at = self.members.pop().offset
        self._file.seek(self._at)
        self._file.truncate()

    def finish(self, signed: SignedText) -> None:
        """The manifest is there, and the end."""
        content = msgspec.json.encode(signed)
        cipher = self._cipher(self._key, MANIFEST_NUMBER)
        stored = content if cipher is None else cipher.seal(0, content, is_last=True)
        self._file.write(stored)
        self._file.write(END_FORMAT.pack(self._at, len(stored), hashlib.sha256(stored).digest(), END))

    def _cipher(self, key: bytes | None, number: int) -> ChunkCipher | None:
        return None if key is None else ChunkCipher(key, number, self._digest)


def stored_bytes(size: int, *, is_encrypted: bool) -> int:
    """How long a member of this size is in the file."""
    return size + (TAG_BYTES * max(-(-size // CHUNK_BYTES), 1) if is_encrypted else 0)


@contextmanager
def new_backup_file(path: Path) -> Iterator[BinaryIO]:
    """The file to write; after the block it is there under its name, whole and durable, for its owner alone.

    Where the block fails nothing is there. What others that were killed left in the folder is cleared away.

    Raises:
        ConflictError: `backup_exists`: a file that is there is never replaced.
        UnavailableError: `backup_unavailable`.
    """
    try:
        clear_parts(path.parent)
        if path.exists() or path.is_symlink():
            raise _exists(path)
        part = path.parent / f"{PART_PREFIX}{secrets.token_hex(8)}.part"
        descriptor = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    except (OSError, ValueError) as error:  # too long a name, or NUL in it
        raise _unavailable() from error
    try:
        with os.fdopen(descriptor, "wb", buffering=_BUFFER_BYTES) as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield file
            _publish(file, part, path)
    except OSError as error:
        raise _unavailable() from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def _publish(file: BinaryIO, part: Path, path: Path) -> None:
    file.flush()
    sync_file(file.fileno())
    try:
        # A link, unlike a rename, fails where the name is taken.
        os.link(part, path)
    except FileExistsError as error:
        raise _exists(path) from error
    sync_folder(path.parent)


def clear_parts(folder: Path) -> None:
    """What interrupted backups left in the folder is gone; what another one writes just now stays.

    Raises:
        OSError: the folder can't be read or written.
    """
    for part in folder.glob(f"{PART_PREFIX}*.part"):
        with suppress(FileNotFoundError, BlockingIOError), part.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            part.unlink()


def read_pieces(file: BinaryIO) -> Iterator[bytes]:
    """What is in the file from where it stands."""
    while piece := file.read(CHUNK_BYTES):
        yield piece


def _chunks(pieces: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    """The pieces as chunks of CHUNK_BYTES, the last one shorter or full, and never none at all."""
    held = bytearray()
    for piece in pieces:
        held += piece
        while len(held) > CHUNK_BYTES:
            yield bytes(held[:CHUNK_BYTES]), False
            del held[:CHUNK_BYTES]
    yield bytes(held), True


def _exists(path: Path) -> ConflictError:
    return ConflictError(
        "backup_exists",
        f"{path.name.encode('utf-8', 'backslashreplace').decode()} is there already, and is not replaced",
        next_step="name a file that is not there yet, or a folder",
    )


def _unavailable() -> UnavailableError:
    return UnavailableError(
        "backup_unavailable",
        "the backup can't be written or read",
        next_step="check its folder, who may use it and the free space",
    )
