"""Outline: a tree as at most NODES_MAX nodes of one level and what is behind them; it hashes to the root, and grows.

With it a tree of a million leaves is continued without the leaves, a proof reads those of one node alone, and where a
chain is another one from some point on, the node in which that point lies is found without having kept the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice

from heedful.ledger.merkle import Frontier, RangeRoot, node_hash, root_of

NODES_MAX = 256
"""So that a chain of that many events is outlined event by event, and no outline has more than some 16 KB."""
LEVEL_MAX = 52
_ReadLeaves = Callable[[int, int], Sequence[bytes]]


@dataclass(frozen=True, slots=True)
class Outline:
    """A tree's complete subtrees of 2**level leaves, and the frontier of the leaves behind them."""

    level: int = 0
    nodes: tuple[bytes, ...] = ()
    tail: Frontier = field(default_factory=Frontier)

    def __post_init__(self) -> None:
        """The tail is smaller than a node.

        Raises:
            ValueError: it is not, or there are too many nodes.
        """
        fits = 0 <= self.level <= LEVEL_MAX and len(self.nodes) <= NODES_MAX
        if not fits or self.tail.size >> self.level:
            raise ValueError("this is no outline of a tree")

    @property
    def size(self) -> int:
        """How many leaves the tree has."""
        return (len(self.nodes) << self.level) + self.tail.size

    @property
    def root(self) -> bytes:
        """The tree's root."""
        return root_of(self._all_nodes())

    def extended(self, leaves: Iterable[bytes]) -> Outline:
        """The outline with these leaves behind the others."""
        level, nodes, tail, left = self.level, list(self.nodes), self.tail, iter(leaves)
        while True:
            wanted = (1 << level) - tail.size
            size, tail = tail.size, tail.extended(islice(left, wanted))
            if tail.size - size < wanted:
                return Outline(level, tuple(nodes), tail)
            nodes += tail.peaks
            tail = Frontier()
            if len(nodes) > NODES_MAX:
                level, nodes, tail = _coarser(level, nodes)

    def compared(self) -> Comparison:
        """What another chain's leaves are held against, bit by bit."""
        return Comparison(1 << self.level, self.size, self._all_nodes())

    def range_root(self, read_leaves: _ReadLeaves) -> RangeRoot:
        """The root of any range that proofs ask for; leaves are read where it lies within one node, by (first, end)."""
        width, nodes = 1 << self.level, self._all_nodes()

        def range_root(first: int, end: int) -> bytes:
            if first % width == 0 and (end % width == 0 or end == self.size):
                return root_of(nodes[first // width : -(-end // width)])
            return root_of(read_leaves(first, end))

        return range_root

    def _all_nodes(self) -> tuple[bytes, ...]:
        return (*self.nodes, self.tail.root) if self.tail.size else self.nodes


class Comparison:
    """Whether leaves that come bit by bit, the first event's first, are those of an outline."""

    def __init__(self, width: int, size: int, nodes: tuple[bytes, ...]) -> None:
        """Nothing came yet; `found` is where leaves that came are others."""
        self._width, self._size, self._nodes = width, size, nodes
        self._done = 0
        self._held: list[bytes] = []
        self.found: tuple[int, int] | None = None

    def take(self, leaves: Sequence[bytes]) -> None:
        """The next leaves; those beyond the outline's size are not looked at."""
        left = 0
        while self.found is None and left < len(leaves) and self._done < self._size:
            # To the end of this node, which the last leaf of all ends early.
            wanted = min(self._width, self._size - self._done) - len(self._held)
            self._held += leaves[left : left + wanted]
            left += wanted
            if left <= len(leaves):
                self._compare()

    def _compare(self) -> None:
        last = self._done + len(self._held)
        if root_of(self._held) != self._nodes[self._done // self._width]:
            self.found = self._done + 1, last
        self._done, self._held = last, []

    def difference(self) -> tuple[int, int] | None:
        """(first, last) position among which the leaves first are others; None: all agree. Missing ones are others."""
        if self.found is None and self._done < self._size:
            return self._done + 1, min(self._done + self._width, self._size)
        return self.found


def _coarser(level: int, nodes: list[bytes]) -> tuple[int, list[bytes], Frontier]:
    """The same leaves at the next level; an odd node is the tail then."""
    halves = len(nodes) // 2
    joined = [node_hash(nodes[2 * each], nodes[2 * each + 1]) for each in range(halves)]
    tail = Frontier(1 << level, (nodes[-1],)) if len(nodes) % 2 else Frontier()
    return level + 1, joined, tail
