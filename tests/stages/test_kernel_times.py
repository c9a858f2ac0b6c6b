"""Times: an instant, and what the source itself said of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.kernel.errors import InvalidInputError
from heedful.kernel.times import SourceTime, format_time, parse_time

DAY_US = 86_400_000_000
OFFSETS = st.integers(-23 * 60 - 59, 23 * 60 + 59)
DATETIMES = st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31))  # noqa: DTZ001 - the offset is drawn apart


@given(DATETIMES, OFFSETS)
def test_a_time_is_its_instant_and_keeps_its_offset(at: datetime, offset_minutes: int) -> None:
    """The same instant as Python's own reading, for every offset."""
    local = at.replace(tzinfo=timezone(timedelta(minutes=offset_minutes)))
    parsed = parse_time(local.isoformat(timespec="microseconds"), field="at")
    expected = (local - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    assert parsed == SourceTime(expected, offset_minutes, "microsecond")


@given(DATETIMES)
def test_what_is_written_reads_back_as_the_same_instant(at: datetime) -> None:
    """UTC, ending in Z."""
    at_us = (at.replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    written = format_time(at_us)
    assert written.endswith("Z")
    assert parse_time(written, field="at").at_us == at_us


@pytest.mark.parametrize(
    ("text", "at_us", "offset", "precision"),
    [
        ("1970-01-01", 0, None, "day"),
        ("1970-01-01T00:01", 60_000_000, None, "minute"),
        ("1970-01-01 00:01Z", 60_000_000, 0, "minute"),
        ("1970-01-01T00:00:01z", 1_000_000, 0, "second"),
        ("1970-01-01T00:00:00.25Z", 250_000, 0, "millisecond"),
        ("1970-01-01T00:00:00.1234567Z", 123_456, 0, "microsecond"),
        ("1970-01-01T05:30:00+05:30", 0, 330, "second"),
        ("1970-01-01T05:30:00+0530", 0, 330, "second"),
        ("1970-01-01T05:00:00+05", 0, 300, "second"),
        ("1969-12-31T16:00:00-08:00", 0, -480, "second"),
        ("1970-01-01T00:00:00-00:00", 0, 0, "second"),
        ("  1970-01-02  ", DAY_US, None, "day"),
        ("2024-02-29", 19_782 * DAY_US, None, "day"),
        ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999, 0, "microsecond"),
        ("0001-01-01T00:00:00Z", -62_135_596_800_000_000, 0, "second"),
    ],
)
def test_a_time_keeps_the_precision_that_its_source_wrote(
    text: str, at_us: int, offset: int | None, precision: str
) -> None:
    """Without an offset its clock is read as UTC, and the missing offset stays missing."""
    assert parse_time(text, field="at") == SourceTime(at_us, offset, precision)  # type: ignore[arg-type]


def test_days_are_of_one_length_where_clocks_are_moved() -> None:
    """No zone rules are applied: an offset is a number, so the night of a clock change is no exception."""
    before = parse_time("2026-03-29T01:59:59+01:00", field="at")
    after = parse_time("2026-03-29T03:00:00+02:00", field="at")
    assert after.at_us - before.at_us == 1_000_000
    days = [parse_time(f"2026-03-{day}", field="at").at_us for day in (28, 29, 30)]
    assert days[1] - days[0] == days[2] - days[1] == DAY_US


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "2026-13-01",
        "2026-02-29",
        "2023-02-29T00:00:00Z",
        "2026-1-1",
        "20260101",
        "0000-01-01",
        "2026-01-01T24:00:00Z",
        "2026-01-01T23:60:00Z",
        "2026-01-01T23:59:60Z",
        "2026-01-01T00:00:00+24:00",
        "2026-01-01T00:00:00+05:60",
        "2026-01-01T00:00:00,5Z",
        "2026-01-01Z",
        "2026-01-01T00:00:00 Z",
        "2026-01-01T00:00:00.Z",
        "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:00-00:01",
        "٢٠٢٦-٠١-٠١",
        "2026-01-01T00:00:00.٥Z",
        "2026-01-01T00:00:00+٠٥:٠٠",
        "2026-01-01\x00",
        "2026-01-01T00:00:00Z\nx",
    ],
)
def test_what_is_no_time_is_refused_and_the_field_is_named(text: str) -> None:
    """Impossible dates, offsets and clocks, digits of other scripts, and instants outside of the years 1 to 9999."""
    with pytest.raises(InvalidInputError) as raised:
        parse_time(text, field="valid_to")
    assert raised.value.code == "time_malformed"
    assert raised.value.details == {"field": "valid_to"}
    assert "valid_to" in raised.value.message
