"""Merkle: the RFC 9162 tree over a chain's event digests, which are its leaf hashes; proofs about it, and their checks.

A hash is 32 bytes; an index counts from 0, so the event at position p is the leaf p - 1. The roots of empty trees and
of trees beyond INDEX_MAX leaves are never asked for. Checks answer False, whatever they are given, and never raise.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

HASH_BYTES = 32
PATH_MAX = 64
"""Hashes that a proof may have: more belong to no tree."""
# RFC 9162, section 2.1.1: a node is hashed with this prefix, so that it can't be taken for a leaf.
_NODE_PREFIX = b"\x01"
_sha256 = hashlib.sha256

RangeRoot = Callable[[int, int], bytes]
"""The root of the tree over the leaves from the first index (counted from 0) to before the second."""


@dataclass(frozen=True, slots=True)
class Frontier:
    """All of a tree that its growth needs: the roots of its complete subtrees, the largest first.

    The sizes of those are the powers of two that `size` is made of, so a tree of a million leaves has seven.
    """

    size: int = 0
    peaks: tuple[bytes, ...] = ()

    def __post_init__(self) -> None:
        """One peak for each bit that is set.

        Raises:
            ValueError: there are others.
        """
        if self.size < 0 or len(self.peaks) != self.size.bit_count():
            raise ValueError("these are not the peaks of a tree of that size")

    def extended(self, leaves: Iterable[bytes]) -> Frontier:
        """The frontier with these leaves behind the others: two hashes a leaf at most, whatever the tree's size."""
        size, peaks = self.size, list(self.peaks)
        for leaf in leaves:
            peak, left = leaf, size
            while left & 1:
                peak = node_hash(peaks.pop(), peak)
                left >>= 1
            peaks.append(peak)
            size += 1
        return Frontier(size, tuple(peaks))

    @property
    def root(self) -> bytes:
        """The tree's root; of an empty tree, SHA-256 of nothing."""
        if not self.peaks:
            return _sha256().digest()
        *others, root = self.peaks
        for peak in reversed(others):
            root = node_hash(peak, root)
        return root


def node_hash(left: bytes, right: bytes) -> bytes:
    """SHA-256(0x01 || left || right)."""
    return _sha256(_NODE_PREFIX + left + right).digest()


def root_of(leaves: Iterable[bytes]) -> bytes:
    """The root of the tree over these leaf hashes."""
    return Frontier().extended(leaves).root


def leaves_root(leaves: Sequence[bytes]) -> RangeRoot:
    """Roots of ranges of these leaf hashes."""
    return lambda first, end: root_of(leaves[first:end])


def inclusion_proof(range_root: RangeRoot, index: int, size: int) -> tuple[bytes, ...]:
    """PATH(index, D_size), from the leaf up: what with that leaf gives the root.

    Raises:
        IndexError: there is no such leaf.
    """
    if not 0 <= index < size:
        raise IndexError(f"no leaf {index} in a tree of {size}")
    path: list[bytes] = []
    first, end = 0, size
    while end - first > 1:
        middle = first + _split(end - first)
        if index < middle:
            path.append(range_root(middle, end))
            end = middle
        else:
            path.append(range_root(first, middle))
            first = middle
    return tuple(reversed(path))


def consistency_proof(range_root: RangeRoot, old_size: int, size: int) -> tuple[bytes, ...]:
    """PROOF(old_size, D_size): that the tree of the first `old_size` leaves is the beginning of this one.

    Raises:
        IndexError: the older one is larger, or empty.
    """
    if not 0 < old_size <= size:
        raise IndexError(f"no tree of {old_size} leaves begins one of {size}")
    path: list[bytes] = []
    first, end, is_whole = 0, size, True
    while old_size != end:
        middle = first + _split(end - first)
        if old_size <= middle:
            path.append(range_root(middle, end))
            end = middle
        else:
            path.append(range_root(first, middle))
            first, is_whole = middle, False
    if not is_whole:
        path.append(range_root(first, end))
    return tuple(reversed(path))


def _split(count: int) -> int:
    """The largest power of two below `count`, which is at least 2."""
    return 1 << ((count - 1).bit_length() - 1)


def is_included(leaf: bytes, index: int, size: int, path: Sequence[bytes], root: bytes) -> bool:
    """True where the path proves that the tree of this size and root has the leaf there (RFC 9162, 2.1.3.2)."""
    if not (0 <= index < size) or not _are_hashes((leaf, root, *path)):
        return False
    node, last, found = index, size - 1, leaf
    for step in path:
        if last == 0:
            return False
        if node & 1 or node == last:
            found = node_hash(step, found)
            if not node & 1:
                node, last = _up(node, last)
        else:
            found = node_hash(found, step)
        node, last = node >> 1, last >> 1
    return last == 0 and found == root


def is_consistent(old_size: int, old_root: bytes, size: int, root: bytes, path: Sequence[bytes]) -> bool:
    """True where the path proves that the older tree is the beginning of the newer one (RFC 9162, 2.1.4.2)."""
    if not (0 < old_size <= size) or not _are_hashes((old_root, root, *path)):
        return False
    if old_size == size:
        return not path and old_root == root
    steps = list(path)
    if old_size & (old_size - 1) == 0:
        steps.insert(0, old_root)
    if not steps:
        return False
    node, last = old_size - 1, size - 1
    while node & 1:
        node, last = node >> 1, last >> 1
    old_found = found = steps[0]
    for step in steps[1:]:
        if last == 0:
            return False
        if node & 1 or node == last:
            old_found, found = node_hash(step, old_found), node_hash(step, found)
            if not node & 1:
                node, last = _up(node, last)
        else:
            found = node_hash(found, step)
        node, last = node >> 1, last >> 1
    return last == 0 and old_found == old_root and found == root


def _up(node: int, last: int) -> tuple[int, int]:
    """Past the levels at which the rightmost node has no sibling."""
    while node and not node & 1:
        node, last = node >> 1, last >> 1
    return node, last


def _are_hashes(hashes: Sequence[bytes]) -> bool:
    return len(hashes) <= PATH_MAX + 2 and all(len(each) == HASH_BYTES for each in hashes)
