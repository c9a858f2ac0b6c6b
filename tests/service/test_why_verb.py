"""Why: every answer is a walk over the ledger, and only over what the asker may see."""

from __future__ import annotations

import pytest
from worlds import DEPLOY, FREEZE, QUESTION, World, code_of, house_fixture  # noqa: F401  # pytest finds the fixture here
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here


def test_why_of_a_claim_has_its_evidence_and_its_whole_history(house: World) -> None:
    """Oldest first, each with who and why; other claims' events are not in it."""
    other = house.freeze_proposed()
    claim_id = house.freeze()
    house.bob.reject(claim_id, reason="lifted")
    found = house.dan.why(claim_id)

    assert found.item == "claim"
    assert [step.type for step in found.steps] == [
        "claim.proposed",
        "claim.transitioned",
        "claim.approved",
        "claim.approved",
        "claim.transitioned",
        "claim.transitioned",
        "claim.transitioned",
    ]
    assert found.steps[-1].text == "active -> revoked: revoked: lifted"
    assert [step.actor for step in found.steps if step.type == "claim.approved"] == ["person:bob", "person:cyd"]
    assert len(found.records) == 1
    assert not found.history_cut
    assert other not in repr(found.steps)


def test_why_of_a_record_has_what_rests_on_it(house: World) -> None:
    """And the records that it was made from."""
    kept = house.ana.remember("frozen", kind=FREEZE)
    found = house.dan.why(kept.record_id)

    assert (found.item, [claim.claim_id for claim in found.claims]) == ("record", [kept.claims[0].claim_id])
    assert (found.steps[0].type, found.steps[0].actor) == ("record.admitted", "person:ana")


def test_why_of_a_packet_and_a_verdict_has_their_claims_and_evidence(house: World) -> None:
    """The answer itself, what it rested on, and what came of it."""
    claim_id = house.freeze()
    packet_id = house.agent.recall(QUESTION).packet_id
    verdict = house.agent.judge("Bash", DEPLOY)
    house.agent.report_outcome(verdict.verdict_id, status="not-done")
    of_packet, of_verdict = house.agent.why(packet_id), house.agent.why(verdict.verdict_id)

    for found in (of_packet, of_verdict):
        assert [claim.claim_id for claim in found.claims] == [claim_id]
        assert len(found.records) == 1
    assert (of_packet.item, of_packet.found["packet_id"]) == ("packet", packet_id)
    assert (of_verdict.item, of_verdict.found["decision"]) == ("verdict", verdict.decision)
    assert [step.type for step in of_verdict.steps] == ["outcome.reported"]


def test_foreign_ids_look_like_absent_ones(house: World) -> None:
    """Another project's, above the clearance, or another's answer: code and message are those of no id at all."""
    above = house.ana.remember("x", kind=FREEZE, classification="restricted")
    elsewhere = house.ana.remember("x", kind=FREEZE, scope=["project:other"])
    foreign = [
        above.record_id,
        above.claims[0].claim_id,
        elsewhere.record_id,
        elsewhere.claims[0].claim_id,
        house.bob.recall(QUESTION).packet_id,
        house.bob.judge("Bash", DEPLOY).verdict_id,
        "01a22161-fe93-75e4-b971-2d327f95c9c2",
        "\0",
        "\ud800",
    ]

    for item_id in foreign:
        assert code_of(lambda item_id=item_id: house.cyd.why(item_id)) == "item_not_found"  # type: ignore[misc]


def test_an_auditor_walks_from_any_answer(house: World) -> None:
    """Packets and verdicts of others are an auditor's to explain."""
    for item_id in (house.bob.recall(QUESTION).packet_id, house.bob.judge("Bash", DEPLOY).verdict_id):
        assert house.memory("person:aud").why(item_id).item_id == item_id
        assert house.bob.why(item_id).item_id == item_id


@pytest.mark.parametrize(
    "limit",
    ['grants: ["user:*"]', 'clearance: normal, grants: ["*"]', 'grants: ["*"], denied_kinds: [release.freeze]'],
    ids=["scope", "clearance", "kind"],
)
def test_an_auditor_who_does_not_see_it_all_is_told_of_no_such_answer(house: World, limit: str) -> None:
    """Neither why it was, nor where it is wrong; as if there was none. Its principal is told of what was theirs."""
    house.freeze()
    house.ana.remember("The corrected invoices go live this afternoon.", classification="sensitive")
    answers: list[str] = [house.bob.recall(QUESTION, impact="propose").packet_id]
    given = ""
    if "clearance" not in limit:
        answers.append(house.bob.judge("Bash", DEPLOY).verdict_id)
        given = "clearance: restricted, "
    house.use(
        house.policy.replace(
            '"person:aud": {roles: [auditor], clearance: restricted, grants: ["*"]}',
            f'"person:aud": {{roles: [auditor], {given}{limit}}}',
        )
    )
    auditor = house.memory("person:aud")

    for item_id in answers:
        assert code_of(lambda item_id=item_id: auditor.why(item_id)) == "item_not_found"  # type: ignore[misc]
        assert code_of(lambda item_id=item_id: auditor.why(item_id, replay=True)) == "item_not_found"  # type: ignore[misc]
        assert house.bob.why(item_id).item_id == item_id
    assert code_of(lambda: auditor.diagnose(answers[0], answer="No freeze.")) == "item_not_found"


def test_a_stranger_gets_no_walk(house: World) -> None:
    """Deny by default, also for an id that is there."""
    kept = house.ana.remember("x")

    assert code_of(lambda: house.stranger.why(kept.record_id)) == "principal_may_not"


def test_why_leaves_out_what_the_asker_may_not_see(house: World) -> None:
    """A record's claims above the clearance are not among those that rest on it."""
    kept = house.ana.remember("keep it", kind="data.legal-hold")
    found = house.dan.why(kept.record_id)

    assert found.claims == ()
    assert len(house.ana.why(kept.record_id).claims) == 1


def test_why_of_a_record_tells_what_became_of_it(house: World) -> None:
    """Kept apart, confirmed, withdrawn: each with who and why, and nothing of another record."""
    kept = house.agent.remember("grey", classification="sensitive")
    house.ana.remember("another")
    house.bob.approve(kept.record_id, reason="seen it")
    house.bob.reject(kept.record_id, reason="it was wrong")

    assert [(step.type, step.actor, step.text) for step in house.bob.why(kept.record_id).steps] == [
        ("record.pending", "agent:pip", "awaits-confirmation, graded-agent"),
        ("record.confirmed", "person:bob", "seen it"),
        ("record.withdrawn", "person:bob", "it was wrong"),
    ]


def test_why_says_in_which_layer_of_memory_it_is(house: World) -> None:
    """A rule of the project, the same of a task alone, and the record that both rest on."""
    kept = house.ana.remember("frozen", kind=FREEZE)
    of_task = house.ana.remember("frozen", kind=FREEZE, scope=["project:payments", "task:42"])

    layers = [
        house.ana.why(each).found["layer"]
        for each in (kept.claims[0].claim_id, of_task.claims[0].claim_id, kept.record_id)
    ]
    assert layers == ["procedural", "working", "episodic"]
