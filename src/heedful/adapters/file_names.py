"""Names as file names, and files that are whole or not there."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from pathlib import Path

_PLAIN = re.compile(r"[0-9a-z][0-9a-z_-]{0,127}")
_HEX_BYTES_MAX = 64


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


def make_folder(folder: Path) -> None:
    """The folder exists, readable by its owner alone where it was made now, and its name is durable."""
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """The names in the folder are on disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def create_whole(path: Path, content: bytes) -> bool:
    """True where this call made the file, False where it was there; either way it is whole and durable.

    Of several that race, in any number of processes, one makes it. Readable by its owner alone.

    Raises:
        OSError: the disk is full, or the folder can't be written.
    """
    part = _part_of(path)
    try:
        _write_whole(part, content)
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
        OSError: the disk is full, or the folder can't be written.
    """
    part = _part_of(path)
    try:
        _write_whole(part, content)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    sync_folder(path.parent)


def _part_of(path: Path) -> Path:
    return path.with_name(f".part-{secrets.token_hex(8)}")


def _write_whole(path: Path, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
