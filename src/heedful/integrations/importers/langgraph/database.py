"""The importer of LangGraph checkpoint databases: what SqliteSaver writes, read without a trace left beside them."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from heedful.integrations.importers.databases import DatabaseUnreadableError, is_database, rows_of
from heedful.integrations.importers.json_rows import ParsedValue, parse_value
from heedful.integrations.importers.langgraph.blobs import NotDecoded, decode_blob
from heedful.integrations.importers.langgraph.checkpoint import SOURCE, Head, PendingWrite, Snapshot
from heedful.integrations.importers.langgraph.thread import told_threads
from heedful.integrations.importers.values import time_of
from heedful.ports.importer import ImportedItem, ImportProblem, TraceSource

VALUE_BYTES_MAX = 268_435_456
"""A longer value of the database is a problem; every checkpoint holds its whole state in one."""

_UNREADABLE = "database_unreadable"
_COPIES_MAX = 3
_CHECKPOINTS = "checkpoints"
_WRITES = "writes"
_HEADS = "SELECT rowid, thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id FROM main.checkpoints"
_STATE = """
  SELECT length(checkpoint) > ?, type, CASE WHEN length(checkpoint) <= ? THEN checkpoint END, metadata
  FROM main.checkpoints WHERE rowid = ?
"""
_ANY_WRITE = "SELECT task_id, idx, channel, type, value FROM main.writes LIMIT 1"
_WRITES_OF = """
  SELECT task_id, idx, channel, type, value FROM main.writes
  WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ? ORDER BY rowid
"""


class LangGraphDatabase:
    """A LangGraph checkpoint database (SQLite). See TraceImporter."""

    @property
    def name(self) -> str:
        """See TraceImporter.name."""
        return SOURCE

    def recognises(self, first_lines: tuple[bytes, ...]) -> bool:
        """See TraceImporter.recognises: an SQLite file whose schema, in its first page, has these tables."""
        if not is_database(first_lines):
            return False
        beginning = b"\n".join(first_lines)
        return b"checkpoint_ns" in beginning and b"parent_checkpoint_id" in beginning

    def read(self, source: TraceSource) -> Iterator[ImportedItem | ImportProblem]:
        """See TraceImporter.read. A file in use is copied first: what its log holds counts too, and is not touched."""
        location = source.location()
        if location is None:
            yield ImportProblem(1, "database_needs_file", "a database is read from a file, not from a stream")
            return
        told: set[ImportProblem] = set()
        try:
            with _at_rest(Path(location)) as path:
                for each in _Reading(path).items():
                    # A fault of the file is found again with every checkpoint.
                    if isinstance(each, ImportedItem) or each not in told:
                        yield each
                    if isinstance(each, ImportProblem):
                        told.add(each)
        except OSError as error:
            yield ImportProblem(1, _UNREADABLE, f"the database can't be read: {str(error)[:120]}")


class _InUseError(OSError):
    """The file changed while it was copied, each time."""


@contextmanager
def _at_rest(path: Path) -> Iterator[str]:
    """A path at which nobody writes: the file's own, or where it has a log that of a copy of both."""
    log = path.with_name(f"{path.name}-wal")
    if not (log.is_file() and log.stat().st_size):
        yield str(path)
        return
    with tempfile.TemporaryDirectory(prefix="heedful-import-") as folder:
        copied = Path(folder) / "checkpoints.sqlite"
        _copy(path, log, copied)
        yield str(copied)


def _copy(path: Path, log: Path, copied: Path) -> None:
    for _ in range(_COPIES_MAX):
        before = _stamp(path, log)
        shutil.copyfile(path, copied)
        shutil.copyfile(log, copied.with_name(f"{copied.name}-wal"))
        if _stamp(path, log) == before:
            return
    raise _InUseError("it is written to faster than it can be copied; import it when its program rests")


def _stamp(*paths: Path) -> list[tuple[int, int]]:
    return [(stat.st_size, stat.st_mtime_ns) for stat in (path.stat() for path in paths)]


