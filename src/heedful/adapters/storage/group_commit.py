"""One writer for a tenant in this process: callers take turns, and those who wait share a commit.

Whoever holds the turn runs the waiting works in its own thread, each so that its failure undoes it alone, commits
once, and hands out the results. A caller that waits for nobody runs its own work and hops to no other thread. Those
whose works are done are woken all at once, and do not queue for the turn again. Where too many wait, the next is told
to come back later instead of waiting as well.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

from heedful.adapters.storage.refusals import (
    commit_unknown,
    neighbour_lost,
    queue_full,
    store_busy,
    store_closed,
    store_nested,
    store_read_only,
)
from heedful.adapters.storage.transaction import Limits, StateT, Transaction
from heedful.adapters.storage.write_job import Job
from heedful.kernel.errors import UnavailableError
from heedful.ports.store import Writing

T = TypeVar("T")

# How often works are run again where the database undid their transaction to end a deadlock or a clash.
RETRIES_MAX = 3
# A retry time is an estimate; outside of these bounds it would be a busy loop or a wait without end.
RETRY_AFTER_MIN_SECONDS = 0.01
RETRY_AFTER_MAX_SECONDS = 30.0
# How much the newest commit counts in the running mean of commit times.
_NEWEST_SHARE = 0.2
# A caller whose turn nobody told it of, since whoever had to was stopped by a signal, looks for itself after so long.
LOOK_AGAIN_SECONDS = 0.05
# The mean before anything was committed.
_COMMIT_SECONDS_FIRST = 0.01


class GroupCommit(Generic[StateT]):
    """The only one that writes for its tenant in this process; other processes have their own."""

    def __init__(self, transaction: Transaction[StateT], limits: Limits) -> None:
        """A writer by `transaction`, which is its own from now on."""
        self._transaction = transaction
        self._limits = limits
        self._turn = threading.Lock()
        self._queue_lock = threading.Lock()
        self._leader: int | None = None
        self._waiting: deque[Job] = deque()
        self._is_committing = False
        self._commit_seconds = _COMMIT_SECONDS_FIRST
        self.is_read_only = False
        self.is_closed = False

    def write(self, work: Callable[[Writing], T]) -> T:
        """See TenantStore.write."""
        self.refuse_nesting()
        job = Job(work)
        deadline = time.monotonic() + self._limits.lock_wait_seconds
        self._join(job)
        try:
            self._see_done(job, deadline)
        finally:
            if not job.done:
                self._leave(job)
                self._wake_next()
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
            raise store_nested()

    def refuse_if_shut(self) -> None:
        """Nothing, while it may write.

        Raises:
            UnavailableError: `store_closed`, `store_read_only`.
        """
        if self.is_closed:
            raise store_closed()
        if self.is_read_only:
            raise store_read_only()

    def between_commits(self, action: Callable[[], T]) -> T:
        """What `action` returned while no transaction is open.

        Raises:
            BusyError: `store_busy`.
        """
        if not self._turn.acquire(timeout=self._limits.lock_wait_seconds):
            raise store_busy(self.retry_after_seconds())
        try:
            return action()
        finally:
            self._turn.release()
            self._wake_next()

    def retry_after_seconds(self) -> float:
        """In how many seconds those that wait now are probably done, to a millisecond, within bounds."""
        commits = len(self._waiting) / self._limits.group_commit_jobs_max + 1
        expected = min(max(self._commit_seconds * commits, RETRY_AFTER_MIN_SECONDS), RETRY_AFTER_MAX_SECONDS)
        return round(expected, 3)

    def close(self) -> None:
        """The write that goes on has ended, those that wait are refused, and nothing is open."""
        self.is_closed = True
        with self._turn:
            self._transaction.close()
        self._wake_next()

    def _join(self, job: Job) -> None:
        with self._queue_lock:
            if len(self._waiting) >= self._limits.write_queue_max:
                raise queue_full(self._limits.write_queue_max, self.retry_after_seconds())
            self._waiting.append(job)

    def _see_done(self, job: Job, deadline: float) -> None:
        """The job is done, by whoever has the turn; where nobody has it, by this caller, who then leads."""
        while not job.done:
            if self._turn.acquire(blocking=False):
                self._lead_until_done(job, deadline)
                return
            left = deadline - time.monotonic()
            if left > 0:
                job.sleep(min(left, LOOK_AGAIN_SECONDS))
            elif self._leave(job):
                job.fail(store_busy(self.retry_after_seconds()))
            else:
                # Taken by a leader already: it may be committed, so its end must be known.
                job.sleep(LOOK_AGAIN_SECONDS)

    def _lead_until_done(self, job: Job, deadline: float) -> None:
        try:
            self._leader = threading.get_ident()
            while not job.done:
                self._lead(job, deadline)
        finally:
            self._leader = None
            self._turn.release()
            self._wake_next()

    def _wake_next(self) -> None:
        """Whoever waits longest looks whether it is its turn; somebody else may have taken it by then."""
        with suppress(IndexError):
            self._waiting[0].wake()

    def _leave(self, job: Job) -> bool:
        try:
            self._waiting.remove(job)
        except ValueError:
            return False
        return True

    def _lead(self, own: Job, deadline: float) -> None:
        """At least one waiting job is done: those that this transaction took, or the caller's own that failed."""
        taken: list[Job] = []
        try:
            self.refuse_if_shut()
            self._run_all(taken, deadline)
        except self._transaction.driver_error as error:
            if self._transaction.is_retryable(error) and self._run_again(taken):
                return
            translated = self._transaction.translate(error)
            translated.__cause__ = error
            self._undo(taken or [own], translated)
        except UnavailableError as error:
            self._undo(taken or [own], error)
        except _TransactionLostError as error:
            lost = neighbour_lost()
            lost.__cause__ = error
            self._undo(taken, lost)
        except BaseException:
            self._stand_down(taken, own)
            raise

    def _run_again(self, taken: list[Job]) -> bool:
        """True where these jobs wait again, in front; False where one of them was run often enough."""
        if not taken or any(job.retries >= RETRIES_MAX for job in taken):
            return False
        self._undo([], None)
        for job in taken:
            job.retries += 1
        self._waiting.extendleft(job for job in reversed(taken) if not job.done)
        return True

    def _stand_down(self, taken: list[Job], own: Job) -> None:
        """After a signal: either all is committed, or nothing is kept and the next in turn runs the others' again."""
        outcome = self._transaction.was_committed() if self._is_committing else False
        if outcome:
            for job in taken:
                job.finish()
            return
        if outcome is None:
            self._undo([job for job in taken if job is not own], commit_unknown())
            return
        self._waiting.extendleft(job for job in reversed(taken) if not job.done and job is not own)
        self._undo([], None)

    def _run_all(self, taken: list[Job], deadline: float) -> None:
        self._is_committing = False
        began = time.monotonic()
        state = self._transaction.begin(deadline)
        kept: list[Job] = []
        while self._waiting and len(taken) < self._limits.group_commit_jobs_max:
            job = self._waiting.popleft()
            taken.append(job)
            after = self._run_one(job, state, alone=not kept)
            if after is not None:
                state = after
                kept.append(job)
            elif not self._transaction.in_transaction:
                break
        if self._transaction.in_transaction:
            self._commit(state)
        for job in kept:
            job.finish()
        self._commit_seconds += _NEWEST_SHARE * (time.monotonic() - began - self._commit_seconds)

    def _run_one(self, job: Job, state: StateT, *, alone: bool) -> StateT | None:
        """The state after the job, or None where it failed and nothing of it is left."""
        transaction = self._transaction
        if not alone:
            transaction.savepoint()
        writing = transaction.writing(state.copy())
        try:
            job.result = job.work(writing)
            after = writing.finish()
        except BaseException as error:
            if not isinstance(error, Exception) or transaction.is_retryable(error):
                raise
            job.fail(self._ours(error))
            if not transaction.in_transaction:
                raise _TransactionLostError from error
            if alone:
                transaction.roll_back()
            else:
                transaction.undo_to_savepoint()
            # Numbers of scopes that the job brought are gone with it.
            transaction.forget()
            after = None
        finally:
            writing.end()
        if not alone:
            transaction.release()
        return after

    def _ours(self, error: Exception) -> Exception:
        if not isinstance(error, self._transaction.driver_error):
            return error
        translated = self._transaction.translate(error)
        translated.__cause__ = error
        return translated

    def _commit(self, state: StateT) -> None:
        self._is_committing = True
        try:
            self._transaction.commit(state)
        except self._transaction.driver_error as error:
            self.is_read_only = self._transaction.is_commit_lost(error)
            raise

    def _undo(self, jobs: list[Job], error: BaseException | None) -> None:
        self._transaction.forget()
        for job in jobs:
            if not job.done and error is not None:
                self._leave(job)
                job.fail(error)
        self._transaction.roll_back()


class _TransactionLostError(Exception):
    """The database rolled the whole transaction back by itself, as it does where its disk is full or fails."""
