"""One writer for a database: callers take turns, and those who wait share a commit.

Whoever holds the turn runs the waiting works in its own thread, each so that its failure undoes it alone, commits
once, and hands out the results. A caller that waits for nobody runs its own work and hops to no other thread.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

import apsw

from heedful.adapters.storage.sqlite.connection import Session, is_commit_lost, store_busy, translate
from heedful.adapters.storage.sqlite.state import State, load_state
from heedful.adapters.storage.sqlite.writing import SqliteWriting
from heedful.kernel.errors import FaultError, UnavailableError
from heedful.kernel.ids import TenantId
from heedful.ports.store import Writing

T = TypeVar("T")


class _Job:
    """A work on its way; `done` once its result is durable or its error is known."""

    __slots__ = ("done", "error", "result", "work")

    def __init__(self, work: Callable[[Writing], Any]) -> None:
        self.work = work
        self.result: Any = None
        self.error: BaseException | None = None
        self.done = False

    def fail(self, error: BaseException) -> None:
        self.error = error
        self.done = True


class Writer:
    """The only one that writes to its database in this process; other processes have their own."""

    def __init__(
        self, tenant_id: TenantId, session: Session, *, lock_wait_seconds: float, group_commit_jobs_max: int
    ) -> None:
        """A writer on `session`, which is its own from now on."""
        self._tenant_id = tenant_id
        self._session = session
        self._lock_wait_seconds = lock_wait_seconds
        self._jobs_max = group_commit_jobs_max
        self._turn = threading.Lock()
        self._leader: int | None = None
        self._waiting: deque[_Job] = deque()
        self._is_committing = False
        self.is_read_only = False
        self.is_closed = False

    def write(self, work: Callable[[Writing], T]) -> T:
        """See TenantStore.write."""
        self.refuse_nesting()
        job = _Job(work)
        deadline = time.monotonic() + self._lock_wait_seconds
        self._waiting.append(job)
        try:
            self._wait_for_turn(job, deadline)
            try:
                self._leader = threading.get_ident()
                while not job.done:
                    self._lead(job, deadline)
            finally:
                self._leader = None
                self._turn.release()
        finally:
            if not job.done:
                self._leave(job)
        if job.error is not None:
            raise job.error
        result: T = job.result
        return result

    def refuse_nesting(self) -> None:
        """Nothing, unless this thread runs a work of this writer just now.

        Raises:
            FaultError: `store_nested`.
        """
        if self._leader == threading.get_ident():
            raise FaultError("store_nested", "a work opened the store that it writes to; use the writing it was given")

    def between_commits(self, action: Callable[[Session], T]) -> T:
        """What `action` returned for the writer's session, while no transaction is open on it.

        Raises:
            BusyError: `store_busy`.
        """
        if not self._turn.acquire(timeout=self._lock_wait_seconds):
            raise store_busy()
        try:
            return action(self._session)
        finally:
            self._turn.release()

    def close(self) -> None:
        """The write that goes on has ended, those that wait are refused, and the file is closed."""
        self.is_closed = True
        with self._turn:
            self._session.close()

    def _wait_for_turn(self, job: _Job, deadline: float) -> None:
        if self._turn.acquire(blocking=False):
            return
        if self._turn.acquire(timeout=max(0.0, deadline - time.monotonic())):
            return
        if self._leave(job):
            job.fail(store_busy())
            raise store_busy()
        # Taken by a leader already: it may be committed, so its end must be known.
        self._turn.acquire()

    def _leave(self, job: _Job) -> bool:
        try:
            self._waiting.remove(job)
        except ValueError:
            return False
        return True

    def _lead(self, own: _Job, deadline: float) -> None:
        """At least one waiting job is done: those that this transaction took, or the caller's own that failed."""
        taken: list[_Job] = []
        self._session.busy_until = deadline
        try:
            self._refuse_if_shut()
            self._session.cursor.execute("BEGIN IMMEDIATE")
            self._run_all(taken)
        except apsw.Error as error:
            translated = translate(error)
            translated.__cause__ = error
            self._undo(taken or [own], translated)
        except UnavailableError as error:
            self._undo([own], error)
        except _TransactionLostError as error:
            self._undo(taken, _lost(error))
        except BaseException:
            self._stand_down(taken, own)
            raise

    def _stand_down(self, taken: list[_Job], own: _Job) -> None:
        """After a signal: either all is committed, or nothing is kept and the next in turn runs the others' again."""
        if self._is_committing and not self._session.in_transaction:
            for job in taken:
                job.done = True
            return
        self._waiting.extendleft(job for job in reversed(taken) if not job.done and job is not own)
        self._undo([], None)

    def _refuse_if_shut(self) -> None:
        if self.is_closed:
            raise store_closed()
        if self.is_read_only:
            raise UnavailableError(
                "store_read_only",
                "a commit failed earlier, so nothing more is written: what it left on disk is not known",
                next_step="check the disk, then restart and verify",
            )

    def _run_all(self, taken: list[_Job]) -> None:
        self._is_committing = False
        state = load_state(self._session, self._tenant_id)
        kept: list[_Job] = []
        while self._waiting and len(taken) < self._jobs_max:
            job = self._waiting.popleft()
            taken.append(job)
            after = self._run_one(job, state, alone=not kept)
            if after is not None:
                state = after
                kept.append(job)
            elif not self._session.in_transaction:
                break
        if self._session.in_transaction:
            self._commit()
        for job in kept:
            job.done = True

    def _run_one(self, job: _Job, state: State, *, alone: bool) -> State | None:
        """The state after the job, or None where it failed and nothing of it is left."""
        run = self._session.cursor.execute
        if not alone:
            run("SAVEPOINT job")
        writing = SqliteWriting(self._tenant_id, self._session, state.copy())
        try:
            job.result = job.work(writing)
            after = writing.finish()
        except BaseException as error:
            if not isinstance(error, Exception):
                raise
            job.fail(_ours(error))
            if not self._session.in_transaction:
                raise _TransactionLostError from error
            run("ROLLBACK" if alone else "ROLLBACK TO job")
            # Numbers of scopes that the job brought are gone with it.
            self._session.scope_ids.clear()
            after = None
        finally:
            writing.end()
        if not alone:
            run("RELEASE job")
        return after

    def _commit(self) -> None:
        self._is_committing = True
        try:
            self._session.cursor.execute("COMMIT")
        except apsw.Error as error:
            self.is_read_only = is_commit_lost(error)
            raise

    def _undo(self, jobs: list[_Job], error: BaseException | None) -> None:
        self._session.scope_ids.clear()
        for job in jobs:
            if not job.done and error is not None:
                self._leave(job)
                job.fail(error)
        self._session.roll_back()


class _TransactionLostError(Exception):
    """SQLite rolled the whole transaction back by itself, as it does where the disk is full or fails."""


def _ours(error: BaseException) -> BaseException:
    if not isinstance(error, apsw.Error):
        return error
    translated = translate(error)
    translated.__cause__ = error
    return translated


def _lost(error: BaseException) -> UnavailableError:
    lost = UnavailableError(
        "store_unavailable",
        "another write that shared the commit met a failing disk; nothing of this one was kept",
        next_step="check the disk, then try again",
    )
    lost.__cause__ = error
    return lost


def store_closed() -> UnavailableError:
    """The error of every call after close."""
    return UnavailableError("store_closed", "the store was closed", next_step="open it again")
