"""Tombstones: who may still be made or named where tenants were erased; the same for every engine."""

from __future__ import annotations

from collections.abc import Iterable

from heedful.adapters.storage.refusals import tenant_erased
from heedful.kernel.ids import TenantId
from heedful.ledger.tombstone import Tombstone


def refuse_erased(tombstones: Iterable[Tombstone], tenant_id: TenantId, name: str, *, anew: bool = False) -> None:
    """Nothing, where no erased tenant had this id, nor this name, which a new one may have where that is asked for.

    Raises:
        ConflictError: `tenant_erased`.
    """
    if any(each.tenant_id == tenant_id or (not anew and each.is_of(name)) for each in tombstones):
        raise tenant_erased()
