"""The writer of one tenant: shared commits (group_commit.py), each on a connection of the pool."""

from __future__ import annotations

import time

import psycopg

from heedful.adapters.storage.postgres.connection import Connection, Session, commit, in_transaction, run_unseen
from heedful.adapters.storage.postgres.driver_errors import RETRYABLE, translate
from heedful.adapters.storage.postgres.pool import Pool
from heedful.adapters.storage.postgres.state import Place, State, state_of
from heedful.adapters.storage.postgres.statements import Q, ScopeNumbers
from heedful.adapters.storage.postgres.writing import PostgresWriting
from heedful.kernel.errors import HeedfulError
from heedful.kernel.ids import TenantId


class PostgresTransaction:
    """See Transaction. Positions have no gap since the tenant's row of `state` is locked before anything is read."""

    driver_error: type[Exception] = psycopg.Error

    def __init__(self, tenant_id: TenantId, number: int, place: Place, pool: Pool) -> None:
        """Transactions of the tenant of that number, none of them begun."""
        self._tenant_id = tenant_id
        self._number = number
        self._place = place
        self._pool = pool
        self._connection: Connection | None = None
        # Numbers of scopes that this writer found or gave; apart from what readers know, since they may be undone.
        self._scope_ids = ScopeNumbers()
        self._was_committed: bool | None = False
        self._has_mark = False

    @property
    def in_transaction(self) -> bool:
        """See Transaction.in_transaction."""
        return self._connection is not None and in_transaction(self._connection)

    def begin(self, deadline: float) -> State:
        """See Transaction.begin."""
        self._was_committed = self._has_mark = False
        # 0 would be a wait without end.
        wait_milliseconds = max(1, round((deadline - time.monotonic()) * 1_000))
        statements = self._place.begin_writing(self._number, wait_milliseconds)
        self._connection, rows = self._pool.begin(statements, deadline)
        return state_of(rows[0] if rows else None)

    def writing(self, state: State, /) -> PostgresWriting:
        """See Transaction.writing."""
        assert self._connection is not None
        return PostgresWriting(self._tenant_id, Session(self._connection), state, self._scope_ids)

    def savepoint(self) -> None:
        """See Transaction.savepoint."""
        self._run("RELEASE job; SAVEPOINT job" if self._has_mark else "SAVEPOINT job")
        self._has_mark = True

    def release(self) -> None:
        """See Transaction.release. It goes with the next mark, in one message, or with the commit."""

    def undo_to_savepoint(self) -> None:
        """See Transaction.undo_to_savepoint."""
        self._run("ROLLBACK TO job")

    def commit(self, state: State, /) -> None:
        """See Transaction.commit."""
        assert self._connection is not None
        saved = Q["save_state"].format(
            ledger_position=int(state.ledger.position),
            ledger_digest=bytes.fromhex(state.ledger.digest).hex(),
            access_position=int(state.access.position),
            access_digest=bytes.fromhex(state.access.digest).hex(),
            checkpoint=int(state.checkpoint),
        )
        self._was_committed = None
        try:
            commit(self._connection, f"{saved}; ")
        except psycopg.Error:
            self._was_committed = False
            raise
        self._was_committed = True
        self._give_back()

    def roll_back(self) -> None:
        """See Transaction.roll_back."""
        self._give_back()

    def forget(self) -> None:
        """See Transaction.forget."""
        self._scope_ids.clear()

    def translate(self, error: Exception) -> HeedfulError:
        """See Transaction.translate."""
        assert isinstance(error, psycopg.Error)
        return translate(error)

    def is_commit_lost(self, _error: Exception, /) -> bool:
        """See Transaction.is_commit_lost. The server stops at its first failed fsync, and recovers from its log."""
        return False

    def is_retryable(self, error: Exception) -> bool:
        """See Transaction.is_retryable."""
        return isinstance(error, RETRYABLE)

    def was_committed(self) -> bool | None:
        """See Transaction.was_committed."""
        return self._was_committed

    def close(self) -> None:
        """See Transaction.close."""
        self._give_back()

    def _run(self, statements: str) -> None:
        assert self._connection is not None
        run_unseen(self._connection, statements)

    def _give_back(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            self._pool.give_back(connection)
