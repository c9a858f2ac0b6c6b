"""Matrices: what searches by vectors keep in memory, bounded in bytes, the least recently used out first.

Each is kept under the number of the last change of the vectors in it, and handed out to a moment that sees that very
change: one that was read at an older or newer moment is as good as none. What is kept changes no answer.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from itertools import count
from typing import Any

MATRIX_BYTES_MAX = 64 * 1024 * 1024
"""For all stores of a process together."""
ENTRY_BYTES_MAX = MATRIX_BYTES_MAX // 2
"""One that is larger is read from the database at each search, a block at a time."""
_OVERHEAD_BYTES = 1_024

Key = tuple[int, ...]


class Matrices:
    """Matrices by key; may be used from several threads."""

    def __init__(self, bytes_max: int) -> None:
        """Nothing kept; at most `bytes_max` later."""
        self._bytes_max = bytes_max
        self._kept: OrderedDict[Key, tuple[int, Any, int]] = OrderedDict()
        self._lock = threading.Lock()
        self.bytes_kept = 0

    def get(self, key: Key, changed: int) -> Any:
        """What was put under the key at this very change, or None."""
        with self._lock:
            found = self._kept.get(key)
            if found is None or found[0] != changed:
                return None
            self._kept.move_to_end(key)
            return found[1]

    def put(self, key: Key, changed: int, matrix: Any, size: int) -> None:
        """It is kept, `size` bytes of it, unless a later one is."""
        size += _OVERHEAD_BYTES
        with self._lock:
            found = self._kept.get(key)
            if size > self._bytes_max or (found is not None and found[0] >= changed):
                return
            self._take(key)
            self._kept[key] = (changed, matrix, size)
            self.bytes_kept += size
            while self.bytes_kept > self._bytes_max:
                self._take(next(iter(self._kept)))

    def forget(self, owner: int) -> None:
        """Nothing is kept whose key begins with this."""
        with self._lock:
            for key in [key for key in self._kept if key[0] == owner]:
                self._take(key)

    def start_over(self) -> None:
        """As new: a forked child may have got the lock of a thread that it has not."""
        self.__init__(self._bytes_max)  # type: ignore[misc]  # the same object, which others hold

    def _take(self, key: Key) -> None:
        found = self._kept.pop(key, None)
        if found is not None:
            self.bytes_kept -= found[2]


_NUMBERS = count(1)
KEPT = Matrices(MATRIX_BYTES_MAX)
"""Those of this process."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=KEPT.start_over)


class Shelf:
    """The matrices of one open database: two of them never share any, whatever lies at their path."""

    __slots__ = ("_matrices", "_number")

    def __init__(self, matrices: Matrices = KEPT) -> None:
        """An empty one."""
        self._matrices = matrices
        self._number = next(_NUMBERS)

    def get(self, key: Key, changed: int) -> Any:
        """See Matrices.get."""
        return self._matrices.get((self._number, *key), changed)

    def put(self, key: Key, changed: int, matrix: Any, size: int) -> None:
        """See Matrices.put."""
        self._matrices.put((self._number, *key), changed, matrix, size)

    def clear(self) -> None:
        """Nothing of it is kept."""
        self._matrices.forget(self._number)
