"""Train what tells which statements matter for a request (adapters/models/matter_weights.py) -> packs/matters.npz.

    uv run --group train python scripts/train_matters.py [--check]

It learns from the blocks of the packs (pairs*.tsv): a statement belongs to the requests for which it matters, by
contrast among 256 pairs at a time, and not to those beside them, which are like them or have its words and for which
it does not (logistic regression). The statement's side is its vector as a store keeps it; the request's side is turned
by a hidden layer and, past it, a matrix. `--check` leaves a fifth apart, writes nothing, and prints how often its
statements are among the first for their requests, of 90, and how well those are told from the requests beside them;
for comparison the same by plain likeness.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from router_rows import Block, read_blocks
from train_router import LEVELS, local_vectors, unit

from heedful.adapters.models.local import LocalEmbedder
from heedful.adapters.models.matter_weights import FINENESS, MATTERS_FILE
from heedful.adapters.models.router_head import in_steps

PACKS = Path(__file__).parent.parent / "src/heedful/packs"
HIDDEN = 256
ROUNDS = 6
PAIRS_TOGETHER = 256
STEP = 1e-2
DECAY = 1e-6
START_SCALE = 20.0
"""Plain likeness, from which the matrix begins, is worth so much."""
BESIDE_WEIGHT = 0.7
"""Of a request beside the others: they are more than those."""
POOL = 90


@dataclass
class Pairs:
    """Statements, requests for which they matter and others beside them, each with its statement's place."""

    statements: np.ndarray
    requests: np.ndarray
    of: np.ndarray
    beside: np.ndarray
    beside_of: np.ndarray


def pairs_of(blocks: list[Block], centre: np.ndarray) -> Pairs:
    statements = unit(local_vectors([block.statement for block in blocks], "passage"))
    sides = []
    for listed in ([block.requests for block in blocks], [block.others for block in blocks]):
        texts = [text for some in listed for text in some]
        steps, lengths = in_steps(local_vectors(texts, "query"), centre)
        sides += [steps / lengths, np.array([place for place, some in enumerate(listed) for _ in some])]
    return Pairs(statements, *sides)


