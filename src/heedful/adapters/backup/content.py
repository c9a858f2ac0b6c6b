"""Content: what of a store's folder goes into a backup beside its databases, and how it comes out of one."""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Iterable, Iterator
from pathlib import Path

from heedful.adapters.backup.reading import Pieces
from heedful.adapters.file_names import file_name, make_folder, sync_file, sync_folder
from heedful.adapters.registry_files import DOCUMENT_BYTES_MAX, DOCUMENTS_MAX
from heedful.kernel.ids import TenantId
from heedful.ledger.backup import CHUNK_BYTES, is_key_file, malformed

KEY_FILE_BYTES_MAX = 65_536
BLOB_BYTES_MAX = 1 << 32
_BLOB_NAME = re.compile(r"[0-9a-z_=-]{2,140}")
_BLOB = struct.Struct(">HQ")


def documents(registry: Path) -> Iterator[tuple[str, bytes]]:
    """The registry's documents, by name.

    Raises:
        OSError: one can't be read.
    """
    for path in sorted(registry.glob("*.yaml"))[:DOCUMENTS_MAX]:
        if path.is_file() and not path.name.startswith("."):
            yield path.name, path.read_bytes()[:DOCUMENT_BYTES_MAX]


def key_files(keys: Path) -> Iterator[tuple[str, bytes]]:
    """Tenants' keys and the store's signing keys, by name; neither backup keys nor what was pinned.

    Raises:
        OSError: one can't be read.
    """
    for path in (*sorted(keys.glob("*.key")), *sorted((keys / "signing").glob("*.json"))):
        name = str(path.relative_to(keys))
        if path.is_file() and is_key_file(name):
            yield name, path.read_bytes()


def blob_pieces(folder: Path) -> Iterator[bytes]:
    """A tenant's blobs, each with its name and length before it. Those that come meanwhile may be among them.

    Raises:
        OSError: one can't be read.
    """
    for path in sorted(folder.glob("*/*")) if folder.is_dir() else ():
        if not _BLOB_NAME.fullmatch(path.name):
            continue  # what somebody writes just now
        try:
            with path.open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                name = path.name.encode()
                yield _BLOB.pack(len(name), size) + name
                while piece := file.read(CHUNK_BYTES):
                    yield piece
        except FileNotFoundError:
            continue  # erased; whoever calls this finds that out


def write_blobs(pieces: Iterable[bytes], folder: Path) -> int:
    """How many blobs came out of the pieces into the tenant's folder, durably.

    Raises:
        InvalidInputError: `backup_malformed`.
        OSError: the folder can't be written.
    """
    left, written = Pieces(pieces), 0
    folders: set[Path] = set()
    while not left.is_done():
        length, size = _BLOB.unpack(left.exactly(_BLOB.size))
        name = left.exactly(length).decode("ascii", "replace")
        # As file_name makes it: no path, whoever made the backup.
        if not _BLOB_NAME.fullmatch(name) or size > BLOB_BYTES_MAX:
            raise malformed("a content has a name or a size that none has")
        path = folder / name[:2] / name
        if path.parent not in folders:
            make_folder(path.parent)
            folders.add(path.parent)
        write_file(path, _cut(left, size))
        written += 1
    for each in folders:
        sync_folder(each)
    return written


def write_file(path: Path, pieces: Iterable[bytes]) -> None:
    """The file is there with this content, for its owner alone; its name is not durable yet.

    Raises:
        OSError: it is there already, or can't be written.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        for piece in pieces:
            file.write(piece)
        file.flush()
        sync_file(file.fileno())


def blobs_folder(blobs: Path, tenant_id: TenantId) -> Path:
    """Where a tenant's blobs lie; see FolderBlobs."""
    return blobs / file_name(tenant_id)


def _cut(left: Pieces, size: int) -> Iterator[bytes]:
    while size:
        piece = left.exactly(min(size, CHUNK_BYTES))
        size -= len(piece)
        yield piece
