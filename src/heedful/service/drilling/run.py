"""Run: what a drill has looked at so far."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from heedful.service.drilling.leftovers import DRILL
from heedful.service.drilling.report import Check, Outcome, Taken
from heedful.service.jobs.lease import renew
from heedful.service.session import Session

T = TypeVar("T")


class Run:
    """The checks of one drill, and how long things took."""

    def __init__(self, session: Session, worker: str) -> None:
        """Nothing was looked at yet."""
        self.session = session
        self.checks: list[Check] = []
        self.took: list[Taken] = []
        self._worker = worker

    def keep(self) -> None:
        """The drill goes on: nobody takes it for interrupted.

        Raises:
            ConflictError: `lease_lost` where it took so long that another drill began.
        """
        renew(self.session, DRILL, self._worker)

    def check(self, name: str, says: str, *, control: bool, passed: bool, detail: str = "") -> None:
        """One more; `control`: the same look found before what `passed` says that it does not find now."""
        outcome: Outcome = "control-failed" if not control else "held" if passed else "failed"
        self.checks.append(Check(name, says, outcome, detail))

    def unreached(self, name: str, says: str, why: str) -> None:
        """Something that was not looked at."""
        self.checks.append(Check(name, says, "not-reached", why))

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """How long the block takes is told."""
        started_us = self.session.clock.now_us()
        yield
        self.took.append(Taken(name, (self.session.clock.now_us() - started_us) / 1_000))

    def asked(self, name: str, work: Callable[[], T]) -> T:
        """What the work gives, timed."""
        with self.timed(name):
            return work()
