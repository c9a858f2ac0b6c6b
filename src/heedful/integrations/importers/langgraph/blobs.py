"""Values that LangGraph serialised, as plain JSON. Nothing is imported, called or unpickled, whatever they name.

A msgpack extension names a class and what to call it with; it becomes what it would be called with. Facts: the codes
of langgraph-checkpoint 2 to 4 (`JsonPlusSerializer`).
"""

from __future__ import annotations

import base64
import math
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from heedful.integrations.importers.json_rows import DEPTH_MAX, ParsedValue, parse_value
from heedful.integrations.importers.values import short_name

EXTENSIONS_DEEP_MAX = 30
"""Extensions within extensions beyond this are refused."""

_ONE_ARGUMENT = (0, 3)
_BYTES = "base64"
_POSITIONAL = 1
_FIELDS = (2, 4, 5)
_SECRETS = frozenset({"SecretStr", "SecretBytes"})
_PICKLE_STARTS = tuple(bytes([0x80, version]) for version in range(2, 6))


@dataclass(frozen=True, slots=True)
class Decoded:
    """The value as plain JSON, or the bytes that it is."""

    value: Any


@dataclass(frozen=True, slots=True)
class NotDecoded:
    """Why it was not read; `code` and `message` are an ImportProblem's."""

    code: str
    message: str


def decode_blob(sort: object, blob: object) -> Decoded | NotDecoded:
    """The value of a `type` column and the column beside it."""
    if isinstance(blob, str):
        blob = blob.encode("utf-8", "backslashreplace")
    if blob is None or sort == "null":
        return Decoded(None)
    if not isinstance(blob, bytes):
        return NotDecoded("blob_malformed", "a value is neither bytes nor text; it was not read")
    if sort == "pickle" or (sort is None and blob.startswith(_PICKLE_STARTS)):
        message = "a value is a pickle, which runs code when it is loaded; it is never loaded"
        return NotDecoded("pickle_not_read", message)
    if sort in ("bytes", "bytearray"):
        return Decoded(blob)
    if sort == "msgpack":
        return _msgpack(blob)
    if sort in ("json", None):
        parsed = parse_value(blob)
        return Decoded(parsed.value) if isinstance(parsed, ParsedValue) else NotDecoded(parsed.code, parsed.message)
    message = f"a value is of the type {short_name(sort)}, which is not known here (or encrypted); it was not read"
    return NotDecoded("blob_type_unknown", message)


def _msgpack(blob: bytes) -> Decoded | NotDecoded:
    try:
        return Decoded(_plain(_Reader().read(blob), 0))
    except (msgspec.DecodeError, UnicodeDecodeError, _TooDeepError, RecursionError, OverflowError) as error:
        return NotDecoded("msgpack_invalid", f"a value is not whole msgpack: {str(error)[:120]}")


def bytes_of(value: Any) -> Any:
    """The bytes that a decoded value is, where it is just bytes; else the value itself."""
    if not isinstance(value, dict) or list(value) != [_BYTES]:
        return value
    try:
        return base64.b64decode(value[_BYTES], validate=True)
    except (TypeError, ValueError):
        return value


class _TooDeepError(ValueError):
    """The value nests deeper than any that a program writes."""


class _Reader:
    """Reads msgpack, extensions included, to a bounded depth."""

    def __init__(self) -> None:
        self._depth = 0
        self._decoder = msgspec.msgpack.Decoder(ext_hook=self._extension)

    def read(self, content: bytes | memoryview) -> Any:
        return self._decoder.decode(content)

    def _extension(self, code: int, data: memoryview) -> Any:
        if self._depth >= EXTENSIONS_DEEP_MAX:
            raise _TooDeepError("extensions nest too deeply")
        self._depth += 1
        try:
            return _of_extension(code, self.read(data))
        finally:
            self._depth -= 1


def _of_extension(code: int, inner: Any) -> Any:
    """What a named class would be called with; the class is not looked for."""
    if not isinstance(inner, list) or len(inner) < 3:
        return {"extension": code, "data": inner}
    name, given = inner[1], inner[2]
    if isinstance(name, str) and name in _SECRETS:
        return "[secret]"
    if code in _ONE_ARGUMENT:
        return given
    if code == _POSITIONAL:
        return {"type": name, "args": given}
    if code in _FIELDS and isinstance(given, dict):
        is_message = isinstance(name, str) and name.endswith(("Message", "MessageChunk"))
        return {"type": name, **given} if is_message else given
    return {"extension": code, "data": inner}


def _plain(value: Any, depth: int) -> Any:
    if depth > DEPTH_MAX:
        raise _TooDeepError("values nest too deeply")
    if isinstance(value, dict):
        return {_key(name): _plain(each, depth + 1) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each, depth + 1) for each in value]
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value) if depth == 0 else {_BYTES: base64.b64encode(value).decode()}
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if isinstance(value, str | int | float) or value is None else str(value)


def _key(name: Any) -> str:
    return name if isinstance(name, str) else str(name)
