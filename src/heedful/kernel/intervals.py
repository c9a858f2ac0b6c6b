"""Half-open intervals `[start, end)` in UTC microseconds. Nothing here reads a clock."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Interval:
    """`[start_us, end_us)`; None on a side means that it is open there."""

    start_us: int | None
    end_us: int | None

    def contains(self, at_us: int) -> bool:
        """True where `at_us` lies in the interval; its end does not."""
        return (self.start_us is None or self.start_us <= at_us) and (self.end_us is None or at_us < self.end_us)

    def overlaps(self, other: Interval) -> bool:
        """True where the two share at least one instant."""
        return (
            not (self.is_empty or other.is_empty)
            and _before(self.start_us, other.end_us)
            and _before(other.start_us, self.end_us)
        )

    @property
    def is_empty(self) -> bool:
        """True where no instant lies in it."""
        return not _before(self.start_us, self.end_us)


def _before(start_us: int | None, end_us: int | None) -> bool:
    return start_us is None or end_us is None or start_us < end_us
