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

    def backup_key(self, tenant_id: TenantId) -> bytes:
        """32 bytes under which the tenant's part of an encrypted backup is wrapped; made when first asked for.

        It is never in a backup itself: destroying it makes every backup unreadable that was wrapped under it alone.

        Raises:
            UnavailableError: `keys_unavailable`.
        """
        ...

    def known_backup_key(self, tenant_id: TenantId) -> bytes | None:
        """The same, or None where none was made or it was destroyed; this makes none.

        Raises:
            UnavailableError: `keys_unavailable`.
        """
        ...

    def destroy(self, tenant_id: TenantId) -> None:
        """Every key of the tenant is gone from here, durably, and from what this ring remembers; again: nothing.

        What was kept under it (names of contents, digests of erased sources, wrapped backups) says nothing any more.

        Raises:
            UnavailableError: `keys_unavailable`; it can be done again.
        """
        ...
