"""Registry cache: a store's registry, compiled and kept beside it, so that opening the store reads no YAML.

It is never trusted where anything differs: its first line names what it was made of, and the digest of what follows.
"""

from __future__ import annotations

import fcntl
import os
import stat
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from hashlib import sha256
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

import msgspec
import yaml

from heedful.adapters.knowledge_files import knowledge_loader
from heedful.adapters.registry_files import registry_of
from heedful.bridges.compiled import compiled_bytes, registry_of_compiled
from heedful.bridges.registry import Registry

CACHE_FILE = "registry.compiled"
CACHE_BYTES_MAX = 268_435_456
"""A larger one is neither read nor kept. The largest registry that can be read compiles to less than this."""
COMPILED_MAX = 4
"""Registries that a process remembers compiled: who makes many stores makes them of the same few."""
_PART = f"{CACHE_FILE}.new"
_HEADER_BYTES_MAX = 256
# What a registry is made by, all of it pure: how it is read, checked, merged and looked up.
_STAGES = ("kernel", "policy", "bridges")


def cached_registry(documents: tuple[tuple[str, str], ...], folder: Path) -> Registry:
    """The registry of these documents: from the cache in `folder` where it was made of these very documents by this
    very code; otherwise they are parsed, and it is kept there for the next time.

    A folder that can't be read or written, a damaged file and another user's only make it take longer.

    Raises:
        InvalidInputError: see registry_of; what has a problem is never kept.
    """
    key = _key_of(documents)
    kept = None if key is None else _kept(folder / CACHE_FILE, key)
    if kept is not None:
        # The digest holds, so these are bytes that were kept; a writer's fault must still not keep a store shut.
        with suppress(ValueError, KeyError, TypeError, AttributeError):
            return registry_of_compiled(kept, knowledge_loader(documents))
    registry = registry_of(documents)
    if key is not None:
        content = _compiled(documents)
        if content is not None and len(content) < CACHE_BYTES_MAX:
            # What can't be kept is parsed again the next time.
            with suppress(OSError):
                _keep(folder, _header(key, content) + content)
    return registry


@lru_cache(maxsize=COMPILED_MAX)
def _compiled(documents: tuple[tuple[str, str], ...]) -> bytes | None:
    return compiled_bytes(registry_of(documents))


def _key_of(documents: tuple[tuple[str, str], ...]) -> str | None:
    """The digest of the documents in their order and of what reads them; None where the code can't be told."""
    if _OWN_CODE is None:
        return None
    found = sha256(_OWN_CODE)
    for name, text in documents:
        for part in (name, text):
            part_bytes = part.encode("utf-8", "surrogatepass")
            found.update(b"%d\n" % len(part_bytes))
            found.update(part_bytes)
    return found.hexdigest()


def _code_digest(package: Traversable) -> bytes | None:
    """The digest of the source of the stages and of the versions of what they use; None: the source is not there."""
    versions = (sys.version, unicodedata.unidata_version, yaml.__version__, msgspec.__version__)
    found = sha256("\n".join(versions).encode())
    for stage in _STAGES:
        folder = package / stage
        files = [each for each in folder.iterdir() if each.name.endswith(".py")] if folder.is_dir() else []
        if not files:
            return None
        for file in sorted(files, key=lambda each: each.name):
            source = file.read_bytes()
            found.update(f"\n{stage}/{file.name} {len(source)}\n".encode())
            found.update(source)
    return found.digest()


# Read with the code itself: later another release may lie in its place, while this process still runs the old one.
_OWN_CODE = _code_digest(resources.files("heedful"))


def _header(key: str, content: bytes) -> bytes:
    return f"heedful registry 1 {key} {sha256(content).hexdigest()}\n".encode()


def _kept(path: Path, key: str) -> bytes | None:
    """What was kept under this key, whole; None where there is nothing of the kind."""
    with suppress(OSError):
        # A pipe is not waited for, and no link followed.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            # Who may write into the store's folder, and not its registry, must not decide what the registry says.
            is_own = stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o022
            if not is_own or status.st_size > CACHE_BYTES_MAX + _HEADER_BYTES_MAX:
                return None
            header, content = file.readline(_HEADER_BYTES_MAX), file.read()
        return content if header == _header(key, content) else None
    return None


def _keep(folder: Path, content: bytes) -> None:
    """The file has this content, whole, for every reader, unless another process is writing it right now.

    It is not synced: after a power cut its digest tells whether it is there.
    """
    folder.mkdir(mode=0o700, exist_ok=True)
    with _lock(folder):
        part = folder / _PART
        # One that was killed may have left it behind; whoever holds the lock is alone with it.
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
            part.replace(folder / CACHE_FILE)
        except BaseException:
            part.unlink(missing_ok=True)
            raise


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    """While the block runs no other process writes in the folder; the lock goes with the process that has it.

    Raises:
        BlockingIOError: another has it.
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)
