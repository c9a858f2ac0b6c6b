"""Message and Piece: what somebody said in a trace, apart from the shape that its format wrote it in."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass, field
from typing import Any, Literal

from heedful.integrations.importers.json_rows import ParsedValue, parse_value
from heedful.integrations.importers.values import JSON_MEDIA, TEXT_MEDIA, Attributes, plain_name, short_name
from heedful.kernel.canonical import canonical_bytes
from heedful.kernel.digest import sha256_hex

Role = Literal["user", "agent", "system", "tool", "other"]
Sort = Literal["text", "thinking", "call", "result", "media", "empty", "unknown"]

_DIGEST_CHARACTERS = 32
_ENCODED_TIMES_MAX = 3
_MEDIA_TYPE = re.compile(r"[A-Za-z]{1,20}/[A-Za-z0-9.+_-]{1,80}")
_DATA_URL = re.compile(r"data:([^;,]{0,128})(?:;[^;,]{0,64}){0,8};base64,", re.IGNORECASE)
_UNNAMED_MEDIA = "application/octet-stream"

Problems = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of a message that becomes one item.

    Attributes:
        same: a digest that is the same for the same content, however it was encoded.
        call_id: of the tool call that this is, or that this is the output of.
        name: of a call or result: the tool's; of an unknown piece: its type's.
        is_error: of a result, where the trace tells.
        is_hollow: a call whose arguments the trace does not tell, or not as JSON.
    """

    sort: Sort
    content: bytes
    media_type: str
    same: str
    call_id: str | None = None
    name: str | None = None
    is_error: bool | None = None
    is_hollow: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    """Who said it, the trace's own id of it where it has one, and its pieces in order.

    Attributes:
        attributes: the message's own: tokens, the model.
        problems: what could not be taken as it stood, as (code, message).
    """

    role: Role
    message_id: str | None
    pieces: tuple[Piece, ...]
    attributes: Attributes = ()
    problems: Problems = field(default=())


def digest_of(content: bytes) -> str:
    """32 hexadecimal digits that name this content."""
    return sha256_hex(content)[:_DIGEST_CHARACTERS]


def text_piece(text: str, sort: Sort = "text") -> Piece:
    """A piece of plain text."""
    content = text.encode("utf-8", "backslashreplace")
    return Piece(sort=sort, content=content, media_type=TEXT_MEDIA, same=digest_of(content.strip()))


def raw_piece(value: Any, name: object, sort: Sort = "unknown") -> Piece:
    """Something of a shape that is not known, kept as canonical JSON."""
    content = canonical_bytes(value)
    return Piece(sort=sort, content=content, media_type=JSON_MEDIA, same=digest_of(content), name=short_name(name))


def call_piece(name: object, given: object, call_id: object) -> Piece:
    """A tool call: its name and input; arguments that are JSON in a text are taken out of it."""
    given = decoded(given)
    content = canonical_bytes({"name": name, "input": given})
    return Piece(
        sort="call",
        content=content,
        media_type=JSON_MEDIA,
        same=digest_of(content),
        call_id=_id_of(call_id),
        name=plain_name(name),
        is_hollow=not isinstance(given, dict | list),
    )


def result_piece(value: object, call_id: object, *, name: object = None, is_error: object = None) -> Piece:
    """What a tool answered: a text as it is, anything else as canonical JSON."""
    text = isinstance(value, str)
    content = value.encode("utf-8", "backslashreplace") if isinstance(value, str) else canonical_bytes(value)
    return Piece(
        sort="result",
        content=content,
        media_type=TEXT_MEDIA if text else JSON_MEDIA,
        same=digest_of(_normal(value)),
        call_id=_id_of(call_id),
        name=plain_name(name),
        is_error=is_error if isinstance(is_error, bool) else None,
    )


def media_piece(encoded: str, media: object, *, call_id: object = None) -> Piece | None:
    """The bytes of this base64 text, or of a `data:` URL; None where it is none."""
    head = _DATA_URL.match(encoded)
    if head is not None:
        encoded, media = encoded[head.end() :], head[1]
    try:
        content = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        return None
    named = media if isinstance(media, str) and _MEDIA_TYPE.fullmatch(media) else _UNNAMED_MEDIA
    call = _id_of(call_id)
    return Piece(sort="media", content=content, media_type=named, same=digest_of(content), call_id=call)


def is_inline(value: object) -> bool:
    """True where the value has its bytes in it, in base64."""
    return isinstance(value, str) and _DATA_URL.match(value) is not None


def decoded(value: object) -> Any:
    """The value, or what is in it where it is a text that is JSON: an object, a list or, encoded again, a text."""
    for _ in range(_ENCODED_TIMES_MAX):
        if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "[", '"'):
            break
        parsed = parse_value(value.encode("utf-8", "backslashreplace"))
        if not isinstance(parsed, ParsedValue):
            break
        value = parsed.value
    return value


def _normal(value: object) -> bytes:
    inner = decoded(value)
    return inner.strip().encode("utf-8", "backslashreplace") if isinstance(inner, str) else canonical_bytes(inner)


def _id_of(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
