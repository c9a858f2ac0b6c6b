"""Words of time mean one time by the speaker's calendar, or nothing is told."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heedful.claims.time_words import CHARACTERS_MAX, Role, Spoken, times_in, validity_in, zone_of
from heedful.kernel.times import SourceTime, parse_time

SHANGHAI = ZoneInfo("Asia/Shanghai")
COPENHAGEN = ZoneInfo("Europe/Copenhagen")
TUESDAY = "2026-12-01T10:00:00+08:00"
"""A Tuesday; all sentences below are said then, in Shanghai, but where another time stands."""


PIECES = (
    "last", "next", "week", "Friday", "since", "until", "March", "31", "2026-02-30", "下周", "三月", "31日", "到", "底", "起",
    "in", "999", "years", "ago", "年前", "İ", "🙂", "tomorrow", "9999", "the end of",
)  # fmt: skip


def _said(at: str) -> SourceTime:
    return parse_time(at, field="at")


def _day(at_us: int | None, zone: tzinfo) -> str | None:
    return None if at_us is None else datetime.fromtimestamp(at_us / 1_000_000, zone).strftime("%Y-%m-%d")


def _meant(text: str, at: str = TUESDAY, zone: tzinfo = SHANGHAI) -> tuple[str | None, str | None] | None:
    """The first day and the day after the last; None: nothing is told."""
    said = _said(at)
    found = validity_in(text, said.at_us, zone_of(said, zone))
    return None if found is None else (_day(found.valid.start_us, zone), _day(found.valid.end_us, zone))


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("We met yesterday.", "2026-11-30", "2026-12-01"),
        ("The day after tomorrow I fly.", "2026-12-03", "2026-12-04"),
        ("In two days I fly.", "2026-12-03", "2026-12-04"),
        ("Next week I'm in Beijing", "2026-12-07", "2026-12-14"),
        ("下周我在北京", "2026-12-07", "2026-12-14"),
        ("上个月去了上海", "2026-11-01", "2026-12-01"),
        ("两天后出发", "2026-12-03", "2026-12-04"),
        ("大后天开会", "2026-12-04", "2026-12-05"),
        ("下周五开会", "2026-12-11", "2026-12-12"),
        ("明年三月我要去东京", "2027-03-01", "2027-04-01"),
        ("I went there 3 months ago.", "2026-09-01", "2026-10-01"),
        ("I'll visit on March 5.", "2027-03-05", "2027-03-06"),
        ("We met on 5 March 2024.", "2024-03-05", "2024-03-06"),
        ("I've lived in Oslo since March.", "2026-03-01", None),
        ("I have worked there since 2019 🙂", "2019-01-01", None),
        ("从三月起我住在上海", "2026-03-01", None),
        ("自从去年三月以来", "2025-03-01", None),
        ("Starting next week I work from home.", "2026-12-07", None),
        ("从下周起在家办公", "2026-12-07", None),
        ("I'm in Berlin until Friday.", None, "2026-12-05"),
        ("No deploys until Friday.", None, "2026-12-04"),
        ("到周五为止不能部署", None, "2026-12-05"),
        ("The freeze is on until the end of December.", None, "2027-01-01"),
        ("We meet on 2026-12-24.", "2026-12-24", "2026-12-25"),
        ("到月底都在北京", None, "2027-01-01"),
        ("I am on leave from 2026-12-05 until 2026-12-10.", "2026-12-05", "2026-12-11"),
    ],
)
def test_words_of_time_name_a_stretch_of_days(text: str, first: str | None, after: str | None) -> None:
    """In English and Chinese, by the speaker's calendar."""
    assert _meant(text) == (first, after)


