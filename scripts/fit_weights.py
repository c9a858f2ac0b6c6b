"""Fit the weights of urgency and of endings (bridges/urgency.py, bridges/over.py), and print them.

    uv run --group train python scripts/train_router.py --apart /tmp/apart.npz
    uv run --group train python scripts/fit_weights.py /tmp/apart.npz [--profile local]

Each statement of the pairs that were kept apart is told, and the requests beside it are asked, as by the product, in
memory. What urgency is made of is then weighed by logistic regression. So are what ends a statement (its own ending or
its own new value, against those of others and other statements, half of them of its domain) and what orders several
for one request (its own statement, against others). The probabilities were calibrated on the same fifth, so they look a
little better than they will be.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from router_rows import Block, read_blocks
from sklearn.linear_model import LogisticRegression

from heedful.adapters.models.local import LocalEmbedder
from heedful.adapters.models.router import BundledRouter, weights_of
from heedful.adapters.registry_files import pack_documents, registry_of
from heedful.bridges.activate import brought_by, eligible_bridges
from heedful.bridges.classify import classify
from heedful.bridges.links import links_of
from heedful.bridges.over import Ending, Held, endings_in, weighed
from heedful.bridges.request import Modes, RequestFeatures
from heedful.bridges.sentences import relation_in
from heedful.bridges.tell import facts_of
from heedful.bridges.urgency import URGENCY_MIN, WEIGHTS, expectation, told_by, words_of
from heedful.claims.claim import Claim, ClaimStatus, Visibility
from heedful.kernel.ids import KindId, RecordId
from heedful.kernel.ladder import Mode
from heedful.kernel.scope import Scope
from heedful.ports.embedder import Purpose
from heedful.recall.fuse import leg_of
from heedful.testing.builders import NOON_US, build_claim

HOMES = {"everyday": Scope(("user:ana",)), "delivery": Scope(("project:payments",))}
REGISTRY = registry_of(pack_documents("base", *HOMES))
MODES = Modes({}, {}, Mode.ADVISE)
RIVALS = 6
"""Endings of others, and others' statements, that each statement is weighed against."""


@dataclass
class Told:
    block: Block
    claims: tuple[Claim, ...]
    news: tuple[tuple[Ending, ...], ...]
    itself: Ending

    @property
    def held(self) -> Held:
        kinds = {claim.kind: claim.confidence for claim in self.claims}
        return Held(self.block.statement, relation_in(self.block.statement), kinds)

    @property
    def domains(self) -> set[str]:
        return {claim.kind.partition(".")[0] for claim in self.claims}


def tell(block: Block, number: int, router: BundledRouter, scope: Scope) -> Told:
    claims = []
    for fact in facts_of(block.statement, REGISTRY, router.tell, scope=scope):
        kind = REGISTRY.vocabulary.kinds[fact.kind]
        if not fact.ended:
            claims.append(
                build_claim(
                    len(claims) + 1,
                    kind=fact.kind,
                    statement=fact.statement,
                    scope=scope,
                    confidence=fact.confidence,
                    applies_to=kind.applies_to,
                    not_for=kind.not_for,
                    status=ClaimStatus.POLICY_REVIEWED,
                    visibility=Visibility.PRE_QUERY,
                    evidence=(RecordId(f"record-{number}"),),
                )
            )
    news = tuple(endings_in(text, REGISTRY, router.tell) for text in (*block.endings, *block.changes))
    told = router.tell(block.statement)
    kinds = {KindId(name): likely for name, likely in told.kinds}
    itself = Ending(block.statement, relation_in(block.statement), told.ended, kinds, "", told.changed)
    return Told(block, tuple(claims), tuple(filter(None, news)), itself)


def weighed_of(told: Told, text: str, router: BundledRouter, scope: Scope) -> list[float] | None:
    """What the request comes to for the likeliest of the claims; None where no bridge reaches any."""
    features = RequestFeatures(text, None, {}, None, {})
    classified = classify(features, REGISTRY, router.route, scope=scope)
    brought = brought_by(told.claims, eligible_bridges(classified, REGISTRY, MODES, at_us=NOON_US), REGISTRY)
    if not brought or classified.inert is None:
        return None
    links = links_of(features, told.claims, REGISTRY)
    words, expected = max(expectation(brought, told.claims).items(), key=lambda each: each[1])
    return [math.log(expected + 0.01), -math.log(classified.inert + 0.01), float(words[0] in links)]


