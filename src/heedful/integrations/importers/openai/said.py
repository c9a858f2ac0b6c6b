"""Messages: whose words each block of one is, in chat completions and in items of the Responses API alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from heedful.integrations.importers.claude_code.words import USER_VOICE, Voice, harness_voice, spans
from heedful.integrations.importers.json_rows import JsonObject
from heedful.integrations.importers.openai.pieces import (
    Piece,
    base64_piece,
    inline_piece,
    object_of,
    raw_piece,
    text_of,
    unknown_piece,
)
from heedful.observations.record import RecordType, SourceGrade

AGENT_VOICE = Voice("text", RecordType.MESSAGE, SourceGrade.AGENT, None, ())
PROMPT_VOICE = Voice("text", RecordType.DOCUMENT, SourceGrade.DOCUMENT, None, ())
"""System and developer prompts: a transcript is no operator's door."""
CONTEXT_VOICE = Voice("context", RecordType.DOCUMENT, SourceGrade.DOCUMENT, None, ())
"""What the program put into a user's message: instructions of a file, the state of the machine."""
THINKING = "thinking"

UserVoice = Callable[[str], Voice]
"""Whose words a text in a user's message is."""

_ROLE_VOICES = {"assistant": AGENT_VOICE, "system": PROMPT_VOICE, "developer": PROMPT_VOICE}
_TEXTS = frozenset({"text", "input_text", "output_text", "summary_text", "refusal"})
_AUDIO_TYPES = {"wav": "audio/wav", "mp3": "audio/mpeg", "flac": "audio/flac", "pcm16": "audio/L16"}
ROLES = frozenset({"user", *_ROLE_VOICES})


def typed(text: str) -> Voice:
    """The person's own, except where the program's marks say otherwise."""
    return CONTEXT_VOICE if text.lstrip().startswith("# AGENTS.md instructions") else USER_VOICE


def said_pieces(role: str, content: object, user_voice: UserVoice = typed, speaker: str | None = None) -> list[Piece]:
    """The blocks of a message of one of ROLES; nothing where it says nothing. `speaker`: who the user is, if named."""
    blocks = content if isinstance(content, list) else [content]
    found: list[Piece] = []
    for block in blocks:
        if (text := block_text(block)) is not None:
            voice = _ROLE_VOICES.get(role) or user_voice(text)
            found += _spoken(role, text, voice, speaker)
        elif block not in (None, "") and not _is_blank(block):
            found.append(_block_piece(role, block))
    return found


def block_text(block: object) -> str | None:
    """What a block of a message says; None where it is something else, or says nothing."""
    if isinstance(block, str):
        return text_of(block)
    sort = object_of(block).get("type")
    if not isinstance(sort, str) or sort not in _TEXTS:
        return None
    return text_of(object_of(block).get("refusal" if sort == "refusal" else "text"))


def whole_text(content: object) -> str | None:
    """The texts of a message or an output, line by line; None where any block of it is something else."""
    blocks = content if isinstance(content, list) else [content]
    texts = [block_text(block) for block in blocks if not _is_blank(block)]
    if not texts or any(text is None for text in texts):
        return None
    return "\n".join(text for text in texts if text is not None)


def _is_blank(block: Any) -> bool:
    text = block if isinstance(block, str) else object_of(block).get("text")
    sort = "text" if isinstance(block, str) else object_of(block).get("type")
    return isinstance(text, str) and not text.strip() and isinstance(sort, str) and sort in _TEXTS


def _spoken(role: str, text: str, voice: Voice, speaker: str | None) -> list[Piece]:
    stretches = [(text, voice)]
    if voice is USER_VOICE:
        stretches = [
            (span.text, voice if span.kind is None else harness_voice(span.kind))
            for span in spans(text)
            if span.text.strip()
        ]
    return [
        Piece(
            kind=f"{role}.{each.kind}",
            type=each.type,
            grade=each.grade,
            content=stretch.encode("utf-8", "backslashreplace"),
            speaker=(speaker or each.speaker) if each is USER_VOICE else None,
            flags=each.flags,
        )
        for stretch, each in stretches
    ]


def _block_piece(role: str, block: Any) -> Piece:
    """A block that is no text: a picture, a file or a sound; or raw, where it is of an unknown type."""
    fields: JsonObject = object_of(block)
    sort = fields.get("type")
    grade = SourceGrade.AGENT if role == "assistant" else SourceGrade.TOOL if role == "tool" else SourceGrade.DOCUMENT
    record_type = RecordType.TOOL_RESULT if role == "tool" else RecordType.DOCUMENT
    if sort in ("image_url", "input_image", "image"):
        url = fields.get("image_url")
        return inline_piece(f"{role}.image", block, object_of(url).get("url", url), record_type, grade)
    if sort in ("file", "input_file"):
        url = object_of(fields.get("file")).get("file_data", fields.get("file_data"))
        return inline_piece(f"{role}.file", block, url, record_type, grade)
    if sort == "input_audio":
        sound = object_of(fields.get("input_audio"))
        form = sound.get("format")
        media = _AUDIO_TYPES.get(form, "application/octet-stream") if isinstance(form, str) else "audio/wav"
        return base64_piece(f"{role}.audio", block, sound.get("data"), record_type, grade, media=media)
    return unknown_piece(block, sort)


def thinking_piece(text: str) -> Piece:
    """What a model thought before it answered."""
    return Piece(
        kind="assistant.reasoning",
        type=RecordType.MESSAGE,
        grade=SourceGrade.AGENT,
        content=text.encode("utf-8", "backslashreplace"),
        flags=(THINKING,),
    )


def output_pieces(
    kind: str, item: JsonObject, output: object, call_id: object, *, is_error: bool | None = None
) -> list[Piece]:
    """A tool's output: its text, and each picture in it; the whole item, raw, where it is neither or says nothing."""
    answers = call_id if isinstance(call_id, str) else None
    marks = () if is_error is None else (("is_error", is_error),)
    whole = whole_text(output)
    if whole is not None:
        content = whole.encode("utf-8", "backslashreplace")
        return [
            Piece(
                kind=kind,
                type=RecordType.TOOL_RESULT,
                grade=SourceGrade.TOOL,
                content=content,
                attributes=marks,
                answers=answers,
            )
        ]
    if isinstance(output, list) and any(not _is_blank(block) for block in output):
        return [_of_output(kind, block, marks, answers) for block in output if not _is_blank(block)]
    return [raw_piece(kind, item, RecordType.TOOL_RESULT, attributes=marks, answers=answers)]


def _of_output(kind: str, block: Any, marks: tuple[tuple[str, bool], ...], answers: str | None) -> Piece:
    text = block_text(block)
    if text is None:
        found = _block_piece("tool", block)
        content, media, kind = found.content, found.media_type, found.kind.replace("tool.", f"{kind}.")
        problem = found.problem
    else:
        content, media, problem = text.encode("utf-8", "backslashreplace"), "text/plain", None
    return Piece(
        kind=kind,
        type=RecordType.TOOL_RESULT,
        grade=SourceGrade.TOOL,
        content=content,
        media_type=media,
        attributes=marks,
        answers=answers,
        problem=problem,
    )
