"""Proofs and what an attacker makes of them. Each mutation says something else than its proof did, so none may hold."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from heedful.ledger.merkle import (
    consistency_proof,
    inclusion_proof,
    is_consistent,
    is_included,
    leaves_root,
    node_hash,
    root_of,
)


@dataclass(frozen=True, slots=True)
class Proof:
    """One of the two; `at` is the leaf's index, or the size of the older tree whose root `about` is."""

    kind: Literal["inclusion", "consistency"]
    about: bytes
    at: int
    size: int
    root: bytes
    path: tuple[bytes, ...]

    def holds(self) -> bool:
        """What the product says of it."""
        if self.kind == "inclusion":
            return is_included(self.about, self.at, self.size, self.path, self.root)
        return is_consistent(self.at, self.about, self.size, self.root, self.path)


def inclusion(leaves: Sequence[bytes], chance: random.Random) -> Proof:
    """That some leaf is in a tree of some first leaves; sizes next to powers of two come often."""
    size = _size(leaves, chance)
    index = chance.randrange(size)
    path = inclusion_proof(leaves_root(leaves), index, size)
    return Proof("inclusion", leaves[index], index, size, root_of(leaves[:size]), path)


def consistency(leaves: Sequence[bytes], chance: random.Random) -> Proof:
    """That some tree is the beginning of another."""
    size = _size(leaves, chance)
    old = min(size, _size(leaves, chance))
    path = consistency_proof(leaves_root(leaves), old, size)
    return Proof("consistency", root_of(leaves[:old]), old, size, root_of(leaves[:size]), path)


def mutations(proof: Proof, chance: random.Random) -> Iterator[Proof]:
    """The proof with one thing changed, in every way that is known here."""
    path, other = proof.path, chance.randbytes(32)
    for place in {0, len(path) // 2, len(path) - 1} if path else ():
        yield replace(proof, path=path[:place] + path[place + 1 :])
        edited = bytes([path[place][0] ^ (1 << chance.randrange(8))]) + path[place][1:]
        yield replace(proof, path=(*path[:place], edited, *path[place + 1 :]))
        yield replace(proof, path=(*path[:place], path[place][:31], *path[place + 1 :]))
        yield replace(proof, path=(*path[: place + 1], path[place], *path[place + 1 :]))
    if len(set(path)) > 1:
        yield replace(proof, path=path[::-1] if path[::-1] != path else (*path[1:], path[0]))
    yield replace(proof, path=(*path, other))
    yield replace(proof, path=(other, *path))
    yield replace(proof, about=other)
    yield replace(proof, root=other)
    yield replace(proof, size=0)
    yield replace(proof, at=proof.size + 1)
    yield replace(proof, at=-1)
    if proof.kind == "inclusion":
        yield from _of_inclusion(proof)
    elif proof.at < proof.size:
        yield replace(proof, about=proof.root, root=proof.about)
        yield replace(proof, at=proof.size)
        yield replace(proof, at=0)
        if path:
            yield replace(proof, path=())


def _of_inclusion(proof: Proof) -> Iterator[Proof]:
    """Other places of the same leaf, and a node in place of a leaf."""
    yield replace(proof, at=proof.at + 1)
    yield replace(proof, about=proof.root, path=()) if proof.size > 1 else replace(proof, about=proof.root[::-1])
    if proof.at:
        yield replace(proof, at=proof.at - 1)
    if proof.path:
        first, *others = proof.path
        yield replace(proof, about=node_hash(proof.about, first), at=proof.at // 2, path=tuple(others))
        yield replace(proof, about=node_hash(first, proof.about), at=proof.at // 2, path=tuple(others))


def _size(leaves: Sequence[bytes], chance: random.Random) -> int:
    near = (1 << chance.randrange(1, 9)) + chance.choice((-1, 0, 1))
    return min(len(leaves), chance.choice((near, chance.randrange(1, len(leaves) + 1))))
