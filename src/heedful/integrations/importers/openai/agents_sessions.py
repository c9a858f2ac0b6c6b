"""Sessions that the OpenAI Agents SDK keeps in SQLite (`SQLiteSession`): rows in the order of their ids."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from heedful.integrations.importers.databases import DatabaseUnreadableError, is_database, rows_of
from heedful.integrations.importers.items import RunItems
from heedful.integrations.importers.json_rows import LINE_BYTES_MAX, RefusedLine, parse_row
from heedful.integrations.importers.openai.pieces import digest_of
from heedful.integrations.importers.openai.responses import response_pieces
from heedful.integrations.importers.openai.runs import Run
from heedful.integrations.importers.values import time_of
from heedful.ports.importer import ImportedItem, ImportProblem, TraceSource

SOURCE = "openai-agents-session"
_TABLE = "agent_messages"
# The length is asked first, so that a row over the limit never reaches memory.
_QUERY = (
    "SELECT id, session_id, CASE WHEN length(CAST(message_data AS BLOB)) <= ? THEN message_data END, created_at"
    " FROM agent_messages ORDER BY id"
)


class AgentsSessionsImporter:
    """Databases of sessions. See TraceImporter."""

    @property
    def name(self) -> str:
        """See TraceImporter.name."""
        return SOURCE

    def recognises(self, first_lines: tuple[bytes, ...]) -> bool:
        """See TraceImporter.recognises: a database whose schema, which comes first in it, names the table."""
        return is_database(first_lines) and any(_TABLE.encode() in line for line in first_lines)

    def read(self, source: TraceSource) -> Iterator[ImportedItem | ImportProblem]:
        """See TraceImporter.read. The line number of an item is its row's."""
        path = source.location()
        if path is None:
            yield ImportProblem(1, "database_not_a_file", "a database is read from a file, not from a stream")
            return
        runs: dict[str, Run] = {}
        try:
            for number, (row_id, session, content, created) in enumerate(
                rows_of(path, _TABLE, _QUERY, (LINE_BYTES_MAX,)), 1
            ):
                name = session if isinstance(session, str) else "session"
                run = runs.setdefault(name, Run(RunItems(SOURCE, name)))
                yield from _row(run, number, row_id, content, created)
        except DatabaseUnreadableError as error:
            message = f"the database can't be read here or further: {error}"
            yield ImportProblem(1, "database_unreadable", message)


def _row(run: Run, number: int, row_id: Any, content: Any, created: Any) -> Iterator[ImportedItem | ImportProblem]:
    if content is None:
        message = f"row {row_id!s:.40} has no message, or one longer than {LINE_BYTES_MAX} bytes; it was not read"
        yield ImportProblem(number, "line_too_long", message)
        return
    text = content if isinstance(content, bytes) else str(content).encode("utf-8", "surrogatepass")
    parsed = parse_row(text)
    if isinstance(parsed, RefusedLine):
        yield ImportProblem(number, parsed.code, f"row {row_id!s:.40}: {parsed.message}")
        return
    flags = ("escaped-surrogate",) if parsed.escaped else ()
    if parsed.escaped:
        message = "a text has half of a surrogate pair; it is kept as its escape, in plain text"
        yield ImportProblem(number, "surrogate_escaped", message)
    occurred = time_of(created)
    if occurred is None and created is not None:
        yield ImportProblem(number, "time_malformed", "created_at is no time; taken as not known")
    own = f"{row_id!s:.40}:{digest_of(parsed.row)}"
    pieces = response_pieces(parsed.row)
    yield from run.emit(own, pieces, line_number=number, occurred=occurred, flags=flags)
