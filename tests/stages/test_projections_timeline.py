"""Timeline: one order for every order of arrival, and disjoint spans."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from heedful.claims.projections.timeline import Sighting, in_order, since, spans
from heedful.kernel.ids import ClaimId, RunId
from heedful.testing.builders import build_claim

MOMENTS = st.integers(0, 12)


@st.composite
def sightings(draw: st.DrawFn) -> list[Sighting]:
    """Some of two runs, some of none; the clock of a run may go back, and each place in a run is taken once."""
    found = []
    taken = set()
    for number in range(draw(st.integers(0, 8))):
        run = draw(st.sampled_from([None, "r1", "r2"]))
        sequence = None if run is None else draw(st.integers(0, 9))
        if run is not None and (run, sequence) in taken:
            continue
        taken.add((run, sequence))
        at = draw(MOMENTS)
        claim = replace(
            build_claim(number + 1, value=draw(st.integers(0, 2)), valid_to_us=at + draw(st.integers(1, 6))),
            claim_id=ClaimId(f"c{number}"),
        )
        found.append(Sighting(claim, None if run is None else RunId(run), sequence, at))
    return found


@given(sightings(), st.randoms(use_true_random=False))
def test_the_order_does_not_depend_on_the_order_of_arrival(found: list[Sighting], random: object) -> None:
    """Any shuffle gives the same."""
    shuffled = list(found)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert in_order(shuffled) == in_order(found)


@given(sightings())
def test_within_a_run_the_sequence_decides(found: list[Sighting]) -> None:
    """Whatever its clock says."""
    for run in ("r1", "r2"):
        places = [each.sequence for each in in_order(found) if each.run_id == run]
        assert places == sorted(places, key=lambda place: -1 if place is None else place)


@given(sightings(), MOMENTS)
def test_at_most_one_state_holds_at_an_instant(found: list[Sighting], at: int) -> None:
    """The last in order that had begun, if it is not too old."""
    line = spans(in_order(found))
    holding = [span for span in line if span.contains(at)]
    begun = [span for span in line if span.start_us <= at]
    assert len(holding) <= 1
    if holding:
        assert holding[0] is begun[-1]
    elif begun:
        assert begun[-1].expires_us is not None
        assert begun[-1].expires_us <= at


@given(sightings())
def test_since_is_of_one_value_without_a_gap(found: list[Sighting]) -> None:
    """And reaches back as far as that is so."""
    line = spans(in_order(found))
    for place in range(len(line)):
        first = since(line, place)
        assert {each.value for each in line[first : place + 1]} == {line[place].value}
