"""As of: what held at an earlier instant is found there, marked as history; with what was known then it was current."""

from __future__ import annotations

from households import ADDRESS, HOME, HOME_ADDRESS, home_fixture, says  # noqa: F401  # pytest finds the fixture here
from worlds import World

from heedful.evidence.items import HISTORICAL
from heedful.evidence.render import render_prompt
from heedful.kernel.times import format_time
from heedful.service.auditing.why import why

ASKED = "Where do I live?"


def told(home: World, **asked: str) -> list[tuple[str, bool]]:
    """The claims that Ana is handed, by what they say and whether that is history."""
    items = home.ana.recall(ASKED, scope=HOME, **asked).items  # type: ignore[arg-type]  # times, each a text
    return [(each.text, HISTORICAL in each.flags) for each in items if each.item == "claim"]


def test_what_was_put_right_for_a_stretch_is_found_at_each_instant_of_it(home: World) -> None:
    """Before, in and after the stretch; now only what holds now, which is no history."""
    old = says(home.ana, HOME_ADDRESS, ADDRESS, "Shanghai", since="2026-01-01")
    known = format_time(home.clock.now_us())
    home.ana.correct(old, "Suzhou", since="2026-03-01", until="2026-05-01", reason="a project there")
    shanghai, suzhou = HOME_ADDRESS, "I live in Suzhou."

    assert told(home) == [(shanghai, False)]
    assert told(home, as_of="2026-02-01") == [(shanghai, True)]
    assert told(home, as_of="2026-04-01") == [(suzhou, True)]
    assert told(home, as_of="2026-06-01") == [(shanghai, False)]
    assert told(home, as_of="2025-12-31") == []
    # Nobody knew of the stretch then.
    assert told(home, as_of="2026-04-01", known_at=known) == [(shanghai, False)]


def test_what_was_corrected_away_never_held_but_was_once_known(home: World) -> None:
    """No valid instant finds it, however early; an earlier known instant does."""
    old = says(home.ana, HOME_ADDRESS, ADDRESS, "Shanghai", since="2026-01-01")
    known = format_time(home.clock.now_us())
    home.ana.correct(old, "Suzhou", reason="I mistyped it")

    assert told(home, as_of="2026-02-01") == [("I live in Suzhou.", False)]
    assert told(home, as_of="2026-02-01", known_at=known) == [(HOME_ADDRESS, False)]


def test_history_says_so_in_the_prompt_and_how_long_it_held(home: World) -> None:
    """Its end is that of its validity, and `why` says when it ended."""
    old = says(home.ana, HOME_ADDRESS, ADDRESS, "Shanghai", since="2026-01-01")
    home.ana.correct(old, "Suzhou", since="2026-03-01", reason="moved")
    packet = home.ana.recall(ASKED, scope=HOME, as_of="2026-02-01")

    (item,) = [each for each in packet.items if each.item == "claim"]
    assert (item.valid_from, item.valid_to) == ("2026-01-01T00:00:00Z", "2026-03-01T00:00:00Z")
    assert HISTORICAL in render_prompt(packet)
    found = why(home.app.session(principal="person:ana"), old).found
    assert isinstance(found["ended_us"], int)
