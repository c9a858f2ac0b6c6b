"""Blobs: content over the inline limit, by a name that is keyed by tenant."""

from __future__ import annotations

from typing import Protocol

from heedful.kernel.ids import TenantId


class BlobStore(Protocol):
    """Whole byte strings by name. The caller chooses names, by content and a key: one name never has two contents."""

    def put(self, tenant_id: TenantId, name: str, content: bytes) -> None:
        """Content is durable under `name` when this returns; other bytes under that name were damage, and are replaced.

        Raises:
            ConflictError: `tenant_erased` after `delete_tenant`.
            UnavailableError: `blob_store_unavailable`.
        """
        ...

    def delete_tenant(self, tenant_id: TenantId) -> None:
        """Nothing of the tenant lies here when this returns, durably, and nothing is put for it any more.

        Raises:
            UnavailableError: `blob_store_unavailable`; it can be done again.
        """
        ...

    def get(self, tenant_id: TenantId, name: str) -> bytes:
        """The content, whole.

        Raises:
            NotFoundError: `blob_not_found`.
            UnavailableError: `blob_store_unavailable`.
        """
        ...

    def delete(self, tenant_id: TenantId, name: str) -> None:
        """Nothing lies under `name` when this returns, durably; where nothing did, nothing changes.

        Raises:
            UnavailableError: `blob_store_unavailable`.
        """
        ...
