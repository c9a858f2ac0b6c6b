"""Formats of spans: one JSON document, or one payload a line, all read before the first item is told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from heedful.integrations.importers.conversation.message import digest_of
from heedful.integrations.importers.conversation.spans import Span
from heedful.integrations.importers.conversation.story import REPEATED, told
from heedful.integrations.importers.document import DOCUMENT_BYTES_MAX
from heedful.integrations.importers.items import RunItems
from heedful.integrations.importers.json_rows import LINE_BYTES_MAX, ParsedValue, RefusedLine, parse_value
from heedful.kernel.canonical import canonical_bytes
from heedful.ports.importer import ImportedItem, ImportProblem, TraceSource

_OTHER_LINES = "other-lines"


class PayloadFormat(Protocol):
    """One format of spans."""

    @property
    def name(self) -> str:
        """`otlp` and the like."""
        ...

    def is_payload(self, value: object) -> bool:
        """True where this JSON value is surely of this format. Never raises."""
        ...

    def spans(self, payload: Any, line_number: int) -> Iterator[Span | ImportProblem]:
        """Every span of a payload, in its order; what is no span is a problem."""
        ...


class PayloadDocument:
    """A format of spans as a format of documents: one payload, or a list of them. See DocumentFormat."""

    def __init__(self, payload_format: PayloadFormat) -> None:
        """The documents of this format."""
        self._format = payload_format

    @property
    def name(self) -> str:
        """See DocumentFormat.name."""
        return self._format.name

    def recognises(self, document: object) -> bool:
        """See DocumentFormat.recognises."""
        first = document[0] if isinstance(document, list) and document else document
        return self._format.is_payload(first)

    def items(self, document: object, source_name: str) -> Iterator[ImportedItem | ImportProblem]:
        """See DocumentFormat.items; the source's name is not used."""
        del source_name
        payloads = document if isinstance(document, list) else [document]
        gathered = _Gathered(self._format)
        for payload in payloads:
            yield from gathered.take(payload, 1)
        yield from told(gathered.spans, self._format.name)


class PayloadLines:
    """A format of spans as JSONL, one payload a line. See TraceImporter."""

    def __init__(self, payload_format: PayloadFormat) -> None:
        """The importer of files with a payload of this format on each line."""
        self._format = payload_format

    @property
    def name(self) -> str:
        """See TraceImporter.name."""
        return self._format.name

    def recognises(self, first_lines: tuple[bytes, ...]) -> bool:
        """See TraceImporter.recognises: the first line that is JSON is a payload of this format."""
        for line in first_lines:
            found = parse_value(line) if line.strip() and len(line) <= LINE_BYTES_MAX else None
            if isinstance(found, ParsedValue):
                return self._format.is_payload(found.value)
        return False

    def read(self, source: TraceSource) -> Iterator[ImportedItem | ImportProblem]:
        """See TraceImporter.read. After DOCUMENT_BYTES_MAX no line is read."""
        gathered = _Gathered(self._format)
        size_bytes = 0
        for number, line in enumerate(source.lines(), start=1):
            size_bytes += len(line) + 1
            if size_bytes > DOCUMENT_BYTES_MAX:
                message = f"more than {DOCUMENT_BYTES_MAX} bytes of spans; what follows was not read: split the file"
                yield ImportProblem(number, "document_too_long", message)
                break
            if line.strip():
                yield from _line(gathered, line, number)
        yield from told(gathered.spans, self._format.name)


class _Gathered:
    """The spans of all payloads so far."""

    def __init__(self, payload_format: PayloadFormat) -> None:
        self._format = payload_format
        self._others = RunItems(payload_format.name, _OTHER_LINES)
        self._seen: set[str] = set()
        self.spans: list[Span] = []

    def take(self, payload: Any, line_number: int) -> Iterator[ImportedItem | ImportProblem]:
        if not self._format.is_payload(payload):
            own = digest_of(canonical_bytes(payload))
            if own in self._seen:
                yield ImportProblem(line_number, REPEATED, "what stands here is no span and came before; taken once")
                return
            self._seen.add(own)
            yield self._others.unknown(own, "payload", payload, line_number=line_number)
            return
        for found in self._format.spans(payload, line_number):
            if isinstance(found, Span):
                self.spans.append(found)
            else:
                yield found


def _line(gathered: _Gathered, line: bytes, number: int) -> Iterator[ImportedItem | ImportProblem]:
    if len(line) > LINE_BYTES_MAX:
        message = f"the line is longer than {LINE_BYTES_MAX} bytes; it was not read"
        yield ImportProblem(number, "line_too_long", message)
        return
    found = parse_value(line)
    if isinstance(found, RefusedLine):
        yield ImportProblem(number, found.code, found.message)
        return
    if found.escaped:
        message = "a text has half of a surrogate pair; it is kept as its escape, in plain text"
        yield ImportProblem(number, "surrogate_escaped", message)
    yield from gathered.take(found.value, number)
