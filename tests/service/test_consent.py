"""Consent: what somebody brought, or is about them, is used no more where they say so, until they say otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from believers import CITY, PEOPLE
from worlds import World, code_of, world

from heedful import Memory
from heedful.claims.claim import ClaimStatus
from heedful.kernel.errors import ConflictError, ForbiddenError, InvalidInputError, NotFoundError
from heedful.observations.record import RecordStatus
from heedful.service.keeping.sources import NO_CONSENT

ANA = ("user:ana",)
ASKED = "where does ana live?"


@pytest.fixture(name="home")
def home_fixture() -> Iterator[World]:
    """An empty store."""
    with world(policy=PEOPLE) as made:
        yield made


def told(who: Memory, value: str, **more: Any) -> tuple[str, str]:
    """The ids of a record and its claim about where Ana lives, which is active at once."""
    given: Any = {"kind": CITY, "subject": "user:ana", "value": value, "consent": "explicit"} | more
    kept = who.remember(f"lives in {value}", scope=ANA, **given)
    return kept.record_id, kept.claims[0].claim_id


def found(who: Memory) -> set[str]:
    """What comes to mind of where Ana lives, now and as it was known a minute ago."""
    now = who.recall(ASKED, scope=ANA)
    then = who.recall(ASKED, scope=ANA, known_at="2026-11-28T09:00:30Z")
    return {item.item_id for packet in (now, then) for item in packet.items}


def status(home: World, item_id: str) -> Any:
    """Where it stands."""
    return home.ana.show(item_id)[0].status  # type: ignore[union-attr]


@pytest.mark.parametrize("selected", [{"principal": "person:dan"}, {"subject": "user:ana"}])
def test_without_consent_nothing_is_used_and_with_it_all_stands_again(home: World, selected: dict[str, str]) -> None:
    """Records, what was made of them, claims and their approvals; what comes meanwhile is refused. Refolded alike."""
    record_id, claim_id = told(home.dan, "Rome")
    summary = home.dan.remember("of Rome", scope=ANA, grade="summary", derived_from=[record_id]).record_id
    beside = home.memory("person:eve").remember("Bob lives in Oslo", scope=("user:bob",)).record_id
    before = home.ana.show(claim_id)[0]
    home.clock.go(seconds=60)
    assert claim_id in found(home.ana), "the control: it came to mind"

    change = home.ana.withdraw_consent(**selected)

    assert (change.records, change.claims) == (2, 1)
    assert found(home.ana) == set()
    assert status(home, claim_id) is ClaimStatus.QUARANTINED
    assert {status(home, each) for each in (record_id, summary)} == {RecordStatus.WITHDRAWN}
    assert status(home, beside) is RecordStatus.ADMITTED
    again = home.dan.remember("lives in Bonn", scope=ANA, kind=CITY, subject="user:ana", value="Bonn")
    assert (again.outcome, again.reasons) == ("refused", (NO_CONSENT,))
    with pytest.raises(ConflictError) as raised:
        home.ana.approve(record_id)
    assert raised.value.code == "consent_withdrawn"
    assert home.ana.verify(views=True).views == "equal"

    home.clock.go(seconds=60)
    change = home.ana.give_consent(**selected)

    assert (change.records, change.claims) == (2, 1)
    assert claim_id in found(home.ana)
    after = home.ana.show(claim_id)[0]
    assert (after.status, after.approvals) == (before.status, before.approvals)  # type: ignore[union-attr]
    assert {status(home, each) for each in (record_id, summary)} == {RecordStatus.ADMITTED}
    assert home.dan.remember("of Bonn", scope=ANA).outcome == "admitted"
    assert home.ana.verify(views=True).views == "equal"


def test_consent_given_again_releases_only_what_nothing_else_keeps_away(home: World) -> None:
    """Neither what a reviewer withdrew, nor what another consent still keeps, nor what was never believed."""
    kept, claim_id = told(home.dan, "Rome")
    rejected, _ = told(home.dan, "Oslo", subject="user:bob")
    waiting = (
        home.dan.remember("perhaps Bonn", scope=ANA, kind=CITY, subject="user:ana", value="Bonn").claims[0].claim_id
    )
    home.ana.reject(rejected, reason="not so")
    home.ana.withdraw_consent(principal="person:dan")
    home.ana.withdraw_consent(subject="user:ana")
    home.ana.give_consent(principal="person:dan")
    assert status(home, kept) is RecordStatus.WITHDRAWN
    home.ana.give_consent(subject="user:ana")
    assert status(home, kept) is RecordStatus.ADMITTED
    assert status(home, claim_id) is ClaimStatus.ACTIVE
    assert status(home, rejected) is RecordStatus.WITHDRAWN
    assert status(home, waiting) is not ClaimStatus.ACTIVE
    assert home.ana.consents() == ()


def test_a_claim_that_another_says_too_stays(home: World) -> None:
    """With what is left; it is quarantined when nobody is left."""
    _, claim_id = told(home.dan, "Rome")
    record_id, _ = told(home.memory("person:eve"), "Rome")
    home.ana.withdraw_consent(principal="person:dan")
    assert {claim_id, record_id} <= found(home.ana)
    home.ana.withdraw_consent(principal="person:eve")
    assert found(home.ana) == set()


def test_owners_withdraw_for_all_and_everybody_for_themselves(home: World) -> None:
    """Dan his own; nobody another's; an agent nothing; each sees their own."""
    told(home.dan, "Rome")
    assert home.dan.withdraw_consent(principal="person:dan").records is None
    home.ana.withdraw_consent(subject="user:bob")
    home.dan.withdraw_consent(subject="user:dan/daughter")
    assert [each.name for each in home.dan.consents()] == ["person:dan", "user:dan/daughter"]
    assert home.memory("person:eve").consents() == ()
    assert len(home.memory("person:aud").consents()) == 3
    denials: list[Callable[[], object]] = [
        lambda: home.dan.withdraw_consent(principal="person:eve"),
        lambda: home.dan.give_consent(subject="user:bob"),
        lambda: home.memory("person:aud").withdraw_consent(subject="user:ana"),
        lambda: home.agent.withdraw_consent(principal="agent:pip"),
    ]
    for denied in denials:
        with pytest.raises(ForbiddenError):
            denied()


def test_what_cannot_be_is_refused_and_asked_again_changes_nothing(home: World) -> None:
    """With what to do instead."""
    with pytest.raises(InvalidInputError, match="exactly one"):
        home.ana.withdraw_consent()
    with pytest.raises(NotFoundError, match="not withdrawn"):
        home.ana.give_consent(subject="user:ana")
    first = home.ana.withdraw_consent(subject="user:ana").consent
    events = len(home.events())
    assert home.ana.withdraw_consent(subject="user:ana").consent == first
    assert len(home.events()) == events
    assert code_of(lambda: home.ana.give_consent(principal="user:ana")) == "consent_not_withdrawn"
