"""Blobs in the database, so that workers without a disk of their own share content; see ports.blobs."""

from __future__ import annotations

from heedful.adapters.storage.postgres.statements import Q
from heedful.adapters.storage.postgres.store import PostgresStore
from heedful.adapters.storage.postgres.texts import key_of
from heedful.adapters.storage.refusals import tenant_erased
from heedful.kernel.errors import BusyError, NotFoundError, UnavailableError
from heedful.kernel.ids import TenantId


class PostgresBlobs:
    """A row for each blob, under its tenant: whole or not there, as a transaction is."""

    def __init__(self, store: PostgresStore) -> None:
        """Blobs beside the rows of `store`, on its connections."""
        self._store = store

    def put(self, tenant_id: TenantId, name: str, content: bytes) -> None:
        """See BlobStore.put. A name stands for one content, so other bytes under it are damage, and are mended."""
        try:
            with self._store.beside(tenant_id) as session:
                session.run(Q["put_blob"], (key_of(name), content))
                is_erased = session.row(Q["erased_mark"]) != (None,)
        except (BusyError, NotFoundError, UnavailableError) as error:
            raise UnavailableError(
                "blob_store_unavailable",
                "the database that keeps large contents can't be written, or has no such tenant",
                next_step="check that it runs and takes connections, then try again",
            ) from error
        if is_erased:
            raise tenant_erased()

    def delete(self, tenant_id: TenantId, name: str) -> None:
        """See BlobStore.delete."""
        try:
            with self._store.beside(tenant_id) as session:
                session.run(Q["delete_blob"], (key_of(name),))
        except NotFoundError:
            return
        except (BusyError, UnavailableError) as error:
            raise UnavailableError(
                "blob_store_unavailable",
                "the database that keeps large contents can't be written",
                next_step="check that it runs and takes connections, then try again",
            ) from error

    def delete_tenant(self, _tenant_id: TenantId, /) -> None:
        """See BlobStore.delete_tenant: they are rows of the tenant, and go with the others in Store.delete_tenant."""

    def get(self, tenant_id: TenantId, name: str) -> bytes:
        """See BlobStore.get."""
        try:
            with self._store.beside(tenant_id) as session:
                row = session.row(Q["blob"], (key_of(name),))
        except NotFoundError:
            row = None
        except (BusyError, UnavailableError) as error:
            raise UnavailableError(
                "blob_store_unavailable",
                "the database that keeps large contents can't be read",
                next_step="check that it runs and takes connections, then try again",
            ) from error
        if row is None:
            raise NotFoundError("blob_not_found", "no content lies under that name")
        content: bytes = row[0]
        return content
