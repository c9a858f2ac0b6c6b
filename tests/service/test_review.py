"""Review: people decide, two of them where it matters, and never on evidence that is gone."""

from __future__ import annotations

import pytest
from worlds import DEPLOY, FREEZE, PROJECT, SOLO, World, code_of, house_fixture, world  # noqa: F401  # pytest finds the fixture here
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here

from heedful.claims.claim import Claim
from heedful.ledger.events import ClaimApproved, ClaimTransitioned


def status_of(house: World, claim_id: str) -> tuple[str, str]:
    """Where the claim stands and why."""
    item, _ = house.ana.show(claim_id)
    assert isinstance(item, Claim)
    return item.status, item.status_reason


def low_risk(house: World) -> str:
    """The id of a claim of low risk that waits."""
    return house.ana.remember("the build is slow on Mondays", kind="environment.gotcha").claims[0].claim_id


def test_a_low_risk_claim_takes_one_other_person(house: World) -> None:
    """One approval, not the proposer's, makes it active; the ledger has the approval and each move."""
    claim_id = low_risk(house)
    done = house.bob.approve(claim_id, reason="seen it")

    assert (done.status, done.approvals_missing, done.solo) == ("active", False, False)
    approved, *moves = house.events()[-3:]
    assert isinstance(approved, ClaimApproved)
    assert approved.actor == "person:bob"
    assert [move.to_status for move in moves if isinstance(move, ClaimTransitioned)] == ["policy-reviewed", "active"]


def test_nobody_approves_their_own_proposal(house: World) -> None:
    """Not even an owner, and the claim stays where it was."""
    claim_id = low_risk(house)

    assert code_of(lambda: house.ana.approve(claim_id)) == "approval_refused"
    assert status_of(house, claim_id)[0] == "evidence-verified"


def test_high_risk_takes_two_people(house: World) -> None:
    """The first approval counts and leaves it waiting; the same person's second does not count."""
    claim_id = house.freeze_proposed()
    first = house.bob.approve(claim_id)

    assert (first.status, first.approvals_missing) == ("evidence-verified", True)
    assert code_of(lambda: house.bob.approve(claim_id)) == "approval_refused"
    assert house.cyd.approve(claim_id).status == "active"


def test_a_restricted_claim_takes_two_people_whatever_its_kind(house: World) -> None:
    """Classification raises what an approval needs."""
    kept = house.ana.remember("slow", kind="environment.gotcha", classification="restricted")

    assert house.bob.approve(kept.claims[0].claim_id).approvals_missing


def test_one_person_may_do_all_of_it_in_the_solo_profile_and_it_is_noted() -> None:
    """The answer and the ledger both say so."""
    with world(policy=SOLO) as house:
        done = house.ana.approve(house.freeze_proposed(), reason="I run this alone")
        approved = next(event for event in house.events() if isinstance(event, ClaimApproved))

    assert (done.status, done.solo) == ("active", True)
    assert approved.reason == "I run this alone (solo)"


def test_another_persons_low_risk_claim_is_no_solo_approval() -> None:
    """The mark is for what would not count otherwise."""
    with world(policy=SOLO) as house:
        kept = house.agent.remember("slow on Mondays", kind="environment.gotcha")
        assert not house.ana.approve(kept.claims[0].claim_id).solo


@pytest.mark.parametrize("who", ["person:dan", "person:aud", "person:nobody", "agent:pip"])
def test_who_is_no_reviewer_decides_nothing(house: World, who: str) -> None:
    """Deny by default: approve, reject and the queue."""
    claim_id = low_risk(house)
    memory = house.memory(who)

    for call in (lambda: memory.approve(claim_id), lambda: memory.reject(claim_id), memory.review_queue):
        assert code_of(call) == "principal_may_not"


