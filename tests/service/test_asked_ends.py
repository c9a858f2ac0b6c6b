"""Back to the default, and forget what I said: only of one's own words, and only where it is sure what is meant."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from households import ADDRESS, HOME, POLICY, claim_of, says
from worlds import World, world

from heedful.kernel.times import parse_time
from heedful.service.keeping.remember import Remembered

LANGUAGE = "report.language"
PROJECT = ("project:p", "user:ana")


@pytest.fixture
def home() -> Iterator[World]:
    """A household with a language of reports."""
    with world(policy=POLICY) as made:
        yield made


def us(text: str) -> int:
    """The instant in UTC microseconds."""
    return parse_time(text, field="test").at_us


def ended(kept: Remembered) -> list[tuple[str, str]]:
    """What it ended, and how."""
    return [(note.claim_id, note.status.value) for note in kept.ended]


def language(home: World, value: str, scope: tuple[str, ...], **more: str) -> str:
    """The id of the claim of this language in this scope."""
    line = f"remember: {LANGUAGE}: Reports are in {value}. value={value} subject=user:ana"
    return home.ana.remember(line, scope=scope, consent="explicit", **more).claims[0].claim_id  # type: ignore[arg-type]


@pytest.mark.parametrize("words", ["back to the default", "恢复默认"])
def test_back_to_the_default_ends_the_narrower_claim(home: World, words: str) -> None:
    """The wider one holds again; the narrower one held until then, and can be brought back when the words go."""
    wide = language(home, "Chinese", HOME)
    narrow = language(home, "English", PROJECT, occurred_at="2026-11-01")
    line = f"remember: {LANGUAGE}: {words} subject=user:ana"
    back = home.ana.remember(line, scope=PROJECT, occurred_at="2026-11-20")
    assert (ended(back), back.claims) == ([(narrow, "superseded")], ())
    assert [claim_of(home.ana, each).status for each in (wide, narrow)] == ["active", "superseded"]
    assert claim_of(home.ana, narrow).valid_to_us == us("2026-11-20")

    def found(as_of: str) -> list[str]:
        return [
            item.item_id
            for item in home.ana.recall("language of reports", scope=PROJECT, as_of=as_of).items
            if item.item == "claim"
        ]

    assert wide in found("2026-11-25")
    assert narrow not in found("2026-11-25")
    assert narrow in found("2026-11-10")
    home.ana.reject(back.record_id)
    again = claim_of(home.ana, narrow)
    assert (again.status, again.valid_to_us) == ("quarantined", None)
    home.bob.approve(narrow)
    assert claim_of(home.ana, narrow).status == "active"
    assert home.ana.verify(views=True).holds


def test_back_to_the_default_of_what_is_not_there_ends_nothing(home: World) -> None:
    """Another kind, another scope, another speaker; and without a kind it is a plain note."""
    wide = language(home, "Chinese", HOME)
    for scope, kind in ((PROJECT, LANGUAGE), (HOME, ADDRESS)):
        kept = home.ana.remember(f"remember: {kind}: back to the default subject=user:ana", scope=scope)
        assert (kept.ended, len(kept.problems)) == ((), 1)
    kept = home.memory("person:eve").remember(f"remember: {LANGUAGE}: back to the default subject=user:ana", scope=HOME)
    assert kept.ended == ()
    assert [note.kind for note in home.ana.remember("remember: back to the default", scope=HOME).claims] == ["note"]
    assert claim_of(home.ana, wide).status == "active"


@pytest.mark.parametrize(
    "words",
    [
        "Forget what I said about Vim.",
        "Forget that I like Vim",
        "忘掉我说过的关于Vim的话",
        "remember: forget that I like Vim",
    ],
)
def test_what_is_to_be_forgotten_is_taken_back_as_if_never_said(home: World, words: str) -> None:
    """Of one's own words, where they are named exactly."""
    likes = home.ana.remember("remember: I like Vim", scope=HOME, consent="explicit").claims[0].claim_id
    other = home.ana.remember("remember: I like Emacs", scope=HOME, consent="explicit").claims[0].claim_id
    address = says(home.ana, "I live in Shanghai.", ADDRESS, "Shanghai")
    assert home.memory("person:eve").remember(words, scope=HOME).ended == ()
    assert ended(home.ana.remember(words, scope=HOME)) == [(likes, "revoked")]
    assert [claim_of(home.ana, each).status for each in (likes, other, address)] == ["revoked", "active", "active"]
    assert home.ana.verify(views=True).holds


def test_what_is_pinned_or_not_named_for_sure_stays(home: World) -> None:
    """And whoever asked is told how to name it."""
    likes = home.ana.remember("remember: I like Vim", scope=HOME, consent="explicit").claims[0].claim_id
    assert home.ana.remember("Forget what I said about editors.", scope=HOME).problems != ()
    home.ana.pin(likes, reason="it matters")
    kept = home.ana.remember("Forget what I said about Vim.", scope=HOME)
    assert (kept.ended, claim_of(home.ana, likes).status) == ((), "active")
    assert "heedful retract" in kept.problems[0]
