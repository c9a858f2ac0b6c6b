"""The messages of a GenAI span, as each version of the conventions wrote them.

From the newest back: `gen_ai.input.messages` and `gen_ai.output.messages` on the span or on an event of it; one event a
message (`gen_ai.user.message`, `gen_ai.choice`); `gen_ai.prompt` and `gen_ai.completion`, whole or one attribute a
field (`gen_ai.prompt.0.content`, and `llm.prompts.0.content` before). Facts: OpenTelemetry's semantic conventions 1.27
to 1.40, and OpenLLMetry's attribute names.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from heedful.integrations.importers.conversation.message import (
    Message,
    Piece,
    Role,
    decoded,
    digest_of,
    text_piece,
)
from heedful.integrations.importers.conversation.parse import messages_of, said
from heedful.integrations.importers.json_rows import JsonObject, ParsedValue, parse_value

_SYSTEM = ("gen_ai.system_instructions",)
_INPUTS = ("gen_ai.input.messages", "gen_ai.prompt", "gen_ai.content.prompt", "pydantic_ai.all_messages")
_OUTPUTS = ("gen_ai.output.messages", "gen_ai.completion", "gen_ai.content.completion")
_INDEXED_INPUT = re.compile(r"(?:gen_ai\.prompt|llm\.prompts)\.(\d{1,5})\.(.{1,200})")
_INDEXED_OUTPUT = re.compile(r"(?:gen_ai\.completion|llm\.completions)\.(\d{1,5})\.(.{1,200})")
_INDEXED_CALL = re.compile(r"tool_calls\.(\d{1,5})\.(id|name|arguments)")
_EVENT = re.compile(r"gen_ai\.(system|user|assistant|tool)\.message")
_GAP = re.compile(r"[ \t\r\n,]*")
_CHOICE = "gen_ai.choice"
_CUT = ("content_cut", "messages are cut in the middle; what came before is whole, the rest is kept as it stands")


@dataclass(slots=True)
class Found:
    """The messages that a span was given and that it gave, and what could not be taken as it stood."""

    inputs: list[Message] = field(default_factory=list)
    outputs: list[Message] = field(default_factory=list)
    problems: list[tuple[str, str]] = field(default_factory=list)


def messages_in(attributes: JsonObject, events: list[tuple[str, JsonObject]]) -> Found:
    """All messages of a span: of its attributes, then of its events."""
    found = Found()
    _take_attributes(attributes, found)
    for name, fields in events:
        if _EVENT.fullmatch(name) or name == _CHOICE:
            _take_event(name, fields, found)
        else:
            _take_attributes(fields, found)
    return found


def _take_attributes(attributes: JsonObject, found: Found) -> None:
    for name in _SYSTEM:
        if name in attributes:
            found.inputs += _instructions(attributes[name], found)
    for name in _INPUTS:
        if name in attributes:
            found.inputs += _whole(attributes[name], "user", found)
    for name in _OUTPUTS:
        if name in attributes:
            found.outputs += _whole(attributes[name], "agent", found)
    found.inputs += _indexed(attributes, _INDEXED_INPUT, "user")
    found.outputs += _indexed(attributes, _INDEXED_OUTPUT, "assistant")


def _whole(value: Any, role: Role, found: Found) -> list[Message]:
    """The messages of one value: JSON in a text, or structured; a text that is none is what `role` says."""
    inner = decoded(value)
    messages = messages_of(inner)
    if messages is not None:
        return messages
    if inner in (None, "", [], {}):
        return []
    if not isinstance(inner, str):
        return [said("other", json.dumps(inner, ensure_ascii=False, sort_keys=True))]
    if inner.lstrip()[:1] not in ("[", "{"):
        return [said(role, inner)]
    whole, rest = _before_the_cut(inner)
    found.problems.append(_CUT)
    # Whose words the rest is can't be told: it is data.
    content = rest.encode("utf-8", "backslashreplace")
    cut = Piece(sort="unknown", content=content, media_type="text/plain", same=digest_of(content), name="cut")
    return [*(messages_of(whole) or []), Message("other", None, (cut,))]


def _before_the_cut(text: str) -> tuple[list[Any], str]:
    """The whole elements of a JSON array that breaks off, and the text after them."""
    text = text.lstrip()
    place, whole = 1, list[Any]()
    decoder = json.JSONDecoder()
    while text.startswith("["):
        gap = _GAP.match(text, place)
        begin = gap.end() if gap is not None else place
        try:
            _, end = decoder.raw_decode(text, begin)
        except (ValueError, RecursionError):
            break
        parsed = parse_value(text[begin:end].encode("utf-8", "backslashreplace"))
        if not isinstance(parsed, ParsedValue):
            break
        whole.append(parsed.value)
        place = end
    return whole, text[place:].lstrip(" \t\r\n,") if whole else text


def _instructions(value: Any, found: Found) -> list[Message]:
    inner = decoded(value)
    if isinstance(inner, str):
        return [said("system", inner)] if inner.strip() else []
    messages = messages_of({"role": "system", "parts": inner})
    return messages if isinstance(inner, list) and messages is not None else _whole(value, "system", found)


def _indexed(attributes: JsonObject, pattern: re.Pattern[str], role: str) -> list[Message]:
    """Messages whose fields are an attribute each."""
    bodies: dict[int, JsonObject] = {}
    calls: dict[int, dict[int, JsonObject]] = {}
    for name, value in attributes.items():
        match = pattern.fullmatch(name)
        if match is None:
            continue
        number, own = int(match[1]), match[2]
        body = bodies.setdefault(number, {"role": role, "content": None})
        call = _INDEXED_CALL.fullmatch(own)
        if call is not None:
            calls.setdefault(number, {}).setdefault(int(call[1]), {})[call[2]] = value
        elif own in ("role", "content", "tool_call_id"):
            body[own] = decoded(value) if own == "content" else value
    for number, by_place in calls.items():
        bodies[number]["tool_calls"] = [by_place[place] for place in sorted(by_place)]
    return [message for number in sorted(bodies) for message in messages_of(bodies[number]) or []]


def _take_event(name: str, fields: JsonObject, found: Found) -> None:
    """One message of one event; its fields are the event's attributes, some of them JSON in a text."""
    body = {key: decoded(value) if key != "content" else value for key, value in fields.items()}
    inner = body.pop("message", None)
    match = _EVENT.fullmatch(name)
    role = match[1] if match is not None else "assistant"
    body = {**body, **inner} if isinstance(inner, dict) else body
    if isinstance(inner, str):
        body["content"] = inner
    body["role"] = body["role"] if isinstance(body.get("role"), str) else role
    body.pop("type", None)
    body.setdefault("content", None)
    if isinstance(body["content"], str) and role != "tool":
        parsed = decoded(body["content"])
        body["content"] = parsed if isinstance(parsed, list) else body["content"]
    into = found.outputs if name == _CHOICE else found.inputs
    into += messages_of(body) or [Message("other", None, (text_piece(name),))]
