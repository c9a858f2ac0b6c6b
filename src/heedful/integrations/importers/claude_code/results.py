"""Tool results and pictures in Claude Code rows: each taken once, though the source repeats them."""

from __future__ import annotations

import base64
import binascii
import re
from hashlib import sha256
from typing import Any

from heedful.integrations.importers.claude_code.part import Part, raw_part, text_part, unknown_part
from heedful.integrations.importers.json_rows import JsonObject
from heedful.integrations.importers.values import Attributes, is_field_name, named
from heedful.observations.record import RecordType, SourceGrade

RESULT_FIELDS_MAX = 16
"""Structured fields of a tool's answer kept as attributes; the rest is counted in `result_fields_dropped`."""

# Texts of a tool's answer may hold anything, secrets too, so only these short words become attributes.
_WORD_FIELDS = frozenset({"agentId", "mode", "status", "type"})
_MEDIA_TYPE = re.compile(r"[a-z]{1,20}/[a-zA-Z0-9.+_-]{1,80}")
_UNNAMED_MEDIA = "application/octet-stream"


class Pictures:
    """The base64 blocks of one row, each decoded once; what could not be decoded is in `problems`."""

    def __init__(self) -> None:
        """No picture seen yet."""
        self._seen: set[tuple[str, bytes]] = set()
        self.problems: list[tuple[str, str]] = []

    def part(
        self, index: str, kind: str, block: JsonObject, record_type: RecordType, grade: SourceGrade, **more: Any
    ) -> Part | None:
        """The block as bytes; raw where it holds none or they can't be decoded; None where the row had it already."""
        source = block.get("source")
        encoded = source.get("data") if isinstance(source, dict) and source.get("type") == "base64" else None
        if not isinstance(source, dict) or not isinstance(encoded, str):
            return raw_part(index, kind, block, record_type=record_type, grade=grade, **more)
        try:
            content = base64.b64decode(encoded, validate=True)
        except (binascii.Error, ValueError):
            self.problems.append(("base64_invalid", f"block {index} holds no valid base64; it was kept as it stands"))
            return raw_part(index, kind, block, record_type=record_type, grade=grade, **more)
        media = source.get("media_type")
        media = media if isinstance(media, str) and _MEDIA_TYPE.fullmatch(media) else _UNNAMED_MEDIA
        identity = (media, sha256(content).digest())
        if identity in self._seen:
            return None
        self._seen.add(identity)
        attributes, call_id = more.get("attributes", ()), more.get("call_id")
        return Part(index, kind, record_type, grade, None, content, media, (), attributes, (), call_id)


def result_parts(index: str, block: JsonObject, structured: Attributes, pictures: Pictures) -> list[Part]:
    """A `tool_result` block: its text as one part, each picture and each unknown block as one more."""
    call_id = block.get("tool_use_id")
    call_id = call_id if isinstance(call_id, str) else None
    link = (*named("tool_use_id", call_id), ("is_error", bool(block.get("is_error"))))
    content = block.get("content")
    if content is None or isinstance(content, str):
        content = [{"type": "text", "text": content or ""}]
    if not isinstance(content, list):
        kind, record_type = "user.tool_result", RecordType.TOOL_RESULT
        return [raw_part(index, kind, block, record_type=record_type, attributes=link, call_id=call_id)]
    texts: list[str] = []
    others: list[Part] = []
    for place, piece in enumerate(content):
        text = piece.get("text") if isinstance(piece, dict) and piece.get("type") == "text" else None
        if isinstance(text, str):
            texts.append(text)
        elif part := _piece_part(f"{index}.{place}", piece, link, call_id, pictures):
            others.append(part)
    if not texts and others:
        return others
    whole = text_part(
        index,
        "user.tool_result",
        RecordType.TOOL_RESULT,
        SourceGrade.TOOL,
        "\n".join(texts),
        attributes=link + structured,
        call_id=call_id,
    )
    return [whole, *others]


def _piece_part(index: str, piece: Any, link: Attributes, call_id: str | None, pictures: Pictures) -> Part | None:
    sort = piece.get("type") if isinstance(piece, dict) else None
    if sort in ("image", "document"):
        return pictures.part(
            index,
            f"user.tool_result.{sort}",
            piece,
            RecordType.TOOL_RESULT,
            SourceGrade.TOOL,
            attributes=link,
            call_id=call_id,
        )
    return unknown_part(index, piece, sort)


def structured_fields(answer: Any) -> Attributes:
    """The numbers, booleans and few words of `toolUseResult` as `result.<field>`, and how many fields were left out.

    It repeats the text (and pictures) of the tool result in another shape; that text is not taken twice.
    """
    if not isinstance(answer, dict):
        return ()
    kept: list[tuple[str, str | int | float | bool]] = []
    dropped = 0
    for name in sorted(answer):
        value = answer[name]
        short = not isinstance(value, str) or name in _WORD_FIELDS
        found = (
            named(f"result.{name}", value) if short and is_field_name(name) and len(kept) < RESULT_FIELDS_MAX else ()
        )
        kept.extend(found)
        dropped += not found and value not in (None, "", [], {})
    return (*kept, ("result_fields_dropped", dropped)) if dropped else tuple(kept)


def differing_answer(answer: Any, parts: list[Part]) -> list[Part]:
    """`toolUseResult` as a part of its own, where it is a text that no tool result of the row holds; else nothing."""
    if answer is None:
        return []
    results = [part for part in parts if part.kind.startswith("user.tool_result")]
    if not results and answer not in (None, "", [], {}):
        return [raw_part("answer", "user.tool_use_result", answer, record_type=RecordType.TOOL_RESULT)]
    if not isinstance(answer, str):
        return []
    said = answer.removeprefix("Error: ").strip()
    if any(said in (text := part.content.decode(errors="replace")) or text.strip() in said for part in results):
        return []
    call_id = results[0].call_id if len(results) == 1 else None
    link = named("tool_use_id", call_id)
    kind = "user.tool_use_result"
    return [
        text_part("answer", kind, RecordType.TOOL_RESULT, SourceGrade.TOOL, answer, attributes=link, call_id=call_id)
    ]
