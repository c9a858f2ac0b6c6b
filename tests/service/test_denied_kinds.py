"""Denied kinds: who is denied one sees neither its claims nor the records under them, through any verb."""

from __future__ import annotations

import pytest
from worlds import DEPLOY, FREEZE, TWO_PEOPLE, World, code_of, world

from heedful import Memory

CONTACT = "on-call.contact"
QUESTION = "Who answers the phone at night?"
DENIED = TWO_PEOPLE.replace(
    '"person:cyd": {roles: [reviewer], clearance: normal, grants: ["project:payments"]}',
    '"person:cyd": {roles: [reviewer], clearance: restricted, grants: ["project:*", "environment:*"], '
    "denied_kinds: [on-call, release.freeze]}\n"
    '    "person:zoe": {roles: [reviewer], clearance: restricted, grants: ["*"]}',
).replace(
    '"agent:*": {roles: [agent], clearance: sensitive, grants: ["project:payments"]}',
    '"agent:*": {roles: [agent], clearance: sensitive, grants: ["project:payments"], denied_kinds: [release]}',
)


@pytest.fixture(name="house")
def denying_fixture() -> object:
    """A world in which Cyd and every agent are denied kinds, and Bob none."""
    with world(policy=DENIED) as made:
        yield made


def freeze(house: World) -> str:
    """The id of an active freeze that Bob and Zoe approved."""
    claim_id = house.ana.remember("Nothing leaves the house.", kind=FREEZE, until="2026-12-07").claims[0].claim_id
    for reviewer in (house.bob, house.memory("person:zoe")):
        reviewer.approve(claim_id)
    return claim_id


def texts(memory: Memory, question: str = QUESTION, **more: object) -> set[str]:
    """What a recall hands out, without its first line."""
    packet = memory.recall(question, **more)  # type: ignore[arg-type]
    return {item.text for item in packet.items}


def test_a_recall_shows_neither_the_claim_nor_its_record(house: World) -> None:
    """Bob sees both; Cyd sees what is of another kind, and counts nothing else."""
    house.ana.remember("Ana answers the phone at night.", kind=CONTACT)
    house.ana.remember("The phone rings at night.")

    assert "Ana answers the phone at night." in texts(house.bob)
    assert texts(house.cyd) == {"The phone rings at night."}
    assert house.cyd.recall(QUESTION).ledger_position == 1
    assert house.bob.recall(QUESTION).ledger_position == 3


def test_a_family_covers_what_is_below_it_and_not_what_begins_alike(house: World) -> None:
    """`release` of the agents covers `release.freeze`; `release.freeze` of Cyd no `release.window`."""
    house.ana.remember("The window for releases opens at noon.", kind="release.window")
    question = "When does the window open?"

    assert texts(house.cyd, question) == {"The window for releases opens at noon."}
    assert texts(house.agent, question) == set()


def test_by_id_what_is_denied_is_as_what_is_not_there(house: World) -> None:
    """The claim and the record under it, for why, show, approve and reject, to the byte."""
    kept = house.ana.remember("Ana answers the phone.", kind=CONTACT)
    absent = "00000000-0000-7000-8000-000000000000"
    for item_id in (kept.claims[0].claim_id, kept.record_id, absent):
        for verb in (house.cyd.why, house.cyd.show, house.cyd.approve, house.cyd.reject):
            assert code_of(lambda verb=verb, item_id=item_id: verb(item_id)) == "item_not_found"  # type: ignore[misc]
        if item_id != absent:
            assert house.bob.why(item_id).item_id == item_id
            assert house.bob.show(item_id)


def test_what_waits_for_review_is_listed_without_it(house: World) -> None:
    """Neither the claim, nor that there are more."""
    denied = house.freeze_proposed()
    other = house.ana.remember("Semver.", kind="release.version-policy").claims[0].claim_id

    assert [claim.claim_id for claim in house.cyd.review_queue().claims] == [other]
    assert {claim.claim_id for claim in house.bob.review_queue().claims} == {denied, other}


def test_another_claim_on_the_same_record_is_hidden_with_it(house: World) -> None:
    """It would quote what its record says."""
    text = "remember: on-call.contact: Ana answers.\nremember: release.window: Ana answers at noon."
    kept = house.ana.remember(text, record_type="message")

    assert [claim.kind for claim in kept.claims] == [CONTACT, "release.window"]
    for claim in kept.claims:
        assert code_of(lambda claim=claim: house.cyd.show(claim.claim_id)) == "item_not_found"  # type: ignore[misc]
        assert house.bob.show(claim.claim_id)


def test_a_record_without_a_claim_has_no_kind(house: World) -> None:
    """The limit, as it is documented: the same words, said without a kind, are seen."""
    house.ana.remember("Ana answers the phone at night.", kind=CONTACT)
    house.ana.remember("Ana answers the phone at night.")

    assert texts(house.cyd) == {"Ana answers the phone at night."}


def test_a_rejected_claim_still_hides_its_record(house: World) -> None:
    """It was said all the same."""
    kept = house.ana.remember("Ana answers the phone at night.", kind=CONTACT)
    house.bob.reject(kept.claims[0].claim_id)

    assert texts(house.cyd) == set()
    assert texts(house.bob) == {"Ana answers the phone at night."}


