"""The parts of a Claude Code row: what each block is, and on whose word it stands."""

from __future__ import annotations

from typing import Any

from heedful.integrations.importers.claude_code.part import Part, RowParts, raw_part, raw_row, text_part, unknown_part
from heedful.integrations.importers.claude_code.results import (
    Pictures,
    differing_answer,
    result_parts,
    structured_fields,
)
from heedful.integrations.importers.claude_code.words import (
    COMPACT_SUMMARY,
    PROMPT_VOICE,
    SUMMARY_VOICE,
    USER_VOICE,
    Voice,
    harness_voice,
    memory_input,
    spans,
)
from heedful.integrations.importers.json_rows import JsonObject
from heedful.integrations.importers.values import named, plain_name, short_name
from heedful.observations.record import RecordType, SourceGrade, Subject

# Rows that carry no message; they are kept raw. Every other type is `unknown:<type>`.
_RAW_ROWS = {
    "file-history-snapshot": SourceGrade.TOOL,
    "queue-operation": SourceGrade.TOOL,
    "last-prompt": SourceGrade.TOOL,
    "custom-title": SourceGrade.TOOL,
    "ai-title": SourceGrade.SUMMARY,
}
_FILE_ATTACHMENTS = frozenset({"file", "edited_text_file", "nested_memory", "directory", "pdf_reference"})
_PATH_FIELDS = ("file_path", "notebook_path")


def parts_of(row: JsonObject) -> RowParts:
    """Every block of the row, in order; never empty, so that no row is lost."""
    sort = row.get("type")
    if sort == "user":
        return _user_row(row)
    if sort == "assistant":
        return _assistant_row(row)
    if sort == "system":
        return _system_row(row)
    if sort == "attachment":
        return _attachment_row(row)
    if sort == "progress":
        return raw_row(f"progress.{short_name(_inner(row, 'data').get('type'))}", row)
    if sort == "summary" and isinstance(row.get("summary"), str):
        flags = ("compaction-summary",)
        part = text_part("0", "summary", RecordType.MESSAGE, SourceGrade.SUMMARY, row["summary"], flags=flags)
        return RowParts((part,), ())
    if isinstance(sort, str) and sort in _RAW_ROWS:
        return raw_row(sort, row, grade=_RAW_ROWS[sort])
    return RowParts((unknown_part("0", row, sort),), ())


def _inner(row: JsonObject, name: str) -> JsonObject:
    value = row.get(name)
    return value if isinstance(value, dict) else {}


def _blocks(content: Any) -> list[Any] | None:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return content if isinstance(content, list) else None


def _user_row(row: JsonObject) -> RowParts:
    blocks = _blocks(_inner(row, "message").get("content"))
    if blocks is None:
        return RowParts((unknown_part("0", row, "user"),), ())
    results = [block for block in blocks if isinstance(block, dict) and block.get("type") == "tool_result"]
    voice = _row_voice(row, beside_result=bool(results))
    answer = row.get("toolUseResult")
    structured = structured_fields(answer) if len(results) == 1 else ()
    pictures = Pictures()
    parts: list[Part] = []
    for place, block in enumerate(blocks):
        if isinstance(block, dict) and block.get("type") == "tool_result":
            parts.extend(result_parts(str(place), block, structured, pictures))
        else:
            parts.extend(_said_parts(str(place), block, "user", voice, pictures))
    parts.extend(differing_answer(answer, parts))
    if not parts:
        return raw_row("user.empty", row)
    return RowParts(tuple(parts), tuple(pictures.problems))


def _row_voice(row: JsonObject, *, beside_result: bool) -> Voice:
    """Whose words the row's own texts are; the person's only where nothing says otherwise."""
    if row.get("isCompactSummary"):
        return SUMMARY_VOICE
    if row.get("isSidechain") or row.get("agentId"):
        return PROMPT_VOICE
    if row.get("isMeta") or row.get("isVisibleInTranscriptOnly") or row.get("isSynthetic"):
        return harness_voice("meta")
    if row.get("sourceToolUseID") or row.get("toolUseResult") is not None or beside_result:
        return harness_voice("beside_result")
    if _inner(row, "message").get("role") != "user" or not _is_from_a_person(row):
        return harness_voice("not_typed")
    return USER_VOICE


def _is_from_a_person(row: JsonObject) -> bool:
    origin = row.get("origin")
    sort = origin.get("kind") if isinstance(origin, dict) else origin
    return sort in (None, "human") and row.get("turnOrigin") in (None, "human")


def _said_parts(index: str, block: Any, prefix: str, voice: Voice, pictures: Pictures) -> list[Part]:
    sort = block.get("type") if isinstance(block, dict) else None
    if sort == "text" and isinstance(block.get("text"), str):
        return _text_parts(index, block["text"], prefix, voice)
    if sort in ("image", "document"):
        source = _inner(block, "source")
        if source.get("type") == "text" and isinstance(source.get("data"), str):
            text = source["data"]
            return [text_part(index, f"{prefix}.{sort}", RecordType.DOCUMENT, SourceGrade.DOCUMENT, text)]
        part = pictures.part(index, f"{prefix}.{sort}", block, RecordType.DOCUMENT, SourceGrade.DOCUMENT)
        return [part] if part else []
    return [unknown_part(index, block, sort)]


