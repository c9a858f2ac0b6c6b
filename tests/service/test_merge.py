"""Two subjects that people say are one: what is asked because of it, and what is left when it is taken back."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from believers import CITY, PAYMENTS, PEOPLE, claim, conflicts, says
from worlds import World, code_of, world

from heedful import Memory
from heedful.claims.claim import Claim, ClaimStatus
from heedful.claims.merge import MergeStanding
from heedful.kernel.ladder import Classification
from heedful.kernel.times import format_time
from heedful.ledger.merge_events import SubjectsMerged, SubjectsUnmerged
from heedful.service.merging import merge as verb
from heedful.service.project import refold
from heedful.service.sight import visible_everywhere

BOB, ROBERT = "user:bob", "person:robert"


@pytest.fixture(name="home")
def home_fixture(request: pytest.FixtureRequest) -> Any:
    """An empty store."""
    is_shared = getattr(request, "param", "sqlite") == "postgresql"
    database = request.getfixturevalue("emptied_database") if is_shared else None
    with world(policy=PEOPLE, database=database) as made:
        yield made


def merged(memory: Memory, other: str = ROBERT, **more: Any) -> Any:
    return memory.merge(BOB, other, **({"scope": PAYMENTS, "reason": "he goes by both"} | more))


def held(home: World) -> dict[str, Claim]:
    """Every claim by id, but for the reason of its status."""
    session = home.app.session(principal="person:ana")
    with session.store.read() as reading:
        visible = visible_everywhere(session, reading)
        found = [claim for each in (BOB, ROBERT) for claim in reading.claims_about(visible, each, limit=100)]
    return {each.claim_id: replace(each, status_reason="") for each in found}


@pytest.mark.parametrize("home", ["sqlite", "postgresql"], indirect=True)
def test_a_merge_is_an_event_that_changes_no_claim_and_can_be_undone(home: World) -> None:
    """Who, why and since when are told; claims keep their subjects, also those told meanwhile; the views refold."""
    said = says(home.ana, "Turin", subject=BOB)
    before = held(home)
    done = merged(home.bob)
    assert (done.changed, done.asks, done.merge.standing) == (True, (), MergeStanding.JOINED)
    assert merged(home.bob).changed is False
    assert held(home) == before
    told = says(home.ana, "Turin", subject=ROBERT)
    between = held(home)

    (listed,) = home.ana.merges()
    assert (listed.subject, listed.other, listed.merged_by, listed.reason) == (
        BOB,
        ROBERT,
        "person:bob",
        "he goes by both",
    )
    undone = home.bob.unmerge(done.merge.merge_id, reason="two men after all")
    assert (undone.merge.standing, undone.merge.undone_by) == (MergeStanding.UNDONE, "person:bob")
    assert held(home) == between
    assert (claim(home, said).subject, claim(home, told).subject) == (BOB, ROBERT)
    assert home.ana.merges(only_joined=True) == ()
    assert [type(each) for each in home.events() if isinstance(each, SubjectsMerged | SubjectsUnmerged)] == [
        SubjectsMerged,
        SubjectsUnmerged,
    ]
    assert code_of(lambda: home.bob.unmerge(done.merge.merge_id, reason="again")) == "merge_over"
    assert_refolds(home)


def assert_refolds(home: World) -> None:
    session = home.app.session(principal="person:ana")
    with session.store.read() as reading:
        before = list(reading.dump_views())
    session.store.write(lambda writing: refold(writing, session.text_of, progress=lambda _position: None))
    with session.store.read() as reading:
        assert list(reading.dump_views()) == before


def test_claims_of_both_that_cannot_be_so_are_asked_about_and_nothing_is_decided(home: World) -> None:
    """At the merge, oldest first; taking it back closes the question, and both claims are as they were."""
    turin = says(home.ana, "Turin", subject=BOB)
    oslo = says(home.bob, "Oslo", subject=ROBERT)
    before = held(home)
    done = merged(home.bob)
    (question,) = conflicts(home)
    assert done.asks == (question.conflict_id,)
    assert (question.standing_id, question.newcomer_id) == (turin, oslo)
    assert (question.because, question.outcome.value, question.is_open) == ("merged-subjects", "ask", True)
    assert [each.conflict_id for each in home.ana.review_queue().questions] == [question.conflict_id]
    for each in (turin, oslo):
        now = claim(home, each)
        assert (now.status, now.confidence, now.conflicts_open) == (ClaimStatus.ACTIVE, 1.0, 1)

    undone = home.bob.unmerge(done.merge.merge_id, reason="two men")
    assert undone.closed == (question.conflict_id,)
    assert held(home) == before
    assert home.ana.review_queue().questions == ()


@pytest.mark.parametrize("choice", ["a", "b", "neither"])
def test_what_an_answer_had_ended_or_worn_down_is_given_back(home: World, choice: str) -> None:
    """It was an answer about one person, and there are two."""
    says(home.memory("person:dan"), "Turin", subject=BOB)
    says(home.memory("person:eve"), "Oslo", subject=ROBERT)
    before = held(home)
    done = merged(home.bob)
    home.ana.answer(done.asks[0], choice, reason="I asked him")
    assert held(home) != before
    undone = home.bob.unmerge(done.merge.merge_id, reason="two men")
    assert len(undone.given_back) == (2 if choice == "neither" else 1)
    assert held(home) == before
    assert_refolds(home)


def test_what_is_told_of_one_is_weighed_against_what_is_known_of_the_other(home: World) -> None:
    """A newcomer is asked about, too; equal values, other properties and other scopes are not. The control: no merge."""
    says(home.ana, "Turin", subject=BOB)
    says(home.ana, "Oslo", subject="person:rob")
    assert conflicts(home) == []
    merged(home.bob)
    says(home.ana, "turin", subject=ROBERT)
    assert conflicts(home) == []
    bergen = says(home.bob, "Bergen", subject="person:rupert")
    assert conflicts(home) == []
    done = merged(home.bob, "person:rupert")
    assert len(done.asks) == 2
    assert {each.newcomer_id for each in conflicts(home)} == {bergen}


def test_who_may_not_approve_may_not_merge(home: World) -> None:
    """Nor an agent, nor in a scope that is not theirs; names that only look like others are refused."""
    for person in ("person:dan", "agent:helper"):
        assert code_of(partial(merged, home.memory(person))) == "principal_may_not"
    assert code_of(lambda: merged(home.bob, scope=("user:ana",))) == "scope_not_granted"
    assert code_of(lambda: merged(home.bob, BOB)) == "merge_of_one"
    assert code_of(lambda: merged(home.bob, "person:\u200brobert")) == "name_malformed"
    done = merged(home.bob)
    for person in ("person:dan", "agent:helper"):
        undo = partial(home.memory(person).unmerge, done.merge.merge_id, reason="no")
        assert code_of(undo) == "principal_may_not"
    assert code_of(lambda: home.bob.unmerge("nothing", reason="no")) == "item_not_found"


def test_a_merge_that_one_may_not_see_changes_nothing_for_them(home: World) -> None:
    """Neither lists nor questions, of what one writes nor of what others asked; the control sees all of it."""
    says(home.ana, "Turin", subject=BOB)
    home.ana.merge(BOB, ROBERT, scope=("project:payments", "user:ana"), reason="between us")
    told = says(home.memory("person:dan"), "Oslo", subject=ROBERT)
    assert (conflicts(home), claim(home, told).conflicts_open) == ([], 0)
    assert home.memory("person:cyd").merges() == ()
    assert len(home.ana.merges()) == 1


def test_a_merge_is_as_restricted_as_what_is_known_of_either(home: World) -> None:
    """Who is not cleared for the one is told nothing of it, nor is anything asked by it that they would see."""
    says(home.ana, "Turin", subject=BOB)
    home.ana.remember(
        "Robert is ill.", subject=ROBERT, kind=CITY, value="x", scope=PAYMENTS, classification="restricted"
    )
    done = merged(home.ana)
    assert done.merge.classification is Classification.RESTRICTED
    assert (len(home.ana.merges()), home.memory("person:cyd").merges()) == (1, ())
    says(home.ana, "Oslo", subject=ROBERT)
    assert conflicts(home) == []
    assert code_of(lambda: home.memory("person:cyd").unmerge(done.merge.merge_id, reason="no")) == "item_not_found"


def test_pairs_that_were_said_to_be_two_are_not_asked_about_again(home: World) -> None:
    """Namesakes are of one sort and name; a junior is another name; at an earlier moment the question still waits."""
    for subject in ("entity:Delivery", "entity:delivery", "entity:Elias Whit", "entity:Elias Whit, Jr."):
        says(home.ana, "Turin", subject=subject)
    before = format_time(home.clock.now_us())
    home.clock.go(seconds=60)
    (asked,) = home.ana.review_queue().namesakes
    done = home.ana.merge(asked.subject, asked.other, scope=PAYMENTS, reason="a brand", apart=True)
    assert (done.merge.standing, done.asks) == (MergeStanding.APART, ())
    assert home.ana.review_queue().namesakes == ()
    assert home.ana.review_queue(known_at=before).namesakes == (asked,)
    assert (home.ana.merges(known_at=before), home.ana.merges(only_joined=True)) == ((), ())
    assert code_of(lambda: home.ana.unmerge(done.merge.merge_id, reason="x")) == "merge_over"


def test_a_question_stays_while_other_merges_still_join_the_two(home: World) -> None:
    """By a third subject; only with the last of them is it closed."""
    says(home.ana, "Turin", subject=BOB)
    says(home.bob, "Oslo", subject=ROBERT)
    direct = merged(home.bob)
    steps = [merged(home.bob, "person:rob"), home.bob.merge("person:rob", ROBERT, scope=PAYMENTS, reason="he too")]
    assert [each.asks for each in steps] == [(), ()]
    assert home.bob.unmerge(direct.merge.merge_id, reason="told twice").closed == ()
    assert [each.is_open for each in conflicts(home)] == [True]
    assert home.bob.unmerge(steps[0].merge.merge_id, reason="two men").closed == direct.asks


def test_two_that_are_one_are_not_said_to_be_two_before_that_is_taken_back(home: World) -> None:
    """Also where they are one over a third; merges that were undone count for no limit."""
    first = merged(home.bob, "person:rob")
    second = home.bob.merge("person:rob", ROBERT, scope=PAYMENTS, reason="he too")
    assert code_of(lambda: merged(home.bob, apart=True)) == "merge_stands"
    home.bob.unmerge(second.merge.merge_id, reason="no")
    assert merged(home.bob, apart=True).merge.standing is MergeStanding.APART
    home.bob.unmerge(first.merge.merge_id, reason="no")
    assert home.bob.merges(only_joined=True) == ()


def test_merges_that_were_undone_leave_room_for_others(home: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is looked at is what was said and stands."""
    monkeypatch.setattr(verb, "MERGES_MAX", 2)
    for _ in range(3):
        home.bob.unmerge(merged(home.bob).merge.merge_id, reason="no")
    merged(home.bob)
    merged(home.bob, "person:rob")
    assert code_of(lambda: merged(home.bob, "person:b")) == "merges_too_many"


def test_what_contradicts_across_a_merge_answers_nothing(home: World) -> None:
    """Until somebody says which is so, or the two are two again."""
    says(home.ana, "Turin", subject=BOB)
    says(home.ana, "Oslo", subject=ROBERT)
    done = merged(home.bob)
    asked = partial(home.ana.recall, "Which home city, Turin or Oslo?", scope=PAYMENTS)
    assert "open-conflict" in str(asked().sufficiency_reasons)
    home.bob.unmerge(done.merge.merge_id, reason="two men")
    assert "open-conflict" not in str(asked().sufficiency_reasons)
