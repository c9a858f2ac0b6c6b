"""The decision table, row by row: what fits, and what the nearest case that does not fit becomes instead."""

from __future__ import annotations

from typing import Any

import pytest
from packet_builders import a_claim

from heedful.claims.decide import Because, Ruling, Side, decide, is_worn_out, stand_side_by_side, worn
from heedful.kernel.ladder import Tier

U, C, O, S = Tier.UNVERIFIED, Tier.CORROBORATED, Tier.OPERATOR, Tier.SYSTEM  # noqa: E741  # as the table has them


def side(tier: Tier = U, *, own: bool = False, who: str = "person:ben", start: int = 10, **claim: Any) -> Side:
    return Side(a_claim(tier=tier, **claim), is_self_told=own, speaker=who, start_us=start)


def ruled(standing: Side, newcomer: Side, *, equal: bool = False) -> Ruling:
    return decide(standing, newcomer, equal=equal)


def told(ruling: Ruling) -> tuple[str, str, str | None]:
    return ruling.because.value, ruling.outcome.value, ruling.resolution and ruling.resolution.value


CAROL = "person:carol"


@pytest.mark.parametrize(
    ("standing", "newcomer", "because"),
    [
        # 2, 3: a rule of the system or an operator stays as it is; 4: what has as much asks.
        (side(S), side(O), "system"),
        (side(S), side(S, who=CAROL), "confirmation-needed"),
        (side(O), side(C), "operator"),
        (side(O), side(U, own=True), "operator"),
        (side(O), side(O), "confirmation-needed"),
        (side(O), side(S), "confirmation-needed"),
        # 5, 6: the subject's own word, against any that is not, below an operator's.
        (side(C), side(U, own=True), "self-told"),
        (side(U, own=True), side(C, who=CAROL), "standing-self-told"),
        (side(C, own=True), side(U, who=CAROL), "standing-self-told"),
        # 7, 8: authority, where both are own words or neither.
        (side(U), side(C, who=CAROL), "higher-authority"),
        (side(U, own=True), side(C, own=True), "higher-authority"),
        (side(C), side(U), "lower-authority"),
        # 9 to 11: one speaker's later word, what came late, and the same instant.
        (side(), side(start=11), "later-word"),
        (side(), side(start=9), "late-arrival"),
        (side(), side(), "same-start"),
        (side(own=True), side(own=True, start=11), "later-word"),
        # 12: peers.
        (side(), side(who=CAROL, start=11), "peers"),
        (side(own=True), side(who=CAROL, own=True), "peers"),
        # Pinned: below an operator's, everything asks.
        (side(pinned=True), side(start=11), "pinned"),
        (side(C, pinned=True), side(U, own=True), "pinned"),
        (side(pinned=True), side(C), "pinned"),
        (side(O, pinned=True), side(O), "confirmation-needed"),
        (side(O, pinned=True), side(U), "operator"),
    ],
)
def test_the_first_row_that_fits_decides(standing: Side, newcomer: Side, because: str) -> None:
    """Each pair differs from a neighbour in one thing, and has another row by that."""
    assert ruled(standing, newcomer).because == because


def test_equal_values_merge_before_anything_else_is_asked() -> None:
    """Also with a pinned claim, and with an operator's: nothing contradicts it."""
    for standing in (side(S), side(O), side(pinned=True), side()):
        assert told(ruled(standing, side(), equal=True)) == ("equal-values", "supersede", "merged")
        assert not ruled(standing, side(), equal=True).newcomer_keeps


def test_of_equal_values_the_higher_authority_keeps_or_both_stay() -> None:
    """What leaves only by a person stays as it is, beside more authority, and beside less that tells of more time."""
    assert ruled(side(U), side(O), equal=True).newcomer_keeps
    assert not ruled(side(U), side(U, own=True), equal=True).newcomer_keeps
    assert not ruled(side(U, pinned=True), side(O), equal=True).newcomer_keeps
    beside = [(side(O), side(S)), (side(U, pinned=True), side(O)), (side(O), side(U, start=9))]
    apart = [(side(U), side(O)), (side(O), side(O, start=9)), (side(O), side(U, start=11)), (side(), side(start=9))]
    assert all(stand_side_by_side(*each) for each in beside)
    assert not any(stand_side_by_side(*each) for each in apart)


@pytest.mark.parametrize(
    ("standing", "newcomer", "expected"),
    [
        (side(S), side(U), ("system", "flag", "a_wins")),
        (side(O), side(U), ("operator", "flag", "a_wins")),
        (side(O), side(O), ("confirmation-needed", "ask", None)),
        (side(), side(own=True), ("self-told", "supersede", "b_wins")),
        (side(own=True), side(), ("standing-self-told", "flag", "a_wins")),
        (side(), side(C), ("higher-authority", "supersede", "b_wins")),
        (side(C), side(), ("lower-authority", "flag", "a_wins")),
        (side(), side(start=11), ("later-word", "supersede", "b_wins")),
        (side(), side(start=9), ("late-arrival", "supersede", "a_wins")),
        (side(), side(), ("same-start", "supersede", "b_wins")),
        (side(), side(who=CAROL), ("peers", "ask", None)),
        (side(pinned=True), side(), ("pinned", "ask", None)),
    ],
)
def test_each_rule_has_one_outcome_and_one_resolution(
    standing: Side, newcomer: Side, expected: tuple[str, str, str | None]
) -> None:
    """A question has none until a person answers."""
    assert told(ruled(standing, newcomer)) == expected


def test_only_an_equal_or_a_higher_authority_wears_a_claim_down() -> None:
    """The rows by which the standing claim loses confidence; a newcomer of less authority is none of them."""
    wearing = {
        because.value: ruled(*pair).wears_standing
        for because, pair in {
            Because.SYSTEM: (side(S), side(O)),
            Because.OPERATOR: (side(O), side(C)),
            Because.HIGHER_AUTHORITY: (side(U), side(C)),
            Because.LOWER_AUTHORITY: (side(C), side(U)),
            Because.PEERS: (side(), side(who=CAROL)),
            Because.LATER_WORD: (side(), side(start=11)),
        }.items()
    }

    assert {name for name, wears in wearing.items() if wears} == {"higher-authority", "peers"}
    assert ruled(side(U, own=True), side(U, who=CAROL)).wears_standing
    assert not ruled(side(C, own=True), side(U, who=CAROL)).wears_standing


def test_three_lost_conflicts_archive_a_claim_but_no_operators_and_none_that_is_pinned() -> None:
    """Seed 004, nor anybody's own word; confidence stops at 0 and is written in its shortest form."""
    assert is_worn_out(side(conflicts_lost=3))
    assert not is_worn_out(side(conflicts_lost=2))
    kept = (side(O, conflicts_lost=3), side(S, conflicts_lost=3), side(pinned=True, conflicts_lost=3))
    assert not any(is_worn_out(each) for each in (*kept, side(own=True, conflicts_lost=3)))
    assert [worn(0.9), worn(0.7), worn(0.1)] == [0.7, 0.5, 0]
