"""State: where a tenant's chains and views stand, and whose database it is."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.adapters.storage.refusals import tenant_erased
from heedful.adapters.storage.sqlite.connection import Session
from heedful.adapters.storage.sqlite.statements import Q
from heedful.kernel.errors import FaultError
from heedful.kernel.ids import TenantId
from heedful.ledger.seal import Head


@dataclass(slots=True)
class State:
    """The one row of table `state`: where the chains and the views stand."""

    ledger: Head
    access: Head
    checkpoint: int
    pending_count: int
    vector_changes: int

    def copy(self) -> State:
        """One that changes apart from this."""
        return State(self.ledger, self.access, self.checkpoint, self.pending_count, self.vector_changes)


def load_state(session: Session, tenant_id: TenantId, *, also_erased: bool = False) -> State:
    """The state as this tenant's database has it; in a transaction this also fixes the moment that is read.

    Raises:
        ConflictError: `tenant_erased`, unless `also_erased`.
        FaultError: `store_corrupt` where there is none; `tenant_mismatch` where the database is another tenant's.
    """
    row = session.cursor.execute(Q["load_state"]).get
    if row is None:
        raise FaultError(
            "store_corrupt",
            "a tenant's database has lost the row that says where its chains end",
            next_step="stop writing, and restore it from a backup",
        )
    ledger_position, ledger_digest, access_position, access_digest, *counts, owner, is_erased = row
    if owner != tenant_id:
        raise FaultError(
            "tenant_mismatch",
            "the database that lies under this tenant's name is not this tenant's",
            next_step="put the files in the store's tenants/ folder back, or restore them from a backup",
        )
    if is_erased and not also_erased:
        raise tenant_erased()
    return State(
        Head(ledger_position, ledger_digest.hex()),
        Head(access_position, access_digest.hex()),
        *counts,
    )
