"""Claims that one does not see are weighed with nothing that one says: neither is told of the other, nor changed by it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from believers import CITY, PAYMENTS, PEOPLE, PETS, TEAM, claim
from worlds import World, world

from heedful import Memory
from heedful.service.keeping.remember import Remembered

DENIED = PEOPLE.replace(
    '"person:eve": {roles: [], clearance: normal, grants: ["project:payments", "user:*"]}',
    '"person:eve": {roles: [], clearance: normal, grants: ["project:payments", "user:*"], denied_kinds: [home.pets]}',
)
HIDDEN = (
    f"remember: {CITY}: it is in Shanghai subject={TEAM} value=Shanghai\n"
    f"remember: {PETS}: there is a cat subject={TEAM} value=cat"
)
"""Both rest on one record, so that whoever is denied the second does not see the first."""


def states(memory: Memory, city: str) -> Remembered:
    return memory.remember(
        f"it is {city}", kind=CITY, value=city, subject=TEAM, scope=PAYMENTS, consent="explicit", source_ref=city
    )


def shape(told: Remembered) -> Any:
    """The answer without its ids and position, which differ between any two stores."""
    notes = tuple(replace(note, claim_id="id") for note in told.claims)  # type: ignore[arg-type]
    return told.outcome, told.reasons, told.problems, told.ended, notes


def eves_answers(home: World, *, hidden: bool) -> list[Any]:
    """What Eve is told, with something hidden from her there, or not."""
    if hidden:
        told = home.memory("person:dan").remember(HIDDEN, scope=PAYMENTS, consent="explicit")
        assert [note.status for note in told.claims] == ["active", "active"], told
    eve = home.memory("person:eve")
    first, second = states(eve, "Shanghai"), states(eve, "Beijing")
    items = eve.recall("Shanghai or Beijing?", scope=PAYMENTS).items
    conflicts = [(each.because, each.a.value, each.b.value) for each in eve.conflicts().conflicts]
    return [
        shape(first),
        shape(second),
        conflicts,
        [(each.text, each.role, each.tier, each.confidence, each.flags, each.conflicts) for each in items],
    ]


@pytest.mark.parametrize("policy", [DENIED])
def test_what_is_hidden_from_the_writer_changes_nothing_of_what_they_are_told(policy: str) -> None:
    """Equal values do not merge, others do not contradict: the answers are those of a store without it."""
    with world(policy=policy) as with_hidden, world(policy=policy) as without:
        assert eves_answers(with_hidden, hidden=True) == eves_answers(without, hidden=False)


def test_what_is_hidden_from_the_writer_is_not_changed_by_what_they_write() -> None:
    """Dan's claim is as it was, whatever Eve says."""
    with world(policy=DENIED) as home:
        told = home.memory("person:dan").remember(HIDDEN, scope=PAYMENTS, consent="explicit")
        states(home.memory("person:eve"), "Beijing")
        states(home.memory("person:eve"), "Shanghai")
        held = claim(home, told.claims[0].claim_id)

        assert (held.status, held.confidence, held.tier, held.conflicts_open) == ("active", 1, 1, 0)


def test_the_control_who_sees_it_is_weighed_with_it() -> None:
    """The same with nothing denied."""
    with world(policy=PEOPLE) as with_it, world(policy=PEOPLE) as without:
        assert eves_answers(with_it, hidden=True) != eves_answers(without, hidden=False)


def test_who_sees_more_does_not_end_by_it_what_others_see_alone() -> None:
    """Dan sees both; what he says rests on what Eve does not see, so hers would end without a reason that she sees."""
    with world(policy=DENIED) as home:
        own = states(home.memory("person:eve"), "Beijing").claims[0].claim_id
        home.memory("person:dan").remember(HIDDEN, scope=PAYMENTS, consent="explicit")

        assert claim(home, own).confidence == 1
        assert home.memory("person:eve").conflicts().conflicts == ()
