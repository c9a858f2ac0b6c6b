"""What an importer, found as `heedful import` finds it, makes of a trace written inline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from transcripts import Imported, LinesSource, as_lines

from heedful.integrations.importers.detect import FileTraceSource, detect
from heedful.integrations.importers.known import DOCUMENT_FORMATS, LINE_FORMATS
from heedful.ports.importer import ImportedItem, ImportProblem, TraceSource

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases" / "traces"


def format_of(source: TraceSource) -> str:
    return detect(source, LINE_FORMATS, DOCUMENT_FORMATS).name


def read_source(source: TraceSource) -> Imported:
    found = list(detect(source, LINE_FORMATS, DOCUMENT_FORMATS).read(source))
    items = [item for item in found if isinstance(item, ImportedItem)]
    return Imported(items, [problem for problem in found if isinstance(problem, ImportProblem)])


def read_rows(*rows: object, name: str = "trace.jsonl") -> Imported:
    """JSONL of these rows (dicts, or raw lines as bytes)."""
    return read_source(LinesSource(as_lines(rows), name))


def read_document(document: object, name: str = "trace.json") -> Imported:
    """The document, written over several lines."""
    return read_source(LinesSource(tuple(json.dumps(document, indent=1).encode().splitlines()), name))


def read_file(path: Path) -> Imported:
    return read_source(FileTraceSource(path))


def attributes(item: ImportedItem) -> dict[str, Any]:
    return dict(item.attributes)
