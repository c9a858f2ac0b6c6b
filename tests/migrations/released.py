"""What releases have of migrations: file -> its SHA-256. A release adds its own; no line is ever changed."""

from __future__ import annotations

from collections.abc import Mapping

SQLITE: Mapping[str, str] = {}
POSTGRES: Mapping[str, str] = {}


def edited(released: Mapping[str, str], shipped: Mapping[str, str]) -> list[str]:
    """The released migrations that ship otherwise, or not at all."""
    return sorted(name for name, checksum in released.items() if shipped.get(name) != checksum)
