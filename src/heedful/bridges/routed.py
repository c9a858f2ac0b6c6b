"""Routed and Told: what a classifier says of a request's words and of a statement's, before policy looks at it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Routed:
    """What a request's words are taken to decide.

    Attributes:
        classes: (action class, probability 0 to 1), the likeliest first, then by id; those below the router's floor
            are left out.
        inert: how likely it is that nothing is decided for anybody (looking up, explaining, fiction), 0 to 1.
        method: what told it, for people, such as `router everyday/ngrams`.
    """

    classes: tuple[tuple[str, float], ...]
    inert: float
    method: str


@dataclass(frozen=True, slots=True)
class Told:
    """What a statement is taken to tell.

    Attributes:
        kinds: (kind, probability 0 to 1), the likeliest first, then by id; those below the router's floor are
            left out.
        durable: how likely it is that it tells a lasting fact, and no chatter, wish or joke.
        ended: how likely it is that it says that something no longer holds.
        method: what told it.
        changed: how likely it is that it says what now holds of something that was otherwise before.
    """

    kinds: tuple[tuple[str, float], ...]
    durable: float
    ended: float
    method: str
    changed: float = 0.0


@dataclass(frozen=True, slots=True)
class Likeness:
    """How a text is news of statements, by what all of them mean.

    Attributes:
        heard: how surely the text by itself is news of anything, as the logarithm of the odds.
        near: of each statement, in their order, how near it is to what the text is news of; strangers are about 0.
    """

    heard: float
    near: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Mattering:
    """How far statements matter for a request, by what all of them mean.

    Attributes:
        components: a vector to compare the statements' own with.
        scale, start: what a cosine to it is worth, in logarithmic odds.
    """

    components: bytes
    scale: float
    start: float

    def odds(self, likeness: float) -> float:
        """How far a statement of that likeness matters, as the logarithm of the odds."""
        return round(self.scale * likeness + self.start, 3)


NOT_ROUTED = Routed((), 0.0, "")
NOTHING_TOLD = Told((), 0.0, 0.0, "")


def not_routed(text: str) -> Routed:  # noqa: ARG001  (in the place of a router)
    """What is known of a request where no router reads it."""
    return NOT_ROUTED
