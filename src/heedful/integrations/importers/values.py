"""Values of foreign traces that may stand as names and attributes here."""

from __future__ import annotations

import re
import unicodedata

from heedful.kernel.canonical import INTEGER_MAX
from heedful.kernel.errors import InvalidInputError
from heedful.kernel.times import SourceTime, parse_time
from heedful.observations.record import AttributeValue

TEXT_MEDIA = "text/plain"
JSON_MEDIA = "application/json"
NAME_CHARACTERS_MAX = 256
_SHORT_NAME_CHARACTERS_MAX = 64
_FIELD_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
_MICROSECONDS = 1_000_000

Attributes = tuple[tuple[str, AttributeValue], ...]


def plain_name(value: object, *, characters_max: int = NAME_CHARACTERS_MAX) -> str | None:
    """The value where it may stand as a name: a text, not empty, not long, without control characters; else None."""
    if not isinstance(value, str) or not value or len(value) > characters_max or value != value.strip():
        return None
    if value.isascii() and value.isprintable():
        return value
    return None if any(unicodedata.category(character) in ("Cc", "Cs") for character in value) else value


def short_name(value: object) -> str:
    """A type's own name, or `none` or `other` where it has none that may be shown."""
    return plain_name(value, characters_max=_SHORT_NAME_CHARACTERS_MAX) or ("none" if value is None else "other")


def named(name: str, value: object) -> Attributes:
    """The attribute, where the value is a boolean, a number of at most 2**53 or a plain name; else nothing."""
    if isinstance(value, str):
        return ((name, value),) if plain_name(value) is not None else ()
    if isinstance(value, (bool, int, float)):
        return ((name, value),) if abs(value) <= INTEGER_MAX else ()
    return ()


def is_field_name(value: object) -> bool:
    """True where this may be part of an attribute's name."""
    return isinstance(value, str) and _FIELD_NAME.fullmatch(value) is not None


def time_of(value: object) -> SourceTime | None:
    """The instant of an ISO 8601 text, or of a number: seconds since 1970. None where it is neither."""
    if isinstance(value, str):
        try:
            return parse_time(value, field="timestamp")
        except InvalidInputError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 253_402_300_800:
        return None
    return SourceTime(round(value * _MICROSECONDS), 0, "second" if isinstance(value, int) else "microsecond")
