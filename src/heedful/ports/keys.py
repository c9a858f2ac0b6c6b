"""Keys: secrets of a store, kept outside of it."""

from __future__ import annotations

from typing import Protocol

from heedful.kernel.ids import TenantId


class KeyRing(Protocol):
    """Keys by tenant; made when first asked for."""

    def tenant_key(self, tenant_id: TenantId) -> bytes:
        """32 bytes, the same at every call for the life of the tenant.

        Raises:
            UnavailableError: `keys_unavailable` where the place for keys can't be read or written; `keys_missing` and
                `keys_mismatch` of a session's ring, which makes none anew (service.tenant.FoundedKeys).
        """
        ...

    def known_key(self, tenant_id: TenantId) -> bytes | None:
        """The tenant's key, or None where none was made; this makes none.

        Raises:
            UnavailableError: `keys_unavailable`.
        """
        ...

    def keep_key(self, tenant_id: TenantId, key: bytes) -> None:
        """The tenant's key is this one, durably, as it was elsewhere.

        Raises:
            ConflictError: `key_taken` where the tenant has another.
            UnavailableError: `keys_unavailable`.
        """
        ...

    def place(self, tenant_id: TenantId) -> str:
        """Where the tenant's key lies or would lie, for an operator to find it."""
        ...
