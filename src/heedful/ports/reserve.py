"""Reserve: room on the disk that is kept for erasing, so that a full one does not stop it."""

from __future__ import annotations

from typing import Protocol


class Reserve(Protocol):
    """Room that is there when nothing else is; of a store whose disk is not its own affair, none."""

    def keep(self) -> bool:
        """True where the room is kept from now on; False where the disk has too little, and nothing was taken of it."""
        ...

    def release(self) -> bool:
        """True where room was kept, and is free now."""
        ...


class NoReserve:
    """Of a store in memory, or in a database on somebody else's disk; see Reserve."""

    def keep(self) -> bool:
        """See Reserve.keep."""
        return False

    def release(self) -> bool:
        """See Reserve.release."""
        return False


NO_RESERVE = NoReserve()
"""The one that all share: it has no state."""
