"""Tombstones: how a store takes a tenant away that was erased, and keeps what is left of it. See ports.store."""

from __future__ import annotations

from typing import Protocol

from heedful.kernel.ids import TenantId
from heedful.ledger.tombstone import Tombstone
from heedful.ports.erasure import Scrubbed


class Burying(Protocol):
    """The part of a store by which a whole tenant goes.

    It goes in steps, each durable, and each can be done again: `ErasureWriter.mark_erased` in a write of the tenant,
    from whose commit on nobody reads or writes it any more; `bury`; `delete_tenant`; `bury` with `is_done`.
    """

    def erased_mark(self, tenant_id: TenantId) -> str | None:
        """What the tenant was marked as erased with; None where it was not, or its rows are gone.

        Raises:
            NotFoundError: `tenant_not_found`.
            UnavailableError: `store_unavailable`, `store_closed`.
        """
        ...

    def bury(self, tombstone: Tombstone) -> None:
        """The tenant is listed no more, its name is nowhere, and whoever asks for it is told `tenant_erased`.

        One of the same tenant is replaced, unless it is done and this one is not. The tenant is to be marked before.

        Raises:
            UnavailableError: `store_unavailable`, `store_closed`.
        """
        ...

    def tombstones(self) -> tuple[Tombstone, ...]:
        """Every one, in order of tenant ids."""
        ...

    def delete_tenant(self, tenant_id: TenantId) -> Scrubbed:
        """No row or file of a buried tenant is left, as far as the store can see to it; what it could not is said.

        Raises:
            BusyError: `store_busy` where somebody reads it for longer than `lock_wait_seconds`; it can be done again.
            NotFoundError: `tenant_not_found` where it is not buried.
            UnavailableError: `store_unavailable`, `store_closed`.
        """
        ...
