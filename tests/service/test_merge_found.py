"""What is known of one subject is found for another that a person merged it with, and for nobody who may not see that."""

from __future__ import annotations

from typing import Any

from believers import PAYMENTS, PEOPLE, says
from test_states import READY, seen
from workflows import CALM, CURRENT, STAGING, WANTS, incident, judged, settle, spoken, wanting
from worlds import World, house_fixture, world  # noqa: F401  # pytest finds the fixture here

from heedful import Memory

BOB, ROBERT = "user:bob", "person:robert"
WHERE = "Where does Robert live?"


def found(memory: Memory, question: str = WHERE, scope: Any = PAYMENTS) -> list[str]:
    """The claims that the packet for this question shows."""
    return [item.item_id for item in memory.recall(question, scope=scope).items if item.item == "claim"]


def test_a_question_by_one_name_finds_what_was_told_by_the_other() -> None:
    """As well as by its own, and no more once they are two again; who does not see the merge finds what they did."""
    apart = ("project:payments", "user:ana")
    with world(policy=PEOPLE) as home:
        turin = says(home.ana, "Turin", subject=BOB)
        assert found(home.ana) == []
        itself = home.ana.recall("Where does Bob live?", scope=PAYMENTS)
        done = home.ana.merge(BOB, ROBERT, scope=apart, reason="between us")
        assert (found(home.ana), found(home.memory("person:dan"))) == ([], [])
        assert found(home.ana, scope=apart) == [turin]

        home.bob.merge(BOB, ROBERT, scope=PAYMENTS, reason="he goes by both")
        for person in (home.ana, home.memory("person:dan")):
            (item,) = (each for each in person.recall(WHERE, scope=PAYMENTS).items if each.item == "claim")
            assert item.item_id == turin
        by_own = home.ana.recall("Where does Bob live?", scope=PAYMENTS)
        assert [each.item_id for each in by_own.items] == [each.item_id for each in itself.items]
        assert by_own.sufficiency == itself.sufficiency

        home.ana.unmerge(done.merge.merge_id, reason="two men")
        assert found(home.ana, scope=apart) == [turin]
        (left,) = home.ana.merges(only_joined=True)
        home.ana.unmerge(left.merge_id, reason="two men")
        assert (found(home.ana), found(home.ana, scope=apart)) == ([], [])


def test_names_of_other_scripts_and_of_several_words_are_found_alike() -> None:
    """By the whole name: a part of it alone names nobody."""
    with world(policy=PEOPLE) as home:
        told = says(home.ana, "都灵", subject="person:罗伯特")
        home.bob.merge("person:罗伯特", "person:Robert Smith", scope=PAYMENTS, reason="one man")
        assert found(home.ana, "What about Robert Smith?") == [told]
        assert found(home.ana, "What about Robert?") == []


def test_a_state_of_one_is_that_of_the_other(house: World) -> None:
    """The newest observation of any of them counts."""
    kept = seen(house.ana, READY, "52")
    other = "pod:shop/checkout"
    assert house.ana.state(other).states == ()
    subject = house.ana.show(kept.claims[0].claim_id)[0].subject  # type: ignore[union-attr]
    done = house.ana.merge(subject, other, scope=PAYMENTS, reason="renamed")
    by_other, by_own = house.ana.state(other).states, house.ana.state(subject).states
    assert by_other == by_own
    assert [each.value for each in by_other] == ["ready"]
    house.ana.unmerge(done.merge.merge_id, reason="another one")
    assert house.ana.state(other).states == ()


def test_what_a_workflow_wants_of_one_is_proved_or_denied_by_the_other(house: World) -> None:
    """Only while they are one; what is told of a third proves nothing."""
    settle(house, wanting(CALM.replace("value:", 'subject: "service:web", value:')))
    house.bob.approve(incident(house, "none", subject="service:shop"))
    assert spoken(judged(house, "Ship")) == {WANTS: "deny"}
    house.ana.merge("service:other", "service:web", scope=STAGING, reason="one service")
    assert spoken(judged(house, "Ship")) == {WANTS: "deny"}
    done = house.ana.merge("service:shop", "service:web", scope=STAGING, reason="one service")
    assert spoken(judged(house, "Ship")) == {CURRENT: "allow"}
    house.bob.approve(incident(house, "open", subject="service:other"))
    assert spoken(judged(house, "Ship")) == {WANTS: "deny"}
    house.ana.unmerge(done.merge.merge_id, reason="two")
    assert spoken(judged(house, "Ship")) == {WANTS: "deny"}
