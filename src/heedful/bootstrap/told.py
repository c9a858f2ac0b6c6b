"""Told: how far a backup or a restore is, for whoever waits for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator


class Told:
    """How many bytes came so far, told on as they come."""

    def __init__(self, progress: Callable[[int], None]) -> None:
        self._progress = progress
        self._done = 0

    def __call__(self, count: int) -> None:
        """So many more."""
        self._done += count
        self._progress(self._done)

    def each_of(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """The pieces."""
        for piece in pieces:
            yield piece
            self(len(piece))
