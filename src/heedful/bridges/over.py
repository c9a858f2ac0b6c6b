"""What a message says is over: how likely words end what is held. Only the words and the registry are read."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from heedful.bridges.registry import Registry
from heedful.bridges.routed import Told
from heedful.bridges.sentences import denies_an_end, is_question, relation_in, sentences_of
from heedful.bridges.tell import DURABLE_MIN, PHRASE_CONFIDENCE, phrases_in, whole_of
from heedful.kernel.ids import KindId
from heedful.kernel.kept import keeps_texts
from heedful.observations.text import query_terms

MAYBE_OVER_MIN = 0.15
"""From here on words may say that something is over."""
END_MIN = 0.6
"""From here on what is held ends; below it, a person may still say so."""
SURELY_OVER_MIN = 0.5
"""Below it one word in common is all that counts: who repeats a thing does not end it."""
SHARED_MAX = 4
"""Words in common beyond these tell no more."""
REPEATED_SHARE = 0.7
"""Of all words of both, so many in common: that is the same thing said again."""
ABOUT_MIN = 0.05
"""How surely words must speak of the same kinds, or of the same domain."""
RIVAL_MARGIN = 0.05
"""Of two that are so nearly as likely it would be a guess which one is over."""
HOUSEHOLD = frozenset({"daughter", "son", "child", "partner", "pet"})
"""Whom people speak of without naming them again: what is held of nobody in particular may be theirs."""
SOMEBODY_ELSE = "somebody else"
"""The relation of words about others than the speaker's own."""
ENDINGS_MAX = 8
"""Of one message, the surest."""
STATEMENTS_CACHED = 2_048


class Weights(NamedTuple):
    """Of the logistic that tells how likely words end what is held."""

    start: float
    news: float
    same_kind: float
    shared: float


WEIGHTS = Weights(start=-1.3, news=0.55, same_kind=0.82, shared=2.2)
"""Near what scripts/fit_weights.py found on 700 statements of each pack that were kept apart (-1.38, 0.43, 0.82, 2.67,
when it weighed the domain and a new value apart), and set so that words which surely say so of a kind end the one claim
of it, and words that are rather no news none."""


@dataclass(frozen=True, slots=True)
class Ending:
    """A part of a message that may say that something is over.

    Attributes:
        relation: whom of the speaker's own it is about; None: the speaker, or nobody in particular.
        over: how likely it says so of anything, 0 to 1; `changed`: that it says what holds instead.
        kinds: what it speaks of, kind -> how likely, 0 to 1.
        because: what told it, for people.
        heard: how surely it is news by what it means, as the logarithm of the odds; None where only its words are
            known. See news.py, which weighs those where it is.
    """

    text: str
    relation: str | None
    over: float
    kinds: Mapping[KindId, float]
    because: str
    changed: float = 0.0
    heard: float | None = None

    @property
    def news(self) -> float:
        """How likely it is that what was held before no longer holds, whatever does now."""
        return max(self.over, self.changed)


@dataclass(frozen=True, slots=True)
class Held:
    """What is held of one statement: about whom, and its kinds, each with how sure it is, 0 to 1.

    Attributes:
        origin: the message that it is a part of, by whatever names it: its parts are no rivals. Empty: none of several.
    """

    statement: str
    relation: str | None
    kinds: Mapping[KindId, float]
    origin: tuple[str, ...] = ()

    @property
    def whole(self) -> tuple[str, ...]:
        """What it is a part of: equal ones end together."""
        return self.origin or (self.statement,)


def endings_in(text: str, registry: Registry, told_of: Callable[[str], Told]) -> tuple[Ending, ...]:
    """The parts of a message that may say that something is over, surest first; `told_of` is the classifier.

    The whole is a part where no sentence says so by itself. Of small talk, wishes and questions nothing is over.
    """
    sentences = sentences_of(text)
    said = [(each, told_of(each)) for each in sentences if not is_question(each)]
    if not said or (said[0][1].method and max(told.durable for _, told in said) < DURABLE_MIN):
        return ()
    found = [ending_of(part, told, registry) for part, told in said]
    whole = whole_of(text, sentences)
    if whole is not None and all(each.news < MAYBE_OVER_MIN for each in found):
        found = [ending_of(whole, told_of(whole), registry)]
    surest = sorted(found, key=lambda each: -each.news)[:ENDINGS_MAX]
    return tuple(each for each in surest if each.news >= MAYBE_OVER_MIN)


