"""A correction that is taken back was never said: what it had ended, cut and worn holds again, now and as it was then."""

from __future__ import annotations

from typing import Any

import pytest
from households import ADDRESS, COMMUTE, HOME, HOME_ADDRESS, claim_of, home_fixture, says  # noqa: F401  # a fixture
from worlds import World, code_of

from heedful.claims.claim import ClaimStatus


def facts(home: World, **when: Any) -> list[str]:
    """What is told of where Ana lives."""
    return [each.text for each in home.ana.recall("live?", scope=HOME, **when).items if each.item == "claim"]


def corrected(home: World, claim_id: str, value: Any, **more: Any) -> str:
    done = home.ana.correct(claim_id, value, reason="I moved", **more)
    assert done.correction_id is not None
    return done.correction_id


@pytest.mark.parametrize("home", ["sqlite", "postgresql"], indirect=True)
def test_the_old_value_holds_again_and_what_was_known_between_stays_known(home: World) -> None:
    """Now and at earlier valid instants; at the known instants between, what was believed then."""
    old = says(home.ana, HOME_ADDRESS, ADDRESS, "Shanghai", since="2026-01-01")
    home.clock.go(seconds=3600)
    correction = corrected(home, old, "Berlin", since="2026-03-01")
    home.clock.go(seconds=3600)
    assert home.ana.retract(correction, reason="it fell through").standing_again == (old,)

    then: dict[str, Any] = {"known_at": "2026-11-28T10:30:00Z"}
    assert facts(home) == facts(home, as_of="2026-05-01") == facts(home, as_of="2026-02-01") == [HOME_ADDRESS]
    assert facts(home, **then) == facts(home, as_of="2026-05-01", **then) == ["I live in Berlin."]
    assert facts(home, as_of="2026-02-01", **then) == [HOME_ADDRESS]
    told = claim_of(home.ana, old)
    assert (told.status, told.valid.end_us) == (ClaimStatus.ACTIVE, None)
    assert claim_of(home.ana, correction).status is ClaimStatus.REVOKED
    assert home.ana.verify(views=True).holds


def test_a_stretch_and_a_day_to_come_are_given_back_too(home: World) -> None:
    """What was split off holds on beside it; what was merely cut is whole again."""
    old = says(home.ana, HOME_ADDRESS, ADDRESS, "Shanghai", since="2026-01-01")
    coming = corrected(home, old, "Berlin", since="2026-12-24")
    assert claim_of(home.ana, old).valid.end_us is not None
    home.ana.retract(coming, reason="no")
    assert claim_of(home.ana, old).valid.end_us is None
    inner = corrected(home, old, "Ulm", since="2026-03-01", until="2026-05-01")
    home.ana.retract(inner, reason="no")
    assert [facts(home, as_of=f"2026-0{month}-15") for month in (2, 4, 6)] == [[HOME_ADDRESS]] * 3


def test_corrections_of_corrections_are_taken_back_one_by_one(home: World) -> None:
    """The last first; what rests on the old value stands again with it."""
    first = says(home.ana, HOME_ADDRESS, ADDRESS, "Shanghai")
    commute = says(home.ana, "It takes 40 minutes.", COMMUTE, 40, rests_on=[first])
    second = corrected(home, first, "Berlin")
    third = corrected(home, second, "Ulm")
    assert claim_of(home.ana, commute).status is ClaimStatus.QUARANTINED
    for claim_id, back in ((third, second), (second, first)):
        assert home.ana.retract(claim_id, reason="no").standing_again == (back,)
    assert facts(home) == [HOME_ADDRESS]
    assert claim_of(home.ana, commute).status is ClaimStatus.ACTIVE


def test_what_a_correction_was_corrected_to_stands(home: World) -> None:
    """The one between is over, and is not taken back from below the last."""
    first = says(home.ana, HOME_ADDRESS, ADDRESS, "Shanghai")
    second = corrected(home, first, "Berlin")
    corrected(home, second, "Ulm")
    assert code_of(lambda: home.ana.retract(second, reason="no")) == "claim_over"
    assert facts(home) == ["I live in Ulm."]


def test_what_nobody_had_approved_waits_as_it_did(home: World) -> None:
    """Taking back a correction approves nothing."""
    waits = home.ana.remember("Lives in Bonn.", kind=ADDRESS, value="Bonn", subject="user:ana", scope=HOME)
    claim_id = waits.claims[0].claim_id
    before = claim_of(home.ana, claim_id)
    assert home.ana.retract(corrected(home, claim_id, "Ulm"), reason="no").standing_again == ()
    after = claim_of(home.ana, claim_id)
    assert (after.status, after.approvals) == (before.status, ()) == (ClaimStatus.EVIDENCE_VERIFIED, ())


def test_what_was_no_correction_gives_nothing_back(home: World) -> None:
    """A later word ended the first: when that is taken back, nothing is held until somebody says it again."""
    says(home.ana, HOME_ADDRESS, ADDRESS, "Shanghai", since="2026-01-01")
    later = says(home.ana, "I live in Berlin.", ADDRESS, "Berlin", since="2026-03-01")
    assert home.ana.retract(later, reason="no").standing_again == ()
    assert facts(home) == []


@pytest.mark.parametrize("is_approved", [False, True])
def test_a_word_of_the_same_start_was_a_correction_unless_people_approved_the_end(
    home: World, *, is_approved: bool
) -> None:
    """What they approved stays ended."""
    old = says(home.ana, HOME_ADDRESS, ADDRESS, "Shanghai", since="2026-01-01")
    words: dict[str, Any] = {"kind": ADDRESS, "value": "Berlin", "subject": "user:ana", "since": "2026-01-01"}
    consent = "implicit" if is_approved else "explicit"
    (note,) = home.ana.remember("I live in Berlin.", scope=HOME, consent=consent, **words).claims
    new = note.claim_id
    if is_approved:
        home.bob.approve(new, reason="so it is")
    assert home.ana.retract(new, reason="no").standing_again == (() if is_approved else (old,))
    assert facts(home) == ([] if is_approved else [HOME_ADDRESS])
