"""The writer of one SQLite database: shared commits (group_commit.py) on one connection."""

from __future__ import annotations

from collections.abc import Callable

import apsw

from heedful.adapters.storage.group_commit import GroupCommit
from heedful.adapters.storage.sqlite.connection import Session, is_commit_lost, is_sync_lost, translate
from heedful.adapters.storage.sqlite.state import State, load_state
from heedful.adapters.storage.sqlite.writing import SqliteWriting
from heedful.adapters.storage.transaction import Limits
from heedful.kernel.errors import HeedfulError
from heedful.kernel.ids import TenantId


class Writer(GroupCommit[State]):
    """The only one that writes to its database in this process; other processes have their own."""

    def __init__(self, tenant_id: TenantId, session: Session, limits: Limits) -> None:
        """A writer on `session`, which is its own from now on."""
        self._session = session
        self._disk = SqliteTransaction(tenant_id, session)
        super().__init__(self._disk, limits)

    @property
    def is_read_only(self) -> bool:
        """True from the first failed commit or fsync on: nothing more may be acknowledged."""
        return self._disk.is_suspect

    @is_read_only.setter
    def is_read_only(self, value: bool) -> None:
        # Never back: a commit that succeeds after a failed fsync proves nothing.
        self._disk.is_suspect = self._disk.is_suspect or value

    def alone(self, action: Callable[[Session], None]) -> None:
        """The action is done on the writer's connection, in no transaction; who writes in this process waits.

        Raises:
            BusyError, UnavailableError: see TenantStore.write; and what the action raises.
        """
        self.refuse_nesting()
        self.between_commits(lambda: self._alone(action))

    def _alone(self, action: Callable[[Session], None]) -> None:
        self.refuse_if_shut()
        try:
            action(self._session)
        except apsw.Error as error:
            self.is_read_only = is_commit_lost(error)
            raise self._disk.translate(error) from error


class SqliteTransaction:
    """See Transaction.

    Attributes:
        is_suspect: a commit or an fsync failed.
    """

    driver_error: type[Exception] = apsw.Error

    def __init__(self, tenant_id: TenantId, session: Session) -> None:
        """Transactions on `session`, none of them begun."""
        self._tenant_id = tenant_id
        self.is_suspect = False
        self._session = session
        self._run = session.cursor.execute

    @property
    def in_transaction(self) -> bool:
        """See Transaction.in_transaction."""
        return self._session.in_transaction

    def begin(self, deadline: float) -> State:
        """See Transaction.begin."""
        self._session.busy_until = deadline
        self._run("BEGIN IMMEDIATE")
        return load_state(self._session, self._tenant_id)

    def writing(self, state: State, /) -> SqliteWriting:
        """See Transaction.writing."""
        return SqliteWriting(self._tenant_id, self._session, state)

    def savepoint(self) -> None:
        """See Transaction.savepoint."""
        self._run("SAVEPOINT job")

    def release(self) -> None:
        """See Transaction.release."""
        self._run("RELEASE job")

    def undo_to_savepoint(self) -> None:
        """See Transaction.undo_to_savepoint."""
        self._run("ROLLBACK TO job")

    def commit(self, _state: State, /) -> None:
        """See Transaction.commit. Each writing has saved its state already."""
        self._run("COMMIT")
        if not self._session.checkpoint():
            self.is_suspect = True

    def roll_back(self) -> None:
        """See Transaction.roll_back."""
        self._session.roll_back()

    def forget(self) -> None:
        """See Transaction.forget."""
        self._session.scope_ids.clear()

    def translate(self, error: Exception) -> HeedfulError:
        """See Transaction.translate."""
        assert isinstance(error, apsw.Error)
        self.is_suspect = self.is_suspect or is_sync_lost(error)
        return translate(error)

    def is_commit_lost(self, error: Exception) -> bool:
        """See Transaction.is_commit_lost."""
        return isinstance(error, apsw.Error) and is_commit_lost(error)

    def is_retryable(self, _error: Exception, /) -> bool:
        """See Transaction.is_retryable. With one writer at a time nothing ever clashes."""
        return False

    def was_committed(self) -> bool | None:
        """See Transaction.was_committed."""
        return not self._session.in_transaction

    def close(self) -> None:
        """See Transaction.close."""
        self._session.close()
