"""Unpacking: what is in a backup is laid down in a folder, each part checked; nothing of it serves there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from heedful.adapters.backup.content import KEY_FILE_BYTES_MAX, blobs_folder, write_blobs, write_file
from heedful.adapters.backup.locking import unwrap, wrapping_key
from heedful.adapters.backup.reading import BackupReader
from heedful.adapters.file_names import create_whole, file_name, make_folder, sync_folder
from heedful.adapters.registry_files import DOCUMENT_BYTES_MAX
from heedful.adapters.storage.sqlite.store import TENANTS_FOLDER, SqliteStore
from heedful.bootstrap.opening import key_ring, keys_folder
from heedful.bootstrap.told import Told
from heedful.kernel.errors import ConflictError, UnavailableError
from heedful.kernel.ids import TenantId
from heedful.ledger.backup import Member, TenantPart, malformed, members_named, tenant_member
from heedful.ledger.tombstone import Tombstone
from heedful.ports.store import Tenant
from heedful.settings import STORE_FOLDER, Settings


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A store that was laid down.

    Attributes:
        tenants: those that are in it. left_out: the names of those that are not.
        tombstones: of tenants that were erased as a whole.
        has_keys: the keys of all that are in it are here.
    """

    folder: Path
    store_id: str
    default_scope: tuple[str, ...]
    tenants: tuple[TenantPart, ...]
    left_out: tuple[str, ...]
    has_keys: bool
    tombstones: tuple[Tombstone, ...]


def lay_down(
    reader: BackupReader,
    staging: Path,
    settings: Settings,
    erased: Mapping[TenantId, Tombstone],
    progress: Callable[[int], None],
    *,
    skip_locked: bool,
) -> Unpacked:
    """The store of the backup, without the erased tenants, in a folder in `staging`; it has no `store.json`.

    Raises:
        InvalidInputError: `backup_malformed`.
        ConflictError: `key_taken`.
        UnavailableError: `backup_tenant_locked` where a tenant's backup key is gone; `restore_unavailable`.
    """
    told = Told(progress)
    folder = staging / STORE_FOLDER
    try:
        for each in (folder, folder / "registry", folder / TENANTS_FOLDER, folder / "blobs"):
            make_folder(each)
        for member in members_named(reader.manifest.members, "registry"):
            name = member.name.partition("/")[2]
            write_file(folder / "registry" / name, told.each_of([reader.content(member, DOCUMENT_BYTES_MAX)]))
        laid: list[TenantPart] = []
        left_out: list[str] = []
        for number, part in enumerate(reader.manifest.tenants):
            key = None if part.tenant_id in erased else _key(reader, part, settings, skip_locked=skip_locked)
            if part.tenant_id in erased or (key is None and part.wrapped_key is not None):
                left_out.append(part.name)
                continue
            if reader.manifest.engine == "sqlite":
                _lay_tenant(reader, folder, number, key, told)
            else:
                ledger = _member(reader, tenant_member(number, "ledger"))
                write_file(bundle_path(staging, part), told.each_of(reader.pieces(ledger, key)))
            laid.append(part)
        _lay_keys(reader, settings, erased.keys())
        _list_tenants(folder, laid if reader.manifest.engine == "sqlite" else [])
    except OSError as error:
        raise UnavailableError(
            "restore_unavailable",
            "the folder to restore to can't be written",
            next_step="check its place, who may write there and the free space",
        ) from error
    ring = key_ring(reader.header.store_id, settings)
    tombstones = {each.tenant_id: each for each in reader.manifest.erased_tenants} | dict(erased)
    return Unpacked(
        folder=folder,
        store_id=reader.header.store_id,
        default_scope=reader.manifest.default_scope,
        tenants=tuple(laid),
        left_out=tuple(left_out),
        tombstones=tuple(tombstones.values()),
        has_keys=all(ring.known_key(each.tenant_id) is not None for each in laid),
    )


def bundle_path(staging: Path, part: TenantPart) -> Path:
    """Where a tenant's ledger lies that is to be brought in, event by event."""
    return staging / f"{file_name(part.tenant_id)}.jsonl"


def _key(reader: BackupReader, part: TenantPart, settings: Settings, *, skip_locked: bool) -> bytes | None:
    """The key of the tenant's members; None: it needs none, or it is to be left out."""
    if reader.key is None or part.wrapped_key is None:
        return None
    ring = key_ring(reader.header.store_id, settings)
    own = ring.known_backup_key(part.tenant_id) if part.needs_backup_key else None
    is_here = own is not None or not part.needs_backup_key
    key = unwrap(wrapping_key(reader.key, part.tenant_id, own), part.wrapped_key) if is_here else None
    if key is None and not skip_locked:
        raise UnavailableError(
            "backup_tenant_locked",
            f"the key that tenant {part.name!r} lies under in the backup is not here: it was destroyed, or the folder "
            "of keys is not the store's",
            next_step="copy the store's folder of keys here; or leave such tenants out with --skip-locked",
            details={"tenant": part.name},
        )
    return key


def _lay_tenant(reader: BackupReader, folder: Path, number: int, key: bytes | None, told: Told) -> None:
    part = reader.manifest.tenants[number]
    database = _member(reader, tenant_member(number, "database"))
    path = folder / TENANTS_FOLDER / f"{file_name(part.tenant_id)}.db"
    write_file(path, told.each_of(reader.pieces(database, key)))
    blobs = _member(reader, tenant_member(number, "blobs"))
    write_blobs(told.each_of(reader.pieces(blobs, key)), blobs_folder(folder / "blobs", part.tenant_id))


def _member(reader: BackupReader, name: str) -> Member:
    found = reader.member(name)
    if found is None:
        raise malformed("a part of a tenant is missing")
    return found


def _list_tenants(folder: Path, parts: list[TenantPart]) -> None:
    """The list of tenants, made anew: it has those alone that are here."""
    sync_folder(folder / TENANTS_FOLDER)
    tenants = folder / TENANTS_FOLDER
    waiting = folder / f"{TENANTS_FOLDER}.new"
    # A store is not made where databases lie without a list of them.
    tenants.rename(waiting)
    SqliteStore.open(folder).close()
    tenants.rmdir()
    waiting.rename(tenants)
    store = SqliteStore.open(folder)
    try:
        for part in parts:
            store.adopt_tenant(Tenant(TenantId(part.tenant_id), part.name, part.created_at_us))
    finally:
        store.close()


def _lay_keys(reader: BackupReader, settings: Settings, erased: Iterable[TenantId]) -> None:
    """The keys that are in the backup are here; one that is here already is never replaced."""
    members = members_named(reader.manifest.members, "keys")
    if not members:
        return
    folder = keys_folder(reader.header.store_id, settings)
    gone = {f"{file_name(each)}.key" for each in erased}
    make_folder(folder / "signing")
    for member in members:
        name = member.name.partition("/")[2]
        if name in gone:
            continue
        content = reader.content(member, KEY_FILE_BYTES_MAX)
        is_there = not create_whole(folder / name, content)
        # Of a signing key another half may be left: it was rotated since.
        if is_there and name.endswith(".key") and (folder / name).read_bytes() != content:
            raise ConflictError(
                "key_taken",
                f"the folder of keys has another {name} than the backup",
                next_step="find out which of the two the tenant was founded with, and move the other aside",
            )
