"""Names as file names, and files that are whole or not there."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO


class SyncError(OSError):
    """An fsync failed: what is on disk is not known from then on, and another that succeeds proves nothing."""


_PLAIN = re.compile(r"[0-9a-z][0-9a-z_-]{0,127}")
_HEX_BYTES_MAX = 64
PART_PREFIX = ".part-"
"""What begins the name of a file that is being written, beside where it is to be."""
# Written to a file at once: a bundle has many short lines.
_BUFFER_BYTES = 131_072


def file_name(name: str) -> str:
    """A file name for any text; two texts never share one, also where the file system folds case or Unicode form.

    Lower-case ASCII names stay as they are. Others become `=` and their bytes in hex, long ones `=h` and a SHA-256.
    """
    if _PLAIN.fullmatch(name):
        return name
    name_bytes = name.encode("utf-8", "surrogatepass")
    if len(name_bytes) > _HEX_BYTES_MAX:
        return "=h" + hashlib.sha256(name_bytes).hexdigest()
    return "=" + name_bytes.hex()


def make_folder(folder: Path, *, mode: int = 0o700) -> None:
    """The folder exists, and its name and those above it that were made now are durable.

    What is made is readable by its owner alone, unless `mode` says otherwise. A folder that was there is made durable
    as well: whoever made it, in another process or before a crash, may not have come so far.

    Raises:
        SyncError: its name may not be durable.
        OSError: it can't be made.
    """
    made = [folder]
    while not made[-1].parent.is_dir():
        made.append(made[-1].parent)
    for each in reversed(made):
        if not each.is_dir():
            each.mkdir(exist_ok=True, mode=mode)
        sync_folder(each.parent)


def sync_folder(folder: Path) -> None:
    """The names in the folder are on disk.

    Raises:
        SyncError: they may not be.
        OSError: the folder can't be read.
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        sync_file(descriptor)
    finally:
        os.close(descriptor)


def create_empty_beside(path: Path, model: Path) -> None:
    """The file at `path` is there, empty where it was made now, and then its name is durable.

    It has mode and owner of `model`, whose user may be another than the one who makes it.

    Raises:
        SyncError: its name may not be durable.
        OSError: it can't be made.
    """
    if path.exists():
        return
    status = model.stat()
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, status.st_mode & 0o777)
    try:
        os.fchmod(descriptor, status.st_mode & 0o777)
        if os.geteuid() == 0:
            os.fchown(descriptor, status.st_uid, status.st_gid)
    finally:
        os.close(descriptor)
    sync_folder(path.parent)


def sync_file(descriptor: int) -> None:
    """The content of this open file is on disk.

    Raises:
        SyncError: it may not be.
    """
    try:
        os.fsync(descriptor)
    except OSError as error:
        raise SyncError(error.errno, error.strerror) from error


def create_whole(path: Path, content: bytes) -> bool:
    """True where this call made the file, False where it was there; either way it is whole and durable.

    Of several that race, in any number of processes, one makes it. Readable by its owner alone.

    Raises:
        SyncError: it may not be durable, though it may be there.
        OSError: the disk is full, or the folder can't be written.
    """
    return create_written(path, lambda file: file.write(content))


def create_written(path: Path, write: Callable[[BinaryIO], object]) -> bool:
    """As `create_whole`, with what `write` puts into the file that it is given; where it raises, nothing is there.

    Raises:
        SyncError, OSError: see `create_whole`; and what `write` raises.
    """
    part = _part_of(path)
    try:
        _write_whole(part, write)
        # A link, unlike a rename, fails where the name is taken: nobody's file is ever replaced.
        try:
            os.link(part, path)
        except FileExistsError:
            made = False
        else:
            made = True
    finally:
        part.unlink(missing_ok=True)
    sync_folder(path.parent)
    return made


def replace_whole(path: Path, content: bytes) -> None:
    """The file has this content, whole and durable, whatever it had. Readable by its owner alone.

    Raises:
        SyncError: it may not be durable, though it may be there.
        OSError: the disk is full, or the folder can't be written.
    """
    part = _part_of(path)
    try:
        _write_whole(part, lambda file: file.write(content))
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    sync_folder(path.parent)


def wipe_file(path: Path) -> None:
    """The file is gone, after zeros were written over its bytes in place; nothing where there is none.

    A file system or disk that writes elsewhere than in place may keep the bytes that were there. That the name is gone
    is durable after `sync_folder`.

    Raises:
        SyncError: the zeros may not be on disk; the file is there still.
        OSError: it can't be written or removed.
    """
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return
    with os.fdopen(descriptor, "wb", buffering=0) as file:
        left = os.fstat(descriptor).st_size
        while left > 0:
            left -= file.write(bytes(min(left, _BUFFER_BYTES)))
        sync_file(descriptor)
    path.unlink(missing_ok=True)


def _part_of(path: Path) -> Path:
    return path.with_name(f"{PART_PREFIX}{secrets.token_hex(8)}")


def _write_whole(path: Path, write: Callable[[BinaryIO], object]) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb", buffering=_BUFFER_BYTES) as file:
        write(file)
        file.flush()
        sync_file(file.fileno())
