"""What people say over what is held: for every permit its denial."""

from __future__ import annotations

import pytest
from households import ADDRESS, COMMUTE, HOME, HOME_ADDRESS, claim_of, home_fixture, says  # noqa: F401
from worlds import World, code_of

from heedful.claims.claim import Claim, ClaimStatus
from heedful.kernel.ladder import Tier
from heedful.kernel.times import parse_time
from heedful.ledger.belief_events import ClaimConfirmed, ClaimPinned
from heedful.service.sight import visible_everywhere


def us(text: str) -> int:
    """The instant in UTC microseconds."""
    return parse_time(text, field="test").at_us


def actives(home: World) -> list[tuple[object, int | None, int | None]]:
    """Value and bounds of Ana's active claims, in order of position."""
    held = [each for each in claims_of(home) if each.status is ClaimStatus.ACTIVE]
    return [(each.value, each.valid_from_us, each.valid_to_us) for each in reversed(held)]


def claims_of(home: World) -> list[Claim]:
    """All claims about her, the newest first."""
    session = home.app.session(principal="person:ana")
    with session.store.read() as reading:
        return list(reading.claims_about(visible_everywhere(session, reading), "user:ana", limit=100))


def test_the_subject_corrects_a_claim_and_the_old_one_never_held(home: World) -> None:
    """Their words are a record and a claim that stands; the old one keeps no instant."""
    old = says(home.ana, HOME_ADDRESS, ADDRESS, "Shanghai", since="2026-01-01")
    done = home.ana.correct(old, "Suzhou", reason="I mistyped it")
    assert done.correction_id is not None
    assert done.record_id is not None

    new, gone = claim_of(home.ana, done.correction_id), claim_of(home.ana, old)
    assert (new.status, new.value, new.statement) == (ClaimStatus.ACTIVE, "Suzhou", "I live in Suzhou.")
    assert (new.valid_from_us, new.valid_to_us) == (us("2026-01-01"), None)
    assert (gone.status, gone.valid.is_empty) == (ClaimStatus.SUPERSEDED, True)
    assert gone.status_reason == f"corrected by {done.correction_id}"
    assert new.evidence == (done.record_id,)
    items = home.ana.recall("Where do I live?", scope=HOME).items
    assert [item.text for item in items if item.item == "claim"] == ["I live in Suzhou."]


def test_a_stretch_that_is_corrected_leaves_the_old_value_around_it(home: World) -> None:
    """Before and after keep it, with its evidence; the middle has the new one."""
    old = says(home.ana, HOME_ADDRESS, ADDRESS, "Shanghai", since="2026-01-01")
    home.ana.correct(old, "Suzhou", since="2026-03-01", until="2026-05-01", reason="a project there")

    bounds = {
        (claim.value, claim.status.value, claim.valid_from_us, claim.valid_to_us, len(claim.evidence))
        for claim in claims_of(home)
    }
    assert bounds == {
        ("Shanghai", "superseded", us("2026-01-01"), us("2026-03-01"), 1),
        ("Suzhou", "superseded", us("2026-03-01"), us("2026-05-01"), 1),
        ("Shanghai", "active", us("2026-05-01"), None, 1),
    }


def test_a_correction_from_a_later_day_on_lets_the_old_value_hold_until_then(home: World) -> None:
    """A move that is to come does not end today's address."""
    old = says(home.ana, HOME_ADDRESS, ADDRESS, "Shanghai", since="2026-01-01")
    home.ana.correct(old, "Berlin", since="2026-12-24", reason="I move at Christmas")

    assert actives(home) == [
        ("Shanghai", us("2026-01-01"), us("2026-12-24")),
        ("Berlin", us("2026-12-24"), None),
    ]


@pytest.mark.parametrize("value", ["柏林", "برلين", "🏡 at the lake"])
def test_a_correction_in_any_script_is_kept_as_it_was_said(home: World, value: str) -> None:
    """The old value is replaced in the old statement, where it stands there once."""
    old = says(home.ana, "我住在上海。", ADDRESS, "上海")
    done = home.ana.correct(old, value, reason="搬家")

    assert claim_of(home.ana, done.correction_id or "").statement == f"我住在{value}。"


