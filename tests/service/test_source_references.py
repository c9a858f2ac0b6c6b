"""Source references: each scope and classification has its own, and none tells of what one may not see."""

from __future__ import annotations

import pytest
from worlds import FREEZE, World, code_of, house_fixture  # noqa: F401  # pytest finds the fixture here

from heedful.service.keeping.remember import Remembered


def told(remembered: Remembered) -> tuple[object, ...]:
    """All that an answer says but for fresh ids and positions."""
    claims = tuple((claim.kind, claim.statement, claim.status) for claim in remembered.claims)
    seen = (remembered.outcome, remembered.duplicate, remembered.reasons, remembered.flags, remembered.problems)
    return (*seen, remembered.redactions, claims)


@pytest.mark.parametrize("text", ["the vault code is in the blue book", "something else"])
@pytest.mark.parametrize("classification", ["normal", "sensitive", "restricted"])
def test_a_reference_of_a_record_above_the_clearance_tells_nothing(
    house: World, text: str, classification: str
) -> None:
    """Whoever guesses it, with the very words or others, gets the answer that they would get without it."""
    hidden = house.ana.remember(
        "the vault code is in the blue book", kind=FREEZE, classification="restricted", source_ref="vault/1"
    )
    guess = house.cyd.remember(text, kind=FREEZE, classification=classification, source_ref="vault/1")
    control = house.cyd.remember(text, kind=FREEZE, classification=classification, source_ref="nobody/1")

    assert told(guess) == told(control)
    assert guess.record_id != hidden.record_id
    assert house.ana.remember(
        "the vault code is in the blue book", kind=FREEZE, classification="restricted", source_ref="vault/1"
    ).duplicate
    assert house.ana.verify(views=True).holds


def test_the_control_whoever_is_cleared_is_told_of_the_duplicate(house: World) -> None:
    """Bob reads what is restricted."""
    hidden = house.ana.remember("blue book", classification="restricted", source_ref="vault/1")
    again = house.bob.remember("blue book", classification="restricted", source_ref="vault/1")

    assert (again.duplicate, again.record_id) == (True, hidden.record_id)


def test_one_reference_in_two_scopes_is_two_records(house: World) -> None:
    """With the same words or others; each scope keeps its own once."""
    first = house.ana.remember("blue book", source_ref="vault/1", scope=["project:other"])
    guess = house.cyd.remember("blue book", source_ref="vault/1")
    control = house.cyd.remember("blue book", source_ref="nobody/1")

    assert told(guess) == told(control)
    assert guess.record_id != first.record_id
    assert house.cyd.remember("blue book", source_ref="vault/1").record_id == guess.record_id


def test_ones_own_write_above_ones_clearance_is_kept_once(house: World) -> None:
    """A retry of what one said oneself is no news; its claims, which one may not read, are not shown again."""
    first = house.cyd.remember("red book", kind=FREEZE, classification="restricted", source_ref="mine/1")
    again = house.cyd.remember("red book", kind=FREEZE, classification="restricted", source_ref="mine/1")

    assert (again.duplicate, again.record_id, again.claims) == (True, first.record_id, ())


def test_a_retry_is_kept_once_also_beside_a_record_that_one_may_not_know(house: World) -> None:
    """Else the answer to the retry would tell that the other is there; another content is refused, as it would be."""
    house.ana.remember("blue book", classification="restricted", source_ref="vault/1")
    first = house.cyd.remember("red book", classification="restricted", source_ref="vault/1")
    again = house.cyd.remember("red book", classification="restricted", source_ref="vault/1")

    assert (again.duplicate, again.record_id) == (True, first.record_id)
    reused = code_of(lambda: house.cyd.remember("other", classification="restricted", source_ref="vault/1"))
    assert reused == "source_ref_reused"
    assert house.ana.verify(views=True).holds
