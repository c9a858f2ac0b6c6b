"""Canary: a word that stands nowhere else, in a text that says what it is, and how it may lie in files."""

from __future__ import annotations

import base64

DIMENSION = "heedful-drill"
"""Of the scope of every record that a drill plants, and the beginning of its source reference."""
_CONSONANTS, _VOWELS = "bdfgklmnprstvwxz", "aeio"
_SYLLABLES = 18
_TILE = 12


def canary_of(randomness: bytes) -> str:
    """36 letters that no store has, can be said, and are taken for no secret; of 18 random bytes."""
    return "".join(_CONSONANTS[each >> 4] + _VOWELS[each & 3] for each in randomness[:_SYLLABLES])


CANARY_BYTES = _SYLLABLES


def text_of(drill_id: str, canary: str, what: str) -> str:
    """The text of a planted record."""
    return f"The {what} of the heedful drill {drill_id} says {canary}. It was planted, and is erased again."


def needles_of(canary: str) -> tuple[bytes, ...]:
    """What is looked for in files: pieces of 12 letters, as they are, as UTF-16, in hex and in base64.

    So that any 23 letters of it in a row are found, in whatever these forms begin with.
    """
    found: list[bytes] = []
    for start in range(0, len(canary) - _TILE + 1, _TILE):
        tile = canary[start : start + _TILE].encode()
        found += [tile, tile.decode().encode("utf-16-le"), tile.hex().encode(), tile.hex().upper().encode()]
        # Of each phase the letters that hang on this piece alone.
        found += [base64.b64encode(b"\0" * phase + tile)[4 * (phase > 0) : -4] for phase in range(3)]
    return tuple(found)
