"""The importer of Claude Code sessions: JSONL as versions 1.0 to 2.1 write it, main files and sub-agents' files.

There is no published schema. What is known of it comes from transcripts and from what public viewers of them note
(daaain/claude-code-log, for one); what is not known is kept raw and counted under `unknown:<type>`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from heedful.integrations.importers.claude_code.facts import SOURCE, ReadRow, RowFacts, read_row
from heedful.integrations.importers.claude_code.part import Part
from heedful.integrations.importers.claude_code.plan import TracePlan, plan_trace
from heedful.integrations.importers.claude_code.rows import parts_of
from heedful.integrations.importers.json_rows import ParsedRow, RefusedLine, parse_row
from heedful.integrations.importers.values import Attributes, named
from heedful.kernel.frozen import quickly_made
from heedful.kernel.times import SourceTime
from heedful.observations.record import Subject
from heedful.ports.importer import ImportedItem, ImportProblem, TraceSource

_TREE_ROWS = frozenset({"user", "assistant", "system", "attachment", "progress"})


class ClaudeCodeImporter:
    """Claude Code session JSONL. See TraceImporter.

    A file is read twice: first for the tree, the runs and the messages that lie over several rows (a few names and
    numbers a row are held, and the parts of the first rows), then for the content, which is handed out row by row in
    the order of the file.
    """

    @property
    def name(self) -> str:
        """See TraceImporter.name."""
        return SOURCE

    def recognises(self, first_lines: tuple[bytes, ...]) -> bool:
        """See TraceImporter.recognises: one row with this format's own fields is enough."""
        return any(_is_of_this_format(line) for line in first_lines if line.strip())

    def read(self, source: TraceSource) -> Iterator[ImportedItem | ImportProblem]:
        """See TraceImporter.read."""
        plan = plan_trace(source.lines(), source.name)
        for line, content in enumerate(source.lines(), start=1):
            if not content.strip():
                continue
            known = plan.read.pop(line, None)
            if known is not None and known.line_content == content:
                yield from _read_row(line, known, plan)
                continue
            parsed = parse_row(content)
            if isinstance(parsed, RefusedLine):
                yield ImportProblem(line, parsed.code, parsed.message)
            else:
                facts = plan.rows.get(line)
                row = None if facts is None else read_row(content, parsed, parts_of(parsed.row), facts)
                yield from _read_row(line, row, plan)


def _is_of_this_format(line: bytes) -> bool:
    parsed = parse_row(line)
    if not isinstance(parsed, ParsedRow):
        return False
    row = parsed.row
    sort = row.get("type")
    if sort == "summary":
        return isinstance(row.get("leafUuid"), str) and isinstance(row.get("summary"), str)
    if sort == "file-history-snapshot":
        return isinstance(row.get("snapshot"), dict)
    if sort == "queue-operation":
        return isinstance(row.get("operation"), str) and isinstance(row.get("sessionId"), str)
    if not isinstance(sort, str) or sort not in _TREE_ROWS or not isinstance(row.get("uuid"), str):
        return False
    message = row.get("message")
    says = sort in ("user", "assistant") and isinstance(message, dict) and "role" in message
    return says or (isinstance(row.get("sessionId"), str) and "parentUuid" in row)


def _read_row(line: int, row: ReadRow | None, plan: TracePlan) -> Iterator[ImportedItem | ImportProblem]:
    if row is None:
        yield ImportProblem(line, "trace_changed", "the line is not what it was a moment ago; import the file again")
        return
    facts = plan.rows[line]
    if facts.same_as_line is not None:
        yield ImportProblem(line, "row_repeated", f"the row is the same as line {facts.same_as_line}; taken once")
        return
    if row.escaped:
        message = "a text has half of a surrogate pair; it is kept as its escape, in plain text"
        yield ImportProblem(line, "surrogate_escaped", message)
    time = facts.time
    if isinstance(time, str):
        yield ImportProblem(line, "time_malformed", f"the timestamp is no time: {time!r}; taken as not known")
        time = None
    for code, message in row.found.problems:
        yield ImportProblem(line, code, message)
    flags = _row_flags(facts, escaped=row.escaped)
    kept = [part for part in row.found.parts if (line, part.index) not in plan.superseded]
    for place, part in enumerate(kept):
        context = _context(part, facts, plan, _Context(row.shared, (), flags))
        yield _item(facts, part, place, time, context)


def _row_flags(facts: RowFacts, *, escaped: bool) -> tuple[str, ...]:
    flags = facts.flags
    if facts.dead:
        flags += ("dead-branch",)
    if facts.detached:
        flags += ("detached",)
    if escaped:
        flags += ("escaped-surrogate",)
    if facts.sidechain:
        flags += ("sidechain",)
    return flags


@quickly_made
@dataclass(frozen=True, slots=True)
class _Context:
    """What an item gets from outside its part: its message, its usage, the call that it answers."""

    attributes: Attributes
    subjects: tuple[Subject, ...]
    flags: tuple[str, ...]


def _item(facts: RowFacts, part: Part, place: int, time: SourceTime | None, context: _Context) -> ImportedItem:
    return ImportedItem(
        line_number=facts.line,
        source_ref=facts.part_ref(part.index),
        kind=part.kind,
        type=part.type,
        grade=part.grade,
        speaker=part.speaker,
        content=part.content,
        media_type=part.media_type,
        occurred=time,
        run_id=facts.run_id,
        sequence=facts.first_sequence + place,
        subjects=context.subjects,
        attributes=context.attributes,
        derived_from_refs=facts.derived_from,
        flags=tuple(sorted(set(context.flags))) if context.flags else (),
    )


def _context(part: Part, facts: RowFacts, plan: TracePlan, shared: _Context) -> _Context:
    found = part.attributes + shared.attributes + plan.usage.get((facts.line, part.index), ())
    flags = shared.flags + part.flags
    if part.call_id is None or not part.kind.startswith("user."):
        return _Context(found, part.subjects, flags)
    call = plan.calls.get(part.call_id)
    if call is None:
        return _Context(found, (), (*flags, "call-missing"))
    return _Context(found + named("tool", call.tool), call.subjects, flags)
