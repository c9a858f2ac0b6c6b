"""Dotted ids, whose dots lead to descendants: action classes and kinds."""

from __future__ import annotations


def covers(ancestor: str, descendant: str) -> bool:
    """True where `ancestor` is `descendant` or stands above it in the dotted hierarchy."""
    return descendant == ancestor or descendant.startswith(ancestor + ".")


def with_above(name: str) -> tuple[str, ...]:
    """Every name that covers this one, the widest first; itself is the last."""
    parts = name.split(".")
    return tuple(".".join(parts[:count]) for count in range(1, len(parts) + 1))
