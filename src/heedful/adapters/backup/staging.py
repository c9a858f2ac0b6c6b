"""Staging: a folder in which a store is put together, so that it is in its place whole, or not at all."""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from heedful.adapters.file_names import make_folder, sync_folder
from heedful.kernel.errors import ConflictError, UnavailableError
from heedful.settings import STORE_FOLDER

STAGING_PREFIX = ".heedful-restoring-"
REPLACED_PREFIX = ".heedful-replaced-"


@contextmanager
def staging_folder(parent: Path) -> Iterator[Path]:
    """A folder in `parent`, which is made where it is not there; after the block it is gone with all that is in it.

    What restores that were killed left in `parent` is cleared away.

    Raises:
        UnavailableError: `restore_unavailable`.
    """
    try:
        make_folder(parent, mode=0o777)
        _clear(parent)
        staging = parent / f"{STAGING_PREFIX}{secrets.token_hex(8)}"
        staging.mkdir(mode=0o700)
        descriptor = os.open(staging, os.O_RDONLY)
    except OSError as error:
        raise _unavailable() from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield staging
    finally:
        shutil.rmtree(staging, ignore_errors=True)
        os.close(descriptor)


def is_taken(parent: Path) -> bool:
    """True where something lies in the place of a store."""
    place = parent / STORE_FOLDER
    with suppress(OSError):
        return place.is_symlink() or (place.exists() and (not place.is_dir() or any(place.iterdir())))
    return True


def put_in_place(staging: Path, parent: Path, *, replace: bool) -> Path | None:
    """The store's folder in `staging` is now in `parent`, durably; where a replaced one lies now, or None.

    Raises:
        ConflictError: `restore_taken`.
        UnavailableError: `restore_unavailable`.
    """
    place, aside = parent / STORE_FOLDER, None
    try:
        if is_taken(parent):
            if not replace:
                raise taken()
            stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
            aside = parent / f"{REPLACED_PREFIX}{stamp}-{secrets.token_hex(2)}"
            place.rename(aside)
        sync_folder(staging / STORE_FOLDER)
        # An empty folder is replaced, and one with anything in it never is.
        (staging / STORE_FOLDER).rename(place)
        sync_folder(parent)
    except OSError as error:
        raise _unavailable() from error
    return aside


def taken() -> ConflictError:
    """The error where a store, or something else, is in the place."""
    return ConflictError(
        "restore_taken",
        f"{STORE_FOLDER} is there already, with something in it",
        next_step="name another folder; or stop whoever uses it and restore with --replace, which puts it aside",
    )


def _clear(parent: Path) -> None:
    for left in parent.glob(f"{STAGING_PREFIX}*"):
        with suppress(OSError):
            descriptor = os.open(left, os.O_RDONLY | os.O_NOFOLLOW)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(left, ignore_errors=True)
            finally:
                os.close(descriptor)


def _unavailable() -> UnavailableError:
    return UnavailableError(
        "restore_unavailable",
        "the folder to restore to can't be written",
        next_step="check its place, who may write there and the free space",
    )
