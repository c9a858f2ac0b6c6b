"""The lines of `remember --batch`: of a file, or of standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import BinaryIO

from heedful.integrations.importers.detect import FileTraceSource, name_shown, read_lines
from heedful.kernel.errors import UnavailableError

STREAM_NAME = "standard input"


class BatchFile(FileTraceSource):
    """A file of items, read as a trace is; see FileTraceSource. Its errors are `batch_unreadable`."""

    def _unreadable(self) -> UnavailableError:
        name = name_shown(self._path)
        return UnavailableError(
            "batch_unreadable",
            f"the file {name!r} can't be read",
            next_step="check the path and that you may read the file; `heedful remember` reads a pipe with `--batch -`",
            details={"file": name},
        )


class BatchStream:
    """Items that come in a stream; see TraceSource. It is read once, and its size is not known."""

    def __init__(self, stream: BinaryIO | None) -> None:
        """A source over the stream; None stands for a standard input that is closed.

        Raises:
            UnavailableError: `batch_unreadable`.
        """
        if stream is None:
            raise _stream_unreadable()
        self._stream = stream

    @property
    def name(self) -> str:
        """See TraceSource.name."""
        return STREAM_NAME

    def size_bytes(self) -> int:
        """0: it is not known."""
        return 0

    def location(self) -> None:
        """See TraceSource.location."""

    def lines(self) -> Iterator[bytes]:
        """See TraceSource.lines.

        Raises:
            UnavailableError: `batch_unreadable`.
        """
        try:
            yield from read_lines(self._stream, sys.maxsize)
        except (OSError, ValueError) as error:  # ValueError: it was closed
            raise _stream_unreadable() from error


def _stream_unreadable() -> UnavailableError:
    return UnavailableError(
        "batch_unreadable",
        f"{STREAM_NAME} can't be read: it is closed, or failed",
        next_step="give the lines through a pipe, or name a file that has them",
    )
