"""Times: UTC microseconds, and what the source itself said (its offset and its precision)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import Literal
from zoneinfo import ZoneInfo

from heedful.kernel.errors import InvalidInputError
from heedful.kernel.frozen import quickly_made

Precision = Literal["microsecond", "millisecond", "second", "minute", "day", "unknown"]

US_A_SECOND, US_A_DAY = 1_000_000, 86_400_000_000

MINUTES_CACHED_MAX = 256
"""Minutes that were read are remembered: the rows of a trace follow each other closely."""

CLOCK_SKEW_US = 300_000_000
"""So far two clocks may be apart; what says that it happened later than that after it was told has a wrong clock."""

_LONG_WORD = re.compile(r"[A-Za-z0-9_+/=-]{18,}")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_OF_CLOCK = _EPOCH.replace(tzinfo=None)
_MICROSECOND = timedelta(microseconds=1)
_FORM = re.compile(
    r"(?P<date>\d{4}-\d{2}-\d{2})"
    r"(?:[Tt ](?P<clock>(?:[01]\d|2[0-3]):[0-5]\d)(?::(?P<second>[0-5]\d)(?:\.(?P<fraction>\d{1,9}))?)?"
    r"(?P<zone>[Zz]|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?)?",
    re.ASCII,
)


@quickly_made
@dataclass(frozen=True, slots=True)
class SourceTime:
    """When the source says that it happened.

    Attributes:
        at_us: UTC microseconds since 1970. Without an offset in the source, its clock is read as UTC.
        offset_minutes: the source's own UTC offset, or None where it named none.
        precision: the smallest unit that the source wrote.
    """

    at_us: int
    offset_minutes: int | None
    precision: Precision


def parse_time(text: str, *, field: str) -> SourceTime:
    """The instant that an ISO 8601 date or date-time names; a bare date is its first microsecond in UTC.

    Digits are ASCII, years 0001 to 9999, offsets below 24 hours; a fraction is cut after microseconds. A leap second
    (`:60`) and `24:00` are refused: neither is one instant everywhere.

    Raises:
        InvalidInputError: `time_malformed`, naming `field`, where the text is not such a time.
    """
    match = _FORM.fullmatch(text.strip())
    try:
        if match is None:
            raise ValueError(text)
        date, clock, second, fraction, zone = match.groups()
        offset = _offset_minutes(zone)
        minute_us = _minute_us(date, clock, offset)
    except (ValueError, OverflowError) as error:
        raise InvalidInputError(
            "time_malformed",
            f"{field} is not a time: {_told(text)}",
            next_step="write it as 2026-11-29 or 2026-11-29T14:05:00Z",
            details={"field": field},
        ) from error
    at_us = minute_us + int(second or 0) * 1_000_000 + int((fraction or "")[:6].ljust(6, "0"))
    return SourceTime(at_us, offset, _precision(clock, second, fraction))


def zone_named(name: str, *, field: str) -> tzinfo:
    """The time zone of this IANA name (`Europe/Copenhagen`), which knows when clocks change there.

    Raises:
        InvalidInputError: `zone_unknown`, naming `field`, where the zones of this machine have no such name.
    """
    try:
        return UTC if name == "UTC" else ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise InvalidInputError(
            "zone_unknown",
            f"{field} is no time zone known here: {_told(name)}",
            next_step="give an IANA name such as Europe/Copenhagen or Asia/Shanghai; where this machine has no list of "
            "zones, install the Python package tzdata",
            details={"field": field},
        ) from error


def format_time(at_us: int) -> str:
    """ISO 8601 in UTC, ending in Z; microseconds only where there are any."""
    # Without a time zone, which would be asked for its offset: this is written several times a packet's item.
    return f"{(_EPOCH_OF_CLOCK + timedelta(microseconds=at_us)).isoformat()}Z"


def clock_at(at_us: int, zone: tzinfo) -> datetime:
    """What the zone's clocks show at the instant, UTC microseconds."""
    return (_EPOCH + timedelta(microseconds=at_us)).astimezone(zone)


def _offset_minutes(zone: str | None) -> int | None:
    if zone is None:
        return None
    if zone in "Zz":
        return 0
    digits = zone[1:].replace(":", "")
    minutes = int(digits[:2]) * 60 + int(digits[2:] or "0")
    return -minutes if zone[0] == "-" else minutes


@lru_cache(maxsize=MINUTES_CACHED_MAX)
def _minute_us(date: str, clock: str | None, offset: int | None) -> int:
    """The UTC microseconds at which this minute begins.

    Raises:
        ValueError, OverflowError: there is no such day; or it lies outside of the years 1 to 9999 in UTC, which
            format_time could not write.
    """
    at = datetime.fromisoformat(f"{date}T{clock or '00:00'}:00+00:00") - timedelta(minutes=offset or 0)
    return (at - _EPOCH) // _MICROSECOND


def _precision(clock: str | None, second: str | None, fraction: str | None) -> Precision:
    if clock is None:
        return "day"
    if second is None:
        return "minute"
    if fraction is None:
        return "second"
    return "millisecond" if len(fraction) <= 3 else "microsecond"


def _told(text: str) -> str:
    """What was given, as a message repeats it: not with a word too long for a time or a zone, which may be a key."""
    return f"{len(text)} characters" if _LONG_WORD.search(text) else repr(text[:40])
