"""A message, and a list of them, out of the shapes that LangChain, OpenAI and the GenAI conventions write."""

from __future__ import annotations

from typing import Any

from heedful.integrations.importers.conversation.blocks import call_of, pieces_of, result_pieces
from heedful.integrations.importers.conversation.message import Message, Piece, Role, raw_piece
from heedful.integrations.importers.json_rows import JsonObject
from heedful.integrations.importers.values import Attributes, named

_ROLES: dict[str, Role] = {
    "human": "user",
    "user": "user",
    "ai": "agent",
    "assistant": "agent",
    "model": "agent",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}
_CLASSES: dict[str, str] = {
    "HumanMessage": "human",
    "AIMessage": "ai",
    "SystemMessage": "system",
    "ToolMessage": "tool",
    "FunctionMessage": "function",
}
_LANGCHAIN_TYPES = frozenset({"human", "ai", "system", "tool", "function", "chat", "remove"})
_MESSAGES_FIELDS = ("messages", "choices", "generations")
_NESTING_MAX = 4
_EMPTY: tuple[object, ...] = (None, "", [], {})
_BODY_FIELDS = ("content", "parts", "tool_calls", "function_call", "refusal")


def message_of(value: object) -> Message | None:
    """The message that this JSON value is; None where it is none."""
    if not isinstance(value, dict):
        return None
    body = _langchain(value)
    if body is not None:
        return _read(body, body["type"])
    inner = value.get("message")
    if isinstance(inner, dict) and isinstance(inner.get("role"), str):
        return message_of(inner)
    role = value.get("role")
    if isinstance(role, str) and any(name in value for name in _BODY_FIELDS):
        return _read(value, role)
    return None


def messages_of(value: object, nesting: int = 0) -> list[Message] | None:
    """The messages that this JSON value is or holds, in order; None where it holds none.

    What stands among messages and is none itself is kept as a message of nobody's.
    """
    if nesting > _NESTING_MAX:
        return None
    one = message_of(value)
    if one is not None:
        return [one]
    if isinstance(value, dict):
        inner = next((value[name] for name in _MESSAGES_FIELDS if isinstance(value.get(name), list)), None)
        if inner is None and isinstance(value.get("update"), dict):
            inner = value["update"].get("messages")
        return messages_of(inner, nesting + 1) if isinstance(inner, list) else None
    if not isinstance(value, list) or not value:
        return None
    found = [messages_of(each, nesting + 1) for each in value]
    if not any(found):
        return None
    return [
        message
        for each, messages in zip(value, found, strict=True)
        for message in (messages or [Message("other", None, (raw_piece(each, "message"),))])
    ]


def beside_messages(value: object) -> Any:
    """What the value says besides the messages in it: the whole value where it holds none, None where nothing."""
    if value in _EMPTY:
        return None
    if messages_of(value) is None:
        return value
    if message_of(value) is not None or not isinstance(value, dict) or not isinstance(value.get("messages"), list):
        return None
    rest = {name: each for name, each in value.items() if name != "messages" and each not in _EMPTY}
    return rest or None


def said(role: Role, text: str) -> Message:
    """The message that is just this text."""
    problems: list[tuple[str, str]] = []
    return Message(role, None, tuple(pieces_of(text, problems)))


def _langchain(value: JsonObject) -> JsonObject | None:
    """The fields of a LangChain message with its `type`, of whichever of its three written forms."""
    sort = value.get("type")
    if sort == "constructor" and isinstance(value.get("id"), list) and isinstance(value.get("kwargs"), dict):
        names = value["id"]
        last = names[-1] if names and isinstance(names[-1], str) else ""
        of_class = _CLASSES.get(last.removesuffix("Chunk"))
        return {**value["kwargs"], "type": of_class} if of_class else None
    if not isinstance(sort, str):
        return None
    kind = _CLASSES.get(sort.removesuffix("Chunk"), sort)
    if kind not in _LANGCHAIN_TYPES or "role" in value:
        return None
    data = value.get("data")
    if isinstance(data, dict) and "content" in data:
        return {**data, "type": kind}
    return {**value, "type": kind} if "content" in value else None


def _read(body: JsonObject, role_name: str) -> Message:
    role = _ROLES.get(role_name, "other")
    if role_name == "chat":
        role = _ROLES.get(str(body.get("role")), "other")
    problems: list[tuple[str, str]] = []
    content = body.get("parts", body.get("content"))
    if role == "tool":
        pieces = _tool_pieces(body, content, problems)
    else:
        pieces = pieces_of(content, problems)
        pieces += _calls(body, {piece.call_id for piece in pieces if piece.sort == "call"})
    if not pieces:
        pieces = [raw_piece({"content": content, "role": role_name}, role_name, "empty")]
    message_id = body.get("id")
    own = message_id if isinstance(message_id, str) and message_id and role != "other" else None
    # Events of older conventions name the call that they answer `id`.
    if role == "tool" and "tool_call_id" not in body and "type" not in body:
        own = None
    return Message(role, own, tuple(pieces), _attributes(body), tuple(problems))


def _tool_pieces(body: JsonObject, content: object, problems: list[tuple[str, str]]) -> list[Piece]:
    call_id = body.get("tool_call_id", body.get("id") if "type" not in body else None)
    if isinstance(content, dict) and call_id is None and "function" in content:
        return [raw_piece(content, "tool_definition")]
    if "parts" in body and isinstance(content, list):
        return pieces_of(content, problems)
    status = body.get("status")
    is_error = status == "error" if status in ("error", "success") else None
    return result_pieces(content, call_id, problems, name=body.get("name"), is_error=is_error)


def _calls(body: JsonObject, known: set[str | None]) -> list[Piece]:
    """The calls of a message, each once, though LangChain and its providers write them up to three times."""
    more = body.get("additional_kwargs")
    raw = body.get("tool_calls") or (more.get("tool_calls") if isinstance(more, dict) else None) or []
    wrong = body.get("invalid_tool_calls") or []
    calls = [*(raw if isinstance(raw, list) else []), *(wrong if isinstance(wrong, list) else [])]
    if isinstance(body.get("function_call"), dict):
        calls.append(body["function_call"])
    found: list[Piece] = []
    for call in calls:
        piece = call_of(call) if isinstance(call, dict) else raw_piece(call, "tool_call")
        if piece.call_id is None or piece.call_id not in known:
            found.append(piece)
            known.add(piece.call_id)
    return found


def _attributes(body: JsonObject) -> Attributes:
    usage: Any = body.get("usage_metadata")
    described: Any = body.get("response_metadata")
    found: Attributes = ()
    if isinstance(usage, dict):
        for name in ("input_tokens", "output_tokens"):
            found += named(name, usage.get(name))
    if isinstance(described, dict):
        found += named("model", described.get("model_name") or described.get("model"))
    return found
