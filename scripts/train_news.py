"""Train what tells which statement a text is news of (adapters/models/news_weights.py) -> src/heedful/packs/news.npz.

    uv run --group train python scripts/train_news.py
    uv run --group train python scripts/train_router.py --apart /tmp/apart.npz
    uv run --group train python scripts/train_news.py --check /tmp/apart.npz

It learns from the blocks of the packs (pairs*.tsv) and those of `training/news/`, which the router does not learn from:
what ends or changes a statement belongs to it, and to no other statement (a matrix between the vectors of both, by
contrast among 512 pairs at a time, held near to the identity); and whether a text is news at all, against statements
and against texts that were written to sound like news and are none (logistic regression).

`--check` trains without the fifth apart and writes nothing. It fits the weights of bridges/news.py on half of that
fifth, and prints for the other half what the product, with weights of the router that know nothing of the fifth, makes
of news, of texts that are none and of further statements, each told among sixty statements of others.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from news_check import check
from news_rows import NewsBlock, read_news_blocks
from sklearn.linear_model import LogisticRegression
from train_router import DENSE_LEVELS, LEVELS, local_vectors

from heedful.adapters.models.local import LocalEmbedder
from heedful.adapters.models.news_weights import NEWS_FILE, NewsWeights
from heedful.adapters.models.router import bundled_weights
from heedful.adapters.models.router_head import in_steps

PACKS = Path(__file__).parent.parent / "src/heedful/packs"
PAIRS_TOGETHER = 512
ROUNDS = 15
SHARPNESS = 14.0
HELD_NEAR = 1e-2
"""How strongly the matrix is held near to the identity."""
STEP = 2e-3
LIKE_NEWS_WEIGHT, OTHERS_WEIGHT = 10.0, 3.0
"""What texts count for that are no news of the same matter, and those that are dreams, wishes and the like: they are
few."""


def directions(texts: list[str], centre: np.ndarray) -> np.ndarray:
    """As the product reads them."""
    steps, lengths = in_steps(local_vectors(texts, "passage"), centre)
    return steps / lengths


def meaning(blocks: list[NewsBlock], centre: np.ndarray) -> np.ndarray:
    """The matrix that turns news towards the statements that it is news of."""
    statements = directions([block.statement for block in blocks], centre)
    news = directions([text for block in blocks for text in block.news], centre)
    of = np.array([place for place, block in enumerate(blocks) for _ in block.news])
    chance = np.random.default_rng(0)
    same = np.eye(centre.shape[0], dtype=np.float32)
    matrix, first, second = same.copy(), np.zeros_like(same), np.zeros_like(same)
    count = 0
    for number in range(ROUNDS):
        order = chance.permutation(len(of))
        for start in range(0, len(order) - PAIRS_TOGETHER // 2, PAIRS_TOGETHER):
            some = order[start : start + PAIRS_TOGETHER]
            slope = _slope(matrix, news[some], statements[of[some]], of[some]) + HELD_NEAR * (matrix - same)
            count += 1
            first, second = 0.9 * first + 0.1 * slope, 0.99 * second + 0.01 * slope * slope
            step = STEP * (1 - number / ROUNDS)
            matrix -= step * (first / (1 - 0.9**count)) / (np.sqrt(second / (1 - 0.99**count)) + 1e-8)
    return matrix


def _slope(matrix: np.ndarray, news: np.ndarray, statements: np.ndarray, of: np.ndarray) -> np.ndarray:
    near = SHARPNESS * (news @ matrix) @ statements.T
    near[(of[:, None] == of[None, :]) & ~np.eye(len(of), dtype=bool)] = -1e9
    wrong = np.zeros_like(near)
    for axis in (0, 1):
        likely = np.exp(near - near.max(axis, keepdims=True))
        wrong += likely / likely.sum(axis, keepdims=True) / 2
    wrong[np.diag_indices(len(of))] -= 1
    return SHARPNESS * (news.T @ (wrong @ statements)) / len(of)


def heard(blocks: list[NewsBlock], centre: np.ndarray) -> tuple[np.ndarray, float]:
    """Numbers by dimension, and one more, that tell news."""
    news = [text for block in blocks for text in block.news]
    plain = [block.statement for block in blocks]
    alike = [text for block in blocks if block.contrasts_alike for text in block.contrasts]
    others = [text for block in blocks if not block.contrasts_alike for text in block.contrasts]
    truth = np.repeat([1, 0], [len(news), len(plain) + len(alike) + len(others)])
    weight = np.repeat([1.0, LIKE_NEWS_WEIGHT, OTHERS_WEIGHT], [len(news) + len(plain), len(alike), len(others)])
    read = directions([*news, *plain, *alike, *others], centre)
    model = LogisticRegression(C=10.0, max_iter=500).fit(read, truth, sample_weight=weight)
    return model.coef_[0], float(model.intercept_[0])


def trained(blocks: list[NewsBlock]) -> tuple[NewsWeights, dict[str, np.ndarray]]:
    """The weights in whole numbers, and as they are stored."""
    weights = bundled_weights()
    centre = weights.heads["local", "S"].centre
    matrix, (numbers, start) = meaning(blocks, centre), heard(blocks, centre)
    meaning_scale, heard_scale = float(np.abs(matrix).max() / LEVELS), float(np.abs(numbers).max() / DENSE_LEVELS)
    arrays = {
        "centre": centre,
        "meaning": np.rint(matrix / meaning_scale).astype(np.int8),
        "heard": np.rint(numbers / heard_scale).astype(np.int16),
    }
    about = {
        "dense_model": LocalEmbedder.model,
        "meaning_scale": meaning_scale,
        "heard_scale": heard_scale,
        "heard_start": round(start, 6),
    }
    found = NewsWeights(
        centre=centre,
        heard=arrays["heard"].astype(np.float64),
        meaning=arrays["meaning"].astype(np.float64),
        **about,  # type: ignore[arg-type]
    )
    return found, {**arrays, "about": np.array(json.dumps(about))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", type=Path, metavar="ROUTER", help="weights of train_router.py --apart")
    options = parser.parse_args()
    blocks = read_news_blocks()
    if options.check:
        weights, _ = trained([block for block in blocks if not block.is_apart])
        check([block for block in blocks if block.is_apart], options.check, weights)
        return
    _, arrays = trained(blocks)
    np.savez_compressed(PACKS / NEWS_FILE, **arrays)
    print(f"{len(blocks)} blocks")


if __name__ == "__main__":
    main()
