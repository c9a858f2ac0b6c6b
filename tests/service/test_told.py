"""What is told beside an item: no position in the ledger, and no verdict that rests on what one may not see."""

from __future__ import annotations

from worlds import DEPLOY, FREEZE, World, code_of, house_fixture  # noqa: F401  # pytest finds the fixture here


def test_positions_in_the_ledger_are_for_those_who_may_audit(house: World) -> None:
    """They count what goes on everywhere. The owner is told them, a reviewer is told 0."""
    kept = house.dan.remember("The web is slow.", kind="on-call.contact")
    claim_id = kept.claims[0].claim_id

    assert kept.position == 0
    assert house.ana.remember("The web is fast.").position == len(house.events())
    for who, is_told in ((house.bob, False), (house.ana, True)):
        queue, found = who.review_queue(), who.why(claim_id)
        positions = (
            *(claim.position for claim in queue.claims),
            *(step.position for step in found.steps),
            *(stored.position for stored in found.records),
            found.found["position"],
        )
        assert all(positions) if is_told else not any(positions)


def test_a_verdict_that_rests_on_a_hidden_proof_is_not_shown(house: World) -> None:
    """A verification above the clearance of the reviewer: the verdict does not quote it, and would tell of it."""
    proof = {"verifies": "deploy.production", "passed": True}
    before = house.bob.judge("Bash", DEPLOY).verdict_id
    fields = {"record_type": "verification", "attributes": proof}
    house.ana.remember("Pods are ready.", classification="restricted", **fields)  # type: ignore[arg-type]
    after = house.bob.judge("Bash", DEPLOY | {"timeout": 1}).verdict_id

    assert [each["verdict_id"] for each in house.cyd.review_queue().verdicts] == [before]
    assert code_of(lambda: house.cyd.show(after)) == "item_not_found"
    shown, _ = house.ana.show(after)
    assert isinstance(shown, dict)
    assert shown["verdict_id"] == after
    assert "basis" not in shown


def test_how_much_its_principal_saw_is_not_told_with_a_verdict(house: World) -> None:
    """Its visible position is for that principal and for auditors."""
    house.ana.remember("A secret.", classification="restricted")
    verdict = house.bob.judge("Bash", DEPLOY)

    assert verdict.ledger_position > 0
    told = house.cyd.review_queue().verdicts[0]
    assert (told["verdict_id"], told["ledger_position"]) == (verdict.verdict_id, 0)
    assert house.bob.why(verdict.verdict_id).found["ledger_position"] == verdict.ledger_position


def test_verdicts_that_one_may_not_see_take_nobodys_place(house: World) -> None:
    """Of the newest verdicts, those are listed that may be seen, however many others there are."""
    from heedful.service.acting import approve_action  # noqa: PLC0415

    seen = house.bob.judge("Bash", DEPLOY).verdict_id
    for number in range(5):
        house.ana.judge("Bash", DEPLOY | {"timeout": number}, scope=["project:other"])
    most = approve_action.VERDICTS_SEEN_MAX
    approve_action.VERDICTS_SEEN_MAX = 2
    try:
        assert [each["verdict_id"] for each in house.cyd.review_queue().verdicts] == [seen]
    finally:
        approve_action.VERDICTS_SEEN_MAX = most


def test_the_control_the_same_freeze_is_seen_where_it_may_be(house: World) -> None:
    """Bob sees both scopes."""
    house.freeze()
    verdict_id = house.bob.judge("Bash", DEPLOY).verdict_id

    assert house.cyd.why(verdict_id).item == "verdict"
    assert FREEZE in str(house.cyd.why(verdict_id).claims)
