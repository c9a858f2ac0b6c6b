"""Newest: a mapping of bounded size that forgets what was put longest ago."""

from __future__ import annotations

from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Newest(Generic[K, V]):
    """At least the newest `count` entries that were put, and at most twice as many."""

    def __init__(self, count: int) -> None:
        """Nothing yet."""
        self._count = count
        self._new: dict[K, V] = {}
        self._old: dict[K, V] = {}
        self.has_forgotten = False

    def put(self, key: K, value: V) -> None:
        """The entry is the newest."""
        self._new[key] = value
        if len(self._new) >= self._count:
            self.has_forgotten = self.has_forgotten or bool(self._old)
            self._old, self._new = self._new, {}

    def get(self, key: K) -> V | None:
        """What was put last under this key; None where nothing was, or it is forgotten."""
        found = self._new.get(key)
        return self._old.get(key) if found is None else found

    def __contains__(self, key: K) -> bool:
        """True where it is still known."""
        return key in self._new or key in self._old
