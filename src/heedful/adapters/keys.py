"""Key rings: keys in a folder of files, or in memory; see ports.keys."""

from __future__ import annotations

import secrets
import threading
from pathlib import Path

from heedful.adapters.file_names import create_whole, file_name, make_folder, sync_folder, wipe_file
from heedful.kernel.errors import ConflictError, UnavailableError
from heedful.kernel.ids import TenantId

KEY_BYTES = 32


class FileKeyRing:
    """One file for each tenant's key, readable by its owner alone; processes that race agree on one key."""

    def __init__(self, folder: Path) -> None:
        """A ring in `folder`, which is made when the first key is."""
        self._folder = folder
        self._keys: dict[TenantId, bytes] = {}

    def tenant_key(self, tenant_id: TenantId) -> bytes:
        """See KeyRing.tenant_key."""
        key = self._keys.get(tenant_id)
        if key is None:
            key = self._load(tenant_id, new_key=secrets.token_bytes(KEY_BYTES))
            assert key is not None
            self._keys[tenant_id] = key
        return key

    def known_key(self, tenant_id: TenantId) -> bytes | None:
        """See KeyRing.known_key."""
        return self._load(tenant_id, new_key=None)

    def keep_key(self, tenant_id: TenantId, key: bytes) -> None:
        """See KeyRing.keep_key."""
        if len(key) != KEY_BYTES:
            raise _unavailable(f"is not {KEY_BYTES} bytes long")
        if self._load(tenant_id, new_key=key) != key:
            raise _taken(self.place(tenant_id))

    def place(self, tenant_id: TenantId) -> str:
        """See KeyRing.place."""
        return str(self._path(tenant_id))

    def backup_key(self, tenant_id: TenantId) -> bytes:
        """See KeyRing.backup_key."""
        key = self._read(self._backup_path(tenant_id), new_key=secrets.token_bytes(KEY_BYTES), is_known=False)
        assert key is not None
        return key

    def known_backup_key(self, tenant_id: TenantId) -> bytes | None:
        """See KeyRing.known_backup_key."""
        return self._read(self._backup_path(tenant_id), new_key=None, is_known=False)

    def destroy(self, tenant_id: TenantId) -> None:
        """See KeyRing.destroy."""
        self._keys.pop(tenant_id, None)
        try:
            for path in (self._path(tenant_id), self._backup_path(tenant_id)):
                wipe_file(path)
            if self._folder.is_dir():
                sync_folder(self._folder)
        except OSError as error:
            raise _unavailable("can't be read or written") from error

    def _path(self, tenant_id: TenantId) -> Path:
        return self._folder / f"{file_name(tenant_id)}.key"

    def _backup_path(self, tenant_id: TenantId) -> Path:
        # File names of ids have no dot, so it is no other tenant's key.
        return self._folder / f"{file_name(tenant_id)}.backup.key"

    def _load(self, tenant_id: TenantId, *, new_key: bytes | None) -> bytes | None:
        return self._read(self._path(tenant_id), new_key=new_key, is_known=tenant_id in self._keys)

    def _read(self, path: Path, *, new_key: bytes | None, is_known: bool) -> bytes | None:
        """The key that is there, after `new_key` was put where none was; None: there is none."""
        try:
            if not path.exists():
                if new_key is None:
                    return None
                make_folder(self._folder.parent)
                make_folder(self._folder)
                create_whole(path, new_key)
            elif not is_known:
                # Whoever made it may have been killed before its name was durable, and blobs are named by it.
                sync_folder(self._folder)
            key = path.read_bytes()
        except OSError as error:
            raise _unavailable("can't be read or written") from error
        if len(key) != KEY_BYTES:
            raise _unavailable(f"is not {KEY_BYTES} bytes long")
        return key


class MemoryKeyRing:
    """Keys that end with the process."""

    def __init__(self) -> None:
        """An empty ring."""
        self._keys: dict[TenantId, bytes] = {}
        self._backup_keys: dict[TenantId, bytes] = {}
        self._lock = threading.Lock()

    def tenant_key(self, tenant_id: TenantId) -> bytes:
        """See KeyRing.tenant_key."""
        with self._lock:
            return self._keys.setdefault(tenant_id, secrets.token_bytes(KEY_BYTES))

    def known_key(self, tenant_id: TenantId) -> bytes | None:
        """See KeyRing.known_key."""
        return self._keys.get(tenant_id)

    def keep_key(self, tenant_id: TenantId, key: bytes) -> None:
        """See KeyRing.keep_key."""
        with self._lock:
            if self._keys.setdefault(tenant_id, key) != key:
                raise _taken(self.place(tenant_id))

    def place(self, tenant_id: TenantId) -> str:
        """See KeyRing.place."""
        return f"this process's memory ({tenant_id})"

    def backup_key(self, tenant_id: TenantId) -> bytes:
        """See KeyRing.backup_key."""
        with self._lock:
            return self._backup_keys.setdefault(tenant_id, secrets.token_bytes(KEY_BYTES))

    def known_backup_key(self, tenant_id: TenantId) -> bytes | None:
        """See KeyRing.known_backup_key."""
        return self._backup_keys.get(tenant_id)

    def destroy(self, tenant_id: TenantId) -> None:
        """See KeyRing.destroy."""
        with self._lock:
            self._keys.pop(tenant_id, None)
            self._backup_keys.pop(tenant_id, None)


def read_key(path: Path) -> bytes:
    """The key in this file, wherever it lies.

    Raises:
        UnavailableError: `keys_unavailable`.
    """
    try:
        if not path.is_file():  # a pipe would be waited for without end
            raise FileNotFoundError(path)
        with path.open("rb") as file:
            key = file.read(KEY_BYTES + 1)
    except OSError as error:
        raise _unavailable("can't be read or written") from error
    if len(key) != KEY_BYTES:
        raise _unavailable(f"is not {KEY_BYTES} bytes long")
    return key


def _taken(place: str) -> ConflictError:
    return ConflictError(
        "key_taken",
        f"the tenant has another key already, in {place}",
        next_step="find out which of the two its contents were kept under, and move the other aside",
    )


def _unavailable(what: str) -> UnavailableError:
    return UnavailableError(
        "keys_unavailable",
        f"the tenant's key file {what}",
        next_step="check the folder that keys_dir names, or restore it from its backup",
    )
