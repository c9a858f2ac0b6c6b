"""The scorecard: numbers that are None where nothing was measured, each with a control that moves it."""

from __future__ import annotations

from typing import Any

import pytest
from households import ADDRESS, home_fixture, says  # noqa: F401  # pytest finds the fixture here
from upkeep_steps import DAYS_31, add, told
from worlds import QUESTION, World, code_of, house_fixture  # noqa: F401  # pytest finds the fixture here

from heedful.claims.lifecycle import SERVICE_ACTOR
from heedful.kernel.ids import ClaimId, ConflictId, PrincipalId
from heedful.ledger.belief_events import ConflictDetected, ConflictResolved
from heedful.ledger.events import PacketAssembled
from heedful.ports.store import Chain

ANA = PrincipalId("person:ana")


def summarised(house: World, said: str, statement: str, **more: Any) -> str:
    """The id of a claim that a summary makes of what a tool printed."""
    output = house.ana.remember(said, record_type="tool_result", grade="tool", attributes={"tool": "query"})
    made = house.ana.remember(statement, kind="note", grade="summary", derived_from=[output.record_id], **more)
    return made.claims[0].claim_id


def test_nothing_measured_is_none(house: World) -> None:
    """And never 0; in the text of metrics it is left out."""
    card = house.ana.scorecard()

    assert (card.memory_recall_reliability, card.recall_from, card.recall_asked) == (None, None, 0)
    assert card.memory_phantoms_per_1k_writes is None
    assert card.memory_conflict_resolution_time_s is None
    assert card.memory_conflict_answer_time_s is None
    assert card.memory_automatic_eviction_pct is None
    assert card.metrics() == ""


def test_a_planted_phantom_is_found_and_honest_claims_are_not(house: World) -> None:
    """A summary that says what its source does not, one with another number, and an agent's word alone."""
    honest = summarised(house, "rows: 7, rounded: 3", "The table has 7 rows, 3 of them rounded", value=7)
    person = told(house, "Tea at four", value="tea time")
    planted = summarised(house, "rows: 7, rounded: 3", "The auditors approved every invoice")
    wrong = summarised(house, "rows: 7, rounded: 3", "The table has 8 rows")
    alone = house.agent.remember("The user wants weekly reports", kind="note").claims[0].claim_id

    card = house.ana.scorecard()

    assert {each.claim_id for each in card.phantoms} == {planted, wrong, alone}
    assert (card.written, card.phantoms_found, card.memory_phantoms_per_1k_writes) == (5, 3, 600.0)
    assert {honest, person}.isdisjoint(each.claim_id for each in card.phantoms)
    house.clock.go(seconds=DAYS_31)
    assert house.ana.scorecard().memory_phantoms_per_1k_writes is None
    assert house.ana.scorecard(days=60).phantoms_found == 3


def test_what_a_projector_read_is_no_phantom(house: World) -> None:
    """Its words are the registry's: "changes-pending" stands nowhere in what the tool printed. The control: an agent's."""
    tool = {"tool": "Bash", "command": "terraform plan"}
    shown = "Plan: 1 to add, 0 to change, 0 to destroy."
    kept = house.ana.remember(shown, record_type="tool_result", grade="tool", attributes=tool)
    (state,) = [note.claim_id for note in kept.claims if house.ana.show(note.claim_id)[0].form == "state"]  # type: ignore[union-attr]
    said = {"kind": "note", "grade": "summary", "form": "state", "derived_from": [kept.record_id]}
    planted = house.ana.remember("The drift is in-sync", value="in-sync", **said).claims[0].claim_id  # type: ignore[arg-type]

    card = house.ana.scorecard()

    assert state not in {each.claim_id for each in card.phantoms}
    assert planted in {each.claim_id for each in card.phantoms}


def test_a_correction_is_no_phantom(home: World) -> None:
    """What a person puts right stands on their own word."""
    address = says(home.ana, "I live in Shanghai.", ADDRESS, "Shanghai")
    home.ana.correct(address, "北京", reason="moved", statement="Ana lives in Beijing.")

    assert home.ana.scorecard().phantoms == ()


def test_recall_is_measured_by_questions_weighted_by_tier(house: World) -> None:
    """What must be remembered is asked for now; nobody is handed those packets, and none counts as a use."""
    freeze, tea = house.freeze(), told(house, "Tea is served at four", confidence=0.9)
    must: list[dict[str, object]] = [
        {"question": QUESTION, "claim": freeze, "tier": 3},
        {"question": "When is tea served?", "expects": "at FOUR"},
        {"question": "When is tea served?", "claim": tea, "scope": ["project:payments"]},
        {"question": "When is lunch served?", "expects": "at noon", "tier": 4},
    ]

    card = house.ana.scorecard(must=must)

    assert (card.recall_from, card.recall_asked, card.memory_recall_reliability) == ("must", 4, round(5 / 9, 4))
    assert not [event for event in house.events(Chain.ACCESS) if isinstance(event, PacketAssembled)]
    house.bob.archive(tea, reason="no more")
    again = house.ana.scorecard(must=must).memory_recall_reliability
    assert again == round(4 / 9, 4)


