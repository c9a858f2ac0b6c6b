"""Copying: a tenant's database as it is at one moment, while others go on writing, by SQLite's own backup."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import apsw

from heedful.adapters.file_names import file_name
from heedful.adapters.storage.sqlite.connection import Session, driver_errors
from heedful.adapters.storage.sqlite.state import load_state
from heedful.adapters.storage.sqlite.store import TENANTS_FOLDER
from heedful.kernel.errors import UnavailableError
from heedful.kernel.ids import TenantId
from heedful.ledger.seal import Head

PAGES_A_STEP = 1_024


@dataclass(frozen=True, slots=True)
class DatabaseCopy:
    """A copy, as a file that has no name any more: it goes with whoever has it open.

    Attributes:
        ledger, access: where the chains end in it.
    """

    file: BinaryIO
    size: int
    ledger: Head
    access: Head


@contextmanager
def copied_database(
    folder: Path, tenant_id: TenantId, *, lock_wait_seconds: float, told: Callable[[int], None]
) -> Iterator[DatabaseCopy]:
    """The tenant's database in the store's folder, all of one moment; `told` how many bytes were copied since.

    Its place is the store's own folder, so that nothing of it lies anywhere else; killed at any moment, none is left.

    Raises:
        UnavailableError: `store_unavailable`, also where there is no room for the copy.
        BusyError: `store_busy`.
    """
    name = folder / TENANTS_FOLDER / f".copy-{secrets.token_hex(8)}"
    try:
        descriptor = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise _no_room() from error
    with os.fdopen(descriptor, "rb") as file:
        source = folder / TENANTS_FOLDER / f"{file_name(tenant_id)}.db"
        with driver_errors:
            target = apsw.Connection(str(name))
            name.unlink()
            try:
                target.cursor().execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF").fetchall()
                ledger, access = _copy(source, target, tenant_id, lock_wait_seconds, told)
            finally:
                target.close(True)  # noqa: FBT003  # see Session.close
        yield DatabaseCopy(file, os.fstat(descriptor).st_size, ledger, access)


def _copy(
    source: Path, target: apsw.Connection, tenant_id: TenantId, lock_wait_seconds: float, told: Callable[[int], None]
) -> tuple[Head, Head]:
    session = Session(str(source), lock_wait_seconds=lock_wait_seconds, makes_file=False)
    try:
        session.make_read_only()
        page_bytes = int(session.cursor.execute("PRAGMA page_size").get)
        # The moment that is read stays this one until the transaction ends, whoever writes meanwhile.
        session.cursor.execute("BEGIN")
        state = load_state(session, tenant_id)
        with target.backup("main", session.connection, "main") as backup:
            done = 0
            while not backup.done:
                backup.step(PAGES_A_STEP)
                copied = backup.page_count - backup.remaining
                told((copied - done) * page_bytes)
                done = copied
        return state.ledger, state.access
    finally:
        session.close()


def _no_room() -> UnavailableError:
    return UnavailableError(
        "store_unavailable",
        "the store's folder can't be written, and a copy of a database lies there while it is made",
        next_step="check its permissions and the free space",
    )
