"""Ed25519 signatures with Python alone: a part of what `heedful verifier` writes, from the first constant on."""

from __future__ import annotations

import hashlib

Point = tuple[int, int, int, int]
P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_1 = pow(2, (P - 1) // 4, P)


def point_of(encoded: bytes) -> Point | None:
    """The point in extended coordinates, or None (RFC 8032, 5.1.3)."""
    number = int.from_bytes(encoded, "little")
    sign, y = number >> 255, number & ((1 << 255) - 1)
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if (x * x - square) % P == 0 else x * ROOT_OF_MINUS_1 % P
    if y >= P or (x * x - square) % P or (x == 0 and sign):
        return None
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P


def add(one: Point, other: Point) -> Point:
    """The sum of two points."""
    a = (one[1] - one[0]) * (other[1] - other[0]) % P
    b = (one[1] + one[0]) * (other[1] + other[0]) % P
    c = 2 * one[3] * other[3] * D % P
    d = 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(number: int, point: Point) -> Point:
    """The point added to itself so many times."""
    total = (0, 1, 1, 0)
    while number:
        if number & 1:
            total = add(total, point)
        point = add(point, point)
        number >>= 1
    return total


BASE = point_of(bytes([0x58] + [0x66] * 31)) or (0, 1, 1, 0)


def is_signed(public: bytes, purpose: str, body: bytes, signature: bytes) -> bool:
    """True where that key signed this body for this purpose (RFC 8032, 5.1.7)."""
    if len(public) != 32 or len(signature) != 64:
        return False
    key, shown, number = point_of(public), point_of(signature[:32]), int.from_bytes(signature[32:], "little")
    if key is None or shown is None or number >= ORDER:
        return False
    message = f"heedful {purpose} 1\n".encode() + body
    digest = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % ORDER
    left, right = times(number, BASE), add(shown, times(digest, key))
    return not ((left[0] * right[2] - right[0] * left[2]) % P or (left[1] * right[2] - right[1] * left[2]) % P)
