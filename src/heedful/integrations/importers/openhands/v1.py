"""OpenHands V1 event logs: JSONL, one event a line, bound by `action_id`; times name no zone and are read as UTC.

A file is read twice: first for the events' times and ids (a few names a line are held), then for what is in them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate

from heedful.integrations.importers.items import RunItems
from heedful.integrations.importers.json_rows import JsonObject, ParsedRow, RefusedLine, parse_row
from heedful.integrations.importers.openhands.v1_events import event_row
from heedful.integrations.importers.run_rows import Found, Run, digest_of
from heedful.integrations.importers.values import plain_name, time_of
from heedful.ports.importer import ImportedItem, ImportProblem, TraceSource

SOURCE = "openhands-events"
_SOURCES = frozenset({"user", "agent", "environment", "hook"})
_SCRATCH = "-"


class OpenHandsEvents:
    """OpenHands V1. See TraceImporter."""

    @property
    def name(self) -> str:
        """See TraceImporter.name."""
        return SOURCE

    def recognises(self, first_lines: tuple[bytes, ...]) -> bool:
        """See TraceImporter.recognises: one event with this format's own fields is enough."""
        return any(_is_event(line) for line in first_lines if line.strip())

    def read(self, source: TraceSource) -> Iterator[ImportedItem | ImportProblem]:
        """See TraceImporter.read."""
        plan = _plan(source)
        run = Run(RunItems(SOURCE, plan.run_id))
        for line, content in enumerate(source.lines(), start=1):
            if not content.strip():
                continue
            parsed = parse_row(content)
            if isinstance(parsed, RefusedLine):
                yield ImportProblem(line, parsed.code, parsed.message)
                continue
            if line not in plan.sequences:
                message = "the line is not what it was a moment ago; import the file again"
                yield ImportProblem(line, "trace_changed", message)
                continue
            if parsed.escaped:
                message = "a text has half of a surrogate pair; it is kept as its escape, in plain text"
                yield ImportProblem(line, "surrogate_escaped", message)
            run.items.sequence = plan.sequences[line]
            yield from _event(run, parsed.row, line)


@dataclass(slots=True)
class _Plan:
    """What the first reading found: the sequence of each line's first item."""

    run_id: str
    sequences: dict[int, int] = field(default_factory=dict)


def _plan(source: TraceSource) -> _Plan:
    """Events in the order of their times, whatever the order in the file; one without stays behind the one before."""
    scratch = Run(RunItems(SOURCE, _SCRATCH))
    rows: list[tuple[int, int, str, int]] = []
    last_us = 0
    for line, content in enumerate(source.lines(), start=1):
        parsed = parse_row(content) if content.strip() else None
        if not isinstance(parsed, ParsedRow):
            continue
        occurred = time_of(parsed.row.get("timestamp"))
        last_us = last_us if occurred is None else occurred.at_us
        count = sum(isinstance(each, ImportedItem) for each in _event(scratch, parsed.row, line))
        rows.append((last_us, line, _own(parsed.row), count))
    rows.sort(key=lambda row: row[:2])
    starts = accumulate((count for *_, count in rows), initial=0)
    plan = _Plan(rows[0][2] if rows else _SCRATCH)
    plan.sequences = {line: start for (_, line, _, _), start in zip(rows, starts, strict=False)}
    return plan


def _is_event(line: bytes) -> bool:
    parsed = parse_row(line)
    if not isinstance(parsed, ParsedRow):
        return False
    row = parsed.row
    texts = (row.get("kind"), row.get("id"), row.get("timestamp"), row.get("source"))
    return all(isinstance(text, str) for text in texts) and row["source"] in _SOURCES


def _own(row: JsonObject) -> str:
    return plain_name(row.get("id")) or f"row-{digest_of(row)}"


def _event(run: Run, event: JsonObject, line: int) -> Found:
    occurred = time_of(event.get("timestamp"))
    row = run.row(_own(event), event, line_number=line, occurred=occurred)
    if row.repeated:
        return row.found
    if occurred is None and event.get("timestamp") is not None:
        row.problem("time_malformed", f"the timestamp is no time: {str(event['timestamp'])[:40]!r}; taken as not known")
    return event_row(row, event)
