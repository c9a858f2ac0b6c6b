"""Dotted ids, whose dots lead to descendants: action classes and kinds."""

from __future__ import annotations


def covers(ancestor: str, descendant: str) -> bool:
    """True where `ancestor` is `descendant` or stands above it in the dotted hierarchy."""
    return descendant == ancestor or descendant.startswith(ancestor + ".")
