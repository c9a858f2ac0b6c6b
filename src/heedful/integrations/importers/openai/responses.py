"""Items of the OpenAI Responses API, as Codex and the Agents SDK keep them."""

from __future__ import annotations

import re
from typing import Any

from heedful.integrations.importers.json_rows import JsonObject, ParsedValue, parse_value
from heedful.integrations.importers.openai.pieces import (
    Piece,
    base64_piece,
    call_piece,
    object_of,
    raw_piece,
    text_of,
    unknown_piece,
)
from heedful.integrations.importers.openai.said import (
    ROLES,
    UserVoice,
    output_pieces,
    said_pieces,
    thinking_piece,
    typed,
    whole_text,
)
from heedful.integrations.importers.values import plain_name, short_name
from heedful.observations.record import RecordType, SourceGrade

# How Codex writes the end of a command into its output.
_EXIT = re.compile(r"(?:^|\n)(?:Exit code|Process exited with code):? (-?\d{1,6})(?=\n|$)")
_EXIT_LOOKED_AT = 400
_OWN_FIELDS = frozenset({"id", "type", "status", "call_id"})


def response_pieces(item: JsonObject, user_voice: UserVoice = typed) -> list[Piece]:
    """What this item of the API holds; never empty, so that no item is lost."""
    sort = item.get("type", "message" if "role" in item else None)
    if sort == "message":
        return _message(item, user_voice)
    if sort == "reasoning":
        return [_reasoning(item)]
    if not isinstance(sort, str):
        return [unknown_piece(item, sort)]
    if sort in ("function_call", "custom_tool_call"):
        given = item.get("arguments") if sort == "function_call" else item.get("input")
        return [call_piece(sort, item.get("name"), given, item.get("call_id", item.get("id")))]
    if sort.endswith("_output"):
        output = item.get("output")
        return output_pieces(sort, item, _output(output), item.get("call_id"), is_error=_is_error(item, output))
    if sort.endswith("_call"):
        return _builtin_call(sort, item)
    return [unknown_piece(item, sort)]


def _message(item: JsonObject, user_voice: UserVoice) -> list[Piece]:
    role = item.get("role")
    if not isinstance(role, str) or role not in ROLES:
        return [unknown_piece(item, f"role.{short_name(role)}")]
    found = said_pieces(role, item.get("content"), user_voice, plain_name(item.get("name")))
    return found or [raw_piece(f"{role}.empty", item)]


def _reasoning(item: JsonObject) -> Piece:
    """The texts that the model showed of its thinking; what is encrypted is left out."""
    texts = [whole_text(item.get(name)) or "" for name in ("summary", "content")]
    content = item.get("content")
    thoughts = [object_of(block) for block in content] if isinstance(content, list) else []
    texts += [text_of(each.get("text")) or "" for each in thoughts if each.get("type") == "reasoning_text"]
    said = "\n".join(text for text in texts if text)
    if said:
        return thinking_piece(said)
    return raw_piece("assistant.reasoning", item, grade=SourceGrade.AGENT, flags=("thinking",))


def _output(output: object) -> object:
    """The output proper, where it stands in an object with what else is known of it."""
    fields = object_of(output)
    inner = fields.get("content_items", fields.get("content", fields.get("text")))
    return output if inner is None else inner


def _is_error(item: JsonObject, output: object) -> bool | None:
    """Whether the call failed; None where nothing says so."""
    if isinstance(output, dict) and isinstance(output.get("success"), bool):
        return not output["success"]
    if isinstance(item.get("is_error"), bool):
        return bool(item["is_error"])
    if not isinstance(output, str):
        return None
    if output.startswith("{") and '"exit_code"' in output:
        parsed = parse_value(output.encode("utf-8", "backslashreplace"))
        fields = object_of(parsed.value) if isinstance(parsed, ParsedValue) else {}
        code = object_of(fields.get("metadata")).get("exit_code")
        return code != 0 if isinstance(code, int) else None
    told = _EXIT.search(output[:_EXIT_LOOKED_AT])
    return None if told is None else int(told[1]) != 0


def _builtin_call(sort: str, item: JsonObject) -> list[Piece]:
    """A call of a tool of the API's own; what came of it stands in the same item."""
    call_id = item.get("call_id") or item.get("id")
    given = {name: value for name, value in item.items() if name not in _OWN_FIELDS}
    result: Any = None
    if sort == "image_generation_call":
        result = given.pop("result", None)
    elif sort == "mcp_call":
        result = given.pop("output", None)
    name = item.get("name") or sort.removesuffix("_call")
    pieces = [call_piece(sort, name, given.get("arguments", given), call_id)]
    if sort == "image_generation_call" and text_of(result):
        whole = {"result": result}
        picture = base64_piece(
            f"{sort}.image", whole, result, RecordType.TOOL_RESULT, SourceGrade.TOOL, media="image/png"
        )
        pieces.append(picture)
    elif text_of(result) or item.get("error"):
        failed = item.get("error") is not None
        output = {"output": result, "error": item.get("error")}
        pieces += output_pieces(f"{sort}.output", output, result, call_id, is_error=failed)
    return pieces
