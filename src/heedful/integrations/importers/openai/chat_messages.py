"""Messages of chat completions: what each holds, and what it goes by."""

from __future__ import annotations

from typing import Any

from heedful.integrations.importers.json_rows import JsonObject
from heedful.integrations.importers.openai.pieces import (
    Piece,
    call_piece,
    digest_of,
    object_of,
    raw_piece,
    text_of,
    unknown_piece,
)
from heedful.integrations.importers.openai.said import (
    ROLES,
    output_pieces,
    said_pieces,
    thinking_piece,
    whole_text,
)
from heedful.integrations.importers.values import named, plain_name, short_name
from heedful.kernel.digest import sha256_hex

_ANSWERING = frozenset({"tool", "function"})
_HOLDS = frozenset({"content", "tool_calls", "function_call"})
_THOUGHTS = ("reasoning_content", "reasoning")


def is_message(value: object) -> bool:
    """True where this is a message of a chat."""
    if not isinstance(value, dict):
        return False
    role = value.get("role")
    known = isinstance(role, str) and (role in ROLES or role in _ANSWERING)
    return known and bool(_HOLDS & value.keys()) and not isinstance(value.get("uuid"), str)


def message_of_choice(choice: object) -> Any:
    """The message that was chosen; the choice itself where it has none."""
    message = object_of(choice).get("message")
    return message if isinstance(message, dict) else choice


def message_pieces(message: Any) -> list[Piece]:
    """What this message holds; never empty."""
    fields = object_of(message)
    role = fields.get("role")
    if isinstance(role, str) and role in _ANSWERING:
        is_error = fields.get("is_error")
        found = output_pieces(
            "tool",
            fields,
            fields.get("content"),
            fields.get("tool_call_id"),
            is_error=is_error if isinstance(is_error, bool) else None,
        )
        name = named("tool", fields.get("name"))
        return [_with(piece, name) for piece in found]
    if not isinstance(role, str) or role not in ROLES:
        return [unknown_piece(message, f"role.{short_name(role)}")]
    found = [thinking_piece(text) for name in _THOUGHTS if (text := text_of(fields.get(name)))][:1]
    found += said_pieces(role, fields.get("content"), speaker=plain_name(fields.get("name")))
    if (refusal := text_of(fields.get("refusal"))) is not None:
        found += said_pieces(role, refusal)
    calls = fields.get("tool_calls")
    found += [_call(call) for call in calls] if isinstance(calls, list) else []
    old = fields.get("function_call")
    if isinstance(old, dict):
        found.append(call_piece("function_call", old.get("name"), old.get("arguments"), None))
    return found or [raw_piece(f"{role}.empty", message)]


def _with(piece: Piece, attributes: tuple[tuple[str, Any], ...]) -> Piece:
    return Piece(
        kind=piece.kind,
        type=piece.type,
        grade=piece.grade,
        content=piece.content,
        media_type=piece.media_type,
        attributes=piece.attributes + attributes,
        answers=piece.answers,
        problem=piece.problem,
    )


def _call(call: Any) -> Piece:
    fields = object_of(call)
    inner = fields.get("function", fields.get("custom"))
    if not isinstance(inner, dict):
        return unknown_piece(call, f"tool_call.{short_name(fields.get('type'))}")
    return call_piece("tool_call", inner.get("name"), inner.get("arguments", inner.get("input")), fields.get("id"))


def chained(before: str, message: Any) -> str:
    """The name of a message: a digest of what it says and of all that was before it."""
    return sha256_hex(f"{before}\0{digest_of(_essence(message))}".encode())[:32]


def run_name(messages: list[Any]) -> str:
    """What a conversation without an id goes by: a digest of its beginning, through the first words of a user."""
    before = ""
    for place, message in enumerate(messages):
        before = chained(before, message)
        if object_of(message).get("role") == "user":
            return f"chat-{before}"
        if place == 0:
            first = before
    return f"chat-{first}" if messages else "chat-empty"


def _essence(message: Any) -> JsonObject:
    """The same for a message as it was answered and as the next request repeats it."""
    fields = object_of(message)
    if not fields:
        return {"value": message}
    content = fields.get("content")
    said = content if not content or whole_text(content) is None else whole_text(content)
    found: JsonObject = {"role": fields.get("role"), "content": said or None}
    for name in ("name", "tool_call_id"):
        if fields.get(name):
            found[name] = fields[name]
    calls = fields.get("tool_calls")
    if isinstance(calls, list) and calls:
        found["calls"] = [[object_of(call).get("id"), object_of(call).get("function", call)] for call in calls]
    if fields.get("function_call"):
        found["call"] = fields["function_call"]
    return found
