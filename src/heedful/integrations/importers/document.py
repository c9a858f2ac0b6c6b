"""Traces that are one JSON document: read whole, within a limit, and told apart by what is in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from heedful.integrations.importers.json_rows import ParsedValue, RefusedLine, parse_value
from heedful.ports.importer import ImportedItem, ImportProblem, TraceSource

DOCUMENT_BYTES_MAX = 268_435_456
"""A longer document is not read: it would have to be in memory whole. JSONL has no such limit."""


class DocumentFormat(Protocol):
    """One format of traces that are a JSON document each."""

    @property
    def name(self) -> str:
        """`swe-agent` and the like."""
        ...

    def recognises(self, document: object) -> bool:
        """True where the document is surely of this format. Never raises, whatever is in it."""
        ...

    def items(self, document: object, source_name: str) -> Iterator[ImportedItem | ImportProblem]:
        """Everything in the document, in its order; the same document gives the same items.

        Never fatal: what can't be read is a problem; what is of an unknown type is an item kept raw.
        """
        ...


class DocumentImporter:
    """A format of documents as an importer of traces; see TraceImporter."""

    def __init__(self, document_format: DocumentFormat) -> None:
        """The importer of traces of this format."""
        self._format = document_format

    @property
    def name(self) -> str:
        """See TraceImporter.name."""
        return self._format.name

    def recognises(self, first_lines: tuple[bytes, ...]) -> bool:
        """See TraceImporter.recognises: where the whole document is in these lines. See `of_document`."""
        found = parse_value(b"\n".join(first_lines))
        return isinstance(found, ParsedValue) and self._format.recognises(found.value)

    def read(self, source: TraceSource) -> Iterator[ImportedItem | ImportProblem]:
        """See TraceImporter.read."""
        found = read_document(source)
        if isinstance(found, RefusedLine):
            yield ImportProblem(1, found.code, found.message)
            return
        if found.escaped:
            message = "a text has half of a surrogate pair; it is kept as its escape, in plain text"
            yield ImportProblem(1, "surrogate_escaped", message)
        yield from self._format.items(found.value, source.name)


def of_document(source: TraceSource, formats: Sequence[DocumentFormat]) -> DocumentImporter | None:
    """The importer of the first format that recognises this document; None where it is of none, or no document."""
    found = read_document(source)
    if isinstance(found, RefusedLine):
        return None
    return next((DocumentImporter(each) for each in formats if each.recognises(found.value)), None)


def read_document(source: TraceSource) -> ParsedValue | RefusedLine:
    """The JSON value that the source is, or why it can't be taken."""
    if source.size_bytes() > DOCUMENT_BYTES_MAX:
        return _too_long()
    lines: list[bytes] = []
    size_bytes = 0
    for line in source.lines():
        size_bytes += len(line) + 1
        if size_bytes > DOCUMENT_BYTES_MAX:
            return _too_long()
        lines.append(line)
    return parse_value(b"\n".join(lines))


def _too_long() -> RefusedLine:
    message = f"the document is longer than {DOCUMENT_BYTES_MAX} bytes; write it as JSONL, one row a line"
    return RefusedLine("document_too_long", message)
