"""Part: one block of a Claude Code row, read on its own, before its place in the session is known."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Any

from heedful.integrations.importers.json_rows import JsonObject
from heedful.kernel.canonical import INTEGER_MAX, canonical_bytes
from heedful.observations.record import AttributeValue, RecordType, SourceGrade, Subject

TEXT_MEDIA = "text/plain"
JSON_MEDIA = "application/json"
NAME_CHARACTERS_MAX = 256
_SHORT_NAME_CHARACTERS_MAX = 64
_FIELD_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")

Attributes = tuple[tuple[str, AttributeValue], ...]


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


def plain_name(value: object, *, characters_max: int = NAME_CHARACTERS_MAX) -> str | None:
    """The value where it may stand as a name: a text, not empty, not long, without control characters; else None."""
    if not isinstance(value, str) or not value or len(value) > characters_max or value != value.strip():
        return None
    if value.isascii() and value.isprintable():
        return value
    return None if any(unicodedata.category(character) in ("Cc", "Cs") for character in value) else value


def short_name(value: object) -> str:
    """A type's own name, or `none` or `other` where it has none that may be shown."""
    return plain_name(value, characters_max=_SHORT_NAME_CHARACTERS_MAX) or ("none" if value is None else "other")


def named(name: str, value: object) -> Attributes:
    """The attribute, where the value is a boolean, a number of at most 2**53 or a plain name; else nothing."""
    if isinstance(value, bool | int | float):
        return ((name, value),) if abs(value) <= INTEGER_MAX else ()
    text = plain_name(value)
    return ((name, text),) if text is not None else ()


def is_field_name(value: object) -> bool:
    """True where this may be part of an attribute's name."""
    return isinstance(value, str) and _FIELD_NAME.fullmatch(value) is not None
