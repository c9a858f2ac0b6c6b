"""What a message says is over: how likely words end what is held. Only the words and the registry are read."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from heedful.bridges.registry import Registry
from heedful.bridges.routed import Told
from heedful.bridges.tell import PHRASE_CONFIDENCE, phrases_in, texts_read
from heedful.kernel.ids import KindId
from heedful.observations.text import query_terms

MAYBE_OVER_MIN = 0.15
"""From here on words may say that something is over. Of everyday utterances 1 in 100 comes so far."""
END_MIN = 0.6
"""From here on what is held ends; below it, a person may still say so."""
SHARED_MAX = 4
"""Words in common beyond these tell no more."""
STATEMENTS_CACHED = 2_048


class Weights(NamedTuple):
    """Of the logistic that tells how likely words end what is held."""

    start: float
    over: float
    same_kind: float
    same_domain: float
    shared: float


WEIGHTS = Weights(start=-0.8, over=0.55, same_kind=0.65, same_domain=0.2, shared=1.6)
"""Fitted on statements with what ends them, and on others of the same kind, of training data that was kept apart
(scripts/fit_weights.py)."""


@dataclass(frozen=True, slots=True)
class Ending:
    """A part of a message that may say that something is over.

    Attributes:
        over: how likely it says so of anything, 0 to 1.
        kinds: what it speaks of, kind -> how likely, 0 to 1.
        because: what told it, for people.
    """

    text: str
    over: float
    kinds: Mapping[KindId, float]
    because: str


@dataclass(frozen=True, slots=True)
class Held:
    """What is held of one statement: its kinds, each with how sure it is, 0 to 1."""

    statement: str
    kinds: Mapping[KindId, float]


def endings_in(text: str, registry: Registry, told_of: Callable[[str], Told]) -> tuple[Ending, ...]:
    """The parts of a message that may say that something is over, in order; `told_of` is the classifier."""
    found: list[Ending] = []
    for part in texts_read(text):
        told = told_of(part)
        kinds = {KindId(name): probability for name, probability in told.kinds}
        over, because = told.ended, f"{told.method}: {told.ended:.2f}"
        for name, written in phrases_in(part, registry.index.kind_ends):
            kinds[KindId(name)] = max(PHRASE_CONFIDENCE, kinds.get(KindId(name), 0.0))
            over, because = max(PHRASE_CONFIDENCE, over), f"the text has {written!r}"
        if over >= MAYBE_OVER_MIN:
            found.append(Ending(part, over, kinds, because))
    return tuple(found)


def ended_by(ending: Ending, held: Sequence[Held]) -> int | None:
    """The place of what the words end, of all that is held: the likeliest, from END_MIN on; None: nothing surely."""
    if not held:
        return None
    likely = [_likelihood(ending, each) for each in held]
    best = max(range(len(held)), key=lambda place: (likely[place], place))
    return best if likely[best] >= END_MIN else None


def weighed(ending: Ending, held: Held) -> list[float]:
    """What is weighed of an ending beside a statement, in the order of Weights after its start."""
    same = sum(ending.kinds.get(kind, 0.0) * sure for kind, sure in held.kinds.items())
    domains = {_domain(kind) for kind in held.kinds}
    domain = max((likely for kind, likely in ending.kinds.items() if _domain(kind) in domains), default=0.0)
    return [
        math.log((ending.over + 0.01) / (1.01 - ending.over)),
        math.log(same + 0.02),
        math.log(domain + 0.02),
        float(min(SHARED_MAX, len(_terms(ending.text) & _terms(held.statement)))),
    ]


def _likelihood(ending: Ending, held: Held) -> float:
    total = WEIGHTS.start + sum(
        weight * value for weight, value in zip(WEIGHTS[1:], weighed(ending, held), strict=True)
    )
    return round(1.0 / (1.0 + math.exp(-total)), 4)


@lru_cache(maxsize=STATEMENTS_CACHED)
def _terms(text: str) -> frozenset[str]:
    return frozenset(query_terms(text))


def _domain(kind: str) -> str:
    return kind.partition(".")[0]