def ending_of(part: str, told: Told, registry: Registry) -> Ending:
    """What a part of a message says is over, as far as the classifier and the kinds' own words for it tell."""
    if denies_an_end(part):
        return Ending(part, relation_in(part), 0.0, {}, "it denies that anything is over")
    kinds = {KindId(name): probability for name, probability in told.kinds}
    over, because = told.ended, f"{told.method}: {told.ended:.2f}"
    for name, written in phrases_in(part, registry.index.kind_ends):
        kinds[KindId(name)] = max(PHRASE_CONFIDENCE, kinds.get(KindId(name), 0.0))
        over, because = max(PHRASE_CONFIDENCE, over), f"the text has {written!r}"
    return Ending(part, relation_in(part), over, kinds, because, told.changed)


def spoken_of(endings: Sequence[Ending]) -> tuple[str, ...]:
    """The domains of the kinds that the words speak of, sorted: they end nothing that is held of another."""
    return tuple(sorted({_domain(kind) for each in endings for kind in each.kinds}))


def ended_by(ending: Ending, held: Sequence[Held]) -> tuple[int, ...]:
    """The places of what the words end, of all that is held: the likeliest, from END_MIN on; none where it is a guess.

    The same thing held twice ends twice. What is said of one person ends nothing of another, and of somebody outside of
    the household nothing that is held of nobody in particular.
    """
    likely = [_likelihood(ending, each) for each in held]
    best = max(likely, default=0.0)
    if best < END_MIN:
        return ()
    near = [place for place, each in enumerate(likely) if each > best - RIVAL_MARGIN]
    same = [place for place in near if held[place].relation == ending.relation]
    chosen = same or near
    return tuple(chosen) if len({held[place].whole for place in chosen}) == 1 else ()


def weighed(ending: Ending, held: Held) -> list[float]:
    """What is weighed of an ending beside a statement, in the order of Weights after its start.

    One word in common is all that counts where the ending is rather no news, or may well be of another kind.
    """
    same, _ = about(ending, held)
    counted = SHARED_MAX if ending.news >= SURELY_OVER_MIN and same >= ABOUT_MIN else 1
    return [
        math.log((ending.news + 0.01) / (1.01 - ending.news)),
        math.log(same + 0.02),
        float(min(counted, len(terms_of(ending.text) & terms_of(held.statement)))),
    ]


def about(ending: Ending, held: Held) -> tuple[float, float]:
    """How surely both speak of the same kinds, and of the same domain."""
    same = sum(ending.kinds.get(kind, 0.0) * sure for kind, sure in held.kinds.items())
    domains = {_domain(kind) for kind in held.kinds}
    return same, max((likely for kind, likely in ending.kinds.items() if _domain(kind) in domains), default=0.0)


def _likelihood(ending: Ending, held: Held) -> float:
    if ends_nothing_of(ending, held) or max(about(ending, held)) < ABOUT_MIN:
        return 0.0
    total = WEIGHTS.start + sum(
        weight * value for weight, value in zip(WEIGHTS[1:], weighed(ending, held), strict=True)
    )
    return round(1.0 / (1.0 + math.exp(-total)), 4)


def ends_nothing_of(ending: Ending, held: Held) -> bool:
    """True where the words say the same thing again, or speak of somebody else."""
    said, stands = terms_of(ending.text), terms_of(held.statement)
    is_repeated = len(said & stands) >= REPEATED_SHARE * max(1, len(said | stands))
    is_another = ending.relation not in (None, held.relation) and not (
        held.relation is None and ending.relation in HOUSEHOLD
    )
    return is_repeated or is_another


@keeps_texts(STATEMENTS_CACHED)
def terms_of(text: str) -> frozenset[str]:
    """The words that tell what a text is about."""
    return frozenset(query_terms(text))


def _domain(kind: str) -> str:
    return kind.partition(".")[0]
