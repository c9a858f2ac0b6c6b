"""Local times: the instant of what a clock on the wall shows, and clocks that are put forward and back."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.kernel.errors import InvalidInputError
from heedful.kernel.local_times import instant_in, readings
from heedful.kernel.times import format_time, parse_time

BERLIN, CAIRO, LORD_HOWE = ZoneInfo("Europe/Berlin"), ZoneInfo("Africa/Cairo"), ZoneInfo("Australia/Lord_Howe")


def told(text: str, zone: ZoneInfo = BERLIN) -> str:
    return format_time(instant_in(text, zone, field="as_of"))


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026-03-29T01:59", "2026-03-29T00:59:00Z"),
        ("2026-03-29T03:00", "2026-03-29T01:00:00Z"),
        ("2026-10-25T01:59:59.5", "2026-10-24T23:59:59.500000Z"),
        ("2026-10-25T03:00", "2026-10-25T02:00:00Z"),
        ("2026-03-29", "2026-03-28T23:00:00Z"),
        ("2026-03-29T02:30Z", "2026-03-29T02:30:00Z"),
        ("2026-03-29T02:30+05:30", "2026-03-28T21:00:00Z"),
    ],
)
def test_a_time_without_an_offset_is_the_zone_s(text: str, instant: str) -> None:
    """Up to the change of clocks and from it on; with an offset it is what it says."""
    assert told(text) == instant


@pytest.mark.parametrize(
    ("text", "zone", "code", "first", "second"),
    [
        ("2026-03-29T02:30", BERLIN, "time_skipped", "2026-03-29T00:30:00Z", "2026-03-29T01:30:00Z"),
        ("2026-10-25T02:30", BERLIN, "time_twice", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"),
        ("2026-04-05T01:45", LORD_HOWE, "time_twice", "2026-04-04T14:45:00Z", "2026-04-04T15:15:00Z"),
    ],
)
def test_a_time_that_clocks_never_or_twice_showed_is_refused(  # one case
    text: str, zone: ZoneInfo, code: str, first: str, second: str
) -> None:
    """With both instants, each of which is taken when it is written out."""
    with pytest.raises(InvalidInputError) as raised:
        told(text, zone)
    assert raised.value.code == code
    assert raised.value.details["instants"] == [first, second]
    assert f"{first} or {second}" in (raised.value.next_step or "")
    assert [told(first, zone), told(second, zone)] == [first, second]


def test_a_day_that_begins_in_a_gap_begins_where_the_gap_ends() -> None:
    """In Cairo the clocks go from midnight to one: the day is not refused, the minute is."""
    assert told("2024-04-26", CAIRO) == "2024-04-25T22:00:00Z"
    with pytest.raises(InvalidInputError, match="put forward"):
        told("2024-04-26T00:10", CAIRO)


@given(st.datetimes(datetime(1970, 1, 2), datetime(2037, 1, 1)), st.sampled_from([BERLIN, CAIRO, LORD_HOWE]))  # noqa: DTZ001
def test_what_a_clock_shows_is_told_back(at: datetime, zone: ZoneInfo) -> None:
    """Any instant, shown by the zone's clocks, is that instant again, or one of the two."""
    instant = at.replace(tzinfo=UTC, microsecond=0)
    shown = instant.astimezone(zone).replace(tzinfo=None)
    told_of = parse_time(shown.isoformat(), field="as_of").at_us
    at_us = int(instant.timestamp()) * 1_000_000
    assert at_us in readings(told_of, zone)
    if len(set(readings(told_of, zone))) == 1:
        assert told(shown.isoformat(), zone) == format_time(at_us)


def test_beyond_the_years_that_can_be_written_is_refused() -> None:
    """The last evening of the year 9999 in New York is in the year 10000 in UTC."""
    with pytest.raises(InvalidInputError) as raised:
        told("9999-12-31T23:00", ZoneInfo("America/New_York"))
    assert raised.value.code == "time_malformed"