class Turned:
    """The layers, in training."""

    def __init__(self, dimensions: int) -> None:
        chance = np.random.default_rng(0)
        first = chance.normal(0, 4 / np.sqrt(dimensions), (dimensions, HIDDEN))
        straight = START_SCALE * np.eye(dimensions)
        parts = (straight, first, np.zeros(HIDDEN), np.zeros((HIDDEN, dimensions)), np.zeros(1))
        self.parts = [part.astype(np.float32) for part in parts]
        self.begun = [part.copy() if place == 0 else np.zeros_like(part) for place, part in enumerate(self.parts)]
        self.means = [np.zeros_like(part) for part in self.parts]
        self.squares = [np.zeros_like(part) for part in self.parts]
        self.count = 0

    def of(self, requests: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What they are turned to, and what the hidden layer has."""
        straight, first, first_start, second, _ = self.parts
        hidden = np.maximum(0, requests @ first + first_start)
        return requests @ straight + hidden @ second, hidden

    def learn(self, slopes: list[np.ndarray], step: float) -> None:
        """One step of Adam (Kingma and Ba, 2014)."""
        self.count += 1
        for place, slope in enumerate(slopes):
            full = slope + (DECAY * (self.parts[place] - self.begun[place]) if place < len(slopes) - 1 else 0.0)
            self.means[place] = 0.9 * self.means[place] + 0.1 * full
            self.squares[place] = 0.999 * self.squares[place] + 0.001 * full * full
            mean = self.means[place] / (1 - 0.9**self.count)
            spread = np.sqrt(self.squares[place] / (1 - 0.999**self.count)) + 1e-8
            self.parts[place] -= (step * mean / spread).astype(np.float32)

    def slopes(self, pairs: Pairs, centre: np.ndarray, some: np.ndarray, beside: np.ndarray) -> list[np.ndarray]:
        count = len(some)
        own = pairs.statements[pairs.of[some]] - centre
        theirs = pairs.statements[pairs.beside_of[beside]] - centre
        asked = np.vstack([pairs.requests[some], pairs.beside[beside]])
        turned, hidden = self.of(asked)
        near = turned[:count] @ own.T
        same = pairs.of[some][:, None] == pairs.of[some][None, :]
        near[same & ~np.eye(count, dtype=bool)] = -1e9
        likely = np.exp(near - near.max(1, keepdims=True))
        likely /= likely.sum(1, keepdims=True)
        start = self.parts[4][0]
        missed = 1 - _odds((turned[:count] * own).sum(1) + start)
        alarmed = _odds((turned[count:] * theirs).sum(1) + start) * BESIDE_WEIGHT
        wrong = np.vstack([(likely - np.eye(count)) @ own - missed[:, None] * own, alarmed[:, None] * theirs]) / count
        back = (wrong @ self.parts[3].T) * (hidden > 0)
        about_start = np.array([(alarmed.sum() - missed.sum()) / count])
        return [asked.T @ wrong, asked.T @ back, back.sum(0), hidden.T @ wrong, about_start]


def _odds(numbers: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-numbers))


def trained(pairs: Pairs) -> tuple[Turned, np.ndarray]:
    """The layers, and the statements' centre."""
    chance = np.random.default_rng(0)
    turned, centre = Turned(pairs.statements.shape[1]), pairs.statements.mean(0)
    order_beside = np.argsort(pairs.beside_of, kind="stable")
    edges = np.searchsorted(pairs.beside_of[order_beside], np.arange(len(pairs.statements) + 1))
    for _ in range(ROUNDS):
        order = chance.permutation(len(pairs.of))
        for start in range(0, len(order), PAIRS_TOGETHER):
            some = order[start : start + PAIRS_TOGETHER]
            beside = np.concatenate([order_beside[edges[at] : edges[at + 1]] for at in pairs.of[some]])
            turned.learn(turned.slopes(pairs, centre, some, beside), STEP)
    return turned, centre


def report(name: str, pairs: Pairs, asked: np.ndarray, beside: np.ndarray, centre: np.ndarray) -> None:
    """What the fifth apart comes to."""
    chance = np.random.default_rng(1)
    statements = pairs.statements - centre
    own, other = (statements[pairs.of] * asked).sum(1), (statements[pairs.beside_of] * beside).sum(1)
    places = []
    for at in range(len(asked)):
        pool = chance.choice(len(statements), POOL, replace=False)
        pool = pool[pool != pairs.of[at]][: POOL - 1]
        places.append(int((statements[pool] @ asked[at] > own[at]).sum()))
    apart = np.mean([(one > other).mean() for one in own])
    firsts = "  ".join(f"first {first}: {np.mean(np.array(places) < first):.3f}" for first in (1, 5, 10, 20))
    print(f"{name}: {len(asked)} requests, of {POOL} statements {firsts}; told from those beside them {apart:.3f}")


def arrays_of(turned: Turned, centre: np.ndarray, statements_centre: np.ndarray) -> dict[str, np.ndarray]:
    """The weights in whole numbers."""
    straight, first, first_start, second, start = turned.parts
    scales = {
        name: float(np.abs(part).max() / LEVELS)
        for name, part in (("straight_scale", straight), ("first_scale", first), ("second_scale", second))
    }
    about = {"dense_model": LocalEmbedder.model, "start": round(float(start[0]), 6), **scales}
    return {
        "centre": centre,
        "statements_centre": np.rint(statements_centre * FINENESS).astype(np.int16),
        "first": np.rint(first / scales["first_scale"]).astype(np.int8),
        "first_start": np.rint(first_start * FINENESS).astype(np.int32),
        "second": np.rint(second / scales["second_scale"]).astype(np.int8),
        "straight": np.rint(straight / scales["straight_scale"]).astype(np.int8),
        "about": np.array(json.dumps(about)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="leave a fifth apart, print what it comes to, write nothing"
    )
    options = parser.parse_args()
    learned = [block for pack in ("delivery", "everyday") for block in read_blocks(pack=pack, apart=False)]
    kept = [block for pack in ("delivery", "everyday") for block in read_blocks(pack=pack)]
    blocks = [block for block in (learned if options.check else [*learned, *kept]) if block.requests]
    centre = unit(local_vectors([text for block in blocks for text in block.requests], "query")).mean(0)
    pairs = pairs_of(blocks, centre)
    turned, statements_centre = trained(pairs)
    if options.check:
        apart = pairs_of([block for block in kept if block.requests], centre)
        report("plain likeness", apart, apart.requests, apart.beside, statements_centre)
        report("as trained", apart, turned.of(apart.requests)[0], turned.of(apart.beside)[0], statements_centre)
        return
    np.savez_compressed(PACKS / MATTERS_FILE, **arrays_of(turned, centre, statements_centre))
    print(f"{len(pairs.of)} requests and {len(pairs.beside_of)} beside them, of {len(blocks)} statements")


if __name__ == "__main__":
    main()
