"""Spread: no untrusted source fills a result while others have something to say.

What counts are the rows at hand, which the requester sees; nothing else moves them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

SOURCE_SHARE_MAX = 0.2
"""Of a result, what one untrusted source may fill (the setting `source_share_max`)."""
SOURCE_REST_MAX = 4
"""Items of one untrusted source, all in all, where another one answers as well but leaves places free."""
_ROUNDING = 1e-9
T = TypeVar("T")


class Spread(NamedTuple, Generic[T]):
    """What is kept, in order.

    Attributes:
        within: how many of them, the first, are there within the shares.
        held_back: what stands behind those, or is left out, for its source's share.
    """

    kept: tuple[T, ...]
    within: int
    held_back: tuple[T, ...]


class _Named(NamedTuple, Generic[T]):
    one: T
    sources: tuple[str, ...]


def spread(
    ordered: Sequence[T],
    sources: Callable[[T], tuple[str, ...]],
    *,
    places: int,
    share: float,
    rest_max: int = SOURCE_REST_MAX,
    fills_alone: bool = True,
) -> Spread[T]:
    """At most `places` of these, in their order but for what an untrusted source has too much of.

    `sources`: the untrusted sources that one counts for, that which brought it first; none where a person vouches.
    Of the first n a source has `share` * n at most, rounded down, and one at least: wherever a packet ends, it is in
    bounds. What is held back comes as soon as there is room for it. Where others leave places free, it comes behind
    them: up to `rest_max` of one source in all. Where nobody else answers it is all there, if it `fills_alone`.
    """
    room: _Room[T] = _Room(places, share)
    waiting: list[_Named[T]] = []
    for one in ordered:
        while waiting and (ready := next(filter(room.is_within, waiting), None)) is not None:
            waiting.remove(ready)
            room.take(ready)
        if len(room.kept) >= places:
            break
        named = _Named(one, sources(one))
        if room.is_within(named):
            room.take(named)
        else:
            waiting.append(named)
    within, held_back = len(room.kept), tuple(each.one for each in waiting)
    if waiting:
        room.fill(waiting, rest_max, fills_alone=fills_alone)
    return Spread(tuple(room.kept), within, held_back)


class _Room(Generic[T]):
    """The places, who has them, and how many of them one source may have."""

    def __init__(self, places: int, share: float) -> None:
        self.places = places
        self.share = share
        self.kept: list[T] = []
        self.filled: Counter[str] = Counter()
        self.common: frozenset[str] | None = None

    def is_within(self, named: _Named[T]) -> bool:
        """True where it may have the next place."""
        if len(self.kept) >= self.places:
            return False
        allowed = max(1, int((len(self.kept) + 1) * self.share + _ROUNDING))
        return all(self.filled[each] < allowed for each in named.sources)

    def take(self, named: _Named[T]) -> None:
        """It has the next place."""
        self.kept.append(named.one)
        self.filled.update(named.sources)
        self.common = frozenset(named.sources) if self.common is None else self.common.intersection(named.sources)

    def fill(self, waiting: Sequence[_Named[T]], rest_max: int, *, fills_alone: bool) -> None:
        """The places that are left go to what waits, in order."""
        is_alone = fills_alone and bool((self.common or frozenset()).intersection(*(each.sources for each in waiting)))
        for each in waiting:
            if len(self.kept) >= self.places:
                return
            if is_alone or all(self.filled[source] < rest_max for source in each.sources):
                self.take(each)
