"""State: where a tenant's chains and views stand, and the statements that begin its transactions."""

from __future__ import annotations

from dataclasses import dataclass, replace

from heedful.adapters.storage.postgres.connection import IDLE_TRANSACTION_SECONDS_MAX, STATEMENT_SECONDS_MAX, Row
from heedful.adapters.storage.postgres.statements import Q
from heedful.adapters.storage.refusals import tenant_erased
from heedful.kernel.errors import FaultError
from heedful.ledger.seal import Head

APP_ROLE = "heedful_app"
CONTROL_ROLE = "heedful_control"
# A statement is planned once for a connection and not for its values: planning took most of a search's time. Where no
# counts are known yet, a plan must still read by the index that was made for it, in the order that this has.
_PLANNING = (
    "SET LOCAL plan_cache_mode = force_generic_plan; SET LOCAL jit = off; SET LOCAL enable_seqscan = off; "
    "SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off"
)


@dataclass(slots=True)
class State:
    """The tenant's row of table `state`: where the chains and the views stand."""

    ledger: Head
    access: Head
    checkpoint: int

    def copy(self) -> State:
        """One that changes apart from this."""
        return replace(self)


def state_of(row: Row | None) -> State:
    """The state that these columns hold.

    Raises:
        ConflictError: `tenant_erased`.
        FaultError: `store_corrupt` where there is none.
    """
    if row is None:
        raise FaultError(
            "store_corrupt",
            "the database has lost the row that says where a tenant's chains end",
            next_step="stop writing, and restore it from a backup",
        )
    ledger_position, ledger_digest, access_position, access_digest, checkpoint, is_erased = row
    if is_erased:
        raise tenant_erased()
    return State(Head(ledger_position, ledger_digest.hex()), Head(access_position, access_digest.hex()), checkpoint)


@dataclass(frozen=True, slots=True)
class Place:
    """What the database needs to be told at the start of every transaction.

    Attributes:
        search_path: schemas in which names are looked up, quoted.
        synchronous_commit: `on`, or what the server has where that waits for more.
    """

    search_path: str
    synchronous_commit: str

    def begin_reading(self, number: int) -> str:
        """The statements that begin a moment of the tenant of that number, and read its state."""
        return f"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; {self._of_tenant(number)}; {Q['load_state']}"

    def begin_writing(self, number: int, lock_milliseconds: int) -> str:
        """The same for a write: the state's row is locked, waited for so long, and read as the last commit left it."""
        return (
            f"{self._begin_durably()}; {self._of_tenant(number)}; SET LOCAL lock_timeout = {lock_milliseconds}; "
            f"{Q['load_state']} FOR UPDATE"
        )

    def begin_control(self, lock_milliseconds: int) -> str:
        """The statements that begin a transaction of the store's own."""
        return f"{self._begin_durably()}; {self._as(CONTROL_ROLE)}; SET LOCAL lock_timeout = {lock_milliseconds}"

    def begin_beside(self, number: int) -> str:
        """The statements that begin a write of that tenant which moves neither chains nor views."""
        return f"{self._begin_durably()}; {self._of_tenant(number)}"

    def become_tenant(self, number: int) -> str:
        """The statements by which a transaction of the store's own goes on as that tenant's."""
        return self._of_tenant(number)

    def _begin_durably(self) -> str:
        return f"BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL synchronous_commit = {self.synchronous_commit}"

    def _of_tenant(self, number: int) -> str:
        return f"{self._as(APP_ROLE)}; SET LOCAL heedful.tenant_id = '{number:d}'"

    def _as(self, role: str) -> str:
        return (
            f"SET LOCAL search_path = {self.search_path}; SET LOCAL ROLE {role}; "
            f"SET LOCAL statement_timeout = {STATEMENT_SECONDS_MAX * 1_000}; "
            f"SET LOCAL idle_in_transaction_session_timeout = {IDLE_TRANSACTION_SECONDS_MAX * 1_000}; {_PLANNING}"
        )
