"""Packing: one tenant after the other goes into a backup, each as it is at one moment, while others go on writing."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass

from heedful.adapters.backup.content import blob_pieces, blobs_folder
from heedful.adapters.backup.locking import KEY_BYTES, wrap, wrapping_key
from heedful.adapters.backup.writing import BackupWriter, read_pieces
from heedful.adapters.storage.sqlite.copying import copied_database
from heedful.bootstrap.app import App
from heedful.bootstrap.told import Told
from heedful.kernel.errors import BusyError, UnavailableError
from heedful.ledger.backup import TenantPart, tenant_member
from heedful.ledger.checkpoint import encode
from heedful.ledger.seal import Head
from heedful.service.auditing.export_ledger import export_ledger
from heedful.service.erasure.stages import clean_now
from heedful.service.proving.checkpoint import make_checkpoint
from heedful.service.session import Session

_TRIES_MAX = 5


@dataclass(frozen=True, slots=True)
class Packing:
    """How tenants are written: by which store, under which key of the backup; `told` is how far it is."""

    app: App
    writer: BackupWriter
    key: bytes | None
    with_keys: bool
    told: Told

    def tenant(self, number: int, session: Session) -> TenantPart:
        """The tenant, written; all of one moment, with every content that its records of that moment have."""
        tenant = session.store.tenant
        clean_now(session)  # what shows what was erased is not handed on
        checkpoint = encode(make_checkpoint(session)).decode()
        key, wrapped, needs_own = self._key(session)
        for _ in range(_TRIES_MAX):
            before = _erasures(session)
            ledger, access = self._content(number, session, key)
            # A content that was erased after its database was copied may be missing behind it.
            if before == _erasures(session):
                return TenantPart(
                    tenant_id=tenant.tenant_id,
                    name=tenant.name,
                    created_at_us=tenant.created_at_us,
                    ledger=ledger,
                    access=access,
                    checkpoint=checkpoint,
                    wrapped_key=wrapped,
                    needs_backup_key=needs_own,
                )
            self.writer.take_back(tenant_member(number, "database"))
        raise BusyError(
            "backup_disturbed",
            "something was erased each time that the tenant was copied",
            next_step="take the backup when less is erased",
        )

    def _content(self, number: int, session: Session, key: bytes | None) -> tuple[Head, Head]:
        tenant_id = session.store.tenant.tenant_id
        folder = self.app.folder
        assert folder is not None, "as in back_up"
        if folder.engine == "postgresql":
            target = _MemberTarget(self.writer, tenant_member(number, "ledger"), key, self.told)
            exported = export_ledger(session, target, lambda _done: None)
            return exported.ledger, exported.access
        wait = self.app.settings.lock_wait_seconds
        with copied_database(folder.path, tenant_id, lock_wait_seconds=wait, told=self.told) as copy:
            self.writer.add(tenant_member(number, "database"), self.told.each_of(read_pieces(copy.file)), key)
        blobs = blobs_folder(folder.blobs, tenant_id)
        try:
            self.writer.add(tenant_member(number, "blobs"), self.told.each_of(blob_pieces(blobs)), key)
        except PermissionError as error:
            raise UnavailableError(
                "blob_store_unavailable",
                "the blob folder can't be read",
                next_step="check the folder's permissions",
            ) from error
        return copy.ledger, copy.access

    def _key(self, session: Session) -> tuple[bytes | None, str | None, bool]:
        """The key of the tenant's members, how it is kept, and whether that takes the tenant's backup key."""
        if self.key is None:
            return None, None, False
        tenant_id = session.store.tenant.tenant_id
        own = None if self.with_keys else session.keys.backup_key(tenant_id)
        key = secrets.token_bytes(KEY_BYTES)
        return key, wrap(wrapping_key(self.key, tenant_id, own), key), own is not None


@dataclass(frozen=True, slots=True)
class _MemberTarget:
    """A bundle that becomes a member; see BundleTarget."""

    writer: BackupWriter
    name: str
    key: bytes | None
    told: Told

    def write(self, lines: Iterable[bytes]) -> int:
        """See BundleTarget.write."""
        return self.writer.add(self.name, self.told.each_of(lines), self.key).size


def _erasures(session: Session) -> int:
    """How often anything was erased of this tenant: the position of the last time."""
    with session.store.read() as reading:
        return max((each.envelope.position for each in reading.events_of("erasure.requested")), default=0)
