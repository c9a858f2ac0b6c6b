"""The first pass over a Claude Code transcript: where each row belongs, before any of it is handed out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from heedful.integrations.importers.claude_code.facts import (
    ReadRow,
    RowFacts,
    Usage,
    digest,
    facts_of,
    leaf_ref,
    read_row,
    row_ref,
)
from heedful.integrations.importers.claude_code.merge import MessageMerge, Place
from heedful.integrations.importers.claude_code.part import Part
from heedful.integrations.importers.claude_code.rows import parts_of
from heedful.integrations.importers.claude_code.tree import lay_out, order_key
from heedful.integrations.importers.json_rows import JsonObject, ParsedRow, parse_row
from heedful.integrations.importers.values import plain_name
from heedful.observations.record import Subject

DERIVED_FROM_MAX = 1_000
"""A machine summary names at most this many of the parts that it summarises, the newest."""

READ_BYTES_MAX = 33_554_432
"""So many bytes of lines are held with their parts from the first pass to the second, which reads the rest anew."""


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call, for the result that answers it."""

    tool: str | None
    subjects: tuple[Subject, ...]


@dataclass(frozen=True, slots=True)
class TracePlan:
    """What the second pass needs to know of each line.

    Attributes:
        read: lines that the first pass took apart, as many as READ_BYTES_MAX allows; each is taken out when used.
        superseded: parts, as (line, index), that another row of the same API message holds.
    """

    rows: dict[int, RowFacts]
    superseded: set[Place]
    usage: dict[Place, Usage]
    calls: dict[str, Call]
    read: dict[int, ReadRow]


def plan_trace(lines: Iterator[bytes], name: str) -> TracePlan:
    """The plan of a whole trace; `name` is the file's, for rows of no named session."""
    scan = _Scan()
    read: dict[int, ReadRow] = {}
    read_bytes = 0
    for line, content in enumerate(lines, start=1):
        if content.strip():
            parsed = parse_row(content)
            if isinstance(parsed, ParsedRow):
                found = parts_of(parsed.row)
                facts = scan.add(line, parsed.row, found.parts)
                read_bytes += len(content)
                if read_bytes <= READ_BYTES_MAX:
                    read[line] = read_row(content, parsed, found, facts)
    session = scan.main_session() or plain_name(name.removesuffix(".jsonl")) or "session"
    rows = [row for row in scan.rows if row.same_as_line is None]
    lay_out(rows)
    _name_rows(scan, session)
    _name_runs(rows, session)
    _number(rows, scan.merge.superseded)
    by_line = {row.line: row for row in scan.rows}
    return TracePlan(by_line, scan.merge.superseded, scan.merge.usage_by_place(), scan.calls, read)


class _Scan:
    def __init__(self) -> None:
        self.rows: list[RowFacts] = []
        self.merge = MessageMerge()
        self.calls: dict[str, Call] = {}
        self.refs: list[tuple[RowFacts, str]] = []
        self._sessions: Counter[str] = Counter()
        self._by_uuid: dict[str, tuple[int, bytes]] = {}
        self._carried_us = 0

    def add(self, line: int, row: JsonObject, parts: tuple[Part, ...]) -> RowFacts:
        facts = facts_of(line, row, parts, self._carried_us)
        self._carried_us = facts.carried_us
        self.rows.append(facts)
        if facts.session is not None:
            self._sessions[facts.session] += 1
        suffix = self._note_uuid(facts, parts)
        if facts.same_as_line is not None:
            return facts
        # The session of rows that name none is known only in the end; until then a mark stands for it.
        self.refs.append((facts, row_ref(row, facts.uuid, facts.session or _NO_SESSION) + suffix))
        if facts.message is not None:
            self.merge.add(facts, parts)
        for part in parts:
            if part.call_id is not None and part.kind.startswith("assistant."):
                tool = next((value for name, value in part.attributes if name == "tool"), None)
                self.calls[part.call_id] = Call(tool if isinstance(tool, str) else None, part.subjects)
        return facts

    def main_session(self) -> str | None:
        """The session of most rows; of equals the first by name."""
        return min(self._sessions, key=lambda name: (-self._sessions[name], name), default=None)

    def _note_uuid(self, facts: RowFacts, parts: tuple[Part, ...]) -> str:
        """What to add to the row's ref: nothing, or its digest where another row had the uuid before it."""
        if facts.uuid is None:
            return ""
        content = digest(
            b"".join(b"%d %b %b" % (len(part.content), part.kind.encode(), part.content) for part in parts)
        )
        line, first = self._by_uuid.setdefault(facts.uuid, (facts.line, content))
        variant = f"{facts.uuid}\0{content.hex()}"
        if line == facts.line:
            return ""
        if first == content:
            facts.same_as_line = line
            return ""
        twin, _ = self._by_uuid.setdefault(variant, (facts.line, content))
        if twin != facts.line:
            facts.same_as_line = twin
        facts.flags = (*facts.flags, "uuid-reused")
        return f"~{content.hex()[:12]}"


