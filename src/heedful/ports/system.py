"""Clock and ids: the two things that make a run differ from its replay, so both are injected."""

from __future__ import annotations

from typing import Protocol


class Clock(Protocol):
    """The time."""

    def now_us(self) -> int:
        """UTC microseconds since 1970. No guarantee that two calls differ or ascend."""
        ...


class Entropy(Protocol):
    """Unguessable bytes, for salts and ids."""

    def random_bytes(self, count: int) -> bytes:
        """`count` bytes that nobody can predict."""
        ...
