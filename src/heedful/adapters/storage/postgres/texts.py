"""Texts and values as bytes, by one rule: PostgreSQL's text holds no NUL, and its order depends on a locale.

UTF-8 keeps both apart and in order, byte for byte. What is only ever compared is kept in a short form, since an index
takes no more than a few kilobytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from heedful.adapters.storage.codec import INTEGER_BITS_64, typed_value
from heedful.observations.record import AttributeValue

# Three such keys and a tenant fit into one entry of an index, which holds 2,704 bytes.
KEY_BYTES_MAX = 512
# Leads the SHA-256 of a long text; no UTF-8 has this byte.
_LONG = b"\xff"


def key_of(text: str) -> bytes:
    """What a column compares `text` by: its UTF-8, or its SHA-256 where that is long. Halves of pairs are taken too."""
    encoded = text.encode("utf-8", "surrogatepass")
    return encoded if len(encoded) <= KEY_BYTES_MAX else _LONG + hashlib.sha256(encoded).digest()


def text_of(key: bytes) -> str:
    """The text of that key; of a long one its SHA-256 in hex, behind U+FFFF."""
    return f"\uffff{key[1:].hex()}" if key.startswith(_LONG) else key.decode("utf-8", "surrogatepass")


def stored_key(stored: str | float) -> bytes:
    """What a column compares a value by that codec.typed_value gave: equal values of one kind have equal bytes."""
    return key_of(stored) if isinstance(stored, str) else repr(stored).encode()


def stored_value(kind: str, key: bytes) -> str | int | float:
    """The value of that key, as codec.typed_value gave it; of a long text see text_of."""
    text = text_of(key)
    if kind == "text":
        return text
    try:
        whole = int(text)
    except ValueError:
        return float(text)
    return whole if -INTEGER_BITS_64 <= whole < INTEGER_BITS_64 else text


def attribute_columns(attributes: Sequence[tuple[str, AttributeValue]]) -> tuple[list[bytes], list[str], list[bytes]]:
    """The names, types and values of these attributes, each column as a list."""
    typed = [(name, *typed_value(value)) for name, value in attributes]
    return (
        [key_of(name) for name, _kind, _stored in typed],
        [kind for _name, kind, _stored in typed],
        [stored_key(stored) for _name, _kind, stored in typed],
    )
