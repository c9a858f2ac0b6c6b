"""Blobs as files in a folder, or in memory; see ports.blobs."""

from __future__ import annotations

import shutil
import time
from contextlib import suppress
from pathlib import Path

from heedful.adapters.file_names import (
    PART_PREFIX,
    SyncError,
    create_whole,
    file_name,
    make_folder,
    replace_whole,
    sync_folder,
)
from heedful.adapters.storage.refusals import tenant_erased
from heedful.kernel.errors import NotFoundError, UnavailableError
from heedful.kernel.ids import TenantId

# Folders that a process remembers as durable; past that it looks at each once more.
FOLDERS_KNOWN_MAX = 65_536
# A part of a file that nothing was written to for so long is no longer being written.
STALE_SECONDS = 3_600
# Of a tenant's folder while it goes; no id's file name has a dot.
_GOING = ".going"


class FolderBlobs:
    """`folder/<tenant>/<two characters>/<name>`; a file is there whole or not at all.

    After one failed fsync nothing more is put in this process: the next fsync might succeed although what the failed
    one was to write is gone.
    """

    def __init__(self, folder: Path) -> None:
        """Blobs in `folder`, which is made with the first of them."""
        self._folder = folder
        self._durable: set[Path] = set()
        self._is_read_only = False

    def put(self, tenant_id: TenantId, name: str, content: bytes) -> None:
        """See BlobStore.put."""
        if self._is_read_only:
            raise _read_only()
        path = self._path(tenant_id, name)
        try:
            for folder in (self._folder, path.parent.parent, path.parent):
                self._make_folder(folder)
            # What is there was written whole before it was named; of whoever did, its name may not be durable yet.
            if path.is_file() and path.read_bytes() == content:
                sync_folder(path.parent)
                return
            # A name stands for one content, so other bytes under it are damage, and are mended.
            if not create_whole(path, content) and path.read_bytes() != content:
                replace_whole(path, content)
        except SyncError as error:
            self._is_read_only = True
            raise _unavailable() from error
        except OSError as error:
            if self._tenant(tenant_id).is_file():
                raise tenant_erased() from error
            raise _unavailable() from error

    def delete_tenant(self, tenant_id: TenantId) -> None:
        """See BlobStore.delete_tenant. A file takes the folder's name, so that no writer makes that anew."""
        folder = self._tenant(tenant_id)
        going = folder.with_name(f"{folder.name}{_GOING}")
        try:
            make_folder(self._folder)
            while not folder.is_file():
                if going.exists():
                    shutil.rmtree(going)
                # What a writer has begun to write goes with the folder in which it does.
                with suppress(FileNotFoundError):
                    folder.rename(going)
                with suppress(FileExistsError):
                    folder.touch(exist_ok=False)
            if going.exists():
                shutil.rmtree(going)
            sync_folder(self._folder)
        except OSError as error:
            raise _unavailable() from error

    def get(self, tenant_id: TenantId, name: str) -> bytes:
        """See BlobStore.get."""
        try:
            return self._path(tenant_id, name).read_bytes()
        except FileNotFoundError as error:
            raise _not_found() from error
        except OSError as error:
            raise (_not_found() if self._tenant(tenant_id).is_file() else _unavailable()) from error

    def delete(self, tenant_id: TenantId, name: str) -> None:
        """See BlobStore.delete."""
        path = self._path(tenant_id, name)
        try:
            path.unlink(missing_ok=True)
            if path.parent.is_dir():
                # What a process that was killed left of a content, maybe of this one: it lies beside it.
                for part in path.parent.glob(f"{PART_PREFIX}*"):
                    _unlink_stale(part)
                sync_folder(path.parent)
        except OSError as error:
            if self._tenant(tenant_id).is_file():
                return
            raise _unavailable() from error

    def _make_folder(self, folder: Path) -> None:
        if folder not in self._durable:
            make_folder(folder)
            if len(self._durable) >= FOLDERS_KNOWN_MAX:
                self._durable.clear()
            self._durable.add(folder)

    def _path(self, tenant_id: TenantId, name: str) -> Path:
        safe = file_name(name)
        return self._tenant(tenant_id) / safe[:2] / safe

    def _tenant(self, tenant_id: TenantId) -> Path:
        return self._folder / file_name(tenant_id)


def _unlink_stale(part: Path) -> None:
    with suppress(FileNotFoundError):
        if time.time() - part.stat().st_mtime > STALE_SECONDS:
            part.unlink()


class MemoryBlobs:
    """Blobs that end with the process."""

    def __init__(self) -> None:
        """An empty place."""
        self._contents: dict[tuple[TenantId, str], bytes] = {}
        self._erased: set[TenantId] = set()

    def put(self, tenant_id: TenantId, name: str, content: bytes) -> None:
        """See BlobStore.put."""
        if tenant_id in self._erased:
            raise tenant_erased()
        self._contents[tenant_id, name] = content

    def delete_tenant(self, tenant_id: TenantId) -> None:
        """See BlobStore.delete_tenant."""
        self._erased.add(tenant_id)
        for key in [each for each in self._contents if each[0] == tenant_id]:
            del self._contents[key]

    def get(self, tenant_id: TenantId, name: str) -> bytes:
        """See BlobStore.get."""
        try:
            return self._contents[tenant_id, name]
        except KeyError as error:
            raise _not_found() from error

    def delete(self, tenant_id: TenantId, name: str) -> None:
        """See BlobStore.delete."""
        self._contents.pop((tenant_id, name), None)


def _not_found() -> NotFoundError:
    return NotFoundError("blob_not_found", "no content lies under that name")


def _unavailable() -> UnavailableError:
    return UnavailableError(
        "blob_store_unavailable",
        "the blob folder can't be read or written",
        next_step="check the folder's permissions and free space",
    )


def _read_only() -> UnavailableError:
    return UnavailableError(
        "store_read_only",
        "the disk failed to keep a blob earlier, so none is written any more: what it left on disk is not known",
        next_step="check the disk, then restart and verify",
    )
