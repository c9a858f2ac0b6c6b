"""Graphemes: where a text may be cut without splitting what a reader sees as one character."""

from __future__ import annotations

import unicodedata
from itertools import takewhile

_ZERO_WIDTH_JOINER = "\u200d"
_VIRAMA_CLASS = 9
# GB9 and GB9a members outside of the mark categories: Thai and Lao AM, halfwidth kana voice marks, emoji skin tones,
# and the tags that spell a regional flag.
_EXTEND = frozenset("\u0e33\u0eb3\uff9e\uff9f\u200c") | frozenset(chr(code) for code in range(0x1F3FB, 0x1F400))
_TAGS = range(0xE0020, 0xE0080)
# GB9b: signs written before what they belong to.
_PREPEND = frozenset(
    chr(code)
    for code in (*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0xD4E, 0x110BD, 0x110CD, 0x111C2, 0x111C3)
)
_HANGUL_L, _HANGUL_V, _HANGUL_T = range(0x1100, 0x1160), range(0x1160, 0x11A8), range(0x11A8, 0x1200)
_HANGUL_L_MORE, _HANGUL_V_MORE, _HANGUL_T_MORE = range(0xA960, 0xA97D), range(0xD7B0, 0xD7C7), range(0xD7CB, 0xD7FC)
_HANGUL_SYLLABLES = range(0xAC00, 0xD7A4)
_HANGUL_T_COUNT = 28


def may_cut(text: str, index: int) -> bool:
    """True where a cut before `index` splits no grapheme cluster and no surrogate pair.

    The rules of Unicode Annex 29, section 3.1.1, on the safe side: a place where clusters only might join (after any
    joiner, after a virama) is not cut either, so every piece is whole clusters.
    """
    if index <= 0 or index >= len(text):
        return True
    before, after = text[index - 1], text[index]
    if before < "\u0300" and after < "\u0300":
        return not (before == "\r" and after == "\n")
    if _joins_before(after) or before == _ZERO_WIDTH_JOINER or before in _PREPEND:
        return False
    if "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff":
        return False
    if unicodedata.combining(before) == _VIRAMA_CLASS and after.isalpha():
        return False
    if _is_regional(before) and _is_regional(after):
        run = sum(1 for _ in takewhile(_is_regional, reversed(text[:index])))
        return run % 2 == 0
    return not _hangul_joins(ord(before), ord(after))


def cut_back(text: str, index: int, floor: int) -> int:
    """The last place at or before `index` where a cut is allowed, not below `floor` (itself such a place)."""
    while index > floor and not may_cut(text, index):
        index -= 1
    return index


def cut_on(text: str, index: int) -> int:
    """The first place at or after `index` where a cut is allowed."""
    while not may_cut(text, index):
        index += 1
    return index


def _joins_before(character: str) -> bool:
    return (
        character == _ZERO_WIDTH_JOINER
        or character in _EXTEND
        or ord(character) in _TAGS
        or unicodedata.category(character)[0] == "M"
    )


def _is_regional(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _hangul_joins(before: int, after: int) -> bool:
    is_syllable = after in _HANGUL_SYLLABLES
    if before in _HANGUL_L or before in _HANGUL_L_MORE:
        return is_syllable or any(after in part for part in (_HANGUL_L, _HANGUL_L_MORE, _HANGUL_V, _HANGUL_V_MORE))
    after_t = after in _HANGUL_T or after in _HANGUL_T_MORE
    after_v = after in _HANGUL_V or after in _HANGUL_V_MORE
    if before in _HANGUL_SYLLABLES:
        open_syllable = (before - _HANGUL_SYLLABLES.start) % _HANGUL_T_COUNT == 0
        return after_t or (open_syllable and after_v)
    if before in _HANGUL_V or before in _HANGUL_V_MORE:
        return after_v or after_t
    return (before in _HANGUL_T or before in _HANGUL_T_MORE) and after_t
