"""Bundle files: a ledger on its way from one store to another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Protocol


class BundleSource(Protocol):
    """A file to import; read twice, never held in memory whole."""

    @property
    def name(self) -> str:
        """What to call it, without folders."""
        ...

    def lines(self) -> AbstractContextManager[Iterator[bytes]]:
        """Its lines from the start, each with its line end, unpacked; the file is open while the block runs.

        Raises:
            InvalidInputError: `bundle_line_too_long`, `bundle_damaged` where it cannot be unpacked.
            UnavailableError: `bundle_unavailable`.
        """
        ...

    def size_bytes(self) -> int:
        """Its size on disk, for a progress bar."""
        ...

    def done_bytes(self) -> int:
        """How much of that the reading that was begun last has taken."""
        ...


class BundleTarget(Protocol):
    """A file to export to."""

    @property
    def name(self) -> str:
        """What to call it, without folders."""
        ...

    def write(self, lines: Iterable[bytes]) -> int:
        """Its size on disk in bytes. It is there whole and durable, or, where `lines` or the disk fail, not at all.

        Raises:
            ConflictError: `bundle_exists`: a file of that name is never replaced.
            UnavailableError: `bundle_unavailable`.
        """
        ...
