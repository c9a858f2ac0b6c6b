"""Grounds first: the events that prove an answer of experience, then what else bears on it, no source in excess."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from heedful.recall.candidate import ClaimCandidate, Scored, untrusted_sources
from heedful.recall.select import PLACES_MAX, Selection
from heedful.recall.spread import Spread, spread
from heedful.service.recalling.experience import Experience

GROUNDS_REST_MAX = 6
"""Events of one run in a packet where others answer as well and leave places free: what proves, and a little more."""
EVENTS_SHOWN_MAX = 2 * PLACES_MAX
"""Events that are looked at for a packet: where one run has too many, those of others come behind them."""


def grounds_first(selection: Selection, experience: Experience, share: float) -> Selection:
    """The grounds first, then claims that were found, then the rest of the events as context; PLACES_MAX in all.

    What else was found takes the places of what one untrusted source has too much of.
    """
    events = experience.scored(EVENTS_SHOWN_MAX)
    support = experience.support
    proving = [each for each in events if each.candidate.item_id in support]
    claims = [each for each in selection.kept if isinstance(each.candidate, ClaimCandidate)]
    rest = [each for each in events if each.candidate.item_id not in support]
    found = [*proving, *claims, *rest]

    def within(ordered: Sequence[Scored]) -> Spread[Scored]:
        return spread(
            ordered,
            lambda one: untrusted_sources(one.candidate, {}),
            places=PLACES_MAX,
            share=share,
            rest_max=GROUNDS_REST_MAX,
        )

    chosen = within(found)
    if chosen.held_back:
        there = {each.candidate.item_id for each in found}
        chosen = within([*found, *(each for each in selection.kept if each.candidate.item_id not in there)])
    return replace(selection, kept=chosen.kept)