@pytest.mark.parametrize(
    "item",
    [{}, {"question": 1}, {"question": "x"}, {"question": "x", "claim": "a", "expects": "b"},
     {"question": "x", "expects": "y", "tier": 5}, {"question": "x", "expects": "y", "more": 1}],
)  # fmt: skip
def test_a_question_that_is_not_in_order_is_named(house: World, item: dict[str, object]) -> None:
    """By its number, and nothing is measured."""
    assert code_of(lambda: house.ana.scorecard(must=[{"question": "x", "expects": "y"}, item])) == "must_malformed"


def test_recall_is_measured_by_marks_where_nothing_is_asked(house: World) -> None:
    """Of two marks by one person for one item the later counts."""
    house.freeze()
    packet = house.ana.recall(QUESTION)
    (cite,) = [item.cite for item in packet.items if item.bridges]
    house.ana.mark(packet.packet_id, cite, relevant=False, reason="so")
    assert house.ana.scorecard().memory_recall_reliability == 0.0
    house.ana.mark(packet.packet_id, cite, relevant=True, reason="so")
    house.bob.mark(packet.packet_id, cite, relevant=False, reason="so")

    card = house.ana.scorecard()

    assert (card.recall_from, card.recall_asked, card.memory_recall_reliability) == ("marks", 2, 0.5)


def test_conflicts_are_counted_with_and_without_those_that_a_rule_settles(house: World) -> None:
    """The median of all that ended, and of those alone that a person was asked about."""
    claims = [ClaimId(told(house, f"The canteen may close {number}")) for number in range(2)]
    for number, seconds in enumerate((10, 40, 20)):
        conflict = ConflictId(f"k{number}")
        add(house, ConflictDetected(conflict, claims[0], claims[1], "ask", "peers", "?"))
        house.clock.go(seconds=seconds)
        if number < 2:
            add(house, ConflictResolved(conflict, "a_wins", ANA, "it is so"))
    card = house.ana.scorecard()
    assert (card.conflicts_resolved, card.conflicts_asked, card.conflicts_open) == (2, 2, 1)
    assert card.memory_conflict_answer_time_s == card.memory_conflict_resolution_time_s
    assert card.memory_conflict_answer_time_s == pytest.approx(25, abs=1)

    for number in range(3):
        settled = ConflictId(f"r{number}")
        add(house, ConflictDetected(settled, claims[0], claims[1], "supersede", "later-word", None))
        add(house, ConflictResolved(settled, "b_wins", SERVICE_ACTOR, "said later"))

    card = house.ana.scorecard()
    assert (card.conflicts_resolved, card.conflicts_asked) == (5, 2)
    assert card.memory_conflict_answer_time_s == pytest.approx(25, abs=1)
    assert card.memory_conflict_resolution_time_s == pytest.approx(0, abs=1)
    assert "memory_conflict_answer_time_s 25" in card.metrics()


def test_evictions_are_a_share_of_what_was_active(house: World) -> None:
    """What a rule archived, of that and all the rest; taken back and archived again it is still one, never above 100."""
    claims = [told(house, f"The canteen may close {number}") for number in range(4)]
    house.clock.go(seconds=DAYS_31)
    assert house.ana.scorecard(days=1).memory_automatic_eviction_pct == 0
    house.bob.archive(claims[3], reason="by hand")
    house.ana.maintain("collect")
    told(house, "The canteen may open")

    card = house.ana.scorecard(days=1)

    assert (card.archived, card.held) == (3, 5)
    assert card.memory_automatic_eviction_pct == 60
    assert "memory_automatic_eviction_pct 60\n" in card.metrics()
    house.bob.unarchive(claims[0], reason="by hand")
    again = house.ana.scorecard(days=1)
    assert (again.archived, again.held) == (3, 5)


def test_it_is_for_people_who_audit(house: World) -> None:
    """As provenance is; and days have a limit."""
    for memory in (house.bob, house.agent, house.memory("person:ana", channel="agent")):
        assert code_of(lambda memory=memory: memory.scorecard()) == "principal_may_not"  # type: ignore[misc]
    assert house.memory("person:aud").scorecard().written == 0
    assert code_of(lambda: house.ana.scorecard(days=0)) == "days_malformed"