@pytest.mark.parametrize(
    "text",
    [
        "I like tea.",
        "I may go on Friday.",
        "Let's meet on Friday.",
        "Next Friday I fly.",
        "I'm away until next week.",
        "Maybe next week I'm in Beijing.",
        "如果下周我在北京",
        "Every Friday I swim.",
        "About two weeks ago I fell.",
        "I lived there from Monday to Friday.",
        "I finished it in two days.",
        "For the last week I slept badly.",
        "the last week of May",
        "三个月的孩子",
        "大约三年前搬来的",
        "We met yesterday and fly tomorrow.",
        "on the 31st of April 2026 I fly",
        "Not tomorrow.",
        "下个月底开会",
        "下个月底之前交",
        "本周五之前交",
        "The meeting on 2026-12-24 is cancelled.",
        "We run version 2026-12-24.",
        "next week " * (CHARACTERS_MAX // 10 + 1),
    ],
)
def test_what_can_be_read_in_two_ways_tells_nothing(text: str) -> None:
    """No interval is better than a wrong one."""
    assert _meant(text) is None


def test_next_and_last_are_told_where_both_readings_agree() -> None:
    """On a Saturday, next Friday is in six days, whether one counts days or weeks."""
    assert _meant("Next Friday I fly.", "2026-12-05T10:00:00+08:00") == ("2026-12-11", "2026-12-12")
    assert _meant("Last Friday we met.") == ("2026-11-27", "2026-11-28")
    assert _meant("Last Friday we met.", "2026-12-05T10:00:00+08:00") is None


def test_words_are_read_by_the_day_of_the_speaker() -> None:
    """It is the second of December in Shanghai while it is still the first in London."""
    late = "2026-12-01T23:30:00"
    assert _meant("Tomorrow I fly.", f"{late}+00:00", UTC) == ("2026-12-02", "2026-12-03")
    assert _meant("Tomorrow I fly.", f"{late}Z", SHANGHAI) == ("2026-12-03", "2026-12-04")
    found = validity_in("Tomorrow I fly.", _said(f"{late}+08:00").at_us, timezone(timedelta(hours=8)))
    assert found is not None
    assert found.valid.start_us == _said("2026-12-02T00:00:00+08:00").at_us


def test_a_day_of_the_change_of_clocks_has_its_own_length() -> None:
    """29 March 2026 has 23 hours in Copenhagen, 25 October has 25."""
    spring = validity_in("Tomorrow I fly.", _said("2026-03-28T12:00:00+01:00").at_us, COPENHAGEN)
    autumn = validity_in("Tomorrow I fly.", _said("2026-10-24T12:00:00+02:00").at_us, COPENHAGEN)
    lengths = [(each.valid.end_us or 0) - (each.valid.start_us or 0) for each in (spring, autumn) if each is not None]
    assert lengths == [23 * 3_600_000_000, 25 * 3_600_000_000]


def test_the_sources_offset_counts_and_the_zone_where_it_agrees_or_none_is_given() -> None:
    """An offset of zero is what machines write anywhere."""
    assert zone_of(_said("2026-07-01T12:00:00+02:00"), COPENHAGEN) is COPENHAGEN
    assert zone_of(_said("2026-12-01T12:00:00+02:00"), COPENHAGEN) == timezone(timedelta(hours=2))
    assert zone_of(_said("2026-12-01T12:00:00Z"), COPENHAGEN) is COPENHAGEN
    assert zone_of(SourceTime(0, None, "second"), COPENHAGEN) is COPENHAGEN


def test_the_words_themselves_stand_beside_their_time() -> None:
    """As they were written, with the unit that they name."""
    said = _said(TUESDAY)
    (found,) = times_in("I went to Paris Last Week!", said.at_us, SHANGHAI)
    assert (found.written, found.role, found.precision) == ("Last Week", Role.IN, "week")
    assert [each.written for each in times_in("从三月起到周五为止", said.at_us, SHANGHAI)] == ["从三月起", "到周五为止"]
    assert times_in("nothing", said.at_us, SHANGHAI) == ()
    assert isinstance(found, Spoken)


def test_what_lies_beyond_the_calendar_tells_nothing() -> None:
    """The year after 9999, and before 1."""
    assert _meant("See you next year", "9999-06-01T00:00:00Z") is None
    assert _meant("It was 900 years ago", "0500-06-01T00:00:00Z") is None


@settings(max_examples=60)
@given(st.lists(st.sampled_from(PIECES), max_size=8), st.integers(-62_000_000_000, 250_000_000_000))
def test_whatever_is_said_whenever_is_read_or_left(pieces: list[str], second: int) -> None:
    """No text and no time raises; what is told is an interval with an instant in it, and its words are in the text."""
    text = " ".join(pieces)
    for zone in (UTC, SHANGHAI):
        for spoken in times_in(text, second * 1_000_000, zone):
            assert not spoken.valid.is_empty
            assert spoken.written in text
        found = validity_in(text, second * 1_000_000, zone)
        assert found is None or not found.valid.is_empty
