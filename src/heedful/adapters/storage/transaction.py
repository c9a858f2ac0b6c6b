"""A tenant's transaction as the group commit sees it, whatever the engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, Self, TypeVar

from heedful.kernel.errors import HeedfulError
from heedful.ports.store import Writing

# The defaults of Settings, for a store that is opened without them.
LOCK_WAIT_SECONDS = 30.0
GROUP_COMMIT_JOBS_MAX = 64
WRITE_QUEUE_MAX = 1_024


class TenantState(Protocol):
    """Where a tenant's chains and views stand, as the engine keeps it."""

    def copy(self) -> Self:
        """One that changes apart from this."""
        ...


StateT = TypeVar("StateT", bound=TenantState)
StateT_co = TypeVar("StateT_co", bound=TenantState, covariant=True)


@dataclass(frozen=True, slots=True)
class Limits:
    """What a store was opened with; see Settings.

    Attributes:
        write_queue_max: writes of one tenant that may wait in one process.
    """

    lock_wait_seconds: float
    group_commit_jobs_max: int
    write_queue_max: int


class JobWriting(Writing, Protocol[StateT_co]):
    """The writing that one work is given."""

    def finish(self) -> StateT_co:
        """The state after this work, which is in the transaction whole when this returns."""
        ...

    def end(self) -> None:
        """Every later call raises `moment_over`."""
        ...


class Transaction(Protocol[StateT]):
    """What a group commit needs of an engine: a transaction of one tenant that is begun and ended many times."""

    @property
    def driver_error(self) -> type[Exception]:
        """The base of what the driver raises."""
        ...

    @property
    def in_transaction(self) -> bool:
        """True from `begin` to its end, also one that the database made by itself after an error."""
        ...

    def begin(self, deadline: float) -> StateT:
        """The tenant's write lock is held, waited for until `deadline` (monotonic seconds); its state is read.

        Raises:
            driver_error, HeedfulError: it was not to be had.
        """
        ...

    def writing(self, state: StateT, /) -> JobWriting[StateT]:
        """A writing in this transaction; `state` is its own to change."""
        ...

    def savepoint(self) -> None:
        """A mark that `undo_to_savepoint` goes back to."""
        ...

    def release(self) -> None:
        """The mark is gone, what was done since stays."""
        ...

    def undo_to_savepoint(self) -> None:
        """What was done since the mark is undone; the mark stays."""
        ...

    def commit(self, state: StateT, /) -> None:
        """All is durable, with this state.

        Raises:
            driver_error, HeedfulError: it is not, or (`commit_unknown`) that is not known.
        """
        ...

    def roll_back(self) -> None:
        """No transaction is open; where one was, nothing of it is kept."""
        ...

    def forget(self) -> None:
        """What was learned in the transaction is not relied on: it may have been undone."""
        ...

    def translate(self, error: Exception) -> HeedfulError:
        """Our error for the driver's."""
        ...

    def is_commit_lost(self, error: Exception) -> bool:
        """True where a failed commit leaves unknown what is on disk, so that nothing more may be acknowledged."""
        ...

    def is_retryable(self, error: Exception) -> bool:
        """True where the database undid the transaction to end a clash, and the same works may succeed."""
        ...

    def was_committed(self) -> bool | None:
        """How the last commit ended that a signal interrupted; None: not known."""
        ...

    def close(self) -> None:
        """Nothing of it is open."""
        ...
