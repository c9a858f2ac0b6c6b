"""Counted: a trace source that tells how far it was read."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from heedful.ports.importer import TraceSource


class CountedSource:
    """A trace source that tells how many of its bytes were read, over all passes."""

    def __init__(self, source: TraceSource, progress: Callable[[int], None]) -> None:
        """That source; `progress` is told the sum after each line."""
        self._source = source
        self._progress = progress
        self._done_bytes = 0

    @property
    def name(self) -> str:
        """See TraceSource.name."""
        return self._source.name

    def size_bytes(self) -> int:
        """See TraceSource.size_bytes."""
        return self._source.size_bytes()

    def location(self) -> str | None:
        """See TraceSource.location."""
        return self._source.location()

    def lines(self) -> Iterator[bytes]:
        """See TraceSource.lines."""
        for line in self._source.lines():
            yield line
            self._done_bytes += len(line) + 1
            self._progress(self._done_bytes)
