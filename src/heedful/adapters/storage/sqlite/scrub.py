"""Scrub: no byte of deleted rows is left in a database's file and log.

Deleting leaves zeros in the pages (`secure_delete`), but tokens stay in segments of the full-text index until they are
merged, old pages in the log until it is cut, and space between rows is cleaned by VACUUM alone. The temporary file of a
VACUUM has no name from its first moment on, and holds only what is in the database.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import apsw

from heedful.adapters.storage.refusals import scrub_no_room, scrub_waits
from heedful.adapters.storage.sqlite.connection import Session
from heedful.adapters.storage.sqlite.statements import Q

# Beside the copies that a VACUUM makes: the log's headers, and what others write meanwhile.
ROOM_BYTES_SPARE = 1024 * 1024


def merge_indexes(session: Session) -> None:
    """Nothing of deleted rows is in the full-text index, which is one segment now, or in counts that SQLite keeps."""
    run = session.cursor.execute
    session.busy_until = None
    run("BEGIN IMMEDIATE")
    try:
        run(Q["merge_search_terms"])
        # Samples of values, where somebody had SQLite make counts; we never do.
        if run(Q["counts_kept"]).get:
            run("ANALYZE").fetchall()
        run("COMMIT")
    finally:
        session.roll_back()


def scrub_database(session: Session, path: Path | None) -> None:
    """The database is written anew without its free space, and its log is empty.

    Raises:
        BusyError: `scrub_waits` where somebody reads an older moment; the log has to wait for them.
        UnavailableError: `scrub_no_room`.
        apsw.Error: to be translated by the caller.
    """
    if path is not None:
        # First, since whoever reads an older moment would keep the log after the work, too.
        _cut_log(session)
        _require_room(path)
    session.busy_until = None
    session.cursor.execute("VACUUM").fetchall()
    if path is not None:
        _cut_log(session)


def _cut_log(session: Session) -> None:
    session.busy_until = None
    try:
        session.connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    except (apsw.BusyError, apsw.LockedError) as error:
        raise scrub_waits() from error


def _require_room(path: Path) -> None:
    """Nothing, where there is room for a copy of the database in its folder, and for one among the temporary files."""
    size = path.stat().st_size + ROOM_BYTES_SPARE
    temporary = Path(tempfile.gettempdir())
    is_same = temporary.stat().st_dev == path.stat().st_dev
    for folder, wanted in ((path.parent, size * 2 if is_same else size), (temporary, size)):
        free = shutil.disk_usage(folder).free
        if free < wanted:
            raise scrub_no_room(wanted, free)
