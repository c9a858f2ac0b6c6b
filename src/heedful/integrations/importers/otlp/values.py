"""Values of OTLP JSON in both of its dialects: that of the specification, and that of protobuf's own printer."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any

from heedful.integrations.importers.json_rows import JsonObject
from heedful.kernel.times import SourceTime

_HEX = re.compile(r"[0-9a-fA-F]{1,128}")
_DECIMAL = re.compile(r"-?[0-9]{1,20}")
_NANOSECONDS = 1_000
_LAST_US = 253_402_300_799_999_999  # 9999-12-31
_STATUS_ERROR = ("STATUS_CODE_ERROR", 2, "2")
TRACE_ID_BYTES = 16
SPAN_ID_BYTES = 8


def field_of(value: JsonObject, name: str) -> Any:
    """The field by its JSON name, or by its name in the protobuf schema, which some printers keep."""
    if name in value:
        return value[name]
    return value.get(re.sub("[A-Z]", lambda match: f"_{match[0].lower()}", name))


def list_of(value: JsonObject, name: str) -> list[Any]:
    """The field where it is a list; else an empty one."""
    found = field_of(value, name)
    return found if isinstance(found, list) else []


def id_of(value: object, size_bytes: int) -> str | None:
    """The id in lower-case hexadecimal, from either dialect, so that both name a span alike.

    An id of another length is taken as it stands; None where there is none.
    """
    if not isinstance(value, str) or not value:
        return None
    if len(value) == 2 * size_bytes and _HEX.fullmatch(value):
        found = value.lower()
    else:
        try:
            content = base64.b64decode(value, validate=True)
        except (binascii.Error, ValueError):
            content = b""
        found = content.hex() if len(content) == size_bytes else value
    return None if not found.strip("0") else found


def time_of_nanoseconds(value: object) -> SourceTime | None:
    """The instant of nanoseconds since 1970, a number or a decimal text; None for 0 and for what is none."""
    number = whole_number(value)
    if number is None or not 0 < number // _NANOSECONDS <= _LAST_US:
        return None
    return SourceTime(number // _NANOSECONDS, 0, "microsecond")


def whole_number(value: object) -> int | None:
    """The 64-bit number that stands as a number or as a decimal text."""
    if isinstance(value, str) and _DECIMAL.fullmatch(value):
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def is_error(status: object) -> bool:
    """True where the status is that of an error, as a number or as a name."""
    return isinstance(status, dict) and status.get("code") in _STATUS_ERROR


def attributes_of(holder: JsonObject) -> JsonObject:
    """The attributes of a span, an event or a resource, as plain JSON; of two of one name the last counts."""
    found: JsonObject = {}
    for each in list_of(holder, "attributes"):
        if isinstance(each, dict) and isinstance(each.get("key"), str):
            found[each["key"]] = value_of(each.get("value"))
    return found


def value_of(value: Any) -> Any:
    """An AnyValue as plain JSON; what is of no known sort stays as it stands. Bytes stay base64."""
    if not isinstance(value, dict):
        return value
    for name in ("stringValue", "boolValue", "doubleValue", "bytesValue"):
        found = field_of(value, name)
        if found is not None:
            return found
    number = field_of(value, "intValue")
    if number is not None:
        parsed = whole_number(number)
        return number if parsed is None else parsed
    array, pairs = field_of(value, "arrayValue"), field_of(value, "kvlistValue")
    if isinstance(array, dict):
        return [value_of(each) for each in list_of(array, "values")]
    if isinstance(pairs, dict):
        return {
            each["key"]: value_of(each.get("value"))
            for each in list_of(pairs, "values")
            if isinstance(each, dict) and isinstance(each.get("key"), str)
        }
    return value or None
