"""Stems: one form for the plain inflections of an English word, so that `policies` is found by `policy`.

Light on purpose: plural, `-ing`, `-ed`, a final `e`, `y` after a consonant. A stem is no word and need not look like
one; what counts is that both sides are cut alike. In other languages that are written in ASCII it does little.
"""

from __future__ import annotations

STEM_CHARACTERS_MIN = 4
"""Shorter words stay as they are, and no ending goes where less would be left (but for a plural's `s`: one more)."""

_NO_PLURAL = ("ss", "us", "is")
_HISSING = ("xes", "ches", "shes", "sses", "zzes")
_VOWELS = frozenset("aeiouy")
_DOUBLED_ENDS = frozenset("lsz")  # `called`, `passed` and `buzzed` have the doubled letter of their own
# Their ending is no ending, and what is left would be another common word.
_WHOLE = frozenset({"evening", "news"})


def stem(word: str) -> str:
    """The stem of a word in lower case. Without its last character it is always the beginning of the word.

    A word that is no plain ASCII word (a digit, a sign, another script) is its own stem.
    """
    if len(word) < STEM_CHARACTERS_MIN or not (word.isascii() and word.isalpha()) or word in _WHOLE:
        return word
    if word[-1] == "s" and not word.endswith(_NO_PLURAL):
        word = word[:-2] if word.endswith(_HISSING) else word[:-1]
    if word.endswith("ing"):
        word = _without(word, 3)
    elif word.endswith("ed"):
        word = _without(word, 2)
    if word[-1] == "e" and len(word) > STEM_CHARACTERS_MIN:
        word = word[:-1]
    if word[-1] == "y" and len(word) >= STEM_CHARACTERS_MIN and word[-2] not in _VOWELS:
        word = word[:-1] + "i"
    return word


def _without(word: str, ending: int) -> str:
    left = word[:-ending]
    if len(left) < STEM_CHARACTERS_MIN or not _VOWELS & set(left):
        return word
    is_doubled = left[-1] == left[-2] and left[-1] not in _DOUBLED_ENDS and left[-1] not in _VOWELS
    return left[:-1] if is_doubled else left
