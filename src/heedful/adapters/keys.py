"""Key rings: keys in a folder of files, or in memory; see ports.keys."""

from __future__ import annotations

import secrets
import threading
from pathlib import Path

from heedful.adapters.file_names import create_whole, file_name, make_folder
from heedful.kernel.errors import UnavailableError
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
            key = self._keys[tenant_id] = self._load(tenant_id)
        return key

    def _load(self, tenant_id: TenantId) -> bytes:
        path = self._folder / f"{file_name(tenant_id)}.key"
        try:
            if not path.exists():
                make_folder(self._folder)
                create_whole(path, secrets.token_bytes(KEY_BYTES))
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


def _unavailable(what: str) -> UnavailableError:
    return UnavailableError(
        "keys_unavailable",
        f"the tenant's key file {what}",
        next_step="check the folder that keys_dir names, or restore it from its backup",
    )
