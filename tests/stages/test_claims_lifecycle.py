"""The one table of legal moves, the fold of a claim, and what an approval needs."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.claims import fold
from heedful.claims.claim import Claim, ClaimStatus, Form, Visibility
from heedful.claims.lifecycle import TRANSITIONS, require_legal, weigh_approval
from heedful.kernel.errors import ConflictError, FaultError
from heedful.kernel.ids import ClaimId, KindId, PrincipalId, RecordId, Revision
from heedful.kernel.intervals import Interval
from heedful.kernel.ladder import Classification, Consent, Tier
from heedful.kernel.scope import parse_scope
from heedful.ledger.events import ClaimApproved, ClaimProposed, ClaimTransitioned

ANA, BEN, CAI = PrincipalId("person:ana"), PrincipalId("person:ben"), PrincipalId("person:cai")


def proposal() -> ClaimProposed:
    return ClaimProposed(
        claim_id=ClaimId("c1"),
        form=Form.CONSTRAINT,
        kind=KindId("release.freeze"),
        subject="project:payments",
        property="release.freeze",
        value=True,
        statement="Nothing goes out.",
        scope=parse_scope(["project:payments"]),
        classification=Classification.NORMAL,
        consent=Consent.IMPLICIT,
        tier=Tier.UNVERIFIED,
        confidence=1.0,
        visibility=Visibility.PRE_QUERY,
        applies_to=(),
        not_for=(),
        valid_from_us=None,
        valid_to_us=None,
        evidence=(RecordId("r1"),),
        proposed_by=ANA,
        registry_revision=Revision("x"),
        told_by=None,
        replaces=(),
        rests_on=(),
    )


def claim(status: ClaimStatus = ClaimStatus.PROPOSED) -> Claim:
    return replace(fold.propose(proposal(), position=3, recorded_at_us=7), status=status)


def test_a_proposal_is_known_from_when_it_was_recorded() -> None:
    """Known time is the ledger's; a proposal is nothing more than proposed."""
    proposed = claim()

    assert (proposed.known_from_us, proposed.position, proposed.status) == (7, 3, ClaimStatus.PROPOSED)


@given(st.sampled_from(ClaimStatus), st.sampled_from(ClaimStatus))
def test_only_moves_of_the_table_are_legal(from_status: ClaimStatus, to_status: ClaimStatus) -> None:
    """Every move that the table lacks is refused with the moves that are open; every one that it has is allowed."""
    if (from_status, to_status) in TRANSITIONS:
        assert require_legal(claim(from_status), to_status) == TRANSITIONS[from_status, to_status]
    else:
        with pytest.raises(ConflictError) as raised:
            require_legal(claim(from_status), to_status)
        assert raised.value.code == "transition_illegal"


def test_nothing_leads_out_of_revoked() -> None:
    """A revoked claim stays revoked; saying the same again makes a new one."""
    assert not [move for move in TRANSITIONS if move[0] is ClaimStatus.REVOKED]


def test_nothing_becomes_active_without_being_verified_and_reviewed() -> None:
    """Active is reached from policy-reviewed, or again from quarantine or the archive by a person; by no other way."""
    into_active = {move[0] for move in TRANSITIONS if move[1] is ClaimStatus.ACTIVE}

    assert into_active == {ClaimStatus.POLICY_REVIEWED, ClaimStatus.QUARANTINED, ClaimStatus.ARCHIVED}


def test_a_move_from_where_the_claim_is_not_is_a_fault() -> None:
    """A ledger that moves a claim from a status that it does not have is broken, and says so."""
    event = ClaimTransitioned(ClaimId("c1"), ClaimStatus.ACTIVE, ClaimStatus.EXPIRED, ANA, "x")

    with pytest.raises(FaultError):
        fold.transition(claim(), event, recorded_at_us=9)


def test_quarantine_takes_the_approvals_away() -> None:
    """What comes back from quarantine is reviewed anew."""
    approved = fold.approve(claim(ClaimStatus.ACTIVE), ClaimApproved(ClaimId("c1"), BEN, "ok"))
    event = ClaimTransitioned(ClaimId("c1"), ClaimStatus.ACTIVE, ClaimStatus.QUARANTINED, ANA, "gone")

    assert approved.approvals == (BEN,)
    assert fold.transition(approved, event, recorded_at_us=9).approvals == ()


def test_another_person_approves_and_oneself_does_not() -> None:
    """One's own proposal can't be approved by oneself; another's approval is complete at low risk."""
    assert weigh_approval(claim(), ANA, kind_risk="low", solo=False).refused == "own-proposal"
    assert weigh_approval(claim(), BEN, kind_risk="low", solo=False).complete


def test_high_risk_takes_two_others() -> None:
    """The first approval counts and is not enough; the same person twice does not count; a second person completes."""
    first = weigh_approval(claim(), BEN, kind_risk="high", solo=False)
    once = replace(claim(), approvals=(BEN,))

    assert (first.refused, first.complete) == (None, False)
    assert weigh_approval(once, BEN, kind_risk="high", solo=False).refused == "already-approved"
    assert weigh_approval(once, CAI, kind_risk="high", solo=False).complete


def test_a_restricted_claim_takes_two_whatever_its_kind() -> None:
    """Classification alone makes a claim high risk."""
    restricted = replace(claim(), classification=Classification.RESTRICTED)

    assert not weigh_approval(restricted, BEN, kind_risk="low", solo=False).complete


def test_the_solo_profile_lets_one_person_do_it_and_marks_it() -> None:
    """One person may do all of it where the store is theirs alone, and the answer says that it was so."""
    answer = weigh_approval(claim(), ANA, kind_risk="high", solo=True)

    assert (answer.complete, answer.solo) == (True, True)
    assert not weigh_approval(claim(), BEN, kind_risk="low", solo=True).solo


@pytest.mark.parametrize("ending", [ClaimStatus.SUPERSEDED, ClaimStatus.EXPIRED])
def test_what_was_active_is_found_where_it_held_and_what_never_was_is_not(ending: ClaimStatus) -> None:
    """From its start until it ended; a proposal that was superseded never held, however open its validity is."""
    active, waiting = claim(ClaimStatus.ACTIVE), claim(ClaimStatus.POLICY_REVIEWED)
    ended = fold.transition(active, ClaimTransitioned(ClaimId("c1"), active.status, ending, ANA, "x"), recorded_at_us=9)

    assert ended.ended_us == 9
    if ending is ClaimStatus.SUPERSEDED:
        assert ended.in_mind == Interval(None, 9)
        assert replace(ended, valid_from_us=2, valid_to_us=4).in_mind == Interval(2, 4)
        move = ClaimTransitioned(ClaimId("c1"), waiting.status, ending, ANA, "x")
        assert fold.transition(waiting, move, recorded_at_us=9).in_mind.is_empty


def test_what_comes_back_has_not_ended() -> None:
    """A claim that was quarantined and is active again holds as before."""
    aside = replace(claim(ClaimStatus.QUARANTINED), ended_us=9)
    move = ClaimTransitioned(ClaimId("c1"), aside.status, ClaimStatus.ACTIVE, ANA, "it is so")

    assert fold.transition(aside, move, recorded_at_us=12).ended_us is None
