"""Every trace format that can be read, the surest recognised first."""

from __future__ import annotations

from heedful.integrations.importers.claude_code.importer import ClaudeCodeImporter
from heedful.integrations.importers.document import DocumentFormat
from heedful.ports.importer import TraceImporter

LINE_FORMATS: tuple[TraceImporter, ...] = (ClaudeCodeImporter(),)
"""Formats that are told by their first lines or bytes: JSONL, databases, pages."""

DOCUMENT_FORMATS: tuple[DocumentFormat, ...] = ()
"""Formats that are one JSON document, told by what is in it."""
