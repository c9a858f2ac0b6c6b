"""News: which of what is held a message says is over or otherwise now, where what texts mean is known.

The kinds are one sign among several here: what a message is about is told by what it means, by the words that few of
what is held have, and by how much nearer it is to one than to all else.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from heedful.bridges.over import ENDINGS_MAX, Ending, Held, about, ending_of, ends_nothing_of, terms_of
from heedful.bridges.registry import Registry
from heedful.bridges.routed import Likeness, Told
from heedful.bridges.sentences import denies_an_end, is_question, sentences_of
from heedful.bridges.tell import DURABLE_MIN, whole_of

END_MIN = 0.48
"""From here on what is held ends: so false ends are no more, on blocks kept apart, than by kinds and words alone."""
RIVAL_MARGIN = 0.2
"""Of two messages that are so nearly as likely it would be a guess which one is over."""
SAME_NEARER_MIN = -0.1
"""Another statement of the message that ends goes with it from here on: about as near as the nearest stranger. Of facts
of others, told in the same breath, so near are .015 on blocks kept apart."""
NEWS_MIN = -2.8
"""What the signs of news come to, from which on a message is compared with what is held. Most small talk and most
statements of something new lie below."""
STRANGERS_NEAR = 0.42
"""How near the nearest of sixty strangers is, by the median: who holds little has no surer news for it."""
LISTED_MAX = 24
"""Statements whose meaning is compared, of all that are held: those with the likeliest kinds and the rarest words."""
PARTS_MAX = 12
"""Parts of one statement that are compared; a longer list is taken whole. Each costs as much as a message."""
FEW = 50
"""So many statements more are taken to be held when it is asked how rare a word is."""
SHARED_MAX = 12.0
_DENSE_SHARE = 1.6
"""A word of scripts without spaces is several terms."""
_FLOOR = 0.02
_NEARER = 4
"""Its place among what is weighed."""
_PARTS = re.compile(r"[,;，；、。]|\b(?:and|but|so)\b", re.IGNORECASE)


class Weights(NamedTuple):
    """Of the logistic that tells how likely words end what is held."""

    start: float
    over: float
    changed: float
    heard: float
    same_kind: float
    nearer: float
    shared: float


WEIGHTS = Weights(start=-0.46, over=0.4, changed=0.31, heard=0.15, same_kind=0.32, nearer=8.2, shared=0.17)
"""As scripts/train_news.py fits them on blocks kept apart."""

LikenessOf = Callable[[str, Sequence[str]], Likeness | None]


def news_in(
    text: str, registry: Registry, told_of: Callable[[str], Told], likeness_of: LikenessOf
) -> tuple[Ending, ...] | None:
    """The parts of a message that may be news of what is held, surest first; None where only its words are known.

    Its sentences but for questions, and all of them together. Of small talk and wishes nothing is news, nor is what
    denies that something is over.
    """
    sentences = sentences_of(text)
    said = [each for each in sentences if not is_question(each)]
    if not said:
        return ()
    told = [told_of(each) for each in said]
    if told[0].method and max(each.durable for each in told) < DURABLE_MIN:
        return ()
    together = whole_of(" ".join(said), tuple(said))
    found: list[Ending] = []
    for part in said if together is None else (*said, together):
        if denies_an_end(part):
            continue
        likeness = likeness_of(part, ())
        if likeness is None:
            return None
        ending = ending_of(part, told_of(part), registry)
        found.append(replace(ending, heard=likeness.heard, because=f"{ending.because}, and what it means"))
    surest = sorted(found, key=lambda each: -signs_of_news(each))[:ENDINGS_MAX]
    return tuple(each for each in surest if signs_of_news(each) >= NEWS_MIN)


def signs_of_news(ending: Ending) -> float:
    """What tells that the words are news, whatever they are of, as it is weighed."""
    return sum(_signs(ending))


def _signs(ending: Ending) -> list[float]:
    heard = 0.0 if ending.heard is None else ending.heard
    return [WEIGHTS.over * _odds(ending.over), WEIGHTS.changed * _odds(ending.changed), WEIGHTS.heard * heard]


def over_by(ending: Ending, held: Sequence[Held], likeness_of: LikenessOf) -> tuple[int, ...]:
    """The places of what the words end, of all that is held: the likeliest, from END_MIN on; none where it is a guess.

    Parts of one message are no rivals; with the likeliest ends each that the words are near to as well.
    """
    rows = weighed(ending, held, likeness_of)
    likely = {place: 0.0 if ends_nothing_of(ending, held[place]) else _likelihood(row) for place, row in rows.items()}
    best = max(likely, key=lambda place: (likely[place], -place), default=None)
    if best is None or likely[best] < END_MIN:
        return ()
    parts = [place for place in likely if held[place].whole == held[best].whole]
    if any(likely[place] > likely[best] - RIVAL_MARGIN for place in likely if place not in parts):
        return ()
    nearer_min = WEIGHTS.nearer * SAME_NEARER_MIN
    return tuple(
        sorted(
            place
            for place in parts
            if likely[place] >= END_MIN or (likely[place] > 0.0 and rows[place][_NEARER] >= nearer_min)
        )
    )


def weighed(ending: Ending, held: Sequence[Held], likeness_of: LikenessOf) -> dict[int, list[float]]:
    """What is weighed of the words beside each statement that may be meant: each times its weight, in the order of
    Weights after its start.
    """
    worded = _by_words(ending, held)
    surest = sorted(range(len(held)), key=lambda place: (-sum(worded[place]), place))[:LISTED_MAX]
    likeness = likeness_of(ending.text, [held[place].statement for place in surest]) if surest else None
    if likeness is None:
        return {}
    near = dict(zip(surest, likeness.near, strict=True))
    signs = _signs(ending)
    found: dict[int, list[float]] = {}
    for place in surest:
        others = [each for other, each in near.items() if held[other].whole != held[place].whole]
        nearer = near[place] - max([STRANGERS_NEAR, *others])
        found[place] = [*signs, worded[place][0], WEIGHTS.nearer * nearer, worded[place][1]]
    return found


def part_meant(ending: Ending, statement: str, likeness_of: LikenessOf) -> str:
    """The part of a statement between commas, semicolons or an `and` that the words are nearest to; or all of it.

    All of it where it has one part or more than PARTS_MAX, and where what texts mean is not known.
    """
    parts = [part.strip() for part in _PARTS.split(statement) if any(map(str.isalnum, part))]
    likeness = likeness_of(ending.text, parts) if 1 < len(parts) <= PARTS_MAX else None
    if likeness is None:
        return statement
    return parts[max(range(len(parts)), key=lambda place: (likeness.near[place], -place))]


def _likelihood(row: Sequence[float]) -> float:
    return round(1.0 / (1.0 + math.exp(-(WEIGHTS.start + sum(row)))), 4)


def _by_words(ending: Ending, held: Sequence[Held]) -> list[tuple[float, float]]:
    """What the kinds, and the words in common, come to beside each; a word counts for more the fewer have it."""
    said = terms_of(ending.text)
    having = Counter(term for one in held for term in said & terms_of(one.statement))
    dense = _DENSE_SHARE if any("\u4e00" <= each <= "\u9fff" for each in ending.text) else 1.0
    found: list[tuple[float, float]] = []
    for one in held:
        same, _ = about(ending, one)
        shared = sum(math.log((len(held) + FEW) / (having[term] + 1)) for term in said & terms_of(one.statement))
        found.append((WEIGHTS.same_kind * math.log(same + _FLOOR), WEIGHTS.shared * min(SHARED_MAX, shared / dense)))
    return found


def _odds(probability: float) -> float:
    return math.log((probability + 0.01) / (1.01 - probability))
