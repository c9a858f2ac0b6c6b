"""Key rings: keys in a folder of files, or in memory; see ports.keys."""

from __future__ import annotations

import secrets
import threading
from pathlib import Path

from heedful.adapters.file_names import create_whole, file_name, make_folder, sync_folder
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

    def _path(self, tenant_id: TenantId) -> Path:
        return self._folder / f"{file_name(tenant_id)}.key"

    def _load(self, tenant_id: TenantId, *, new_key: bytes | None) -> bytes | None:
        """The key that is there, after `new_key` was put where none was; None: there is none."""
        path = self._path(tenant_id)
        try:
            if not path.exists():
                if new_key is None:
                    return None
                make_folder(self._folder.parent)
                make_folder(self._folder)
                create_whole(path, new_key)
            elif tenant_id not in self._keys:
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