_NO_SESSION = "\0"


def _name_rows(scan: _Scan, session: str) -> None:
    seen: Counter[str] = Counter()
    for facts, marked in scan.refs:
        ref = marked.replace(_NO_SESSION, session)
        seen[ref] += 1
        facts.ref = ref if seen[ref] == 1 else f"{ref}~{seen[ref]}"


def _name_runs(rows: list[RowFacts], session: str) -> None:
    """A run a session, and one a sub-agent; a sidechain of no named agent goes by its first row."""
    top = list(range(len(rows)))
    agents: dict[int, set[str]] = defaultdict(set)
    for place in sorted(range(len(rows)), key=lambda at: rows[at].depth):
        row = rows[place]
        if row.sidechain and row.parent is not None and rows[row.parent].sidechain:
            top[place] = top[row.parent]
        if row.sidechain and row.agent is not None:
            agents[top[place]].add(row.agent)
    for place, row in enumerate(rows):
        base = row.session or session
        if not row.sidechain:
            row.run_id = base
            continue
        first = rows[top[place]]
        named = agents[top[place]]
        agent = row.agent or (next(iter(named)) if len(named) == 1 else None)
        row.run_id = f"{base}/agent-{agent}" if agent else f"{base}/sidechain-{plain_name(first.uuid) or first.line}"


def _number(rows: list[RowFacts], superseded: set[Place]) -> None:
    """Sets sequences and what each machine summary was made from."""
    by_uuid = {row.uuid: row for row in reversed(rows) if row.uuid is not None}
    runs: defaultdict[str, list[RowFacts]] = defaultdict(list)
    for row in rows:
        row.part_indexes = tuple(index for index in row.part_indexes if (row.line, index) not in superseded)
        runs[row.run_id].append(row)
    for run in runs.values():
        sequence = 0
        summarised: list[str] = []
        for row in sorted(run, key=order_key):
            row.first_sequence = sequence
            sequence += len(row.part_indexes)
            refs = [row.part_ref(index) for index in row.part_indexes]
            if row.summarises:
                row.derived_from = tuple(summarised[-DERIVED_FROM_MAX:])
                row.flags += ("derived-from-cut",) if len(summarised) > DERIVED_FROM_MAX else ()
                summarised = refs
            elif row.speaks and not row.dead and not row.detached:
                summarised += refs
            if row.leaf_uuid is not None:
                row.derived_from = _leaf(by_uuid.get(row.leaf_uuid), row.leaf_uuid)


def _leaf(leaf: RowFacts | None, leaf_uuid: str) -> tuple[str, ...]:
    if leaf is not None:
        return tuple(leaf.part_ref(index) for index in leaf.part_indexes)
    ref = leaf_ref(leaf_uuid)
    return () if ref is None else (ref,)
