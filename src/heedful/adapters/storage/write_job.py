"""A work on its way into a transaction that others may share."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from heedful.ports.store import Writing


class Job:
    """A work on its way; `done` once its result is durable or its error is known."""

    __slots__ = ("_asleep", "done", "error", "result", "retries", "work")

    def __init__(self, work: Callable[[Writing], Any]) -> None:
        """A work that nobody has taken yet."""
        self.work = work
        self.result: Any = None
        self.error: BaseException | None = None
        self.done = False
        self.retries = 0
        self._asleep = threading.Lock()
        self._asleep.acquire()

    def finish(self) -> None:
        """Its result is durable."""
        self.done = True
        self.wake()

    def fail(self, error: BaseException) -> None:
        """Nothing of it is kept, and why."""
        self.error = error
        self.finish()

    def sleep(self, seconds: float) -> None:
        """Until somebody wakes the caller, at most so long."""
        self._asleep.acquire(timeout=seconds)

    def wake(self) -> None:
        """Whoever sleeps for this job looks again; where nobody does, the next one to sleep does not."""
        with suppress(RuntimeError):  # it was woken already
            self._asleep.release()
