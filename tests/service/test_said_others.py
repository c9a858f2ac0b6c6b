"""A fact about somebody else is theirs: a subject of its own below its speaker, with a value, mixed with nobody's."""

from __future__ import annotations

import pytest
from test_leaning import ANA, NOTE, house_fixture, say, told  # noqa: F401  # pytest finds the fixture here
from worlds import World

from heedful.claims.claim import Claim
from heedful.ledger.events import ClaimProposed


def held(house: World) -> list[tuple[str, object]]:
    """What is active about anybody, in ledger order."""
    with house.app.session(principal="person:ana").store.read() as reading:
        proposed = [each for each in house.events() if isinstance(each, ClaimProposed)]
        found = [reading.claim(each.claim_id) for each in proposed]
    return [(each.subject, each.value) for each in found if each is not None and each.is_reviewed]


def test_it_has_a_subject_and_a_value_and_what_is_said_of_them_later_is_weighed_with_it(house: World) -> None:
    """Neither the speaker's own nor another relation's changes by it."""
    say(house, "remember: I live in Milan")
    say(house, "remember: My sister Mia lives in Lyon")
    say(house, "remember: My brother lives in Rome")
    say(house, "记住：小明的生日是3月5日")
    say(house, "remember: My sister Mia lives in Nice")
    assert held(house) == [
        ("user:ana", "Milan"),
        ("user:ana/brother", "Rome"),
        ("user:ana/小明", "3月5日"),
        ("user:ana/sister/mia", "Nice"),
    ]
    items = house.ana.recall("Where does my sister live?", scope=ANA).items
    assert next(each.text for each in items if each.item == "claim") == "My sister Mia lives in Nice"
    plain = say(house, "My brother lives in Pisa.")
    assert told(house, plain) == [("said.home", "Pisa", "evidence-verified")]
    assert say(house, "My mother lives in Pisa.").claims == ()


def test_a_birthday_is_no_plan(house: World) -> None:
    """Its day is no time at which it is so."""
    kept = say(house, "remember: Bob's birthday is 5 March 1990")
    (claim,) = (house.ana.show(note.claim_id)[0] for note in kept.claims)
    assert isinstance(claim, Claim)
    assert (claim.subject, claim.value, claim.form, claim.valid.start_us) == (
        "user:ana/bob", "5 March 1990", "fact", None,
    )  # fmt: skip


@pytest.mark.parametrize("name", ["M\u0456a", "M" + "x" * 300])
def test_a_name_that_looks_like_another_or_is_none_leaves_the_line_a_note(house: World, name: str) -> None:
    """With a Cyrillic letter among Latin ones, or of three hundred letters."""
    assert told(house, say(house, f"remember: My sister {name} lives in Lyon")) == [NOTE]


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("remember: My sister Mia lives in Lyon", "remember: she moved to Paris", ("user:ana/sister/mia", "Paris")),
        ("记住：我哥哥住在里昂", "记住：他搬到巴黎了", ("user:ana/older-brother", "巴黎")),
    ],
)
def test_a_pronoun_is_whom_the_sentence_before_was_about(
    house: World, before: str, after: str, found: tuple[str, str]
) -> None:
    """They live there now, and lived in the other place before."""
    say(house, before)
    say(house, after)
    assert held(house) == [found]
    assert [each.because for each in house.ana.conflicts().conflicts] == ["later-word"]


@pytest.mark.parametrize(
    "before",
    [
        "My brother lives in Lyon",
        "I live in Lyon",
        "My sister likes Vim",
        "My brother lives in Lyon\nremember: Ida likes tea",
    ],
)
def test_a_pronoun_that_does_not_fit_is_nobody(house: World, before: str) -> None:
    """Nor whoever is not the only one spoken of, nor of whom no place was told."""
    say(house, f"remember: {before}")
    assert told(house, say(house, "remember: she moved to Paris")) == [NOTE]


def test_in_a_project_nobody_is_below_it(house: World) -> None:
    """There "my sister" is nobody's."""
    assert told(house, say(house, "remember: My sister lives in Lyon", scope=["project:payments"])) == [NOTE]
