"""Globs of our own: `*` stands for any text, everything else for itself. No classes, no escapes, case counts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

GLOBS_CACHED_MAX = 1_024
"""Globs that are kept compiled: the same few are asked for with every call."""


@dataclass(frozen=True, slots=True)
class Glob:
    """A glob, cut at its stars; matching takes time in proportion to the text."""

    parts: tuple[str, ...]

    def matches(self, text: str) -> bool:
        """True where the whole text is one that the glob stands for."""
        parts = self.parts
        if len(parts) == 1:
            return text == parts[0]
        first, last = parts[0], parts[-1]
        at, end = len(first), len(text) - len(last)
        if at > end or not text.startswith(first) or not text.endswith(last):
            return False
        for part in parts[1:-1]:
            found = text.find(part, at, end)
            if found < 0:
                return False
            at = found + len(part)
        return True


@lru_cache(maxsize=GLOBS_CACHED_MAX)
def glob(pattern: str) -> Glob:
    """The glob that a text writes."""
    return Glob(tuple(pattern.split("*")))
