"""Handles: the tenants' of one store, the same one while anybody holds it, and what they keep in memory bounded."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

from heedful.kernel.ids import TenantId
from heedful.ports.store import TenantStore

H = TypeVar("H", bound=TenantStore)

HANDLES_MAX = 64
"""Handles of a store that are kept, with what they know, while nobody else holds them."""


class Handles(Generic[H]):
    """The handles that were used last, and every other that somebody holds, which forgets what it knew.

    Without a lock: a forked child would find it as its parent's threads held it. Each step on a dictionary is whole by
    itself, and a race of two threads makes one handle forget too early, which only costs time.
    """

    def __init__(self, forget: Callable[[H], None], *, handles_max: int = HANDLES_MAX) -> None:
        """No handle; `forget` empties what one keeps in memory, and may be called while it is used."""
        self._forget = forget
        self._handles_max = handles_max
        self._recent: OrderedDict[TenantId, H] = OrderedDict()
        self._held: WeakValueDictionary[TenantId, H] = WeakValueDictionary()

    def get(self, tenant_id: TenantId) -> H | None:
        """The tenant's handle, which is the one used last now; or None."""
        handle = self._held.get(tenant_id)
        if handle is not None:
            self.touch(handle)
        return handle

    def keep(self, handle: H) -> H:
        """The tenant's handle from now on: this one, unless another thread was faster."""
        kept = self._held.setdefault(handle.tenant.tenant_id, handle)
        self.touch(kept)
        return kept

    def touch(self, handle: H) -> None:
        """The handle is the one used last. The one that was not used for longest forgets, where they are too many."""
        tenant_id = handle.tenant.tenant_id
        self._recent.pop(tenant_id, None)
        self._recent[tenant_id] = handle
        while len(self._recent) > self._handles_max:
            with suppress(KeyError):  # another thread has taken it
                _tenant_id, oldest = self._recent.popitem(last=False)
                self._forget(oldest)

    def drop(self, tenant_id: TenantId) -> None:
        """The tenant has no handle; whoever holds the one that it had goes on with it."""
        self._held.pop(tenant_id, None)
        self._recent.pop(tenant_id, None)

    def all(self) -> list[H]:
        """Every handle that somebody may use."""
        return list(self._held.values())