def test_who_speaks_for_the_subject_or_may_approve_corrects_and_nobody_else(home: World) -> None:
    """A guardian at once; a reviewer by another's approval; a reader, an agent and a stranger not at all."""
    old = says(home.ana, HOME_ADDRESS, ADDRESS, "Shanghai")
    assert code_of(lambda: home.memory("person:eve").correct(old, "Bonn", reason="hearsay")) == "override_not_yours"
    by_agent = home.memory("person:ana", channel="agent")
    assert code_of(lambda: by_agent.correct(old, "Bonn", reason="she said so")) == "override_not_yours"
    assert code_of(lambda: home.dan.correct(old, "Bonn", reason="guess")) == "item_not_found"

    waiting = home.bob.correct(old, "Bonn", reason="the contract says so")
    assert (waiting.waits, waiting.status) == (True, ClaimStatus.ACTIVE)
    home.ana.approve(waiting.correction_id or "")
    assert claim_of(home.ana, old).status is ClaimStatus.SUPERSEDED

    done = home.memory("person:gus").correct(waiting.correction_id or "", "Ulm", reason="I look after her")
    assert (done.waits, claim_of(home.ana, done.correction_id or "").status) == (False, ClaimStatus.ACTIVE)


def test_an_operators_claim_leaves_with_one_who_may_promote_and_the_systems_never(home: World) -> None:
    """Both refusals say what to do; the operator's correction is an operator's."""
    told = home.ana.remember(
        "Ana's desk is in room 4.", kind=ADDRESS, value="room 4", subject="user:ana", scope=HOME, grade="operator"
    )
    claim_id = told.claims[0].claim_id
    home.bob.approve(claim_id)
    assert claim_of(home.ana, claim_id).tier is Tier.OPERATOR
    gus = home.memory("person:gus")
    for act in (lambda: gus.correct(claim_id, "room 5", reason="moved"), lambda: gus.retract(claim_id, reason="no")):
        assert code_of(act) == "claim_operator"

    done = home.ana.correct(claim_id, "room 5", reason="moved")
    assert claim_of(home.ana, done.correction_id or "").tier is Tier.OPERATOR


def test_a_confirmation_is_the_subjects_or_of_who_speaks_for_them(home: World) -> None:
    """A reviewer approves what is about another person, and does not confirm it; the second time changes nothing."""
    claim_id = says(home.memory("person:eve"), HOME_ADDRESS, ADDRESS, "Shanghai")
    assert code_of(lambda: home.bob.confirm(claim_id, reason="sounds right")) == "confirmation_not_yours"
    assert code_of(lambda: home.memory("person:eve").confirm(claim_id, reason="I said it")) == "override_not_yours"

    assert home.ana.confirm(claim_id, reason="so it is").changed
    assert not home.ana.confirm(claim_id, reason="so it is").changed
    assert claim_of(home.ana, claim_id).confirmed_by == ("person:ana",)
    assert sum(isinstance(event, ClaimConfirmed) for event in home.events()) == 1


def test_a_confirmation_approves_what_another_proposed_of_the_subject_and_not_their_own_high_risk(home: World) -> None:
    """One approval, and no more: high risk takes two people."""
    by_tool = home.ana.remember("Lives in Bonn.", kind=ADDRESS, value="Bonn", subject="user:ana", scope=HOME)
    waits = by_tool.claims[0].claim_id
    assert claim_of(home.ana, waits).status is ClaimStatus.EVIDENCE_VERIFIED
    risky = home.memory("person:eve").remember(
        "Ana bears no nuts.", kind="home.allergy", value="nuts", subject="user:ana", scope=HOME
    )
    allergy = risky.claims[0].claim_id

    assert home.memory("person:gus").confirm(waits, reason="yes").status is ClaimStatus.ACTIVE
    assert home.ana.confirm(allergy, reason="yes").status is ClaimStatus.EVIDENCE_VERIFIED
    assert claim_of(home.ana, allergy).approvals == ("person:ana",)


def test_the_subject_retracts_and_others_do_not(home: World) -> None:
    """What is taken back is revoked, with the reason, and recall does not find it."""
    claim_id = says(home.ana, HOME_ADDRESS, ADDRESS, "Shanghai")
    assert code_of(lambda: home.memory("person:eve").retract(claim_id, reason="no")) == "override_not_yours"

    home.ana.retract(claim_id, reason="I never said that")
    gone = claim_of(home.ana, claim_id)
    assert (gone.status, gone.status_reason) == (ClaimStatus.REVOKED, "revoked: retracted: I never said that")
    assert not [item for item in home.ana.recall("live?", scope=HOME).items if item.item == "claim"]
    assert code_of(lambda: home.ana.retract(claim_id, reason="again")) == "claim_over"


