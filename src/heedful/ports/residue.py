"""Residue: where bytes that are to be gone lie in what a store keeps, looked at past the store, as a thief would."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Looked:
    """What was looked at.

    Attributes:
        places: the files that have any of the bytes, by their path in the store's folder, sorted.
        files, size_bytes: what was read.
        unread: files that could not be read, or lie beyond the limit of what one look reads.
    """

    places: tuple[str, ...]
    files: int
    size_bytes: int
    unread: tuple[str, ...]


class Residue(Protocol):
    """The files that a store's content lies in."""

    def look(self, needles: Sequence[bytes]) -> Looked:
        """Which files have any of these needles, as they are on disk at this moment; others may write meanwhile."""
        ...
