"""Blocks: the parts of a message's content, in the shapes of LangChain, OpenAI, Anthropic and the GenAI conventions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from heedful.integrations.importers.conversation.message import (
    Piece,
    call_piece,
    is_inline,
    media_piece,
    raw_piece,
    result_piece,
    text_piece,
)
from heedful.integrations.importers.json_rows import JsonObject

_TEXTS = frozenset({"text", "input_text", "output_text"})
_THINKING = frozenset({"thinking", "reasoning"})
_CALLS = frozenset({"tool_use", "tool_call", "server_tool_use", "function", "function_call"})
_RESULTS = frozenset({"tool_result", "tool_call_response", "function_call_output"})
_MEDIA = frozenset({"image", "image_url", "input_image", "document", "file", "blob", "audio", "input_audio", "video"})

BASE64_INVALID = ("base64_invalid", "a picture or file holds no valid base64; it was kept as it stands")


def pieces_of(content: object, problems: list[tuple[str, str]]) -> list[Piece]:
    """The pieces of a message's content, in order; what can't be decoded is kept raw, and told in `problems`."""
    if isinstance(content, str):
        return [text_piece(content)] if content.strip() else []
    if content is None:
        return []
    blocks = content if isinstance(content, list) else [content]
    return [piece for block in blocks for piece in _block(block, problems)]


def result_pieces(
    content: object, call_id: object, problems: list[tuple[str, str]], *, name: object = None, is_error: object = None
) -> list[Piece]:
    """A tool's answer: its text as one piece, and each picture in it as one more."""
    if not _is_blocks(content):
        return [result_piece("" if content is None else content, call_id, name=name, is_error=is_error)]
    texts: list[str] = []
    others: list[Piece] = []
    for block in content if isinstance(content, list) else []:
        text = block if isinstance(block, str) else _text(block)
        if text is not None:
            texts.append(text)
        elif block["type"] in _MEDIA:
            others.append(_media(block, problems, call_id))
        else:
            others.append(result_piece(block, call_id, name=name, is_error=is_error))
    if texts or not others:
        others.insert(0, result_piece("\n".join(texts), call_id, name=name, is_error=is_error))
    return others


def call_of(block: JsonObject) -> Piece:
    """The call that this block is: LangChain's, OpenAI's, Anthropic's or the GenAI conventions'."""
    function = block.get("function")
    inner = function if isinstance(function, dict) else block
    given = next((inner[name] for name in ("args", "arguments", "input") if inner.get(name) is not None), None)
    call_id = block.get("id") or block.get("call_id") or block.get("tool_call_id")
    return call_piece(inner.get("name"), given, call_id)


def _is_blocks(content: object) -> bool:
    if not isinstance(content, list) or not content:
        return False
    return all(
        isinstance(each, str) or (isinstance(each, dict) and isinstance(each.get("type"), str)) for each in content
    )


def _block(block: Any, problems: list[tuple[str, str]]) -> Iterator[Piece]:
    if isinstance(block, str):
        yield text_piece(block)
        return
    sort = block.get("type") if isinstance(block, dict) else None
    if (text := _text(block)) is not None:
        yield text_piece(text)
    elif not isinstance(sort, str):
        yield raw_piece(block, sort)
    elif sort in _THINKING and (thought := _thought(block)) is not None:
        yield text_piece(thought, "thinking")
    elif sort in _CALLS:
        yield call_of(block)
    elif sort in _RESULTS:
        yield from _answer(block, problems)
    elif sort in _MEDIA:
        yield _media(block, problems, None)
    else:
        yield raw_piece(block, sort)


def _text(block: Any) -> str | None:
    sort = block.get("type", "text") if isinstance(block, dict) else None
    if not isinstance(sort, str) or sort not in _TEXTS:
        return None
    text = block.get("text", block.get("content"))
    return text if isinstance(text, str) else None


def _thought(block: JsonObject) -> str | None:
    return next(
        (block[name] for name in ("thinking", "reasoning", "content", "text") if isinstance(block.get(name), str)), None
    )


def _answer(block: JsonObject, problems: list[tuple[str, str]]) -> list[Piece]:
    call_id = block.get("tool_use_id") or block.get("id") or block.get("call_id")
    content = next((block[name] for name in ("response", "result", "content", "output") if name in block), None)
    return result_pieces(content, call_id, problems, is_error=block.get("is_error"))


def _media(block: JsonObject, problems: list[tuple[str, str]], call_id: object) -> Piece:
    """The block as bytes where it has them in it; raw where it only names a place."""
    for holder in (block, *(each for each in block.values() if isinstance(each, dict))):
        media = holder.get("mime_type") or holder.get("media_type") or holder.get("format")
        for name in ("data", "base64", "file_data", "url", "image_url", "uri", "content"):
            encoded = holder.get(name)
            if not isinstance(encoded, str) or not (is_inline(encoded) or name in ("data", "base64", "content")):
                continue
            piece = media_piece(encoded, media, call_id=call_id)
            if piece is not None:
                return piece
            problems.append(BASE64_INVALID)
    return raw_piece(block, block["type"])
