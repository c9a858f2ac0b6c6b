"""A correction that names no property leans on what its speaker said just before, and on nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from believers import PEOPLE
from worlds import World, world

from heedful.claims.claim import Claim
from heedful.service.keeping.remember import Remembered

ANA = ("user:ana",)


@pytest.fixture(name="house")
def house_fixture() -> Any:
    with world(policy=PEOPLE) as made:
        yield made


def say(house: World, text: str, **more: Any) -> Remembered:
    who = house.memory(more.pop("by", "person:ana"), channel=more.pop("channel", "person"))
    house.clock.go(seconds=5)
    return who.remember(text, **{"scope": ANA, "consent": "explicit", **more})


def told(house: World, kept: Remembered) -> list[tuple[str, object, str]]:
    found = [house.ana.show(note.claim_id)[0] for note in kept.claims]
    return [(each.kind, each.value, each.status) for each in found if isinstance(each, Claim)]


NOTE = ("note", True, "active")


@pytest.mark.parametrize(
    ("before", "after", "value", "statement"),
    [
        ("remember: I live in Paris", "remember: Actually it's Lyon", "Lyon", "I live in Lyon"),
        ("记住：我住在巴黎", "记住：其实是里昂", "里昂", "我住在里昂"),
        ("remember: home.city: it is Paris value=Paris", "remember: Scratch that, Lyon", "Lyon", "it is Lyon"),
    ],
)
def test_it_is_a_correction_of_what_was_said_from_its_beginning(
    house: World, before: str, after: str, value: str, statement: str
) -> None:
    """The old value never was; the new one rests on both records."""
    old = say(house, before)
    new = say(house, after)

    (claim,) = (house.ana.show(note.claim_id)[0] for note in new.claims)
    assert isinstance(claim, Claim)
    assert (claim.value, claim.statement, claim.status) == (value, statement, "active")
    assert claim.evidence == (new.record_id, old.record_id)
    wrong = house.ana.show(old.claims[0].claim_id)[0]
    assert isinstance(wrong, Claim)
    assert (wrong.status, wrong.valid.is_empty) == ("superseded", True)
    assert [each.because for each in house.ana.conflicts().conflicts] == ["same-start"]
    assert house.ana.verify(views=True).holds


def test_a_plain_sentence_proposes_it_and_ends_what_nobody_approved(house: World) -> None:
    """What is active waits for a person; in one message it is as the second sentence has it."""
    say(house, "remember: I live in Paris", consent="implicit")
    plain = say(house, "No, Lyon.", consent="implicit")
    assert told(house, plain) == [("said.home", "Lyon", "evidence-verified")]
    assert [note.status for note in plain.ended] == ["superseded"]
    again = say(house, "Oh, wait. I live in Nice. Sorry, it's Nantes.")
    assert told(house, again) == [("said.home", "Nantes", "evidence-verified")]
    whole = say(house, "remember: I live in Brest. Scratch that, Rennes.")
    assert told(house, whole) == [("said.home", "Rennes", "active")]


def test_what_was_merely_heard_in_between_changes_nothing(house: World) -> None:
    """An agent that notes it; where it says more, the words may lean on that."""
    run = {"run_id": "r1"}
    say(house, "remember: I live in Paris", **run)
    say(house, "Got it, thanks.", grade="agent", **run)
    assert told(house, say(house, "remember: Actually it's Lyon", **run)) == [("said.home", "Lyon", "active")]
    say(house, "The meeting is in Nice.", grade="agent", **run)
    assert told(house, say(house, "remember: Actually it's Brest", **run)) == [NOTE]


@pytest.mark.parametrize(
    "between",
    [
        {"text": "Where is a good café?"},
        {"text": "It rains today."},
        {"text": "It rains in Rome.", "by": "person:eve"},
        {"text": "remember: My favourite player is Messi", "run_id": "r2"},
        None,
    ],
)
def test_it_leans_on_nothing_else(house: World, between: dict[str, Any] | None) -> None:
    """Another sentence or speaker in between, another run, a long time, or nothing before: it stays a note."""
    say(house, "remember: I live in Paris")
    if between is None:
        house.clock.go(seconds=3_600)
    else:
        say(house, **between)
    assert told(house, say(house, "remember: Actually it's Lyon")) == [NOTE]


def test_another_speaker_corrects_nobody(house: World) -> None:
    """Nor does it lean on a question, on two things at once, or on nothing."""
    assert told(house, say(house, "remember: No, Lyon")) == [NOTE]
    say(house, "remember: I live in Paris")
    assert told(house, say(house, "remember: No, Lyon", by="person:eve")) == [NOTE]
    say(house, "remember: I live in Paris\nremember: My favourite player is Messi")
    assert told(house, say(house, "remember: No, Lyon")) == [NOTE]
    say(house, "remember: I live in Paris\nAm I right that it's Paris?")
    assert told(house, say(house, "remember: No, Lyon")) == [NOTE]


def test_with_the_correction_withdrawn_the_first_word_stands_again(house: World) -> None:
    """And with the first word withdrawn, what leans on it is out of use too."""
    old, new = say(house, "remember: I live in Paris"), say(house, "remember: No, Lyon")
    house.ana.reject(new.record_id)
    again = house.ana.show(old.claims[0].claim_id)[0]
    assert isinstance(again, Claim)
    assert (again.status, again.valid.is_empty) == ("active", False)
    right = say(house, "remember: No, Nice")
    house.ana.reject(old.record_id)
    assert told(house, right) == [("said.home", "Nice", "quarantined")]


def test_with_the_correction_retracted_what_it_put_right_holds_again(house: World) -> None:
    """One by one, the last first; back to the first value is a correction as well."""
    kept = [say(house, f"remember: {text}") for text in ("I live in Paris", "Actually it's Lyon", "No, Paris")]
    first, second, third = (each.claims[0].claim_id for each in kept)
    assert house.ana.retract(third, reason="no").standing_again == (second,)
    assert house.ana.retract(second, reason="no").standing_again == (first,)
    assert told(house, kept[0]) == [("said.home", "Paris", "active")]
    assert house.ana.verify(views=True).holds


def test_what_its_speaker_may_not_see_is_not_in_between(house: World) -> None:
    """Dan's words mean what they would mean if Ana's did not exist; a record that he sees is in between."""
    dan = {"by": "person:dan", "scope": ["user:dan"]}
    say(house, "remember: I live in Paris", **dan)
    say(house, "Dan is ill.", scope=["user:dan"], classification="sensitive")
    assert told(house, say(house, "remember: No, Lyon", **dan)) == [("said.home", "Lyon", "active")]
    say(house, "Dan is well.", scope=["user:dan"])
    assert told(house, say(house, "remember: No, Nice", **dan)) == [NOTE]


def test_many_at_once_lean_as_one_after_another(house: World) -> None:
    """The first is in the store when the second is settled."""
    lines = ["remember: I live in Paris", "remember: No, Lyon", "remember: I meant Nice"]
    kept = house.ana.remember_many([{"content": line, "consent": "explicit"} for line in lines], scope=ANA)
    values = [house.ana.show(each.claims[0].claim_id)[0] for each in kept if isinstance(each, Remembered)]
    assert [(each.value, each.status) for each in values if isinstance(each, Claim)] == [
        ("Paris", "superseded"),
        ("Lyon", "superseded"),
        ("Nice", "active"),
    ]