def test_withdrawn_evidence_quarantines_what_rests_on_it_and_takes_it_out_of_mind(house: World) -> None:
    """The claim keeps neither its status nor its approvals."""
    claim_id = house.freeze()
    record_id = house.ana.why(claim_id).records[0].record.record_id
    done = house.bob.reject(record_id, reason="the page was out of date")

    assert (done.status, done.quarantined) == ("withdrawn", (claim_id,))
    assert status_of(house, claim_id) == ("quarantined", "its evidence was withdrawn")
    assert house.ana.recall("deploy to production", action_class="deploy.production").items == ()
    assert code_of(lambda: house.bob.reject(record_id)) == "record_withdrawn"


def test_a_quarantined_claim_comes_back_by_its_evidence_and_a_new_review(house: World) -> None:
    """Without evidence no approval counts; with it, the old approvals do not count any more."""
    claim_id = house.freeze()
    record_id = house.ana.why(claim_id).records[0].record.record_id
    house.bob.reject(record_id)

    assert code_of(lambda: house.cyd.approve(claim_id)) == "evidence_gone"
    assert house.bob.approve(record_id).status == "admitted"
    assert status_of(house, claim_id)[0] == "quarantined"
    assert house.bob.approve(claim_id).approvals_missing
    assert house.cyd.approve(claim_id).status == "active"
    assert house.bob.recall("deploy", action_class="deploy.production").items[0].item_id == claim_id


def test_a_claim_of_a_pending_record_waits_for_its_record(house: World) -> None:
    """The approval says what to confirm first; confirming the record moves the claim on."""
    kept = house.agent.remember("slow", kind="environment.gotcha", classification="sensitive")
    claim_id = kept.claims[0].claim_id

    assert code_of(lambda: house.bob.approve(claim_id)) == "evidence_gone"
    house.bob.approve(kept.record_id)
    assert status_of(house, claim_id)[0] == "evidence-verified"
    assert house.bob.approve(claim_id).status == "active"
    assert code_of(lambda: house.bob.approve(kept.record_id)) == "record_admitted"


def test_a_rejected_proposal_and_a_revoked_claim_are_told_apart(house: World) -> None:
    """Both are revoked; the reason says whether it ever held. Neither comes back."""
    proposed, active = low_risk(house), house.freeze()
    house.bob.reject(proposed, reason="no")
    house.bob.reject(active, reason="the quarter is closed")

    assert status_of(house, proposed) == ("revoked", "rejected: no")
    assert status_of(house, active) == ("revoked", "revoked: the quarter is closed")
    assert code_of(lambda: house.cyd.approve(proposed)) == "transition_illegal"
    assert code_of(lambda: house.cyd.reject(active)) == "transition_illegal"


def test_an_active_claim_is_not_approved_again(house: World) -> None:
    """There is nothing left to approve."""
    claim_id = house.freeze()

    assert code_of(lambda: house.ana.approve(claim_id)) == "transition_illegal"


def test_the_queue_shows_what_waits_and_what_a_reviewer_may_see(house: World) -> None:
    """Claims in ledger order, pending records, and nothing above the clearance or outside of the grants."""
    first, second = low_risk(house), house.freeze_proposed()
    house.ana.remember("x", kind=FREEZE, classification="restricted")
    house.ana.remember("x", kind=FREEZE, scope=["project:other"])
    house.agent.remember("waits", classification="sensitive")

    assert [claim.claim_id for claim in house.cyd.review_queue().claims] == [first, second]
    assert house.cyd.review_queue().records == ()
    assert len(house.bob.review_queue().claims) == 4
    assert [stored.record.content for stored in house.bob.review_queue().records] == ["waits"]


