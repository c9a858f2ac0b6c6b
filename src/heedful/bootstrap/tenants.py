"""Tenants by name: the one that is there, and why one is not."""

from __future__ import annotations

from heedful.kernel.errors import ConflictError, NotFoundError
from heedful.ledger.tombstone import tombstone_of
from heedful.observations.names import shown
from heedful.ports.store import Store, Tenant
from heedful.service.tenant import is_unfinished


def tenant_named(store: Store, name: str) -> Tenant:
    """The tenant of that name, which is whole.

    Raises:
        ConflictError: `tenant_erased` where one of the name was erased.
        NotFoundError: `tenant_not_found`.
    """
    tenants = store.tenants()
    found = next((each for each in tenants if each.name == name and not is_unfinished(each)), None)
    if found is not None:
        return found
    stone = tombstone_of(store.tombstones(), name)
    if stone is not None:
        raise erased(name, is_done=stone.is_done)
    raise NotFoundError(
        "tenant_not_found",
        f"this store has no tenant {shown(name)!r}",
        next_step="`heedful ledger import FILE` goes on with the import that was interrupted here"
        if any(map(is_unfinished, tenants))
        else "`heedful --tenant NAME init` adds one, in the folder that has the store",
        details={"field": "tenant"},
    )


def erased(name: str, *, is_done: bool) -> ConflictError:
    """The error of whoever names an erased tenant."""
    again = "" if is_done else "; its erasure was interrupted"
    return ConflictError(
        "tenant_erased",
        f"the tenant {shown(name)!r} was erased, with all that it knew{again}",
        next_step="`heedful receipt` shows the receipt; `heedful --tenant NAME init --anew` makes another so named"
        if is_done
        else "ask for `heedful forget --tenant NAME --confirm NAME` once more: it goes on",
        details={"field": "tenant"},
    )