def test_a_verdict_is_of_what_the_one_who_acts_may_see(house: World) -> None:
    """A freeze that is denied to the agent does not stop it; one that it may see does, as it does Bob."""
    freeze(house)
    house.enforce()

    assert any(ruling.claim_id for ruling in house.bob.judge("Bash", DEPLOY).rulings)
    assert not any(ruling.claim_id for ruling in house.agent.judge("Bash", DEPLOY).rulings)
    house.use(TWO_PEOPLE)
    assert any(ruling.claim_id for ruling in house.agent.judge("Bash", DEPLOY).rulings)


def test_anothers_verdict_that_rests_on_a_denied_kind_is_not_shown(house: World) -> None:
    """Neither where it quotes the claim, nor where the claim has ended and only made the label."""
    before = house.bob.judge("Bash", DEPLOY).verdict_id
    freeze(house)
    after = house.bob.judge("Bash", DEPLOY | {"timeout": 1}).verdict_id

    assert [each["verdict_id"] for each in house.cyd.review_queue().verdicts] == [before]
    assert {each["verdict_id"] for each in house.ana.review_queue().verdicts} == {before, after}
    assert code_of(lambda: house.cyd.show(after)) == "item_not_found"


def test_a_verdict_from_before_any_kind_was_denied_is_hidden(house: World) -> None:
    """Of which kinds its grounds were was not noted then; one that rests on nothing is shown."""
    house.use(TWO_PEOPLE)
    on_nothing = house.bob.judge("Bash", DEPLOY).verdict_id
    proof: dict[str, str | bool] = {"verifies": "deploy.production", "passed": False}
    house.bob.remember("Pods are not ready.", record_type="verification", attributes=proof)
    on_proof = house.bob.judge("Bash", DEPLOY | {"timeout": 1}).verdict_id
    house.use(DENIED)

    assert [each["verdict_id"] for each in house.cyd.review_queue().verdicts] == [on_nothing]
    assert {each["verdict_id"] for each in house.ana.review_queue().verdicts} == {on_nothing, on_proof}
    on_proof = house.bob.judge("Bash", DEPLOY | {"timeout": 2}).verdict_id
    assert on_proof in [each["verdict_id"] for each in house.cyd.review_queue().verdicts]


@pytest.mark.parametrize("text", ["Ana answers the phone.", "Something else."])
def test_a_reference_of_a_denied_record_tells_nothing(house: World, text: str) -> None:
    """Whoever guesses it gets the answer that they would get without it, and reads back the reference that they gave."""
    hidden = house.ana.remember("Ana answers the phone.", kind=CONTACT, source_ref="night/1")
    guess = house.cyd.remember(text, source_ref="night/1")
    control = house.cyd.remember(text, source_ref="nobody/1")

    assert (guess.outcome, guess.duplicate, guess.reasons) == (control.outcome, control.duplicate, control.reasons)
    assert guess.record_id != hidden.record_id
    assert house.cyd.remember(text, source_ref="night/1").record_id == guess.record_id
    found = house.cyd.why(guess.record_id).found["record"]
    assert isinstance(found, dict)
    assert found["source_ref"] == "night/1"


def test_the_control_who_is_denied_nothing_is_told_of_the_duplicate(house: World) -> None:
    """Bob may see the record, so to him it is the same."""
    kept = house.ana.remember("Ana answers the phone.", kind=CONTACT, source_ref="night/1")
    again = house.bob.remember("Ana answers the phone.", kind=CONTACT, source_ref="night/1")

    assert (again.duplicate, again.record_id) == (True, kept.record_id)


def test_one_may_tell_what_one_may_not_read_back(house: World) -> None:
    """The answer has what was said, and nothing of others; a retry is kept once, and shows the claim no more."""
    house.ana.remember("Ana answers the phone.", kind=CONTACT, value="ana", subject="project:payments")
    kept = house.cyd.remember("Bob answers the phone.", kind=CONTACT, source_ref="mine/1")
    again = house.cyd.remember("Bob answers the phone.", kind=CONTACT, source_ref="mine/1")

    assert [claim.statement for claim in kept.claims] == ["Bob answers the phone."]
    assert (again.duplicate, again.record_id, again.claims) == (True, kept.record_id, ())
    assert code_of(lambda: house.cyd.show(kept.record_id)) == "item_not_found"
    assert house.bob.show(kept.record_id)


def test_the_ledger_is_not_exported_by_who_is_denied_a_kind(house: World) -> None:
    """It holds everything."""
    owner = '"person:ana": {roles: [owner], clearance: restricted, grants: ["*"]'
    house.use(DENIED.replace(owner, f"{owner}, denied_kinds: [{FREEZE}]"))
    session = house.app.session(principal="person:ana")
    from heedful.service.auditing.export_ledger import require_whole_sight  # noqa: PLC0415

    assert code_of(lambda: require_whole_sight(session)) == "principal_may_not"
    house.use(DENIED)
    require_whole_sight(house.app.session(principal="person:ana"))