def test_what_a_reviewer_may_not_see_looks_like_what_is_not_there(house: World) -> None:
    """Claims, records and verdicts of another project or above the clearance: the same answer as for no id at all."""
    kept = house.ana.remember("x", kind=FREEZE, classification="restricted")
    elsewhere = house.ana.remember("x", kind=FREEZE, scope=["project:other"])
    verdict_id = house.ana.judge("Bash", DEPLOY, scope=["project:other"]).verdict_id
    foreign = [kept.record_id, kept.claims[0].claim_id, elsewhere.record_id, elsewhere.claims[0].claim_id, "nothing"]

    for item_id in (*foreign, verdict_id):
        assert code_of(lambda item_id=item_id: house.cyd.approve(item_id)) == "item_not_found"  # type: ignore[misc]
    for item_id in foreign:
        assert code_of(lambda item_id=item_id: house.cyd.reject(item_id)) == "item_not_found"  # type: ignore[misc]
        assert code_of(lambda item_id=item_id: house.cyd.show(item_id)) == "item_not_found"  # type: ignore[misc]


def test_a_withdrawal_names_no_claim_above_the_clearance(house: World) -> None:
    """The claim is quarantined all the same."""
    kept = house.ana.remember("keep it", kind="data.legal-hold")
    assert kept.claims[0].status == "evidence-verified"

    assert house.cyd.reject(kept.record_id).quarantined == ()
    assert status_of(house, kept.claims[0].claim_id)[0] == "quarantined"


def test_an_approval_of_an_action_is_a_record_and_not_of_ones_own_action(house: World) -> None:
    """Another person's yes is kept; one's own counts in the solo profile alone, and is marked."""
    verdict_id = house.bob.judge("Bash", DEPLOY).verdict_id

    assert code_of(lambda: house.bob.approve(verdict_id)) == "approval_refused"
    assert house.cyd.approve(verdict_id).item == "verdict"
    house.use(SOLO)
    assert house.bob.approve(verdict_id).solo


@pytest.mark.parametrize(("reason", "code"), [("\ud800", "text_lone_surrogate"), ("x" * 501, "text_too_long")])
def test_a_reason_that_cannot_be_kept_whole_is_refused(house: World, reason: str, code: str) -> None:
    """An audit trail has no cut reasons."""
    claim_id = low_risk(house)

    assert code_of(lambda: house.bob.approve(claim_id, reason=reason)) == code
    assert code_of(lambda: house.bob.reject(claim_id, reason=reason)) == code
    assert code_of(lambda: house.ana.set_mode("pre-router", "off", reason=reason)) == code


def test_show_gives_a_claim_with_its_records_and_a_record_alone(house: World) -> None:
    """What one decides on is there in one look."""
    claim_id = house.freeze()
    claim, evidence = house.dan.show(claim_id)
    record, nothing = house.dan.show(evidence[0].record.record_id)

    assert isinstance(claim, Claim)
    assert (claim.claim_id, record, nothing) == (claim_id, evidence[0], ())
    assert evidence[0].record.scope.elements == PROJECT


def test_a_reviewer_is_not_shown_an_action_that_rests_on_what_they_may_not_see(house: World) -> None:
    """Its reasons quote a restricted claim: it is neither listed, shown nor approved below that clearance."""
    house.ana.remember("The audit is secret.", kind=FREEZE, classification="restricted")
    verdict_id = house.bob.judge("Bash", DEPLOY).verdict_id

    assert [each["verdict_id"] for each in house.ana.review_queue().verdicts] == [verdict_id]
    assert house.cyd.review_queue().verdicts == ()
    assert code_of(lambda: house.cyd.show(verdict_id)) == "item_not_found"
    assert code_of(lambda: house.cyd.approve(verdict_id)) == "item_not_found"


def test_an_action_waits_once_and_until_it_has_its_yes(house: World) -> None:
    """Judged twice it is listed once, as it was judged last; approved it is not listed any more, and why tells by whom."""
    house.bob.judge("Bash", DEPLOY)
    last = house.bob.judge("Bash", DEPLOY).verdict_id

    assert [each["verdict_id"] for each in house.ana.review_queue().verdicts] == [last]
    house.ana.approve(last, reason="seen")
    assert house.ana.review_queue().verdicts == ()
    assert "person:ana" in [step.actor for step in house.bob.why(last).steps]