def test_the_record_of_what_was_retracted_says_so_comes_last_and_answers_nothing(home: World) -> None:
    """Until a claim on it stands again; while another one on it stands, it is a record like others."""
    claim_id = says(home.ana, HOME_ADDRESS, ADDRESS, "Shanghai")
    before = home.ana.recall("live in Shanghai?", scope=HOME)
    assert before.sufficiency == "sufficient"
    home.ana.retract(claim_id, reason="I never said that")
    home.ana.remember("Shanghai is large.", scope=HOME)

    packet = home.ana.recall("live in Shanghai?", scope=HOME)

    assert [(item.currency, "taken-back" in item.flags) for item in packet.items] == [
        (None, False),
        ("historical", True),
    ]
    only = home.ana.recall("live?", scope=HOME)
    assert (only.sufficiency, len(only.items)) == ("revoked", 1)
    says(home.ana, HOME_ADDRESS, ADDRESS, "Shanghai")
    assert home.ana.recall("live?", scope=HOME).sufficiency == "sufficient"


def test_pins_are_set_and_taken_by_who_may_approve(home: World) -> None:
    """Not by the subject as such; each with a reason, and twice is once."""
    claim_id = says(home.ana, HOME_ADDRESS, ADDRESS, "Shanghai")
    assert code_of(lambda: home.memory("person:gus").pin(claim_id, reason="keep")) == "principal_may_not"
    assert home.bob.pin(claim_id, reason="checked").changed
    assert not home.bob.pin(claim_id, reason="checked").changed
    assert claim_of(home.ana, claim_id).pinned
    assert home.bob.unpin(claim_id, reason="moved").changed
    assert [e.pinned for e in home.events() if isinstance(e, ClaimPinned)] == [True, False]


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({}, "correction_empty"),
        ({"statement": "Somewhere else."}, "value_missing"),
        ({"value": "Bonn", "since": "2026-05-01", "until": "2026-05-01"}, "validity_empty"),
        ({"value": "Bonn", "since": "yesterdayish"}, "time_malformed"),
        ({"value": "Bonn", "until": "2025-01-01"}, "stretch_outside"),
        ({"value": "Bonn", "statement": "x" * 2_001}, "statement_too_long"),
    ],
)
def test_a_correction_that_says_nothing_is_refused_and_writes_nothing(
    home: World, more: dict[str, str], code: str
) -> None:
    """The error names the field."""
    old = says(home.ana, HOME_ADDRESS, ADDRESS, "Shanghai", since="2026-01-01")
    before = len(home.events())
    assert code_of(lambda: home.ana.correct(old, reason="because", **more)) == code
    assert len(home.events()) == before


def test_a_secret_in_a_correction_is_cut_out_before_it_is_written(home: World) -> None:
    """In the record and the claim."""
    old = says(home.ana, HOME_ADDRESS, ADDRESS, "Shanghai")
    done = home.ana.correct(old, "Bonn", statement="Bonn, password: hunter2-Zq9!x", reason="moved")
    record = home.ana.show(done.record_id or "")[0]
    assert "hunter2" not in repr(record) + claim_of(home.ana, done.correction_id or "").statement


def test_a_corrected_number_is_a_number(home: World) -> None:
    """As it was before."""
    old = says(home.ana, "It takes 40 minutes.", COMMUTE, 40)
    done = home.ana.correct(old, "25", reason="a new line")
    assert claim_of(home.ana, done.correction_id or "").value == 25


def test_a_claim_whose_ground_changed_is_corrected_from_now_on(home: World) -> None:
    """Until then it was so: it is history, and the new value stands."""
    address = says(home.ana, HOME_ADDRESS, ADDRESS, "Shanghai", since="2026-01-01")
    commute = says(home.ana, "It takes 40 minutes.", COMMUTE, 40, since="2026-01-01", rests_on=[address])
    home.ana.correct(address, "Berlin", since="2026-11-01", reason="I moved")
    done = home.ana.correct(commute, "25", reason="from the new place")

    old, new = claim_of(home.ana, commute), claim_of(home.ana, done.correction_id or "")
    assert (old.status, old.valid.is_empty) == (ClaimStatus.SUPERSEDED, False)
    assert (new.status, new.value, new.valid_from_us) == (ClaimStatus.ACTIVE, 25, old.valid_to_us)
