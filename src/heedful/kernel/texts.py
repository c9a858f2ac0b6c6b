"""Texts: when two texts are the same but for how they are written."""

from __future__ import annotations

import unicodedata


def folded(text: str) -> str:
    """The text in NFKC, without case, each stretch of white space one space, the outer ones cut."""
    once = unicodedata.normalize("NFKC", text).casefold()
    # Folding may leave what NFKC would compose, and composing what could be folded no more.
    return " ".join(unicodedata.normalize("NFKC", once).split())
