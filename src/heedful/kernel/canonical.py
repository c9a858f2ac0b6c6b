"""Canonical bytes: RFC 8785, the one encoding of everything that is hashed or stored as JSON."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

import msgspec

# RFC 8785 numbers are IEEE doubles: beyond this an integer would lose digits, so it is written as a text.
INTEGER_MAX = 2**53 - 1

# Between these, the shortest form of a double is written alike by RFC 8785 (ECMAScript) and by the plain encoder.
_FLOAT_PLAIN_MIN = 1e-4
_FLOAT_PLAIN_MAX = 1e15
# Where the decimal point stands in what ECMAScript writes without an exponent.
_POINT_MIN = -6
_POINT_MAX = 21

# Bytes in which a whole number beyond INTEGER_MAX may stand; today's microseconds are no such number. Two looks, each
# for fixed bytes first: one pattern for both would try every place of a long text.
_SIXTEEN_FROM_NINE = re.compile(rb"9[0-9]{15}")
_DIGITS_ALIKE = bytes.maketrans(b"123456789", b"000000000")
_SEVENTEEN = b"0" * 17

# After a sign of JSON's own: a double that ends in .0 or has an exponent, or a number that may be beyond INTEGER_MAX.
_MAY_DIFFER = re.compile(rb"[:,\[]-?(?:[0-9]+\.0|[0-9]+(?:\.[0-9]+)?[eE]|9[0-9]{15}|[0-9]{17})")

_encode = msgspec.json.Encoder(order="sorted").encode


def canonical_bytes(value: object) -> bytes:
    """The RFC 8785 form of a JSON value; integers beyond 2**53 - 1 become texts.

    Fast where it provably may be: with ASCII keys and everyday numbers the plain encoder, sorting by bytes, gives
    the same bytes (tests/stages/test_canonical.py compares both ways with another's encoder over generated values).

    Raises:
        ValueError: NaN, an infinity, a lone surrogate, or something that is no JSON value.
    """
    try:
        return _encode(_plain(value))
    except _NotPlainError:
        return _written(value).encode()


def canonical_fields(value: object, numbers: Iterable[float | None] | None = None) -> bytes:
    """The same for the fields of a dataclass none of whose members is a mapping: its keys are ASCII, being names.

    Encoded in one go; where a number stands in it that the two encoders write differently, it is done again the long
    way. `numbers` are all that stand in it; without them the bytes are searched for such a number, or for text that
    looks like one, which takes longer. That every number is finite is the caller's to have seen to.

    Raises:
        ValueError: a lone surrogate.
    """
    encoded = _encode(value)
    if _MAY_DIFFER.search(encoded) is None if numbers is None else _are_written_alike(numbers):
        return encoded
    return canonical_bytes(msgspec.to_builtins(value))


def shortest(number: float) -> float:
    """The same number, a whole one as an integer: so RFC 8785 writes it, and so it is encoded in one go."""
    return int(number) if float(number).is_integer() and abs(number) < _FLOAT_PLAIN_MAX else number


def parse_canonical(text: bytes) -> object:
    """The JSON value that `canonical_bytes` wrote; written again it gives the same bytes.

    A whole number beyond 2**53 - 1 is a double, since an integer of that size was written as a text.

    Raises:
        msgspec.DecodeError: not JSON.
        RecursionError: nested too deeply.
    """
    value = msgspec.json.decode(text)
    return _with_doubles(value) if _may_be_beyond(text) else value


def _may_be_beyond(text: bytes) -> bool:
    return _SEVENTEEN in text.translate(_DIGITS_ALIKE) or _SIXTEEN_FROM_NINE.search(text) is not None


def _with_doubles(value: object) -> object:
    if isinstance(value, dict):
        return {key: _with_doubles(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_doubles(item) for item in value]
    if isinstance(value, int) and not -INTEGER_MAX <= value <= INTEGER_MAX:
        return float(value)
    return value


class _NotPlainError(Exception):
    """This value needs the full RFC 8785 encoder."""


def _plain(value: object) -> object:
    kind = type(value)
    if kind is str or value is None or kind is bool:
        return value
    if kind is dict:
        pairs: dict[object, object] = value  # type: ignore[assignment]
        for key in pairs:
            if type(key) is not str or not key.isascii():
                raise _NotPlainError
        return {key: _plain(item) for key, item in pairs.items()}
    if kind is list or kind is tuple:
        return [_plain(item) for item in value]  # type: ignore[attr-defined]
    if kind is int:
        return value if -INTEGER_MAX <= value <= INTEGER_MAX else str(value)  # type: ignore[operator]
    if kind is float:
        return _plain_float(value)  # type: ignore[arg-type]
    raise _NotPlainError


def _plain_float(value: float) -> float | int:
    if value.is_integer() and abs(value) < _FLOAT_PLAIN_MAX:
        return int(value)
    if _FLOAT_PLAIN_MIN <= abs(value) < _FLOAT_PLAIN_MAX:
        return value
    raise _NotPlainError


def _are_written_alike(numbers: Iterable[float | None]) -> bool:
    """True where RFC 8785 and the plain encoder give the same bytes for each of them."""
    for number in numbers:
        kind = type(number)
        if number is None or kind is bool:
            continue
        if kind is int:
            alike = -INTEGER_MAX <= number <= INTEGER_MAX
        else:
            alike = kind is float and _FLOAT_PLAIN_MIN <= abs(number) < _FLOAT_PLAIN_MAX and not number.is_integer()
        if not alike:
            return False
    return True


def _written(value: object) -> str:
    """The value, the long way: keys in the order of their UTF-16 units, doubles as ECMAScript shows them."""
    if value is None or isinstance(value, bool | str):
        return _encode(value).decode()
    if isinstance(value, int):
        return str(value) if -INTEGER_MAX <= value <= INTEGER_MAX else f'"{value}"'
    if isinstance(value, float):
        return _double(value)
    if isinstance(value, list | tuple):
        return f"[{','.join(map(_written, value))}]"
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise ValueError("not a JSON object: a key is no text")
        pairs = sorted(value.items(), key=lambda pair: pair[0].encode("utf-16-be"))
        return f"{{{','.join(f'{_encode(key).decode()}:{_written(item)}' for key, item in pairs)}}}"
    raise ValueError(f"not a JSON value: {type(value).__name__}")


def _double(number: float) -> str:
    """ECMA-262, Number::toString, of the shortest digits that read back as the number."""
    if not math.isfinite(number):
        raise ValueError("not a JSON number: it is not finite")
    if number == 0:
        return "0"
    from decimal import Decimal  # noqa: PLC0415 - few doubles come here

    parts = Decimal(repr(number)).as_tuple()
    assert isinstance(parts.exponent, int), "it is finite"
    digits = "".join(map(str, parts.digits))
    point = len(digits) + parts.exponent
    digits = digits.rstrip("0")
    sign = "-" if parts.sign else ""
    if len(digits) <= point <= _POINT_MAX:
        return f"{sign}{digits}{'0' * (point - len(digits))}"
    if 0 < point <= _POINT_MAX:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if _POINT_MIN < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{fraction}e{point - 1:+d}"
