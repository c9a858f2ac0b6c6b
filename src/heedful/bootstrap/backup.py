"""Backup: the whole store in one file, while others go on using it; and which of them are to go."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from heedful.adapters.backup.content import documents, key_files
from heedful.adapters.backup.locking import Secret, new_lock, read_secret
from heedful.adapters.backup.shelf import ShelvedBackup, backup_path, shelved
from heedful.adapters.backup.writing import BackupWriter, new_backup_file
from heedful.adapters.storage.sqlite.store import TENANTS_FOLDER
from heedful.bootstrap.app import App, new_id
from heedful.bootstrap.erasures import session_at
from heedful.bootstrap.opening import keys_folder
from heedful.bootstrap.packing import Packing
from heedful.bootstrap.told import Told
from heedful.kernel.digest import sha256_hex
from heedful.kernel.errors import InvalidInputError
from heedful.kernel.times import US_A_DAY, format_time
from heedful.ledger.backup import (
    FORMAT,
    SCRYPT_LOG2_N,
    TENANTS_MAX,
    WHAT,
    Header,
    Lock,
    Manifest,
    TenantPart,
    encode_manifest,
)
from heedful.ledger.seal import Head
from heedful.ledger.signed import SignedText
from heedful.ports.store import Tenant
from heedful.service.auditing.export_ledger import require_whole_sight
from heedful.service.session import Session
from heedful.service.tenant import is_unfinished
from heedful.settings import VERSION

__all__ = ["BackedUp", "BackedUpTenant", "ShelvedBackup", "back_up", "backups", "read_secret", "total_bytes"]


@dataclass(frozen=True, slots=True)
class BackedUpTenant:
    """A tenant in the backup, and where its chains end in it."""

    tenant_id: str
    tenant: str
    ledger: Head
    access: Head


@dataclass(frozen=True, slots=True)
class BackedUp:
    """What is in the file that was made.

    Attributes:
        expires_at: when it is to be gone, by the setting `backup_keep_days`.
        secret: what it is encrypted under: `passphrase`, `key file`, or None.
        with_keys: the store's keys are in it.
        keys_place: the folder of keys, without which no encrypted backup is opened but one with the keys in it.
    """

    file: str
    size_bytes: int
    backup_id: str
    store_id: str
    made_at: str
    expires_at: str
    secret: str | None
    with_keys: bool
    keys_place: str
    tenants: tuple[BackedUpTenant, ...]


def back_up(
    app: App,
    session: Session,
    destination: Path,
    *,
    secret: Secret | None = None,
    with_keys: bool = False,
    progress: Callable[[int], None] = lambda _bytes: None,
    scrypt_log2_n: int = SCRYPT_LOG2_N,
) -> BackedUp:
    """What was written: every tenant as it is at one moment of its own, after this was called.

    Others may go on writing. `destination` is the file, or a folder that is there. `progress` is told bytes copied.

    Raises:
        ForbiddenError: `principal_may_not`: it is for an owner or auditor who may see everything, and no agent's.
        InvalidInputError: `backup_keys_in_clear`: keys go into encrypted backups alone.
        ConflictError: `backup_exists`.
        BusyError: `backup_disturbed` where erasures or changes of tenants never paused meanwhile; `store_busy`.
        FaultError: `ledger_broken`, `checkpoint_forked`, `blob_changed`: what does not hold is not handed on.
        UnavailableError: `backup_unavailable`, or the store's.
    """
    if with_keys and secret is None:
        raise InvalidInputError(
            "backup_keys_in_clear",
            "a backup that is not encrypted holds no keys: whoever had the file would have the store and its signature",
            next_step="encrypt it with --passphrase-file, or keep a copy of the folder of keys apart",
            details={"field": "with_keys"},
        )
    sessions = _sessions(app, session)
    assert app.folder is not None, "only stores in files are opened for it"
    made_at_us = app.clock.now_us()
    lock, key = (None, None) if secret is None else new_lock(secret, log2_n=scrypt_log2_n)
    header = _header(app, made_at_us, lock)
    path = backup_path(destination, header)
    with new_backup_file(path) as file:
        writer = BackupWriter(file, header, key)
        for name, content in _beside(app, with_keys=with_keys):
            writer.add(name, [content])
        told = Told(progress)
        work = Packing(app, writer, key, with_keys=with_keys, told=told)
        parts = [work.tenant(number, session) for number, session in enumerate(sessions)]
        writer.finish(_signed(session, _manifest(app, writer, parts, with_keys=with_keys)))
    return BackedUp(
        file=str(path),
        size_bytes=path.stat().st_size,
        backup_id=header.backup_id,
        store_id=header.store_id,
        made_at=format_time(made_at_us),
        expires_at=format_time(header.expires_at_us),
        secret=None if secret is None else secret.by,
        with_keys=with_keys,
        keys_place=str(keys_folder(app.folder.store_id, app.settings)),
        tenants=tuple(BackedUpTenant(each.tenant_id, each.name, each.ledger, each.access) for each in parts),
    )


def backups(app: App, session: Session, folder: Path, *, prune: bool = False) -> tuple[ShelvedBackup, ...]:
    """This store's backups in the folder, the oldest first; with `prune`, those that are past their time are gone.

    Raises:
        ForbiddenError: `principal_may_not`.
        UnavailableError: `backup_unavailable`.
    """
    session.require("export_ledger")
    require_whole_sight(session)
    assert app.folder is not None, "only stores in files are opened for it"
    keep_us = int(app.settings.backup_keep_days * US_A_DAY)
    return shelved(folder, app.folder.store_id, now_us=app.clock.now_us(), keep_us=keep_us, prune=prune)


def total_bytes(app: App) -> int:
    """About what `progress` of a backup comes to: databases are copied, then written; 0 where that is not known."""
    if app.folder is None or app.folder.engine != "sqlite":
        return 0
    found = list((app.folder.path / TENANTS_FOLDER).glob("*.db"))
    blobs = app.folder.blobs.glob("*/*/*")
    return 2 * sum(each.stat().st_size for each in found) + sum(each.stat().st_size for each in blobs if each.is_file())


def _sessions(app: App, session: Session) -> list[Session]:
    """A session of the same principal at each tenant that is whole; they may have all of it."""
    session.require("export_ledger")
    require_whole_sight(session)
    tenants: list[Tenant] = [each for each in app.store.tenants() if not is_unfinished(each)]
    return [session_at(app, session, each) for each in tenants[:TENANTS_MAX]]


def _header(app: App, made_at_us: int, lock: Lock | None) -> Header:
    assert app.folder is not None, "as in back_up"
    return Header(
        what=WHAT,
        format=FORMAT,
        backup_id=new_id(app.clock, app.entropy),
        store_id=app.folder.store_id,
        made_at_us=made_at_us,
        expires_at_us=made_at_us + int(app.settings.backup_keep_days * US_A_DAY),
        lock=lock,
    )


def _beside(app: App, *, with_keys: bool) -> Iterator[tuple[str, bytes]]:
    """What lies beside the tenants: the registry, and keys where they are wanted."""
    assert app.folder is not None, "as in back_up"
    for name, content in documents(app.folder.registry):
        yield f"registry/{name}", content
    if with_keys:
        for name, content in key_files(keys_folder(app.folder.store_id, app.settings)):
            yield f"keys/{name}", content


def _manifest(app: App, writer: BackupWriter, parts: list[TenantPart], *, with_keys: bool) -> str:
    assert app.folder is not None, "as in back_up"
    return encode_manifest(
        Manifest(
            header_sha256=sha256_hex(writer.header_bytes),
            engine=app.folder.engine,
            release=VERSION,
            default_scope=app.folder.default_scope,
            with_keys=with_keys,
            tenants=tuple(parts),
            members=tuple(writer.members),
            erased_tenants=app.store.tombstones(),
        )
    )


def _signed(session: Session, text: str) -> SignedText:
    signature = session.signing.sign("backup", text.encode())
    return SignedText(text, signature.key_id, signature.signature, session.signing.public_keys())
