"""Importer: a trace format, read into rows that the service turns into records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from heedful.kernel.frozen import quickly_made
from heedful.kernel.times import SourceTime
from heedful.observations.record import AttributeValue, RecordType, SourceGrade, Subject


@quickly_made
@dataclass(frozen=True, slots=True)
class ImportedItem:
    """One thing that the trace says happened; scope, consent and principal are the service's to add.

    Attributes:
        line_number: where it starts in the file, from 1.
        source_ref: stable across imports of the same trace, unique in the tenant.
        kind: what it was in the source, for the counts (`assistant.text`, `user.tool_result`, `unknown:mode`).
        content: bytes; text is UTF-8.
        derived_from_refs: source_refs of the items that this one was made from.
        flags: `sidechain`, `dead-branch`, `compaction-summary`, `escaped-surrogate`, `copied`, ...
    """

    line_number: int
    source_ref: str
    kind: str
    type: RecordType
    grade: SourceGrade
    speaker: str | None
    content: bytes
    media_type: str
    occurred: SourceTime | None
    run_id: str
    sequence: int
    subjects: tuple[Subject, ...]
    attributes: tuple[tuple[str, AttributeValue], ...]
    derived_from_refs: tuple[str, ...]
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ImportProblem:
    """A row, or a part of one, that was not taken as it stood, and why. Nothing is dropped without one."""

    line_number: int
    code: str
    message: str


class TraceSource(Protocol):
    """A file to import; read twice at most, never held in memory whole by the caller."""

    @property
    def name(self) -> str:
        """What to call it, without folders."""
        ...

    def lines(self) -> Iterator[bytes]:
        """Its lines, from the start, without their line ends."""
        ...

    def size_bytes(self) -> int:
        """Its size, for a progress bar."""
        ...

    def location(self) -> str | None:
        """Where it lies as a file, for formats that are databases; None for a stream."""
        ...


class TraceImporter(Protocol):
    """One trace format."""

    @property
    def name(self) -> str:
        """`claude-code` and the like."""
        ...

    def recognises(self, first_lines: tuple[bytes, ...]) -> bool:
        """True where these first lines (at most 64) are surely of this format."""
        ...

    def read(self, source: TraceSource) -> Iterator[ImportedItem | ImportProblem]:
        """Everything in the trace, in the order of its file. The same file gives the same items.

        Never fatal: a row that can't be read is a problem; one of an unknown type is an item kept raw.
        """
        ...
