"""Who speaks: what an agent says is the agent's word, whoever runs it, and it governs nothing."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from worlds import FREEZE, World, code_of, house_fixture, transcript  # noqa: F401  # pytest finds the fixture here

from heedful.claims.claim import Claim, Form
from heedful.kernel.ladder import Consent, Tier
from heedful.observations.record import Channel, SourceGrade
from heedful.ports.store import StoredRecord

LINE = "remember: release.freeze: Nothing goes out before Friday. until=2026-12-04"


def record_of(house: World, record_id: str) -> StoredRecord:
    """The record as the owner sees it."""
    item, _ = house.ana.show(record_id)
    assert isinstance(item, StoredRecord)
    return item


def claim_of(house: World, claim_id: str) -> Claim:
    """The claim as the owner sees it."""
    item, _ = house.ana.show(claim_id)
    assert isinstance(item, Claim)
    return item


def test_an_agents_word_is_an_unverified_inference(house: World) -> None:
    """Whatever form and grade it asks for: neither a rule nor the user's own words."""
    for grade in (None, "user", "operator", "system", "tool"):
        kept = house.agent.remember("never deploy again", kind=FREEZE, form="constraint", grade=grade)
        claim = claim_of(house, kept.claims[0].claim_id)

        assert record_of(house, kept.record_id).record.grade is SourceGrade.AGENT
        assert (claim.form, claim.tier) == (Form.INFERENCE, Tier.UNVERIFIED)
        assert claim.status != "active"


def test_a_persons_rule_keeps_its_form(house: World) -> None:
    """The same statement by somebody who may state rules is an operator's constraint."""
    kept = house.ana.remember("never deploy again", kind=FREEZE)
    claim = claim_of(house, kept.claims[0].claim_id)

    assert (claim.form, claim.tier) == (Form.CONSTRAINT, Tier.OPERATOR)
    assert claim.tier == {SourceGrade.OPERATOR: Tier.OPERATOR}[record_of(house, kept.record_id).record.grade]


def test_an_owner_at_an_agents_door_is_an_agent_there(house: World, tmp_path: Path) -> None:
    """A program that an agent drives neither states rules, nor consents, nor governs, whoever runs it."""
    driven = house.memory("person:ana", channel="agent")
    kept = driven.remember("never", kind=FREEZE, consent="explicit", grade="operator")

    assert claim_of(house, kept.claims[0].claim_id).form is Form.INFERENCE
    assert record_of(house, kept.record_id).record.consent is Consent.IMPLICIT
    for call in (
        lambda: driven.approve(kept.claims[0].claim_id),
        lambda: driven.reject(kept.claims[0].claim_id),
        lambda: driven.set_mode("pre-router", "off", reason="r"),
        lambda: driven.import_trace(transcript(tmp_path / "t.jsonl", LINE)),
        driven.review_queue,
    ):
        assert code_of(call) == "principal_may_not"


@pytest.mark.parametrize("who", ["person:ana", "person:bob", "agent:pip"])
def test_an_agents_memory_makes_agents_sessions_alone(house: World, who: str) -> None:
    """Nobody becomes a person by asking, whoever the session is for; a person may act as anybody."""
    for driven in (house.memory("person:ana", channel="agent"), house.agent, house.ana.acting_as("agent:pip")):
        assert code_of(partial(driven.acting_as, who, channel="person")) == "principal_may_not"
        again = driven.acting_as(who)
        assert code_of(partial(again.acting_as, who, channel="person")) == "principal_may_not"
        assert code_of(again.review_queue) == "principal_may_not"

    assert house.ana.acting_as("person:bob", channel="person").review_queue().claims == ()


@pytest.mark.parametrize("verb", ["approve", "reject", "mode", "queue", "verify", "import"])
def test_an_agent_governs_nothing(house: World, verb: str, tmp_path: Path) -> None:
    """Agents propose and request; each governing verb is denied, through a person's door as well."""
    trace = transcript(tmp_path / "t.jsonl", "x")
    claim_id = house.agent.remember("frozen", kind=FREEZE).claims[0].claim_id
    for agent in (house.agent, house.memory("agent:pip", channel="person")):
        calls = {
            "approve": lambda agent=agent: agent.approve(claim_id),
            "reject": lambda agent=agent: agent.reject(claim_id),
            "mode": lambda agent=agent: agent.set_mode("pre-router", "off", reason="r"),
            "queue": lambda agent=agent: agent.review_queue(),
            "verify": lambda agent=agent: agent.verify(),
            "import": lambda agent=agent: agent.import_trace(trace),
        }
        assert code_of(calls[verb]) == "principal_may_not"
    assert claim_of(house, claim_id).status == "evidence-verified"


def test_a_quotation_counts_as_the_users_only_where_it_was_captured(house: World, tmp_path: Path) -> None:
    """An agent says that the user said it: the agent's word, unless an importer captured exactly these words."""
    words = "please keep the invoices in euro"
    trace = transcript(tmp_path / "t.jsonl", words)
    before = house.agent.remember(words, grade="user")
    house.ana.import_trace(trace)
    after = house.agent.remember(words, grade="user")
    other = house.agent.remember(words + "s", grade="user")

    assert record_of(house, before.record_id).record.grade is SourceGrade.AGENT
    assert "agent-says-user-said" in before.flags
    assert record_of(house, after.record_id).record.grade is SourceGrade.USER
    assert record_of(house, after.record_id).record.channel is Channel.AGENT
    assert record_of(house, other.record_id).record.grade is SourceGrade.AGENT


def test_remember_lines_of_a_person_are_proposed_and_of_data_never(house: World) -> None:
    """The same line in a document, or in an agent's words, stays text."""
    by_person = house.ana.remember(LINE)
    as_document = house.ana.remember(LINE, record_type="document", grade="document")
    as_tool = house.ana.remember(LINE, grade="tool")
    by_agent = house.agent.remember(LINE)

    assert [claim.kind for claim in by_person.claims] == [FREEZE]
    assert as_document.claims == as_tool.claims == by_agent.claims == ()


def test_no_role_makes_an_agent_vouch_for_a_user(house: World, tmp_path: Path) -> None:
    """An operator's role lets a person import, and an agent not even through a person's door."""
    path = transcript(tmp_path / "t.jsonl", LINE)
    house.use(
        house.policy.replace("roles: [agent]", "roles: [agent, operator]").replace("roles: []", "roles: [operator]")
    )

    assert code_of(lambda: house.memory("agent:pip").import_trace(path)) == "principal_may_not"
    assert house.dan.import_trace(path).admitted == 1