def _text_parts(index: str, text: str, prefix: str, voice: Voice) -> list[Part]:
    if voice is SUMMARY_VOICE:
        return [_spoken(index, text, prefix, voice)]
    typed = memory_input(text)
    if typed is not None and voice is USER_VOICE:
        part = text_part(index, "user.memory_input", voice.type, voice.grade, typed, speaker=voice.speaker)
        return [part]
    found = spans(text)
    if len(found) == 1:
        return [_spoken(index, text, prefix, harness_voice(found[0].kind) if found[0].kind else voice)]
    return [
        _spoken(f"{index}.{place}", span.text, prefix, harness_voice(span.kind) if span.kind else voice)
        for place, span in enumerate(found)
    ]


def _spoken(index: str, text: str, prefix: str, voice: Voice) -> Part:
    kind = f"{prefix}.{voice.kind}"
    return text_part(index, kind, voice.type, voice.grade, text, speaker=voice.speaker, flags=voice.flags)


def _assistant_row(row: JsonObject) -> RowParts:
    message = _inner(row, "message")
    blocks = _blocks(message.get("content"))
    if blocks is None:
        return RowParts((unknown_part("0", row, "assistant"),), ())
    if not blocks:
        return raw_row("assistant.empty", row)
    said_by_harness = "api_error" if row.get("isApiErrorMessage") else None
    if said_by_harness is None and message.get("model") == "<synthetic>":
        said_by_harness = "synthetic"
    parts = [_assistant_part(str(place), block, said_by_harness) for place, block in enumerate(blocks)]
    return RowParts(tuple(parts), ())


def _assistant_part(index: str, block: Any, said_by_harness: str | None) -> Part:
    sort = block.get("type") if isinstance(block, dict) else None
    if sort == "text" and isinstance(block.get("text"), str):
        if said_by_harness:
            kind = f"assistant.{said_by_harness}"
            return text_part(index, kind, RecordType.OBSERVATION, SourceGrade.TOOL, block["text"])
        return text_part(index, "assistant.text", RecordType.MESSAGE, SourceGrade.AGENT, block["text"])
    if sort == "thinking" and isinstance(block.get("thinking"), str):
        # Its signature is opaque and of use to the API only.
        text, flags = block["thinking"], ("thinking",)
        return text_part(index, "assistant.thinking", RecordType.MESSAGE, SourceGrade.AGENT, text, flags=flags)
    if sort == "redacted_thinking":
        return raw_part(index, "assistant.redacted_thinking", block, grade=SourceGrade.AGENT, flags=("thinking",))
    if sort in ("tool_use", "server_tool_use"):
        return _call_part(index, block, sort)
    if isinstance(sort, str) and sort.endswith("_tool_result"):
        link = named("tool_use_id", block.get("tool_use_id"))
        return raw_part(index, "assistant.tool_result", block, record_type=RecordType.TOOL_RESULT, attributes=link)
    return unknown_part(index, block, sort)


def _call_part(index: str, block: JsonObject, sort: str) -> Part:
    name, given, call_id = block.get("name"), block.get("input"), block.get("id")
    paths = [plain_name(_inner(block, "input").get(field)) for field in _PATH_FIELDS]
    subjects = tuple(Subject("file", path) for path in paths if path is not None)
    return raw_part(
        index,
        f"assistant.{sort}",
        {"name": name, "input": given},
        record_type=RecordType.TOOL_CALL,
        grade=SourceGrade.AGENT,
        subjects=subjects,
        attributes=named("tool_use_id", call_id) + named("tool", name),
        call_id=call_id if isinstance(call_id, str) else None,
    )


def _system_row(row: JsonObject) -> RowParts:
    subtype = row.get("subtype")
    kind = f"system.{short_name(subtype)}"
    content = row.get("content")
    if not isinstance(content, str):
        return raw_row(kind, row)
    summary = subtype == "away_summary"
    grade = SourceGrade.SUMMARY if summary else SourceGrade.TOOL
    compacted = _inner(row, "compactMetadata")
    attributes = named("level", row.get("level")) + named("trigger", compacted.get("trigger"))
    attributes += named("tokens_before", compacted.get("preTokens"))
    return RowParts((text_part("0", kind, RecordType.OBSERVATION, grade, content, attributes=attributes),), ())


def _attachment_row(row: JsonObject) -> RowParts:
    attachment = _inner(row, "attachment")
    sort = attachment.get("type")
    kind = f"attachment.{short_name(sort)}"
    if sort == "queued_command" and (parts := _queued_parts(row, attachment, kind)):
        return parts
    if isinstance(sort, str) and sort in _FILE_ATTACHMENTS:
        part = raw_part("0", kind, attachment, record_type=RecordType.DOCUMENT, grade=SourceGrade.DOCUMENT)
        return RowParts((part,), ())
    return raw_row(kind, row)


def _queued_parts(row: JsonObject, attachment: JsonObject, kind: str) -> RowParts | None:
    """What a person typed while the agent was at work: it reaches the agent as an attachment, not as a user row."""
    blocks = _blocks(attachment.get("prompt") or None)
    if not blocks:
        return None
    typed = attachment.get("commandMode") == "prompt" and not attachment.get("isMeta")
    if not typed or row.get("isMeta") or not _is_from_a_person(attachment):
        voice = harness_voice("not_typed")
    else:
        voice = PROMPT_VOICE if row.get("isSidechain") or row.get("agentId") else USER_VOICE
    pictures = Pictures()
    parts = [
        part for place, block in enumerate(blocks) for part in _said_parts(str(place), block, kind, voice, pictures)
    ]
    return RowParts(tuple(parts), tuple(pictures.problems)) if parts else None


def is_compact_summary(parts: tuple[Part, ...]) -> bool:
    """True where the row is the machine's summary of what was compacted."""
    return any(part.kind == f"user.{COMPACT_SUMMARY}" for part in parts)
