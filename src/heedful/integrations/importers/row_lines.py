"""The rows of a JSONL trace: the first ones, for formats that are told by them, and all of them, one after another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from heedful.integrations.importers.json_rows import JsonObject, ParsedRow, RefusedLine, parse_row
from heedful.ports.importer import ImportProblem, TraceSource

_GOES_ON = (b"{", b"[", b",", b":")


@dataclass(frozen=True, slots=True)
class NumberedRow:
    """A row, its line from 1, and the flags of every item that is made of it."""

    line: int
    row: JsonObject
    flags: tuple[str, ...]


def numbered_rows(source: TraceSource) -> Iterator[NumberedRow | ImportProblem]:
    """Every row of the trace, and a problem for each line that is none, or that could not be taken as it stands."""
    for line, content in enumerate(source.lines(), start=1):
        if not content.strip():
            continue
        parsed = parse_row(content)
        if isinstance(parsed, RefusedLine):
            yield ImportProblem(line, parsed.code, parsed.message)
            continue
        if parsed.escaped:
            message = "a text has half of a surrogate pair; it is kept as its escape, in plain text"
            yield ImportProblem(line, "surrogate_escaped", message)
        yield NumberedRow(line, parsed.row, ("escaped-surrogate",) if parsed.escaped else ())


def first_rows(first_lines: tuple[bytes, ...]) -> list[JsonObject]:
    """The objects on these lines; none where the lines are those of one JSON document, written over several."""
    filled = [line.strip() for line in first_lines if line.strip()]
    if not filled or filled[0].startswith(b"[") or filled[0].endswith(_GOES_ON):
        return []
    parsed = (parse_row(line) for line in filled)
    return [each.row for each in parsed if isinstance(each, ParsedRow)]
