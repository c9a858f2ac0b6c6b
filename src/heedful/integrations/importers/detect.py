"""Which format a trace file has, and the file itself as a stream of lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from heedful.integrations.importers.document import DocumentFormat, of_document
from heedful.integrations.importers.encoded import as_utf8, likely_encoding
from heedful.integrations.importers.json_rows import LINE_BYTES_MAX
from heedful.kernel.errors import UnavailableError, UnsupportedError
from heedful.ports.importer import TraceImporter, TraceSource

FIRST_LINES_MAX = 64
_CHUNK_BYTES = 1_048_576
_UTF8_SHARE_MAX = 3
"""UTF-8 takes at most so many times the bytes of UTF-16: an escape of half a pair has six for two."""


class FileTraceSource:
    """A trace in a file, as long as it was when this was made: a session that still grows reads alike twice.

    See TraceSource. One that begins with the mark of UTF-16 or UTF-32 is read as such. A line over LINE_BYTES_MAX is
    cut one byte above it, so that the importer sees that it is too long while the rest of it never reaches memory.
    """

    def __init__(self, path: Path) -> None:
        """A source over this file.

        Raises:
            UnavailableError: `trace_unreadable`, where it is not a file that may be read.
        """
        self._path = path
        try:
            if not path.is_file():
                raise FileNotFoundError(path)
            self._size_bytes = path.stat().st_size
        except OSError as error:
            raise self._unreadable() from error

    @property
    def name(self) -> str:
        """See TraceSource.name."""
        return name_shown(self._path)

    def size_bytes(self) -> int:
        """See TraceSource.size_bytes."""
        return self._size_bytes

    def location(self) -> str | None:
        """See TraceSource.location."""
        return str(self._path)

    def lines(self) -> Iterator[bytes]:
        """See TraceSource.lines.

        Raises:
            UnavailableError: `trace_unreadable`, where the file is gone by now.
        """
        try:
            with self._path.open("rb") as file:
                recoded = as_utf8(file, self._size_bytes)
                if recoded is None:
                    yield from read_lines(file, self._size_bytes)
                else:
                    yield from read_lines(recoded, self._size_bytes * _UTF8_SHARE_MAX)
        except OSError as error:
            raise self._unreadable() from error

    def _unreadable(self) -> UnavailableError:
        name = self._path.name or str(self._path)  # `.` and `/` have no name
        is_folder = self._path.is_dir()
        return UnavailableError(
            "trace_unreadable",
            f"the trace {name!r} can't be read{', since it is a folder' if is_folder else ''}",
            next_step="name a file in it" if is_folder else "check the path and that you may read the file",
            details={"file": name},
        )


def read_lines(file: BinaryIO, left: int) -> Iterator[bytes]:
    """The lines of the file's next `left` bytes, without their ends, each cut one byte above LINE_BYTES_MAX.

    Raises:
        OSError: it can't be read.
    """
    while left > 0 and (line := file.readline(min(left, LINE_BYTES_MAX + 2))):
        left -= len(line)
        whole = line.endswith(b"\n")
        yield line.removesuffix(b"\n").removesuffix(b"\r")[: LINE_BYTES_MAX + 1]
        while not whole and left > 0 and (rest := file.readline(min(left, _CHUNK_BYTES))):
            left -= len(rest)
            whole = rest.endswith(b"\n")


def name_shown(path: Path) -> str:
    """The name of the file, without folders. On disk it is bytes; what of it is no UTF-8 is shown escaped."""
    return path.name.encode("utf-8", "backslashreplace").decode()


def first_lines(source: TraceSource) -> tuple[bytes, ...]:
    """The first lines of a trace, at most FIRST_LINES_MAX, for `detect`."""
    return tuple(islice(source.lines(), FIRST_LINES_MAX))


def detect(
    source: TraceSource, importers: Sequence[TraceImporter], formats: Sequence[DocumentFormat] = ()
) -> TraceImporter:
    """The first importer that recognises the first lines, else that of the first format that the whole document has.

    Raises:
        UnsupportedError: `trace_format_unknown`, naming the formats that are known; `trace_encoding_unknown`.
        UnavailableError: `trace_unreadable`.
    """
    beginning = first_lines(source)
    for importer in importers:
        if importer.recognises(beginning):
            return importer
    if formats and b"".join(beginning).lstrip()[:1] in (b"{", b"["):
        found = of_document(source, formats)
        if found is not None:
            return found
    encoding = likely_encoding(b"\n".join(beginning))
    if encoding is not None:
        raise UnsupportedError(
            "trace_encoding_unknown",
            f"the trace seems to be {encoding} without a byte order mark; UTF-8 is read, and either with its mark",
            next_step=f"convert it: `iconv -f {encoding} -t UTF-8`",
            details={"encoding": encoding},
        )
    names = list(dict.fromkeys([each.name for each in importers] + [each.name for each in formats]))
    raise UnsupportedError(
        "trace_format_unknown",
        f"the beginning of this trace is of no format that is known here; known: {', '.join(names) or 'none'}",
        next_step="check that the file is an agent's transcript in one of these formats",
        details={"known": names},
    )
