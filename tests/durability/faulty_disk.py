"""A disk that fails at a chosen call: below SQLite as a VFS, and in the calls that Python makes for other files."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal
from unittest import mock

import apsw

Sort = Literal["EIO", "ENOSPC"]


@dataclass(slots=True)
class Faults:
    """When to fail, and what happened.

    Attributes:
        at: number of the call that fails, from 1; 0: none.
        goes_on: the calls after it fail as well.
        only: the operations that count (`write`, `sync`, `truncate`, `open`, ...); empty: all.
        where: True for the paths that count.
        calls: how many calls counted so far.
        struck: the operation and the path of each that failed.
    """

    sort: Sort = "EIO"
    at: int = 0
    goes_on: bool = False
    only: frozenset[str] = frozenset()
    where: Callable[[str], bool] = field(default=lambda _path: True)
    calls: int = 0
    struck: list[tuple[str, str]] = field(default_factory=list)

    def heal(self) -> None:
        """Nothing fails any more."""
        self.at = 0

    def strikes(self, operation: str, path: str) -> bool:
        """True where this call is to fail."""
        if (self.only and operation not in self.only) or not self.where(path):
            return False
        self.calls += 1
        fails = self.at > 0 and (self.calls >= self.at if self.goes_on else self.calls == self.at)
        if fails:
            self.struck.append((operation, path))
        return fails

    def in_driver(self, operation: str, path: str) -> None:
        """An error of the driver where this call is to fail.

        Raises:
            apsw.IOError, apsw.FullError: as SQLite's own layer would report it.
        """
        if not self.strikes(operation, path):
            return
        if operation == "open":
            raise apsw.CantOpenError("as ordered")
        # A disk that is full shows it at a write; an fsync or a truncation that fails is an I/O error for SQLite.
        if self.sort == "ENOSPC" and operation == "write":
            raise apsw.FullError("as ordered")
        error = apsw.IOError("as ordered")
        codes = {
            "write": apsw.SQLITE_IOERR_WRITE,
            "sync": apsw.SQLITE_IOERR_FSYNC,
            "truncate": apsw.SQLITE_IOERR_TRUNCATE,
        }
        vars(error)["extendedresult"] = codes[operation]
        raise error

    def in_system(self, operation: str, path: str) -> None:
        """An OSError where this call is to fail."""
        if self.strikes(operation, path):
            number = getattr(errno, self.sort)
            raise OSError(number, os.strerror(number))


class _File(apsw.VFSFile):
    def __init__(self, name: str | apsw.URIFilename | None, flags: list[int], disk: FaultyDisk) -> None:
        super().__init__(disk.base, name, flags)
        self._faults = disk.faults
        self._path = name if isinstance(name, str) else name.filename() if name is not None else ""

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802  # the driver's name
        self._faults.in_driver("write", self._path)
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802  # the driver's name
        self._faults.in_driver("sync", self._path)
        super().xSync(flags)

    def xTruncate(self, size: int) -> None:  # noqa: N802  # the driver's name
        self._faults.in_driver("truncate", self._path)
        super().xTruncate(size)


class FaultyDisk(apsw.VFS):
    """The layer below SQLite."""

    def __init__(self, faults: Faults) -> None:
        self.base = apsw.vfs_names()[0]
        self.faults = faults
        super().__init__("faulty-disk", self.base, makedefault=True)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802  # the driver's name
        self.faults.in_driver("open", name if isinstance(name, str) else name.filename() if name is not None else "")
        return _File(name, flags, self)


@contextmanager
def faulty(faults: Faults) -> Iterator[None]:
    """While the block runs, SQLite and Python's own file calls go through these faults."""
    disk = FaultyDisk(faults)
    places: dict[int, str] = {}
    calls: dict[str, Any] = {"open": os.open, "fsync": os.fsync, "link": os.link, "mkdir": os.mkdir}

    def open_(path: Any, *arguments: Any, **named: Any) -> int:
        faults.in_system("open", str(path))
        descriptor: int = calls["open"](path, *arguments, **named)
        places[descriptor] = str(path)
        return descriptor

    def fsync(descriptor: int) -> None:
        faults.in_system("sync", places.get(descriptor, ""))
        calls["fsync"](descriptor)

    def link(source: Any, target: Any, **named: Any) -> None:
        faults.in_system("link", str(target))
        calls["link"](source, target, **named)

    def mkdir(path: Any, *arguments: Any, **named: Any) -> None:
        faults.in_system("mkdir", str(path))
        calls["mkdir"](path, *arguments, **named)

    try:
        with mock.patch.multiple(os, open=open_, fsync=fsync, link=link, mkdir=mkdir):
            yield
    finally:
        disk.unregister()
