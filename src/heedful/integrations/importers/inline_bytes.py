"""Pictures and files that stand in a trace as base64 or as a `data:` URL, as the bytes that they are."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_INLINE = re.compile(r"data:([^;,\s]{0,128})((?:;[^;,\s]{0,64}){0,8}),", re.IGNORECASE)
_MEDIA_TYPE = re.compile(r"[A-Za-z]{1,20}/[A-Za-z0-9.+_-]{1,60}")
_PERCENT = re.compile(rb"%([0-9A-Fa-f]{2})")
_UNNAMED_MEDIA = "application/octet-stream"
_TEXT_SORTS = frozenset({"text", "input_text", "output_text"})
_URL_FIELDS = ("image_url", "image_urls", "url", "path")


@dataclass(frozen=True, slots=True)
class InlineBytes:
    """What was decoded.

    Attributes:
        media_type: as the trace names it; `application/octet-stream` where that is no media type.
    """

    media_type: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Blocks:
    """The content of a message or an answer.

    Attributes:
        text: of all its texts, line by line.
        inline: what stands in it as bytes.
        others: what is neither, as it stands.
        broken: how many of `others` claim to be base64 and are none.
    """

    text: str
    inline: tuple[InlineBytes, ...]
    others: tuple[Any, ...]
    broken: int


def blocks_of(content: Any) -> Blocks:
    """What a content is made of: a text, a list of texts and blocks, or one block; None is an empty text."""
    texts: list[str] = []
    inline: list[InlineBytes] = []
    others: list[Any] = []
    broken = 0
    for block in content if isinstance(content, list) else [content]:
        if (text := _text_of(block)) is not None:
            texts.append(text)
            continue
        found = [decoded(*each) for each in _encoded_in(block)]
        inline += [each for each in found if each is not None]
        if not found or None in found:
            broken += bool(found)
            others.append(block)
    return Blocks("\n".join(texts), tuple(inline), tuple(others), broken)


def decoded(encoded: str, media_type: object) -> InlineBytes | None:
    """The bytes of this base64 text, or of a `data:` URL; None where it is no valid one, or of nothing."""
    head = _INLINE.match(encoded)
    if head is not None:
        encoded, media_type = encoded[head.end() :], head[1]
    try:
        if head is not None and not head[2].lower().endswith(";base64"):
            written = encoded.encode("utf-8", "backslashreplace")
            content = _PERCENT.sub(lambda match: bytes.fromhex(match[1].decode()), written)
        else:
            content = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        return None
    whole = isinstance(media_type, str) and _MEDIA_TYPE.fullmatch(media_type)
    return InlineBytes(str(media_type) if whole else _UNNAMED_MEDIA, content) if content else None


def is_inline(url: object) -> bool:
    """True where this is a `data:` URL."""
    return isinstance(url, str) and _INLINE.match(url) is not None


def _text_of(block: Any) -> str | None:
    if block is None:
        return ""
    if isinstance(block, str):
        return block
    if not isinstance(block, dict) or not isinstance(block.get("text"), str):
        return None
    sort = block.get("type", "text")
    return block["text"] if isinstance(sort, str) and sort in _TEXT_SORTS else None


def _encoded_in(block: Any) -> Iterator[tuple[str, object]]:
    """Every text in the block that is base64 by its own word, with its media type."""
    if not isinstance(block, dict):
        return
    source = block.get("source")
    for holder in (source, block):
        if not isinstance(holder, dict):
            continue
        if isinstance(holder.get("data"), str) and holder["data"]:
            yield holder["data"], holder.get("media_type", holder.get("mime_type", holder.get("mimeType")))
        for field in _URL_FIELDS:
            urls = holder.get(field)
            for url in urls if isinstance(urls, list) else [urls]:
                plain = url.get("url") if isinstance(url, dict) else url
                if isinstance(plain, str) and is_inline(plain):
                    yield plain, None
