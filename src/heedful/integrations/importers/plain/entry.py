"""Entry: one record or event of a plain file, read on its own, before its place in a run is known."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import Any

from heedful.integrations.importers.json_rows import JsonObject
from heedful.integrations.importers.values import JSON_MEDIA, TEXT_MEDIA, Attributes, plain_name, short_name
from heedful.kernel.canonical import INTEGER_MAX, canonical_bytes
from heedful.kernel.times import SourceTime
from heedful.observations.record import AttributeValue, RecordType, SourceGrade, Subject

BYTES_MEDIA = "application/octet-stream"
RESERVED = frozenset({"approves", "verifies"})
"""Attributes by which the gate lets calls through: a file that anybody may have written sets none of them."""

Problem = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Held:
    """A content and its media type; `problem`, where it could not be taken as it stood."""

    content: bytes
    media_type: str
    problem: Problem | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What becomes one item.

    Attributes:
        own: its own name in its run, where it has one.
        run_id, sequence: where it says so.
        derived_from: own names of other entries of the run.
        calls, answers: the id of the tool call that this is, or that this is the output of.
    """

    kind: str
    type: RecordType
    grade: SourceGrade
    held: Held
    own: str | None = None
    run_id: str | None = None
    sequence: int | None = None
    occurred: SourceTime | None = None
    speaker: str | None = None
    subjects: tuple[Subject, ...] = ()
    attributes: Attributes = ()
    derived_from: tuple[str, ...] = ()
    calls: str | None = None
    answers: str | None = None
    problems: tuple[Problem, ...] = ()


def in_base64(encoded: Any, media_type: object) -> Held | None:
    """The bytes of a base64 text; None where it is no text, or no base64."""
    if not isinstance(encoded, str):
        return None
    try:
        content = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        return None
    return Held(content, media_type if isinstance(media_type, str) else BYTES_MEDIA)


def in_text(text: str, media_type: object = TEXT_MEDIA) -> Held:
    """The bytes of a text."""
    return Held(text.encode("utf-8", "backslashreplace"), media_type if isinstance(media_type, str) else TEXT_MEDIA)


def in_json(value: Any, problem: Problem | None = None) -> Held:
    """The value as canonical JSON."""
    return Held(canonical_bytes(value), JSON_MEDIA, problem)


def texts_in(value: object) -> tuple[str, ...]:
    """The texts of a list, or the one text that stands instead of a list."""
    if isinstance(value, str):
        return (value,)
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()


def sequence_in(row: JsonObject) -> int | None:
    """The entry's own place in its run; None where it has none that may be one."""
    found = row.get("sequence")
    is_place = isinstance(found, int) and not isinstance(found, bool) and 0 <= found <= INTEGER_MAX
    return found if is_place else None


def subjects_in(value: object) -> tuple[tuple[Subject, ...], list[Problem]]:
    """Subjects, given as pairs or as objects with type and id, and a problem for each that is neither."""
    found: list[Subject] = []
    problems: list[Problem] = []
    for each in value if isinstance(value, list) else [] if value is None else [value]:
        pair = [each.get("type"), each.get("id")] if isinstance(each, dict) else each
        names = [plain_name(name) for name in pair] if isinstance(pair, list) else []
        if len(names) == 2 and names[0] is not None and names[1] is not None:
            found.append(Subject(names[0], names[1]))
        else:
            problems.append(("subject_malformed", "a subject has no type and id that may be names; it was left out"))
    return tuple(found), problems


def attributes_in(value: object) -> tuple[Attributes, list[Problem]]:
    """Attributes that are texts, numbers or booleans, and a problem for each that is left out."""
    found: list[tuple[str, AttributeValue]] = []
    problems: list[Problem] = []
    for name, each in value.items() if isinstance(value, dict) else ():
        if name in RESERVED:
            what = "an import approves and verifies nothing; `heedful remember` and `review approve` do"
            problems.append(("attribute_reserved", f"the attribute {name} was left out: {what}"))
        elif isinstance(each, str | int | float):
            found.append((name, each))
        else:
            problems.append(("attribute_malformed", "an attribute that is no text, number or boolean was left out"))
    return tuple(found), problems


def unknown_fields(row: JsonObject, known: frozenset[str]) -> list[Problem]:
    """A problem where the row has fields that nothing is made of."""
    names = [short_name(name) for name in row if name not in known]
    if not names:
        return []
    return [("field_unknown", f"not taken, since no such field is known: {', '.join(names[:8])}")]