class _Reading:
    """One database, checkpoint by checkpoint; a row that is damaged costs that row."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._has_writes = True

    def items(self) -> Iterator[ImportedItem | ImportProblem]:
        heads: list[Head] = []
        try:
            heads.extend(_head(*row) for row in rows_of(self._path, _CHECKPOINTS, _HEADS))
        except DatabaseUnreadableError as error:
            yield ImportProblem(1, *_unreadable(error))
        try:
            next(rows_of(self._path, _WRITES, _ANY_WRITE), None)
        except DatabaseUnreadableError as error:
            self._has_writes = False
            yield ImportProblem(1, *_unreadable(error))
        yield from told_threads(heads, self._snapshot)

    def _snapshot(self, head: Head) -> Snapshot:
        problems: list[tuple[str, str]] = []
        limits = (VALUE_BYTES_MAX, VALUE_BYTES_MAX, head.row)
        try:
            row = next(rows_of(self._path, _CHECKPOINTS, _STATE, limits), None)
        except DatabaseUnreadableError as error:
            row = None
            problems.append(_unreadable(error))
        too_long, sort, blob, described = row or (0, None, None, None)
        if too_long:
            message = f"checkpoint {head.checkpoint_id[:40]!r} is longer than {VALUE_BYTES_MAX} bytes; it was not read"
            problems.append(("value_too_long", message))
        state = _decoded(sort, blob, head, problems)
        values = state.get("channel_values")
        metadata = _metadata(described)
        source, step = metadata.get("source"), metadata.get("step")
        return Snapshot(
            source=source if isinstance(source, str) else None,
            step=step if isinstance(step, int) else None,
            occurred=time_of(state.get("ts")),
            values=values if isinstance(values, dict) else {},
            writes=self._writes(head, problems),
            problems=problems,
        )

    def _writes(self, head: Head, problems: list[tuple[str, str]]) -> list[PendingWrite]:
        found: list[PendingWrite] = []
        if not self._has_writes:
            return found
        place = (head.thread_id, head.namespace, head.checkpoint_id)
        try:
            for task_id, index, channel, sort, blob in rows_of(self._path, _WRITES, _WRITES_OF, place):
                value = decode_blob(sort, blob)
                if isinstance(value, NotDecoded):
                    problems.append((value.code, f"a write to {str(channel)[:40]!r}: {value.message}"))
                else:
                    number = index if isinstance(index, int) else 0
                    found.append(PendingWrite(str(task_id), number, str(channel), value.value))
        except DatabaseUnreadableError as error:
            problems.append(_unreadable(error))
        return found


def _decoded(sort: object, blob: object, head: Head, problems: list[tuple[str, str]]) -> dict[str, Any]:
    found = decode_blob(sort, blob)
    if isinstance(found, NotDecoded):
        problems.append((found.code, f"checkpoint {head.checkpoint_id[:40]!r}: {found.message}"))
        return {}
    return found.value if isinstance(found.value, dict) else {}


def _head(row: Any, thread_id: Any, namespace: Any, checkpoint_id: Any, parent_id: Any) -> Head:
    return Head(
        thread_id=str(thread_id),
        namespace=str(namespace or ""),
        checkpoint_id=str(checkpoint_id),
        parent_id=None if parent_id is None else str(parent_id),
        row=row,
        # Checkpoint ids begin with their time (UUID version 6).
        order=(0, str(checkpoint_id)),
    )


def _metadata(blob: object) -> dict[str, Any]:
    """Source and step of a checkpoint: JSON, in older files msgpack; nothing where it is neither."""
    content = blob.encode("utf-8", "backslashreplace") if isinstance(blob, str) else blob
    parsed = parse_value(content) if isinstance(content, bytes) else None
    if isinstance(parsed, ParsedValue):
        return parsed.value if isinstance(parsed.value, dict) else {}
    found = decode_blob("msgpack", content)
    return found.value if not isinstance(found, NotDecoded) and isinstance(found.value, dict) else {}


def _unreadable(error: DatabaseUnreadableError) -> tuple[str, str]:
    return (_UNREADABLE, f"not all of the database can be read: {str(error)[:120]}")
