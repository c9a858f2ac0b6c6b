"""Plain files as traces: JSONL of records and events, or one JSON document `{"records": [...]}`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

from heedful.integrations.importers.items import RunItems
from heedful.integrations.importers.json_rows import JsonObject
from heedful.integrations.importers.plain.entry import Entry
from heedful.integrations.importers.plain.events import event_entry, is_event
from heedful.integrations.importers.plain.order import CallOrder
from heedful.integrations.importers.plain.records import is_record, is_surely_record, record_entry
from heedful.integrations.importers.row_lines import first_rows, numbered_rows
from heedful.integrations.importers.values import named, plain_name
from heedful.kernel.canonical import canonical_bytes
from heedful.kernel.digest import sha256_hex
from heedful.kernel.newest import Newest
from heedful.observations.record import RecordType
from heedful.ports.importer import ImportedItem, ImportProblem, TraceSource

SOURCE = "heedful"
CALLS_HELD_MIN = 25_000
"""Calls that an answer finds, the newest at least so many."""
_CONTENT_CHARACTERS = 14  # 56 bits, the longest number that takes no more memory than a small one
_NO_RUN = "-"
_ENDINGS = (".jsonl", ".json", ".ndjson")

Found = Iterator[ImportedItem | ImportProblem]


class PlainLinesImporter:
    """JSONL of records and events. See TraceImporter."""

    @property
    def name(self) -> str:
        """See TraceImporter.name."""
        return SOURCE

    def recognises(self, first_lines: tuple[bytes, ...]) -> bool:
        """See TraceImporter.recognises: one row that is surely a record or an event is enough."""
        return any(is_event(row) or is_surely_record(row) for row in first_rows(first_lines))

    def read(self, source: TraceSource) -> Found:
        """See TraceImporter.read."""
        file = _PlainFile(_stem(source.name))
        for numbered in numbered_rows(source):
            if isinstance(numbered, ImportProblem):
                yield numbered
            else:
                yield from file.row(numbered.row, numbered.line, numbered.flags)


class PlainDocument:
    """A batch of records and events as one document. See DocumentFormat."""

    @property
    def name(self) -> str:
        """See DocumentFormat.name."""
        return SOURCE

    def recognises(self, document: object) -> bool:
        """See DocumentFormat.recognises: `records`, the first of which is one."""
        rows = _rows_in(document)
        first = rows[0] if rows else None
        return isinstance(first, dict) and (is_event(first) or is_surely_record(first))

    def items(self, document: object, source_name: str) -> Found:
        """See DocumentFormat.items. The line number of an item is its place in the list, from 1."""
        file = _PlainFile(_stem(source_name))
        for place, row in enumerate(_rows_in(document), start=1):
            if isinstance(row, dict):
                yield from file.row(row, place)
            else:
                yield ImportProblem(place, "row_not_object", "the record is no JSON object; it was not taken")


def _rows_in(document: object) -> list[Any]:
    rows = document.get("records") if isinstance(document, dict) else document
    return rows if isinstance(rows, list) else []


def _stem(name: str) -> str:
    ending = next((each for each in _ENDINGS if name.endswith(each)), "")
    return plain_name(name.removesuffix(ending), characters_max=128) or "records"


@dataclass(slots=True)
class _PlainFile:
    """One file: its runs by name, the calls in it, and what its entries go by.

    Of a long file little is held for each row: names are held as numbers that stand for them, see _number.

    Attributes:
        met: how often each row without a name was there; names: by name, a digest of the first entry that had it.
        retold: the names that were made for later entries of a name that another had.
    """

    stem: str
    runs: dict[str, RunItems] = field(default_factory=dict)
    met: dict[int, int] = field(default_factory=dict)
    names: dict[int, int] = field(default_factory=dict)
    retold: set[int] = field(default_factory=set)
    order: CallOrder = field(default_factory=CallOrder)
    calls: Newest[tuple[str, str], tuple[str, str | None]] = field(default_factory=lambda: Newest(CALLS_HELD_MIN))

    def row(self, row: JsonObject, line: int, flags: tuple[str, ...] = ()) -> Found:
        """What this row holds."""
        entry = event_entry(row) if is_event(row) else record_entry(row) if is_record(row) else None
        if entry is None:
            items = self._items(_NO_RUN)
            own = self._own(_NO_RUN, f"row:{_digest(row)}")
            yield self._placed(items.unknown(own, row.get("type", row.get("kind")), row, line_number=line), None)
        elif isinstance(entry, Entry):
            yield from self._entry(entry, _digest(row), line, flags)
        else:
            yield ImportProblem(line, *entry)

    def _entry(self, entry: Entry, digest: str, line: int, flags: tuple[str, ...]) -> Found:
        run = entry.run_id or _NO_RUN
        if entry.own is None:
            own = self._own(run, f"row:{digest}")
        else:
            own, named_before = self._named(run, entry.own, digest)
            if named_before:
                yield ImportProblem(line, "row_repeated", "the same stands in the file already; taken once")
                return
            if own != entry.own:
                flags = (*flags, "id-reused")
        for problem in (entry.held.problem, *entry.problems):
            if problem is not None:
                yield ImportProblem(line, *problem)
        yield self._item(entry, own, line, flags)

    def _item(self, entry: Entry, own: str, line: int, flags: tuple[str, ...]) -> ImportedItem:
        run = entry.run_id or _NO_RUN
        derived_from, attributes = entry.derived_from, entry.attributes
        if entry.calls is not None:
            self.calls.put((run, entry.calls), (own, dict(_texts(entry)).get("tool")))
        self.order.made(run, entry, (own, dict(_texts(entry)).get("tool")))
        if entry.answers is None and entry.type is RecordType.TOOL_RESULT and not derived_from:
            before = self.order.answered(run, entry)
            derived_from = () if before is None else (before[0],)
            attributes += () if before is None or "tool" in dict(attributes) else named("tool", before[1])
        if entry.answers is not None:
            self.order.closed(run, entry.answers)
            call = self.calls.get((run, entry.answers))
            if call is None:
                flags = (*flags, "call-missing")
            else:
                derived_from = (*derived_from, call[0])
                attributes += () if "tool" in dict(attributes) else named("tool", call[1])
        item = self._items(run).held(
            own,
            entry.kind,
            entry.type,
            entry.grade,
            entry.held.content,
            media_type=entry.held.media_type,
            line_number=line,
            occurred=entry.occurred,
            speaker=entry.speaker,
            attributes=tuple(dict(attributes).items()),
            subjects=entry.subjects,
            flags=flags,
            derived_from=derived_from,
        )
        return self._placed(item, entry)

    def _placed(self, item: ImportedItem, entry: Entry | None) -> ImportedItem:
        """At the place that the entry names, whatever the order of the file; in the file's run where it names none."""
        if entry is None or entry.run_id is None:
            item = replace(item, run_id=self.stem)
        return item if entry is None or entry.sequence is None else replace(item, sequence=entry.sequence)

    def _items(self, run: str) -> RunItems:
        if run not in self.runs:
            self.runs[run] = RunItems(SOURCE, run)
        return self.runs[run]

    def _named(self, run: str, name: str, digest: str) -> tuple[str, bool]:
        """What an entry of this name goes by, another where an entry before had it; and whether it came before."""
        number, content = _number(run, name), int(digest[:_CONTENT_CHARACTERS], 16)
        first = self.names.get(number)
        if first is None:
            self.names[number] = content
            return name, number in self.retold
        if first == content:
            return name, True
        name = f"{name}~{digest[:12]}"
        number = _number(run, name)
        came_before = number in self.retold or number in self.names
        self.retold.add(number)
        return name, came_before

    def _own(self, run: str, name: str) -> str:
        """The name of a row that names itself not; the same again goes by its number too."""
        number = _number(run, name)
        count = self.met[number] = self.met.get(number, 0) + 1
        return name if count == 1 else f"{name}~{count}"


def _number(*names: str) -> int:
    """What stands for these names: the chance that two of a billion share one is 1 in 10^11."""
    told = "".join(f"{len(name)}:{name}" for name in names)
    return int.from_bytes(blake2b(told.encode("utf-8", "surrogatepass"), digest_size=12).digest())


def _digest(row: JsonObject) -> str:
    return sha256_hex(canonical_bytes(row))[:32]


def _texts(entry: Entry) -> Iterator[tuple[str, str]]:
    for name, value in entry.attributes:
        if isinstance(value, str) and entry.type is RecordType.TOOL_CALL:
            yield name, value
