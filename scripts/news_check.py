"""What the product makes of news among what is held: the weights of bridges/news.py, fitted and measured."""

from __future__ import annotations

import hashlib
import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from news_rows import NewsBlock
from sklearn.linear_model import LogisticRegression
from train_router import CACHE

from heedful.adapters.models import router as router_module
from heedful.adapters.models.local import LocalEmbedder
from heedful.adapters.models.news_weights import NewsWeights
from heedful.adapters.models.router import BundledRouter, weights_of
from heedful.adapters.registry_files import pack_documents, registry_of
from heedful.bridges import news
from heedful.bridges.over import Ending, Held, ends_nothing_of
from heedful.bridges.sentences import relation_in
from heedful.bridges.tell import facts_of, texts_read
from heedful.kernel.scope import Scope

HOMES = {"everyday": Scope(("user:ana",)), "delivery": Scope(("project:payments",))}
REGISTRY = registry_of(pack_documents("base", *HOMES))
STRANGERS = 60
FURTHER = 3
"""Statements of others that are told among those, for each block."""
HARDEST = 5
"""Of the strangers, so many that the words come nearest to are learned from."""
CONTRAST_WEIGHT = 3.0
BLOCKS_MAX = 700
"""Of each half of what is kept apart."""
PAIRS_WEIGHED = np.array(news.WEIGHTS[1:])


class Kept:
    """The local model's vectors, those that are kept between runs from there."""

    model = LocalEmbedder.model
    dimensions = LocalEmbedder.dimensions

    def __init__(self) -> None:
        self._embedder = LocalEmbedder()
        with np.load(CACHE) as loaded:
            self._kept = dict(zip(loaded["keys"].tolist(), loaded["vectors"], strict=True))

    def embed(self, texts: list[str], *, purpose: str) -> tuple[bytes, ...]:
        keys = [hashlib.sha256(f"{purpose}\n{text}".encode()).hexdigest() for text in texts]
        for key, text in zip(keys, texts, strict=True):
            if key not in self._kept:
                (made,) = self._embedder.embed([text], purpose=purpose)
                self._kept[key] = np.frombuffer(made, dtype=np.int8)
        return tuple(self._kept[key].tobytes() for key in keys)


@dataclass
class Told:
    """A later text among what is held; `own`: whose end it is, of `held`, or whose it is not though it may sound so."""

    name: str
    held: list[Held]
    own: tuple[str, ...]
    endings: tuple[Ending, ...]
    is_end: bool


def held_of(block: NewsBlock, number: int, router: BundledRouter) -> list[Held]:
    kinds: dict[str, dict[str, float]] = {}
    for fact in facts_of(block.statement, REGISTRY, router.tell, scope=HOMES[block.pack]):
        if not fact.ended:
            kinds.setdefault(fact.statement, {})[fact.kind] = fact.confidence
    return [Held(text, relation_in(text), found, (f"message-{number}",)) for text, found in kinds.items()]  # type: ignore[arg-type]


def told_of(blocks: list[NewsBlock], router: BundledRouter) -> Iterator[Told]:
    chance = random.Random(0)
    held = [held_of(block, number, router) for number, block in enumerate(blocks)]

    def endings(text: str) -> tuple[Ending, ...]:
        return news.news_in(text, REGISTRY, router.tell, router.likeness) or ()

    for number, block in enumerate(blocks):
        alike = [place for place, other in enumerate(blocks) if other.pack == block.pack and place != number]
        strangers = [each for place in chance.sample(alike, STRANGERS) for each in held[place]]
        among, own = [*held[number], *strangers], (f"message-{number}",)
        where = f"{block.pack}{', notes' if block.file.startswith('notes') else ''}"
        if held[number]:
            for text in block.news:
                yield Told(f"news that ends its own, {where}", among, own, endings(text), is_end=True)
        for text in block.contrasts:
            name = "of the same matter" if block.contrasts_alike else "wishes, dreams, others"
            yield Told(f"no news that ends something: {name}", among, own, endings(text), is_end=False)
        for place in chance.sample(alike, FURTHER):
            others = [each for each in among if each.origin != (f"message-{place}",)]
            yield Told(
                "a further statement that ends something", others, (), endings(blocks[place].statement), is_end=False
            )


def check(blocks: list[NewsBlock], router_path: Path, weights: NewsWeights) -> None:
    """Prints the weights, fitted on half of the blocks, and what the product's make of the other half."""
    router_weights = weights_of(router_path)
    router = BundledRouter(lambda: router_weights, Kept(), news=lambda: weights)  # type: ignore[arg-type]
    router_module.ANSWERS_CACHED = 100 * BLOCKS_MAX
    halves: tuple[list[NewsBlock], list[NewsBlock]] = ([], [])
    for block in blocks:
        halves[int(hashlib.sha256(block.file.encode() + block.statement.encode()).hexdigest(), 16) % 2].append(block)
    told: list[list[Told]] = []
    for half in halves:
        some = random.Random(0).sample(half, min(BLOCKS_MAX, len(half)))
        texts = [text for block in some for text in (block.statement, *block.news, *block.contrasts)]
        router.read_ahead([part for text in texts for part in texts_read(text)])
        told.append(list(told_of(some, router)))
    fit(told[0], router)
    measure(told[1], router)


def fit(told: list[Told], router: BundledRouter) -> None:
    rows: list[np.ndarray] = []
    truth: list[bool] = []
    counted: list[float] = []
    strangers_near: list[float] = []
    for each in told:
        for ending in each.endings:
            weighed = news.weighed(ending, each.held, router.likeness)
            hardest = sorted(weighed, key=lambda place: -weighed[place][4])
            own = [place for place in hardest if each.held[place].origin == each.own]
            strangers = [place for place in hardest if place not in own]
            strangers_near += [weighed[place][4] / news.WEIGHTS.nearer for place in strangers[:1]]
            for place in (*own, *strangers[:HARDEST]):
                if not ends_nothing_of(ending, each.held[place]):
                    rows.append(np.array(weighed[place]) / PAIRS_WEIGHED)
                    truth.append(each.is_end and place in own)
                    counted.append(CONTRAST_WEIGHT if place in own and not each.is_end else 1.0)
    table = np.stack(rows)
    spread = table.std(axis=0)
    model = LogisticRegression(C=1.0, max_iter=1_000).fit(table / spread, truth, sample_weight=counted)
    found = ", ".join(
        f"{name}={weight:.2f}" for name, weight in zip(news.Weights._fields[1:], model.coef_[0] / spread, strict=True)
    )
    print(f"weights: start={model.intercept_[0]:.2f}, {found}; {len(rows)} rows")


def measure(told: list[Told], router: BundledRouter) -> None:
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for each in told:
        ended = {
            each.held[place].origin
            for ending in each.endings
            for place in news.over_by(ending, each.held, router.likeness)
        }
        wrong = bool(ended - {each.own})
        if each.is_end:
            _count(counts[each.name], each.own in ended)
            _count(counts["news that ends something else"], wrong)
        else:
            _count(counts[each.name], bool(ended))
    for name, (some, count) in sorted(counts.items()):
        print(f"{name}: {some / count:.3f} of {count}")


def _count(counted: list[int], is_so: bool) -> None:
    counted[0] += is_so
    counted[1] += 1
