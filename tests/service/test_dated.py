"""A day that words name is found by a question for that day, and by no other."""

from __future__ import annotations

from datetime import UTC

from worlds import World, house_fixture, world  # noqa: F401  # pytest finds the fixture here

from heedful.observations.text import QUERY_TERMS_MAX, query_terms
from heedful.service.dated import dated_terms

ANA = ("user:ana",)
NOON_US = 1_764_925_200_000_000
"""2025-12-05T09:00Z."""


def _found(house: World, question: str, as_of: str) -> list[str]:
    return [item.text for item in house.ana.recall(question, scope=ANA, as_of=as_of).items]


def test_what_was_said_of_tomorrow_is_found_by_its_day(house: World) -> None:
    """By the date, in English and Chinese, and by what that day is called when one asks."""
    meeting = "The dentist tomorrow at 15:00."
    house.ana.remember(meeting, scope=ANA, occurred_at="2025-11-19T09:00:00+01:00")
    house.ana.remember("明天看牙", scope=ANA, occurred_at="2025-11-19T09:00:00+08:00")
    both = {meeting, "明天看牙"}
    assert set(_found(house, "What was on 2025-11-20?", "2026-11-28")) == both
    assert set(_found(house, "What is on tomorrow?", "2025-11-19T12:00:00Z")) == both
    assert set(_found(house, "今天有什么事?", "2025-11-20T06:00:00Z")) == both


def test_a_later_tomorrow_is_another_day() -> None:
    """The word itself finds nothing; the control is the word for what it is about."""
    with world(embedder="none") as house:
        house.ana.remember("The dentist tomorrow at 15:00.", scope=ANA, occurred_at="2025-11-19T09:00:00+01:00")
        assert _found(house, "What is on tomorrow?", "2025-12-05") == []
        assert len(_found(house, "When is the dentist?", "2025-12-05")) == 1
        assert house.ana.verify(views=True).holds


def test_the_day_is_that_of_the_stores_zone_where_no_offset_was_said() -> None:
    """Said at half past eleven in the evening in London, which is the next day in Shanghai."""
    with world(zone="Asia/Shanghai") as house:
        house.clock.at_us = NOON_US + 14 * 3_600_000_000 + 1_800_000_000
        house.ana.remember("The dentist tomorrow.", scope=ANA)
        assert len(_found(house, "What is on 2025-12-07?", "2025-12-06")) == 1
        assert _found(house, "What is on 2025-12-06?", "2025-12-06") == []


def test_a_question_keeps_its_terms_but_for_the_words_of_a_day() -> None:
    """A date stays as it is written too, for logs have it so; and there are never more terms than a search takes."""

    assert dated_terms("Is the dentist tomorrow?", NOON_US, UTC) == ("onday20251206", "dentist")
    written = dated_terms("What failed on 2025-11-20?", NOON_US, UTC)
    assert written == ("onday20251120", *query_terms("What failed on 2025-11-20?"))
    assert dated_terms("Is the dentist open?", NOON_US, UTC) == query_terms("Is the dentist open?")
    assert len(dated_terms("today " + " ".join(f"word{n}" for n in range(100)), NOON_US, UTC)) <= QUERY_TERMS_MAX
