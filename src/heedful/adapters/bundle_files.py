"""Bundle files on disk, packed where their name ends in `.gz`; see ports.bundles."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from heedful.adapters.file_names import create_written
from heedful.kernel.errors import ConflictError, UnavailableError
from heedful.ledger.bundle_lines import LINE_BYTES_MAX, damaged, too_long

PACKED_SUFFIX = ".gz"
_PACKED_MAGIC = b"\x1f\x8b"
_PACKING_LEVEL = 6
_BUFFER_BYTES = 1_048_576


class FileBundleSource:
    """See BundleSource. Packed or not is seen by its first bytes, whatever its name."""

    def __init__(self, path: Path, *, line_bytes_max: int = LINE_BYTES_MAX) -> None:
        """A source over this file.

        Raises:
            UnavailableError: `bundle_unavailable`, where it is no file that may be read.
        """
        self._path = path
        self._line_bytes_max = line_bytes_max
        self._file: io.FileIO | None = None
        try:
            if not path.is_file():
                raise FileNotFoundError(path)
            self._size_bytes = path.stat().st_size
        except OSError as error:
            raise _unavailable(path, "read") from error

    @property
    def name(self) -> str:
        """See BundleSource.name."""
        return _shown(self._path)

    def size_bytes(self) -> int:
        """See BundleSource.size_bytes."""
        return self._size_bytes

    def done_bytes(self) -> int:
        """See BundleSource.done_bytes."""
        if self._file is None:
            return 0
        return self._size_bytes if self._file.closed else min(self._file.tell(), self._size_bytes)

    @contextmanager
    def lines(self) -> Iterator[Iterator[bytes]]:
        """See BundleSource.lines."""
        try:
            # Unbuffered, so that `tell` says what was taken; the buffer is around what unpacks.
            self._file = self._path.open("rb", buffering=0)
        except OSError as error:
            raise _unavailable(self._path, "read") from error
        with self._file as file:
            yield self._lines(file)

    def _lines(self, file: io.FileIO) -> Iterator[bytes]:
        number = 1
        try:
            packed = file.read(len(_PACKED_MAGIC)) == _PACKED_MAGIC
            file.seek(0)
            raw = gzip.GzipFile(fileobj=file, mode="rb") if packed else file
            with io.BufferedReader(cast("io.RawIOBase", raw), _BUFFER_BYTES) as reader:
                while line := reader.readline(self._line_bytes_max + 1):
                    if len(line) > self._line_bytes_max:
                        raise too_long(number, self._line_bytes_max)
                    yield line
                    number += 1
        # A bad file is no OSError to whoever reads it, though gzip makes it one.
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise damaged(number, "cannot be unpacked: the file was cut or changed") from error
        except OSError as error:
            raise _unavailable(self._path, "read") from error


class FileBundleTarget:
    """See BundleTarget. Written under another name first, and readable by its owner alone."""

    def __init__(self, path: Path) -> None:
        """A target that makes this file.

        Raises:
            ConflictError: `bundle_exists`.
            UnavailableError: `bundle_unavailable`, where no file can have that name.
        """
        self._path = path
        try:
            path.lstat()
        except FileNotFoundError:
            return
        except (OSError, ValueError) as error:  # too long, NUL in it, half of a surrogate pair
            raise _unavailable(path, "written") from error
        raise _exists(path)

    @property
    def name(self) -> str:
        """See BundleTarget.name."""
        return _shown(self._path)

    def write(self, lines: Iterable[bytes]) -> int:
        """See BundleTarget.write."""
        try:
            if not create_written(self._path, lambda file: self._write(file, lines)):
                raise _exists(self._path)
            return self._path.stat().st_size
        except OSError as error:
            raise _unavailable(self._path, "written") from error

    def _write(self, file: BinaryIO, lines: Iterable[bytes]) -> None:
        if self._path.name.endswith(PACKED_SUFFIX):
            # No name and no time in it: the same lines give the same bytes.
            with gzip.GzipFile("", "wb", _PACKING_LEVEL, file, mtime=0) as packer:
                packer.writelines(lines)
        else:
            file.writelines(lines)


def _shown(path: Path) -> str:
    # A name on disk is bytes; what of it is no UTF-8 is shown escaped.
    return path.name.encode("utf-8", "backslashreplace").decode()


def _exists(path: Path) -> ConflictError:
    return ConflictError(
        "bundle_exists",
        f"{_shown(path)} is there already, and is not replaced",
        next_step="name a file that is not there yet",
    )


def _unavailable(path: Path, what: str) -> UnavailableError:
    return UnavailableError(
        "bundle_unavailable",
        f"{_shown(path)} can't be {what}",
        next_step="check that its folder is there, its permissions and the free space",
    )
