"""Trees over leaf hashes are RFC 9162's: another implementation agrees, and no changed proof is accepted."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable

import pytest
from pymerkle import InmemoryTree, verify_consistency, verify_inclusion

from heedful.ledger.merkle import (
    Frontier,
    consistency_proof,
    inclusion_proof,
    is_consistent,
    is_included,
    leaves_root,
    node_hash,
    root_of,
)
from heedful.ledger.outline import NODES_MAX, Outline
from heedful.testing.proof_mutations import Proof, consistency, inclusion, mutations

SIZES = (*range(1, 18), 31, 32, 33, 64, 100)
ENTRIES = [f"event {number}".encode() for number in range(600)]
LEAVES = [hashlib.sha256(b"\x00" + entry).digest() for entry in ENTRIES]


@pytest.fixture(scope="module")
def other() -> InmemoryTree:
    """The same entries in pymerkle's tree, which hashes them itself."""
    tree = InmemoryTree(algorithm="sha256")
    for entry in ENTRIES:
        tree.append_entry(entry)
    return tree


def test_another_implementation_has_the_same_roots(other: InmemoryTree) -> None:
    """At every size from 0, grown one leaf at a time."""
    frontier = Frontier()
    for size in range(258):
        assert frontier.root == other.get_root(size)
        frontier = frontier.extended(LEAVES[size : size + 1])


@pytest.mark.parametrize("size", SIZES)
def test_another_implementation_accepts_the_proofs_and_ours_accepts_its(other: InmemoryTree, size: int) -> None:
    """Of the first, the last and a middle leaf, and of every older tree of some."""
    ranges, root = leaves_root(LEAVES), root_of(LEAVES[:size])
    for index in sorted({0, size // 2, size - 1}):
        told = other.prove_inclusion(index + 1, size)
        verify_inclusion(LEAVES[index], root, told)
        path = inclusion_proof(ranges, index, size)
        # Theirs has the leaf itself in front.
        assert (LEAVES[index], *path) == tuple(bytes.fromhex(each) for each in told.serialize()["path"])
        assert is_included(LEAVES[index], index, size, path, root)
    for old_size in sorted({1, size // 2 or 1, size}):
        old_root = root_of(LEAVES[:old_size])
        verify_consistency(old_root, root, other.prove_consistency(old_size, size))
        assert is_consistent(old_size, old_root, size, root, consistency_proof(ranges, old_size, size))


@pytest.mark.parametrize("check", [inclusion, consistency])
def test_no_changed_proof_is_accepted(check: Callable[[list[bytes], random.Random], Proof]) -> None:
    """Nodes dropped, added, swapped, edited; another size, index, leaf or root; a node shown as a leaf."""
    chance = random.Random(5)
    tried = 0
    for _ in range(60):
        proof = check(LEAVES, chance)
        assert proof.holds()
        for changed in mutations(proof, chance):
            assert not changed.holds(), changed
            tried += 1
    assert tried > 500


def test_control_a_verifier_that_does_not_count_accepts_a_shortened_proof() -> None:
    """One that only folds the path: a node stands for a leaf. So counting the levels is what refuses it."""
    leaves = LEAVES[:4]
    node, path = node_hash(leaves[0], leaves[1]), inclusion_proof(leaves_root(leaves), 0, 4)[1:]

    def folds(leaf: bytes, root: bytes) -> bool:
        for step in path:
            leaf = node_hash(leaf, step)
        return leaf == root

    assert folds(node, root_of(leaves))
    assert not is_included(node, 0, 4, path, root_of(leaves))


@pytest.mark.parametrize("size", [1, 2, NODES_MAX - 1, NODES_MAX, NODES_MAX + 1, 513, 600])
def test_an_outline_has_the_trees_root_and_grows_to_it_in_any_steps(size: int) -> None:
    """Whatever was there first."""
    whole = Outline().extended(LEAVES[:size])
    assert (whole.size, whole.root) == (size, root_of(LEAVES[:size]))
    assert len(whole.nodes) <= NODES_MAX
    for begun in (1, size // 3, size - 1):
        assert Outline().extended(LEAVES[:begun]).extended(LEAVES[begun:size]) == whole


@pytest.mark.parametrize("size", [5, 256, 257, 600])
def test_an_outline_proves_what_the_leaves_prove_and_reads_those_of_one_node(size: int) -> None:
    """At most as many leaves as a node has."""
    outline, read = Outline().extended(LEAVES[:size]), []

    def leaves(first: int, end: int) -> list[bytes]:
        read.append(end - first)
        return LEAVES[first:end]

    ours, theirs = outline.range_root(leaves), leaves_root(LEAVES)
    for index in range(0, size, 37):
        assert inclusion_proof(ours, index, size) == inclusion_proof(theirs, index, size)
        assert consistency_proof(ours, index + 1, size) == consistency_proof(theirs, index + 1, size)
    assert sum(read) <= 2 * (size // 37 + 1) * (1 << outline.level)


@pytest.mark.parametrize("size", [1, 5, 256, 600])
def test_an_outline_names_where_another_chain_begins(size: int) -> None:
    """Exactly up to NODES_MAX events, else the node; a chain that is too short differs where it ends."""
    outline = Outline().extended(LEAVES[:size])
    width = 1 << outline.level
    assert difference(outline, LEAVES) is None
    for index in {0, size // 2, size - 1}:
        changed = [*LEAVES[:index], *(each[::-1] for each in LEAVES[index:])]
        found, cut = difference(outline, changed), difference(outline, LEAVES[:index])
        assert found == cut
        assert found is not None
        assert found[0] <= index + 1 <= found[1] < found[0] + width


def difference(outline: Outline, leaves: list[bytes]) -> tuple[int, int] | None:
    """What the outline says of these leaves."""
    comparison, at_once = outline.compared(), outline.compared()
    for leaf in leaves:
        comparison.take([leaf])
    at_once.take(leaves[:100])
    at_once.take(leaves[100:])
    assert at_once.difference() == comparison.difference()
    return comparison.difference()


def test_what_is_no_frontier_and_no_outline_is_refused() -> None:
    """A peak for each bit of the size, a tail smaller than a node, and no more nodes than are allowed."""
    broken_ones: tuple[Callable[[], object], ...] = (
        lambda: Frontier(3, (LEAVES[0],)),
        lambda: Frontier(-1, (LEAVES[0],)),
        lambda: Outline(0, (), Frontier(1, (LEAVES[0],))),
        lambda: Outline(0, tuple(LEAVES[: NODES_MAX + 1])),
        lambda: Outline(-1),
    )
    for broken in broken_ones:
        with pytest.raises(ValueError, match=r"no outline|not the peaks"):
            broken()


def test_proofs_of_what_is_not_there_are_not_made() -> None:
    """No leaf beyond the end, no older tree that is empty or larger."""
    ranges = leaves_root(LEAVES)
    asks: tuple[Callable[[], object], ...] = (
        lambda: inclusion_proof(ranges, 3, 3),
        lambda: inclusion_proof(ranges, -1, 3),
        lambda: consistency_proof(ranges, 0, 3),
        lambda: consistency_proof(ranges, 4, 3),
    )
    for ask in asks:
        with pytest.raises(IndexError):
            ask()
