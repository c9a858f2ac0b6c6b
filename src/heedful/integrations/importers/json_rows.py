"""One line of a JSONL trace, read strictly: no NaN, no endless nesting, no half of a surrogate pair."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, NoReturn

import msgspec

from heedful.kernel.frozen import quickly_made

LINE_BYTES_MAX = 33_554_432
"""A longer line is not read: 32 MiB holds a full record (16 MiB) in base64, with its envelope."""

DEPTH_MAX = 100
"""Deeper nesting is refused; every later stage may then walk a value without a limit of its own."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_EXCERPT_CHARACTERS = 120

_decode = msgspec.json.Decoder().decode

JsonObject = dict[str, Any]


@quickly_made
@dataclass(frozen=True, slots=True)
class ParsedRow:
    """A line that is a JSON object.

    Attributes:
        escaped: True where half of a surrogate pair was kept as its escape, in text.
    """

    row: JsonObject
    escaped: bool


@quickly_made
@dataclass(frozen=True, slots=True)
class ParsedValue:
    """Any JSON value.

    Attributes:
        escaped: True where half of a surrogate pair was kept as its escape, in text.
    """

    value: Any
    escaped: bool


@dataclass(frozen=True, slots=True)
class RefusedLine:
    """A line that is no JSON object, and why; `code` and `message` are an ImportProblem's."""

    code: str
    message: str


def parse_row(line: bytes) -> ParsedRow | RefusedLine:
    r"""The object on this line, or the reason why it can't be taken.

    The fast reader takes all well-formed lines; where it refuses, a slower one finds out whether the only fault is
    half of a surrogate pair, which is then kept as its escape (`\ud83d`, six characters of plain text).
    """
    if len(line) > LINE_BYTES_MAX:
        return RefusedLine("line_too_long", f"the line is longer than {LINE_BYTES_MAX} bytes; it was not read")
    parsed = parse_value(line)
    if isinstance(parsed, RefusedLine):
        return parsed
    if not isinstance(parsed.value, dict):
        return RefusedLine("row_not_object", f"the line is a JSON {_sort_of(parsed.value)}, not an object")
    return ParsedRow(parsed.value, parsed.escaped)


def parse_value(line: bytes) -> ParsedValue | RefusedLine:
    """The JSON value of these bytes, or the reason why it can't be taken; see `parse_row`."""
    line = line.removeprefix(_BYTE_ORDER_MARK)
    escaped = False
    try:
        value = _decode(line)
    except RecursionError:
        return _too_deep()
    except msgspec.DecodeError:
        slow = _decode_slowly(line)
        if isinstance(slow, RefusedLine):
            return slow
        value, escaped = slow
    if _may_be_deep(line) and _is_deeper(value):
        return _too_deep()
    if escaped:
        value = _escape_surrogates(value)
    return ParsedValue(value, escaped)


class _NotFiniteError(ValueError):
    """NaN or an infinity stands where JSON allows a number."""


def _decode_slowly(line: bytes) -> tuple[Any, bool] | RefusedLine:
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        return RefusedLine("encoding_invalid", f"the line is not UTF-8: byte {error.start} of it is not")
    try:
        value = json.loads(text, parse_constant=_refuse_constant, parse_float=_finite)
    except RecursionError:
        return _too_deep()
    except _NotFiniteError as error:
        return RefusedLine("json_not_finite", f"the line has the number {error}; JSON has no such number")
    except ValueError as error:
        return RefusedLine("json_invalid", f"the line is not whole JSON: {str(error)[:_EXCERPT_CHARACTERS]}")
    return value, True


def _refuse_constant(name: str) -> NoReturn:
    raise _NotFiniteError(name)


def _finite(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise _NotFiniteError(digits[:20])
    return number


def _too_deep() -> RefusedLine:
    return RefusedLine("json_too_deep", f"the line nests deeper than {DEPTH_MAX} levels; it was not read")


def _may_be_deep(line: bytes) -> bool:
    return line.count(b"{") + line.count(b"[") > DEPTH_MAX


def _is_deeper(value: Any) -> bool:
    level = [value]
    for _ in range(DEPTH_MAX):
        level = [child for parent in level for child in _children(parent)]
        if not level:
            return False
    return True


def _children(value: Any) -> list[Any]:
    children = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return [child for child in children if isinstance(child, dict | list)]


def _escape_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return _LONE_SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", value)
    if isinstance(value, dict):
        return {_escape_surrogates(key): _escape_surrogates(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_escape_surrogates(item) for item in value]
    return value


def _sort_of(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    return {list: "array", str: "string", int: "number", float: "number"}[type(value)]