def urgency_rows(all_told: list[Told], router: BundledRouter, scope: Scope) -> Iterator[tuple[list[float], bool]]:
    for number, told in enumerate(all_told):
        print(f"\r{number + 1} of {len(all_told)} statements", end="", file=sys.stderr)
        for texts, matters in ((told.block.requests, True), (told.block.others, False)):
            for text in texts if told.claims else ():
                row = weighed_of(told, text, router, scope)
                if row is not None:
                    yield row, matters


def ending_rows(all_told: list[Told]) -> Iterator[tuple[list[float], bool]]:
    chance = random.Random(0)
    told_some = [each for each in all_told if each.claims]
    for told in told_some:
        yield from ((best(news, told.held), True) for news in told.news)
        alike = [each for each in told_some if each.domains & told.domains]
        rivals = [
            *chance.sample(told_some, min(RIVALS, len(told_some))),
            *chance.sample(alike, min(RIVALS, len(alike))),
        ]
        for other in rivals:
            if other is not told:
                yield from ((best(news, told.held), False) for news in other.news)
                yield weighed(other.itself, told.held), False


def order_rows(all_told: list[Told], router: BundledRouter, scope: Scope) -> Iterator[tuple[list[float], bool]]:
    """What is expected, how surely the words tell anything, both in logarithms, and how like the request they are."""
    chance, embedder = random.Random(0), LocalEmbedder()

    def vector(text: str, purpose: Purpose) -> np.ndarray:
        (components,) = embedder.embed([text], purpose=purpose)
        found = np.frombuffer(components, dtype=np.int8).astype(np.float32)
        return found / np.linalg.norm(found)

    told_some = [each for each in all_told if each.claims and each.block.requests]
    for told in told_some:
        others = [each for each in chance.sample(told_some, min(RIVALS, len(told_some))) if each is not told]
        claims = [claim for each in (told, *others) for claim in each.claims]
        (text, *_) = told.block.requests
        classified = classify(RequestFeatures(text, None, {}, None, {}), REGISTRY, router.route, scope=scope)
        brought = brought_by(claims, eligible_bridges(classified, REGISTRY, MODES, at_us=NOON_US), REGISTRY)
        asked = vector(text, "query")
        own = {words_of(claim) for claim in told.claims}
        sure = told_by(claims)
        for words, expected in expectation(brought, claims).items():
            surely = math.log(min(1.0, sure[words]))
            yield [math.log(expected + 0.01), surely, float(vector(words[0], "passage") @ asked)], words in own


def best(endings: tuple[Ending, ...], held: Held) -> list[float]:
    return max((weighed(each, held) for each in endings), key=sum)


def fitted(name: str, rows: list[tuple[list[float], bool]]) -> None:
    model = LogisticRegression(C=10.0, max_iter=1_000).fit([row for row, _ in rows], [truth for _, truth in rows])
    weights = ", ".join(f"{each:.2f}" for each in model.coef_[0])
    print(f"\n{name}: start {model.intercept_[0]:.2f}, then {weights}; {len(rows)} rows")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("router", type=Path)
    parser.add_argument("--profile", choices=("words", "local"), default="local")
    parser.add_argument("--limit", type=int, help="of each pack, so many statements")
    options = parser.parse_args()
    weights = weights_of(options.router)
    router = BundledRouter(lambda: weights, LocalEmbedder() if options.profile == "local" else None)
    urgent: list[tuple[list[float], bool]] = []
    over: list[tuple[list[float], bool]] = []
    order: list[tuple[list[float], bool]] = []
    for pack, scope in HOMES.items():
        blocks = read_blocks(pack=pack)[: options.limit]
        all_told = [tell(block, number, router, scope) for number, block in enumerate(blocks)]
        urgent += urgency_rows(all_told, router, scope)
        over += ending_rows(all_told)
        order += order_rows(all_told, router, scope)
    even = math.log(URGENCY_MIN / (1.0 - URGENCY_MIN))
    fitted("urgency: expected, inert, link", urgent)
    print(f"an even chance is at {URGENCY_MIN}: add {even:.2f} to its start")
    fitted("endings: over or changed, same kind, shared words", over)
    fitted("order: expected, told, likeness", order)
    leg = leg_of(LocalEmbedder.model)
    scale = WEIGHTS.expected * (leg.high - leg.low) / leg.weight
    print(f"nearness beside the logarithm of urgency: {scale:.3f} times the third by the first")


if __name__ == "__main__":
    np.seterr(all="raise", under="ignore")
    main()
