"""Part: one block of a Claude Code row, read on its own, before its place in the session is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from heedful.integrations.importers.json_rows import JsonObject
from heedful.integrations.importers.values import JSON_MEDIA, TEXT_MEDIA, Attributes, short_name
from heedful.kernel.canonical import canonical_bytes
from heedful.kernel.frozen import quickly_made
from heedful.observations.record import RecordType, SourceGrade, Subject


@quickly_made
@dataclass(frozen=True, slots=True)
class Part:
    """What becomes one item.

    Attributes:
        index: the block's place in its row, such as `0`, or `2.1` for a piece of a block.
        call_id: the tool call that this is, or that this answers.
    """

    index: str
    kind: str
    type: RecordType
    grade: SourceGrade
    speaker: str | None
    content: bytes
    media_type: str
    subjects: tuple[Subject, ...]
    attributes: Attributes
    flags: tuple[str, ...]
    call_id: str | None


@quickly_made
@dataclass(frozen=True, slots=True)
class RowParts:
    """Everything in one row: at least one part, and what could not be taken as it stood, as (code, message)."""

    parts: tuple[Part, ...]
    problems: tuple[tuple[str, str], ...]


def text_part(
    index: str,
    kind: str,
    record_type: RecordType,
    grade: SourceGrade,
    text: str,
    *,
    speaker: str | None = None,
    flags: tuple[str, ...] = (),
    attributes: Attributes = (),
    call_id: str | None = None,
) -> Part:
    """A part of plain text."""
    content = text.encode()
    return Part(index, kind, record_type, grade, speaker, content, TEXT_MEDIA, (), attributes, flags, call_id)


def raw_part(
    index: str,
    kind: str,
    value: Any,
    *,
    record_type: RecordType = RecordType.OBSERVATION,
    grade: SourceGrade = SourceGrade.TOOL,
    subjects: tuple[Subject, ...] = (),
    attributes: Attributes = (),
    flags: tuple[str, ...] = (),
    call_id: str | None = None,
) -> Part:
    """A part kept as it is in the source, as canonical JSON."""
    content = canonical_bytes(value)
    return Part(index, kind, record_type, grade, None, content, JSON_MEDIA, subjects, attributes, flags, call_id)


def unknown_part(index: str, value: Any, sort: object, *, grade: SourceGrade = SourceGrade.TOOL) -> Part:
    """A row or block of a type that is not known, kept raw under `unknown:<type>`."""
    return raw_part(index, f"unknown:{short_name(sort)}", value, grade=grade)


def raw_row(kind: str, row: JsonObject, *, grade: SourceGrade = SourceGrade.TOOL) -> RowParts:
    """A whole row, kept raw."""
    return RowParts((raw_part("0", kind, row, grade=grade),), ())
