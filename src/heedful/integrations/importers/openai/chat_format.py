"""Chat completions as traces: one JSON document, or JSONL of conversations or of messages."""

from __future__ import annotations

from collections.abc import Iterator

from heedful.integrations.importers.json_rows import ParsedRow, parse_row
from heedful.integrations.importers.openai.chat import SOURCE, ChatLog, exchange_of, id_in
from heedful.integrations.importers.openai.chat_messages import chained, is_message, run_name
from heedful.integrations.importers.row_lines import first_rows, numbered_rows
from heedful.ports.importer import ImportedItem, ImportProblem, TraceSource


class ChatDocument:
    """A log of one request, or a list of messages, as one JSON document. See DocumentFormat."""

    @property
    def name(self) -> str:
        """See DocumentFormat.name."""
        return SOURCE

    def recognises(self, document: object) -> bool:
        """See DocumentFormat.recognises: messages with roles, or a list of logs that have them."""
        return exchange_of(document) is not None or (
            isinstance(document, list) and bool(document) and exchange_of(document[0]) is not None
        )

    def items(self, document: object, source_name: str) -> Iterator[ImportedItem | ImportProblem]:  # noqa: ARG002  (the protocol's)
        """See DocumentFormat.items."""
        log = ChatLog()
        whole = exchange_of(document)
        exchanges = [whole] if whole is not None else map(exchange_of, document if isinstance(document, list) else [])
        for place, exchange in enumerate(exchanges):
            if exchange is None:
                yield ImportProblem(1, "row_unknown", f"entry {place} of the list is no conversation; it was not taken")
            else:
                yield from log.exchange(exchange, 1)


class ChatLinesImporter:
    """JSONL of chat completions: a conversation a line, or a message a line. See TraceImporter."""

    @property
    def name(self) -> str:
        """See TraceImporter.name."""
        return SOURCE

    def recognises(self, first_lines: tuple[bytes, ...]) -> bool:
        """See TraceImporter.recognises."""
        return any(is_message(row) or exchange_of(row) is not None for row in first_rows(first_lines))

    def read(self, source: TraceSource) -> Iterator[ImportedItem | ImportProblem]:
        """See TraceImporter.read. Read twice: first to the words of a user that name the conversation."""
        log = ChatLog()
        run = run_name(list(_beginning(source)))
        before: dict[str, str] = {}
        for numbered in numbered_rows(source):
            if isinstance(numbered, ImportProblem):
                yield numbered
                continue
            line, row, flags = numbered.line, numbered.row, numbered.flags
            exchange = exchange_of(row)
            if exchange is not None:
                yield from log.exchange(exchange, line, flags)
            elif is_message(row):
                own_run = id_in(row) or run
                before[own_run] = chained(before.get(own_run, ""), row)
                yield from log.message(own_run, row, before[own_run], line, flags)
            else:
                yield from log.unknown(run, row, line)


def _beginning(source: TraceSource) -> Iterator[object]:
    """The messages up to the first of a user's; each counts only as a row of its own."""
    for content in source.lines():
        parsed = parse_row(content) if content.strip() else None
        if isinstance(parsed, ParsedRow) and is_message(parsed.row):
            yield parsed.row
            if parsed.row.get("role") == "user":
                return
