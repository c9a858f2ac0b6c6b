"""Local times: what a clock on a wall of some zone shows -> the instants at which it shows it. Zones are given."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo

from heedful.kernel.errors import InvalidInputError
from heedful.kernel.times import SourceTime, clock_at, format_time, parse_time

_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001  # of a clock on a wall
_MICROSECOND = timedelta(microseconds=1)
_MINUTE_US = 60_000_000


def instant_in(text: str, zone: tzinfo, *, field: str) -> int:
    """The instant that a date or date-time names, UTC microseconds; without an offset it is read in the zone.

    A bare date is the first instant of that day there, whatever its clocks do at midnight.

    Raises:
        InvalidInputError: `time_malformed`; `time_skipped` where clocks were put forward over it, `time_twice` where
            they were put back over it. Both name the instants that may be meant.
    """
    told = parse_time(text, field=field)
    if told.offset_minutes is not None or zone is UTC:
        return told.at_us
    return instant_of_clock(told, zone, text=text, field=field)


def instant_of_clock(told: SourceTime, zone: tzinfo, *, text: str, field: str) -> int:
    """The instant at which the zone's clocks show `told.at_us`; see instant_in.

    Raises:
        InvalidInputError: `time_skipped`, `time_twice`, `time_malformed` where it is beyond the years 1 to 9999 in UTC.
    """
    first, second = sorted(readings(told.at_us, zone))
    if first == second or told.precision == "day":
        # Of a day that begins in a gap, what the offset before it gives is the end of the gap: its first instant.
        return _in_range(first, text=text, field=field) if first == second else _day_start(told.at_us, zone)
    is_twice = _shows(first, zone) == told.at_us
    because = "put back, and showed it twice" if is_twice else "put forward, and never showed it"
    meant = (format_time(first), format_time(second))
    raise InvalidInputError(
        "time_twice" if is_twice else "time_skipped",
        f"{field} is {text[:40]!r} in {zone}: clocks there were {because}",
        next_step=f"say which instant is meant: {' or '.join(meant)}",
        details={"field": field, "zone": str(zone), "instants": list(meant)},
    )


def offset_at(at_us: int, zone: tzinfo) -> int:
    """The zone's offset at the instant, in whole minutes."""
    return (_shows(at_us, zone) - at_us) // _MINUTE_US


def readings(clock_us: int, zone: tzinfo) -> tuple[int, int]:
    """The instant of what a clock shows, by the zone's offset before a change of clocks and by that after it.

    They are one where no change is near. `clock_us` is as SourceTime has it without an offset.
    """
    shown = _EPOCH + timedelta(microseconds=clock_us)
    before, after = (shown.replace(tzinfo=zone, fold=fold).utcoffset() or timedelta() for fold in (0, 1))
    return clock_us - before // _MICROSECOND, clock_us - after // _MICROSECOND


def _day_start(clock_us: int, zone: tzinfo) -> int:
    return readings(clock_us, zone)[0]


def _shows(at_us: int, zone: tzinfo) -> int:
    """What the zone's clocks show at the instant."""
    at = clock_at(at_us, zone)
    return (at.replace(tzinfo=None) - _EPOCH) // _MICROSECOND


def _in_range(at_us: int, *, text: str, field: str) -> int:
    try:
        format_time(at_us)
    except OverflowError as error:
        raise InvalidInputError(
            "time_malformed",
            f"{field} is not within the years 1 to 9999 in UTC: {text[:40]!r}",
            next_step="write it as 2026-11-29 or 2026-11-29T14:05:00Z",
            details={"field": field},
        ) from error
    return at_us
