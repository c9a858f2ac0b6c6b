"""The real clock and the real randomness; see ports.system."""

from __future__ import annotations

import os
import time

_NANOSECONDS_A_MICROSECOND = 1_000
_TICK_US = 1_000


class SystemClock:
    """The time of this machine; see Clock."""

    def now_us(self) -> int:
        """UTC microseconds since 1970."""
        return time.time_ns() // _NANOSECONDS_A_MICROSECOND


class SystemEntropy:
    """The operating system's randomness; see Entropy."""

    def random_bytes(self, count: int) -> bytes:
        """`count` bytes that nobody can predict."""
        return os.urandom(count)


class SetClock:
    """A clock that starts at a set instant and goes one millisecond further at each look, for runs to be repeated."""

    def __init__(self, start_us: int) -> None:
        """A clock whose first look shows `start_us`."""
        self._now_us = start_us

    def now_us(self) -> int:
        """UTC microseconds since 1970; each call later than the one before."""
        now_us = self._now_us
        self._now_us += _TICK_US
        return now_us
