"""Reading: a backup's file, which anybody may have made: nothing in it is believed before it is checked."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import msgspec

from heedful.adapters.backup.locking import ChunkCipher, Secret, opened_lock
from heedful.adapters.backup.writing import MANIFEST_NUMBER, stored_bytes
from heedful.kernel.errors import InvalidInputError, UnavailableError
from heedful.ledger.backup import (
    CHUNK_BYTES,
    END,
    END_FORMAT,
    FILE_BYTES_MAX,
    HEADER_BYTES_MAX,
    MAGIC,
    MANIFEST_BYTES_MAX,
    TAG_BYTES,
    Header,
    Manifest,
    Member,
    decode_header,
    decode_manifest,
    malformed,
)
from heedful.ledger.signed import SignedText

_LENGTH = struct.Struct(">I")


@dataclass(frozen=True, slots=True)
class BackupReader:
    """An open backup: its manifest, and its members one by one. Made by `open_backup`."""

    file: BinaryIO
    header: Header
    manifest: Manifest
    signed: SignedText
    key: bytes | None
    header_digest: bytes

    def member(self, name: str) -> Member | None:
        """The member of that name, or None."""
        return next((each for each in self.manifest.members if each.name == name), None)

    def pieces(self, member: Member, key: bytes | None = None) -> Iterator[bytes]:
        """The member's content, piece by piece; only after the last is all of it known to be what was written.

        Raises:
            InvalidInputError: `backup_malformed`.
        """
        chosen = self.key if key is None else key
        if member.stored != stored_bytes(member.size, is_encrypted=chosen is not None):
            raise malformed("a part is of another length than it says")
        cipher = None if chosen is None else ChunkCipher(chosen, member.number, self.header_digest)
        self.file.seek(member.offset)
        digest, left, at = hashlib.sha256(), member.size, 0
        while left or at == 0:
            wanted = min(left, CHUNK_BYTES)
            chunk = self.file.read(wanted + (0 if cipher is None else TAG_BYTES))
            left -= wanted
            opened = chunk if cipher is None else cipher.open(at, chunk, is_last=not left)
            if opened is None or len(opened) != wanted:
                raise malformed("a part was changed, cut or exchanged")
            digest.update(opened)
            at += 1
            yield opened
        if digest.hexdigest() != member.sha256:
            raise malformed("a part was changed")

    def content(self, member: Member, bytes_max: int) -> bytes:
        """All of a small member.

        Raises:
            InvalidInputError: `backup_malformed`, also where it is larger.
        """
        if member.size > bytes_max:
            raise malformed("a part is larger than any of its kind")
        return b"".join(self.pieces(member))


@contextmanager
def open_backup(path: Path, secret: Secret | None) -> Iterator[BackupReader]:
    """The backup in this file, while the block runs; its manifest is read, and its signature not looked at.

    Raises:
        InvalidInputError: `backup_malformed`, `backup_secret_needed`, `backup_secret_wrong`, `backup_not_encrypted`.
        UnsupportedError: `backup_newer`.
        UnavailableError: `backup_unavailable`.
    """
    try:
        if not path.is_file():
            raise FileNotFoundError(path)
        with path.open("rb") as file:
            yield _opened(file, path.stat().st_size, secret)
    except OSError as error:
        raise UnavailableError(
            "backup_unavailable", "the backup can't be read", next_step="check its name and who may read it"
        ) from error


def read_header(path: Path) -> tuple[Header, int] | None:
    """What a backup says of itself to everybody, and its size in bytes; None: the file is no whole backup of ours.

    Raises:
        OSError: it can't be read.
    """
    with path.open("rb") as file:
        size = path.stat().st_size
        try:
            header, _ = _header(file)
            _place(file, size)
        except InvalidInputError:
            return None
    return header, size


def _opened(file: BinaryIO, size: int, secret: Secret | None) -> BackupReader:
    header, beginning = _header(file)
    offset, stored, sha256 = _place(file, size)
    file.seek(offset)
    content = file.read(stored)
    if hashlib.sha256(content).digest() != sha256:
        raise malformed("its manifest was changed")
    if header.lock is None and secret is not None:
        raise InvalidInputError(
            "backup_not_encrypted",
            "the backup is not encrypted, and the secret of one that is was named",
            next_step="find out where this file came from; without the secret it is read as it is",
        )
    key = None if header.lock is None else opened_lock(header.lock, secret)
    digest = hashlib.sha256(beginning).digest()
    if key is not None:
        opened = ChunkCipher(key, MANIFEST_NUMBER, digest).open(0, content, is_last=True)
        if opened is None:
            raise malformed("its manifest was changed")
        content = opened
    try:
        signed = msgspec.json.decode(content, type=SignedText)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise malformed("its manifest is none") from error
    manifest = decode_manifest(signed, beginning, begins=len(beginning), ends=offset)
    if any((each.wrapped_key is None) != (key is None) for each in manifest.tenants):
        raise malformed("its manifest does not say how its tenants are encrypted")
    return BackupReader(file, header, manifest, signed, key, digest)


def _header(file: BinaryIO) -> tuple[Header, bytes]:
    begun = file.read(len(MAGIC) + _LENGTH.size)
    if len(begun) != len(MAGIC) + _LENGTH.size or not begun.startswith(MAGIC):
        raise malformed("it does not begin as one")
    (length,) = _LENGTH.unpack(begun[len(MAGIC) :])
    if length > HEADER_BYTES_MAX:
        raise malformed("its header is larger than any")
    body = file.read(length)
    return decode_header(body), begun + body


def _place(file: BinaryIO, size: int) -> tuple[int, int, bytes]:
    """Where the manifest lies, and its digest."""
    if not END_FORMAT.size <= size <= FILE_BYTES_MAX:
        raise malformed("it has no end")
    file.seek(size - END_FORMAT.size)
    offset, stored, sha256, end = END_FORMAT.unpack(file.read(END_FORMAT.size))
    if end != END or stored > MANIFEST_BYTES_MAX or offset + stored != size - END_FORMAT.size:
        raise malformed("it has no end")
    return offset, stored, sha256


class Pieces:
    """Pieces of bytes, read as so many bytes as are wanted."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        """Nothing was read yet."""
        self._pieces = iter(pieces)
        self._held = bytearray()

    def exactly(self, count: int) -> bytes:
        """The next bytes.

        Raises:
            InvalidInputError: `backup_malformed` where there are fewer.
        """
        while len(self._held) < count:
            piece = next(self._pieces, None)
            if piece is None:
                raise malformed("a part ends too early")
            self._held += piece
        taken = bytes(self._held[:count])
        del self._held[:count]
        return taken

    def is_done(self) -> bool:
        """True where nothing is left; all of it was what was written then."""
        while not self._held:
            piece = next(self._pieces, None)
            if piece is None:
                return True
            self._held += piece
        return False
