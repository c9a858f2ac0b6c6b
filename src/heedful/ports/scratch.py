"""Scratch: a tenant's store that is thrown away, in which views are folded to look at an earlier moment."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from heedful.ports.store import Tenant, TenantStore


class Scratch(Protocol):
    """Makes such stores. Nothing of them outlives the block, and nothing is written anywhere else."""

    def __call__(self, tenant: Tenant) -> AbstractContextManager[TenantStore]:
        """An empty store of that tenant, in memory; it answers as the tenant's own would (same contract, same order).

        Raises:
            UnavailableError: `store_unavailable`.
        """
        ...
