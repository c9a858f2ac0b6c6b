"""The algebra of validity, checked against a walk over instants, and a claim that gives up a stretch of it."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from heedful.claims import fold
from heedful.claims.bitemporal import from_start, nothing_from, overlap, union, without
from heedful.claims.claim import Claim, ClaimStatus
from heedful.kernel.ids import ClaimId, PrincipalId
from heedful.kernel.intervals import Interval
from heedful.kernel.ladder import Tier
from heedful.ledger.belief_events import BeliefEvent
from heedful.ledger.events import ClaimApproved, ClaimProposed, ClaimTransitioned
from heedful.service.belief.split import Cut, split
from heedful.testing.builders import build_claim

INSTANTS = range(-1, 8)
ENDS = st.none() | st.integers(0, 6)
INTERVALS = st.builds(Interval, ENDS, ENDS)
ANA, REST = PrincipalId("person:ana"), ClaimId("rest")


def instants(*intervals: Interval | None) -> list[int]:
    return [at for at in INSTANTS if any(each is not None and each.contains(at) for each in intervals)]


@given(INTERVALS, INTERVALS)
def test_overlap_union_and_rest_are_those_of_the_instants(left: Interval, right: Interval) -> None:
    """Half-open ends, open sides and empty intervals; a union is one only where no gap is left."""
    shared, joined, parts = overlap(left, right), union(left, right), without(left, right)

    assert instants(shared) == [at for at in instants(left) if right.contains(at)]
    assert (shared is None) == (not left.overlaps(right))
    assert instants(*parts) == [at for at in instants(left) if not right.contains(at)]
    assert all(part is None or not part.is_empty for part in parts)
    if joined is not None:
        assert instants(joined) == instants(left, right)
    else:
        both = instants(left, right)
        assert len(both) <= both[-1] - both[0]  # some instant between them is missing


def test_a_start_that_nobody_gave_is_another_one() -> None:
    """And one that somebody gave stays. Nothing is an interval without an instant."""
    assert from_start(Interval(None, 9), 4) == Interval(4, 9)
    assert from_start(Interval(2, 9), 4) == Interval(2, 9)
    assert nothing_from(3).is_empty


def believed(valid: Interval, **changes: object) -> Claim:
    claim = build_claim(1, valid_from_us=valid.start_us, valid_to_us=valid.end_us, status=ClaimStatus.ACTIVE)
    return replace(claim, **changes)  # type: ignore[arg-type]  # its fields, whichever the test names


def after_split(claim: Claim, stretch: Interval, *, start_us: int = 0, now_us: int = 100) -> dict[str, Claim]:
    """The claims, by id, as the events of the split leave them."""
    claims = {str(claim.claim_id): claim}
    for event in split(claim, Cut(stretch, start_us, now_us, ANA, "put right"), REST):
        match event:
            case ClaimProposed():
                claims[event.claim_id] = fold.propose(event, position=2, recorded_at_us=5)
            case ClaimTransitioned():
                claims[event.claim_id] = fold.transition(claims[event.claim_id], event, recorded_at_us=9)
            case ClaimApproved():
                claims[event.claim_id] = fold.approve(claims[event.claim_id], event)
            case _:
                assert isinstance(event, BeliefEvent)
                claims[event.claim_id] = fold.believe(claims[event.claim_id], event)  # type: ignore[union-attr]
    return claims


@given(INTERVALS, INTERVALS, st.integers(0, 8))
def test_what_is_left_holds_everywhere_but_in_the_stretch(valid: Interval, stretch: Interval, now_us: int) -> None:
    """No instant is lost, none is told twice; what is over is history, and what is not stays."""
    claim = believed(valid)

    left = after_split(claim, stretch, start_us=0, now_us=now_us)

    told = sorted(at for each in left.values() for at in instants(each.valid) if at >= 0)
    assert told == [at for at in instants(valid) if at >= 0 and not stretch.contains(at)]
    for each in left.values():
        if each != claim:
            is_over = each.valid.is_empty or (each.valid_to_us is not None and each.valid_to_us <= now_us)
            assert each.status is (ClaimStatus.SUPERSEDED if is_over else ClaimStatus.ACTIVE)


def test_the_rest_has_all_that_the_claim_had() -> None:
    """Evidence, authority, confidence, approvals, what it lost, that it is pinned and confirmed."""
    claim = believed(Interval(0, None), tier=Tier.CORROBORATED, tier_at_write=Tier.CORROBORATED, confidence=0.4)
    claim = replace(claim, conflicts_lost=2, pinned=True, confirmed_by=(ANA,), approvals=(ANA,))

    left = after_split(claim, Interval(3, 5))

    rest = left[REST]
    assert (left[claim.claim_id].valid, rest.valid) == (Interval(0, 3), Interval(5, None))
    own = {"claim_id": rest.claim_id, "position": 2, "known_from_us": 5, "status_reason": rest.status_reason}
    assert rest == replace(claim, valid_from_us=5, valid_to_us=None, **own)  # type: ignore[arg-type]
    assert claim.claim_id in rest.status_reason


def test_a_claim_that_gives_up_nothing_is_not_touched_and_one_that_gives_up_all_is_history() -> None:
    """Of the second nothing is left: it holds at no instant."""
    claim = believed(Interval(2, 6))

    assert split(claim, Cut(Interval(6, None), 0, 9, ANA, "later"), REST) == ()
    gone = after_split(claim, Interval(1, 8))
    assert list(gone) == [claim.claim_id]
    assert gone[claim.claim_id].valid.is_empty
    assert gone[claim.claim_id].status is ClaimStatus.SUPERSEDED


def test_history_is_put_right_without_coming_back() -> None:
    """A claim that ended long ago is cut like another; neither part is believed now."""
    left = after_split(believed(Interval(0, 9), status=ClaimStatus.SUPERSEDED), Interval(3, 5))

    assert {each.status for each in left.values()} == {ClaimStatus.SUPERSEDED}
    assert [each.valid for each in left.values()] == [Interval(0, 3), Interval(5, 9)]
