"""Piece: one block of a message, a call or its output, read on its own, before its place in a run is known."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from heedful.integrations.importers.json_rows import JsonObject, ParsedValue, parse_value
from heedful.integrations.importers.values import JSON_MEDIA, TEXT_MEDIA, Attributes, named, plain_name, short_name
from heedful.kernel.canonical import canonical_bytes
from heedful.kernel.digest import sha256_hex
from heedful.observations.record import RecordType, SourceGrade, Subject

ENCRYPTED = "encrypted_content"
"""A field that only the API can read; it is never kept."""
_INLINE = re.compile(r"data:([^;,]{0,128})(?:;[^;,]{0,64}){0,8};base64,", re.IGNORECASE)
_MEDIA_TYPE = re.compile(r"[A-Za-z]{1,20}/[A-Za-z0-9.+_-]{1,80}")
_UNNAMED_MEDIA = "application/octet-stream"
_PATH_FIELDS = ("file_path", "path", "notebook_path")


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """What becomes one item.

    Attributes:
        calls, answers: the id of the call that this is, or that this is the output of.
        problem: a code and a message, where it could not be taken as it stood.
    """

    kind: str
    type: RecordType
    grade: SourceGrade
    content: bytes
    media_type: str = TEXT_MEDIA
    speaker: str | None = None
    attributes: Attributes = ()
    subjects: tuple[Subject, ...] = ()
    flags: tuple[str, ...] = ()
    calls: str | None = None
    answers: str | None = None
    problem: tuple[str, str] | None = None

    @property
    def tool(self) -> str | None:
        """The name of the tool, where this is a call."""
        found = dict(self.attributes).get("tool")
        return found if isinstance(found, str) else None


def raw_piece(
    kind: str,
    value: Any,
    record_type: RecordType = RecordType.OBSERVATION,
    grade: SourceGrade = SourceGrade.TOOL,
    **more: Any,
) -> Piece:
    """A piece kept as it is in the source, as canonical JSON, without what is encrypted."""
    content = canonical_bytes(without_encrypted(value))
    return Piece(kind=kind, type=record_type, grade=grade, content=content, media_type=JSON_MEDIA, **more)


def unknown_piece(value: Any, sort: object) -> Piece:
    """Something of a type that is not known, kept raw under `unknown:<type>`."""
    return raw_piece(f"unknown:{short_name(sort)}", value)


def without_encrypted(value: Any) -> Any:
    """The value without its `encrypted_content` fields; nests no deeper than a parsed row may."""
    if isinstance(value, dict):
        return {name: without_encrypted(each) for name, each in value.items() if name != ENCRYPTED}
    return [without_encrypted(each) for each in value] if isinstance(value, list) else value


def digest_of(value: Any) -> str:
    """32 hexadecimal digits that name this JSON value."""
    return sha256_hex(canonical_bytes(value))[:32]


def object_of(value: object) -> JsonObject:
    """The value where it is an object; else an empty one."""
    return value if isinstance(value, dict) else {}


def text_of(value: object) -> str | None:
    """The value where it is a text that says something; else None."""
    return value if isinstance(value, str) and value.strip() else None


def call_piece(kind: str, name: object, given: object, call_id: object, **more: Any) -> Piece:
    """A tool call: its name and input. Arguments that are JSON in a text are taken out of it."""
    flags: tuple[str, ...] = more.pop("flags", ())
    if isinstance(given, str) and kind != "custom_tool_call":
        parsed = parse_value(given.encode("utf-8", "backslashreplace"))
        if isinstance(parsed, ParsedValue):
            given = parsed.value
        elif given.strip():
            flags = (*flags, "arguments-not-json")
    paths = (plain_name(object_of(given).get(field)) for field in _PATH_FIELDS)
    return raw_piece(
        kind,
        {"name": name, "input": given},
        RecordType.TOOL_CALL,
        SourceGrade.AGENT,
        subjects=tuple(Subject("file", path) for path in paths if path is not None),
        attributes=named("call_id", call_id) + named("tool", name),
        calls=call_id if isinstance(call_id, str) else None,
        flags=flags,
        **more,
    )


def inline_piece(kind: str, block: Any, url: object, record_type: RecordType, grade: SourceGrade) -> Piece:
    """A picture or a file as its bytes where it stands in the trace (`data:` URL); else the block, raw."""
    if not isinstance(url, str) or (head := _INLINE.match(url)) is None:
        return raw_piece(kind, block, record_type, grade)
    media = head[1] if _MEDIA_TYPE.fullmatch(head[1]) else _UNNAMED_MEDIA
    return base64_piece(kind, block, url[head.end() :], record_type, grade, media=media)


def base64_piece(
    kind: str, block: Any, encoded: object, record_type: RecordType, grade: SourceGrade, *, media: str
) -> Piece:
    """The bytes of this base64; the block, raw, with a problem, where it is none."""
    try:
        content = base64.b64decode(encoded, validate=True) if isinstance(encoded, str) else b""
    except (binascii.Error, ValueError):
        problem = ("base64_invalid", f"a {kind} holds no valid base64; it was kept as it stands")
        return raw_piece(kind, block, record_type, grade, problem=problem)
    if not content:
        return raw_piece(kind, block, record_type, grade)
    return Piece(kind=kind, type=record_type, grade=grade, content=content, media_type=media)


def numbers_in(values: object) -> Attributes:
    """The numbers of an object as attributes; not those of objects in it."""
    return tuple(_numbers(object_of(values)))


def _numbers(values: JsonObject) -> Iterator[tuple[str, int | float]]:
    for name in sorted(values):
        value = values[name]
        if isinstance(value, int | float) and not isinstance(value, bool) and plain_name(name, characters_max=40):
            for found, number in named(name, value):
                if name.isidentifier() and isinstance(number, int | float):
                    yield found, number
