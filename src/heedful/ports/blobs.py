"""Blobs: content over the inline limit, by a name that is keyed by tenant."""

from __future__ import annotations

from typing import Protocol

from heedful.kernel.ids import TenantId


class BlobStore(Protocol):
    """Whole byte strings by name. Names are chosen by the caller and are never derived from content alone."""

    def put(self, tenant_id: TenantId, name: str, content: bytes) -> None:
        """Content is durable under `name` when this returns; putting the same name again changes nothing.

        Raises:
            UnavailableError: `blob_store_unavailable`.
        """
        ...

    def get(self, tenant_id: TenantId, name: str) -> bytes:
        """The content, whole.

        Raises:
            NotFoundError: `blob_not_found`.
            UnavailableError: `blob_store_unavailable`.
        """
        ...
