"""Facts that are over by what words mean: of no kind and with no word of the claim, and nothing else with it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from shutters import CHATTER, FREEZE, OURS, OWNER, SHUT, HearsShutters, status, told
from worlds import World, house_fixture  # noqa: F401  # pytest finds the fixture here
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here

from heedful.bridges.routed import Likeness, Told

USUAL = "Head office called: business as usual from here."
TWO = "The shutters stay down until the ninth, and Blue team looks after the ledger."
NEAR, STRANGER, NEWS = 0.9, 0.0, 4.0


class Means(HearsShutters):
    """A router that knows what business as usual means: shutters stay down no longer.

    Attributes:
        is_away: True: it gives no answer about meaning now.
    """

    is_away = False

    def tell(self, text: str) -> Told:
        """Business as usual is an end, of no kind; a text may tell of shutters and of a team."""
        if text == USUAL:
            return Told((), 0.95, 0.9, "fake")
        heard = super().tell(text)
        kinds = [(FREEZE, 0.9)] * ("shutters" in text) + [(OWNER, 0.9)] * ("Blue" in text)
        return Told(tuple(kinds), heard.durable, heard.ended, heard.method)

    def likeness(self, text: str, statements: Sequence[str]) -> Likeness | None:
        """Business as usual is near to shutters that stay down, the more so where nothing else is said of them."""
        if self.is_away:
            return None
        near = [NEAR - len(each) / 1_000 if "shutters" in each else STRANGER for each in statements]
        return Likeness(NEWS if text == USUAL else -NEWS, tuple(near))


@pytest.fixture(name="home")
def meaning_home(house: World) -> World:
    """The house with that router."""
    house.app.router = Means()
    return house


def claims(home: World, text: str) -> dict[str, str]:
    """The ids of the claims that a message told, by kind."""
    return {note.kind: note.claim_id for note in home.ana.remember(text).claims}


def test_news_ends_what_it_means_though_no_kind_and_no_word_is_the_same(home: World) -> None:
    """It proposes nothing itself; the other claim stands."""
    claim_id, other = claims(home, SHUT)[FREEZE], claims(home, OURS)[OWNER]
    kept = home.ana.remember(USUAL)
    assert [note.claim_id for note in kept.ended] == [claim_id]
    assert (status(home, claim_id), status(home, other)) == ("superseded", "evidence-verified")
    assert kept.claims == ()
    assert home.ana.verify(views=True).holds


def test_such_an_end_is_taken_back_with_its_record(home: World) -> None:
    """As any other; said again it ends again."""
    claim_id = claims(home, SHUT)[FREEZE]
    kept = home.ana.remember(USUAL)
    assert home.bob.reject(kept.record_id).standing_again == (claim_id,)
    assert status(home, claim_id) == "evidence-verified"


def test_other_words_and_a_router_that_gives_no_answer_end_nothing(home: World) -> None:
    """Small talk, a further statement, and the news itself while what it means is not known."""
    claim_id = claims(home, SHUT)[FREEZE]
    home.ana.remember(CHATTER)
    home.ana.remember(OURS)
    assert isinstance(home.app.router, Means)
    home.app.router.is_away = True
    home.ana.remember(USUAL)
    assert status(home, claim_id) == "evidence-verified"
    home.app.router.is_away = False
    home.ana.remember(USUAL + " ", source_ref="m:2")
    assert status(home, claim_id) == "superseded"


@pytest.mark.parametrize("text", [f"{SHUT} {OURS}", TWO])
def test_the_other_thing_that_the_same_message_told_stands(home: World, text: str) -> None:
    """In a sentence of its own, and in another part of the same sentence."""
    found = claims(home, text)
    home.ana.remember(USUAL)
    assert (status(home, found[FREEZE]), status(home, found[OWNER])) == ("superseded", "evidence-verified")


def test_what_is_approved_is_not_ended_by_what_words_mean(home: World) -> None:
    """That it is over is proposed, and holds when a person approves that."""
    claim_id = claims(home, SHUT)[FREEZE]
    for reviewer in (home.bob, home.cyd):
        reviewer.approve(claim_id)
    (note,) = home.ana.remember(USUAL).claims
    assert (status(home, claim_id), note.kind) == ("active", FREEZE)
    for reviewer in (home.bob, home.cyd):
        reviewer.approve(note.claim_id)
    assert status(home, claim_id) == "superseded"


@pytest.mark.parametrize("grade", ["tool", "document", "agent"])
def test_what_is_no_persons_word_ends_nothing_by_what_it_means(home: World, grade: str) -> None:
    """A poisoned document could else take every warning away. The control is the first test."""
    claim_id = claims(home, SHUT)[FREEZE]
    assert told(home.ana, USUAL, grade=grade) == []
    assert status(home, claim_id) == "evidence-verified"


def test_news_in_another_scope_ends_nothing(home: World) -> None:
    """However near it is."""
    claim_id = claims(home, SHUT)[FREEZE]
    home.ana.remember(USUAL, scope=["project:other"])
    assert status(home, claim_id) == "evidence-verified"
