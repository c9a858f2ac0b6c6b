"""Archive and retention: a person, or a rule of the registry, puts claims aside; a person takes them back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from households import ADDRESS, home_fixture, says  # noqa: F401  # pytest finds the fixture here
from upkeep_steps import add, moves, standing, status, told
from worlds import FREEZE, World, code_of, house_fixture  # noqa: F401  # pytest finds the fixture here

from heedful.bridges.registry import Registry
from heedful.bridges.vocabulary import Kind
from heedful.kernel.ids import ClaimId, KindId, PrincipalId
from heedful.kernel.times import format_time
from heedful.ledger.belief_events import ClaimPinned

ANA = PrincipalId("person:ana")


def kept_for(registry: Registry, kind: str, days: int, after: str = "archive") -> Registry:
    """The registry, in which claims of this kind are kept so long."""
    kinds = dict(registry.vocabulary.kinds)
    given: Kind = kinds[KindId(kind)]
    kinds[KindId(kind)] = replace(given, retain_days=days, after_retention=after)
    return replace(registry, vocabulary=replace(registry.vocabulary, kinds=kinds))


def test_a_reviewer_archives_and_takes_back(house: World) -> None:
    """It comes to mind no more, is listed with the reason, and stands where it stood when it is taken back."""
    freeze = house.freeze()
    asked = "Can the corrected invoices go live this afternoon?"
    assert freeze in [item.item_id for item in house.ana.recall(asked).items]

    house.bob.archive(freeze, reason="the quarter is closed")
    then = format_time(house.clock.now_us())
    (listed,) = house.bob.archived().claims
    assert (listed.claim_id, listed.status, listed.status_reason) == (freeze, "archived", "the quarter is closed")
    assert freeze not in [item.item_id for item in house.ana.recall(asked).items]

    house.bob.unarchive(freeze, reason="it was not")
    assert status(house, freeze) == "active"
    assert freeze in [item.item_id for item in house.ana.recall(asked).items]
    assert house.bob.archived().claims == ()
    (was,) = house.bob.archived(known_at=then).claims
    assert (was.claim_id, was.status_reason) == (freeze, "the quarter is closed")
    assert house.bob.archived(known_at="2020-01-01").claims == ()
    assert code_of(lambda: house.bob.archived(known_at="soon")) == "time_malformed"
    assert house.ana.verify(views=True).holds


def test_what_was_over_when_it_was_archived_is_over_when_it_comes_back(house: World) -> None:
    """Nothing becomes active by the way through the archive."""
    freeze = house.freeze()
    house.clock.go(seconds=20 * 86_400)
    assert status(house, freeze) == "active"
    house.ana.maintain("expire")
    house.bob.archive(freeze, reason="over")

    house.bob.unarchive(freeze, reason="for the books")

    assert status(house, freeze) == "expired"


def test_the_archive_refuses_what_is_not_for_it(house: World) -> None:
    """What is proposed or pinned, twice the same; and evidence that is gone brings nothing back."""
    proposed, claim_id = house.freeze_proposed(), told(house, "Tea at four")
    assert code_of(lambda: house.bob.archive(proposed, reason="no")) == "transition_illegal"
    assert code_of(lambda: house.bob.unarchive(claim_id, reason="no")) == "claim_not_archived"

    add(house, ClaimPinned(ClaimId(claim_id), True, ANA, "keep it"))
    assert code_of(lambda: house.bob.archive(claim_id, reason="no")) == "claim_pinned"
    add(house, ClaimPinned(ClaimId(claim_id), False, ANA, "as it comes"))
    house.bob.archive(claim_id, reason="yes")
    assert code_of(lambda: house.bob.archive(claim_id, reason="again")) == "transition_illegal"

    (record,) = standing(house, claim_id).evidence
    house.bob.reject(record, reason="wrong")
    assert code_of(lambda: house.bob.unarchive(claim_id, reason="no")) == "claim_not_archived"


def test_who_may_not_approve_archives_nothing(house: World) -> None:
    """And a reviewer of another clearance is told what they would be told if the claim did not exist."""
    secret = told(house, "Tea at four", classification="restricted")
    house.bob.approve(secret)
    for memory in (house.dan, house.agent, house.memory("person:aud")):
        assert code_of(lambda memory=memory: memory.archive(secret, reason="no")) == "principal_may_not"  # type: ignore[misc]
        assert code_of(lambda memory=memory: memory.archived()) == "principal_may_not"  # type: ignore[misc]
    assert code_of(lambda: house.cyd.archive(secret, reason="no")) == "item_not_found"


def test_claims_are_kept_as_long_as_their_kind_says(house: World) -> None:
    """Then they are archived, whoever pinned them; a proposal is revoked. The control: another kind stays."""
    house.app.registry = kept_for(house.app.registry, FREEZE, 30)
    freeze, proposed, tea = house.freeze(), house.freeze_proposed(), told(house, "Tea", confidence=1.0)
    add(house, ClaimPinned(ClaimId(freeze), True, ANA, "keep it"))
    house.clock.go(seconds=29 * 86_400)
    house.ana.maintain("retain")
    assert moves(house, "archived") == []

    house.clock.go(seconds=2 * 86_400)
    report = house.ana.maintain("retain").runs[0].report

    assert (status(house, freeze), status(house, proposed), status(house, tea)) == ("archived", "revoked", "active")
    assert standing(house, freeze).status_reason == f"retention: claims of kind {FREEZE} are kept for 30 days"
    assert report is not None
    assert {move.claim_id for move in report.moves} == {freeze, proposed}


@pytest.mark.parametrize(("after", "status_then"), [("archive", "archived"), ("revoke", "revoked")])
def test_a_kind_says_what_becomes_of_its_claims(house: World, after: str, status_then: str) -> None:
    """Archived, or revoked for good; without the kind's word, policy's days count."""
    house.app.registry = kept_for(house.app.registry, FREEZE, 5, after)
    freeze, tea = house.freeze(), told(house, "Tea", confidence=1.0)
    # Records that come later have policy's days noted on them, and go with those: see test_retain_records.py.
    policy = replace(house.app.registry.policy, default_retain_days=9)
    house.app.registry = replace(house.app.registry, policy=policy)
    house.clock.go(seconds=6 * 86_400)
    house.ana.maintain("retain")
    assert (status(house, freeze), status(house, tea)) == (status_then, "active")

    house.clock.go(seconds=4 * 86_400)
    house.ana.maintain("retain")
    assert status(house, tea) == "archived"


def test_a_report_tells_of_what_one_may_see_alone(house: World) -> None:
    """As if the rest did not exist: no id, no count. Auditors are told of all."""
    policy = house.policy.replace('"person:dan": {roles: []', '"person:dan": {roles: [operator]')
    house.use(policy)
    seen, secret = told(house, "The canteen may close"), told(house, "The lift may stop", scope=["user:ana"])
    house.clock.go(seconds=31 * 86_400)
    house.ana.maintain("collect")
    assert {status(house, seen), status(house, secret)} == {"archived"}

    report, whole = house.dan.maintain_report("collect"), house.ana.maintain_report("collect")

    assert ([move.claim_id for move in report.moves], report.moved, report.looked_at) == ([seen], 1, None)
    assert {move.claim_id for move in whole.moves} == {seen, secret}
    assert (whole.moved, whole.looked_at) == (2, 2)


def test_what_comes_back_is_weighed_against_what_was_said_meanwhile(home: World) -> None:
    """The later word stands, and the old one is over. The control: it is active again where nobody spoke."""
    old = says(home.ana, "I live in Bonn.", ADDRESS, "Bonn")
    home.ana.archive(old, reason="not sure")
    assert home.ana.unarchive(old, reason="it is so").status == "active"
    home.ana.archive(old, reason="not sure")
    home.clock.go(seconds=60)
    new = says(home.ana, "I live in Köln.", ADDRESS, "Köln")

    back = home.ana.unarchive(old, reason="it was so")

    assert (back.status, status(home, new)) == ("superseded", "active")
    assert status(home, old) == "superseded"
    assert home.ana.verify(views=True).holds
