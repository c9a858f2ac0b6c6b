"""Keys: secrets of a store, kept outside of it."""

from __future__ import annotations

from typing import Protocol

from heedful.kernel.ids import TenantId


class KeyRing(Protocol):
    """Keys by tenant; made when first asked for."""

    def tenant_key(self, tenant_id: TenantId) -> bytes:
        """32 bytes, the same at every call for the life of the tenant.

        Raises:
            UnavailableError: `keys_unavailable` where the place for keys can't be read or written.
        """
        ...
