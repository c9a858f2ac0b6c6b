"""Calendar words -> the stretch of days that they name, seen from a day. English and Chinese; no clock, no zone.

Weeks are those of ISO 8601, Monday to Sunday. A word that reads in two ways names a stretch only where both readings
come to the same: "next Friday" on a Monday may be in four days or in eleven, on a Saturday it is one day.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

Precision = Literal["day", "week", "month", "year"]
"""The unit that was named, finest first."""

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Stretch:
    """Days `[first, after)`, by the calendar of whoever spoke."""

    first: date
    after: date
    precision: Precision


@dataclass(frozen=True, slots=True)
class Named:
    """Words at `[begin, end)` of a text, and what they name; None: what, can't be told for sure."""

    begin: int
    end: int
    stretch: Stretch | None


@dataclass(frozen=True, slots=True)
class Recurring:
    """Words of a day or month that comes again ("Friday"): its last coming up to the day, and the first after it."""

    begin: int
    end: int
    before: Stretch
    behind: Stretch


def named_in(text: str, today: date) -> tuple[Named | Recurring, ...]:
    """What a text names, in its order, seen from `today`; of words within others the longest. `text` is lower-cased.

    Years 1 to 9999; what lies outside can't be told.
    """
    pieces = {piece for piece in _PIECES if piece in text}
    if not pieces:
        return ()
    found = [
        _read(reader.read, match, today)
        for reader in _READERS
        if not pieces.isdisjoint(reader.pieces)
        for match in reader.pattern.finditer(text)
    ]
    kept: list[Named | Recurring] = []
    for each in sorted(found, key=lambda named: (named.begin, -named.end)):
        if not kept or kept[-1].end <= each.begin:
            kept.append(each)
    return tuple(kept)


def _read(read: _Read, match: re.Match[str], today: date) -> Named | Recurring:
    begin, end = match.span()
    try:
        found = read(match, today)
    except (ValueError, OverflowError):
        found = None  # the 31st of a month that has 30 days, or a year that no calendar here has
    if isinstance(found, tuple):
        return Recurring(begin, end, *found)
    return Named(begin, end, found)


_Read = Callable[[re.Match[str], date], "Stretch | tuple[Stretch, Stretch] | None"]

_DAY_WORD = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_MONTH_WORD = "january|february|march|april|may|june|july|august|september|october|november|december"
_ENGLISH_DAYS = _DAY_WORD.split("|")
_ENGLISH_MONTHS = _MONTH_WORD.split("|")
_NUMBERS = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
}
_NUMBERS |= {"a": 1, "an": 1, "eleven": 11, "twelve": 12}
_CHINESE_NUMBERS = {word: number for number, word in enumerate("一二三四五六七八九十", 1)}
_CHINESE_NUMBERS |= {"两": 2, "十一": 11, "十二": 12, "日": 7, "天": 7}
_COUNT = r"\d{1,3}|" + "|".join(sorted(_NUMBERS, key=len, reverse=True))
_CHINESE_COUNT = r"\d{1,3}|十[一二]|[一二两三四五六七八九十]"
_UNIT = r"(?P<unit>day|week|month|year)s?"
_CHINESE_UNIT = r"个?(?P<unit>天|周|星期|礼拜|月|年)"
_UNITS: dict[str, Precision] = {
    "day": "day", "week": "week", "month": "month", "year": "year",
    "天": "day", "周": "week", "星期": "week", "礼拜": "week", "月": "month", "年": "year",
}  # fmt: skip
_OFFSETS = {
    "the day before yesterday": -2, "yesterday": -1, "today": 0, "tonight": 0, "tomorrow": 1,
    "the day after tomorrow": 2, "大前天": -3, "前天": -2, "昨天": -1, "昨晚": -1, "今天": 0, "今晚": 0, "明天": 1,
    "明早": 1, "明晚": 1, "后天": 2, "大后天": 3,
}  # fmt: skip
_TURNS = {"last": -1, "this": 0, "next": 1, "上": -1, "这": 0, "本": 0, "下": 1, "上上": -2, "下下": 2}
_YEARS = {"前年": -2, "去年": -1, "今年": 0, "明年": 1, "后年": 2}


def day(first: date) -> Stretch:
    """One day."""
    return Stretch(first, first + _DAY, "day")


def week_of(at: date) -> Stretch:
    """The ISO week that a day lies in."""
    first = at - _DAY * at.weekday()
    return Stretch(first, first + 7 * _DAY, "week")


def month_of(at: date, months: int = 0) -> Stretch:
    """The month that a day lies in, or so many after it."""
    return Stretch(_first_of(at, months), _first_of(at, months + 1), "month")


def year_of(year: int) -> Stretch:
    """A year of the calendar."""
    return Stretch(date(year, 1, 1), date(year + 1, 1, 1), "year")


def _first_of(at: date, months: int) -> date:
    whole = at.year * 12 + at.month - 1 + months
    return date(whole // 12, whole % 12 + 1, 1)


def _moved(today: date, unit: Precision, turns: int) -> Stretch:
    """The stretch of this unit so many of them away."""
    match unit:
        case "day":
            return day(today + _DAY * turns)
        case "week":
            return week_of(today + 7 * _DAY * turns)
        case "month":
            return month_of(today, turns)
        case "year":
            return year_of(today.year + turns)


def _number(word: str) -> int:
    return int(word) if word.isdigit() else (_NUMBERS.get(word) or _CHINESE_NUMBERS[word])


def _offset(match: re.Match[str], today: date) -> Stretch:
    words = " ".join(match[0].split())
    return day(today + _DAY * _OFFSETS[words if words in _OFFSETS else f"the {words}"])


def _turned(match: re.Match[str], today: date) -> Stretch:
    return _moved(today, _UNITS[match["unit"]], _TURNS[match["turn"]])


def _counted(match: re.Match[str], today: date) -> Stretch:
    sign = -1 if match["way"] in ("ago", "前", "之前", "以前") else 1
    return _moved(today, _UNITS[match["unit"]], sign * _number(match["count"]))


def _weekdays(today: date, place: int) -> tuple[Stretch, Stretch]:
    """The last such day up to today, and the first after today."""
    since = (today.weekday() - place) % 7
    return day(today - _DAY * since), day(today + _DAY * (7 - since))


def _months(today: date, month: int) -> tuple[Stretch, Stretch]:
    before = month_of(today, -((today.month - month) % 12))
    return before, month_of(before.first, 12)


def _english_weekday(match: re.Match[str], today: date) -> Stretch | tuple[Stretch, Stretch] | None:
    place = _ENGLISH_DAYS.index(match["day"])
    before, behind = _weekdays(today, place)
    if match["turn"] is None:
        return before, behind
    of_week = day(week_of(today).first + _DAY * place + 7 * _DAY * _TURNS[match["turn"]])
    if match["turn"] == "this":
        return of_week if of_week.first >= today else None
    latest = before if before.first < today else day(today - 7 * _DAY)
    return of_week if of_week == (latest if match["turn"] == "last" else behind) else None


def _english_month(match: re.Match[str], today: date) -> Stretch | tuple[Stretch, Stretch] | None:
    month = _ENGLISH_MONTHS.index(match["month"]) + 1
    if match["year"] is not None:
        return month_of(date(int(match["year"]), month, 1))
    before, behind = _months(today, month)
    if match["turn"] is None:
        return before, behind
    of_year = month_of(date(today.year + _TURNS[match["turn"]], month, 1))
    if match["turn"] == "this":
        return of_year
    latest = before if before.after <= today else month_of(before.first, -12)
    return of_year if of_year == (latest if match["turn"] == "last" else behind) else None


def _date_of(match: re.Match[str], today: date) -> Stretch | tuple[Stretch, Stretch]:
    word = match["month"]
    month = int(word) if word.isdigit() else _ENGLISH_MONTHS.index(word) + 1
    number = int(match["day"])
    if match["year"] is not None:
        return day(date(int(match["year"]), month, number))
    here = day(date(today.year, month, number))
    if here.first <= today:
        return here, day(date(today.year + 1, month, number))
    return day(date(today.year - 1, month, number)), here


def _chinese_weekday(match: re.Match[str], today: date) -> Stretch | tuple[Stretch, Stretch]:
    place = _number(match["day"]) - 1
    if match["turn"] is None:
        return _weekdays(today, place)
    return day(week_of(today).first + _DAY * place + 7 * _DAY * _TURNS[match["turn"]])


def _chinese_month(match: re.Match[str], today: date) -> Stretch | tuple[Stretch, Stretch]:
    month = _number(match["month"])
    if match["year"] is None:
        return _months(today, month)
    year = match["year"]
    return month_of(date(today.year + _YEARS[year] if year in _YEARS else int(year.rstrip("年")), month, 1))


def _current(match: re.Match[str], today: date) -> Stretch:
    return _moved(today, _UNITS[match["unit"]], 0)


def _year(match: re.Match[str], today: date) -> Stretch | None:
    word = match[0]
    return year_of(today.year + _YEARS[word] if word in _YEARS else int(match["year"]))


@dataclass(frozen=True, slots=True)
class _Reader:
    """A pattern, tried only on a text that has one of these pieces: most have none of any."""

    pieces: tuple[str, ...]
    pattern: re.Pattern[str]
    read: _Read


def _compiled(*listed: tuple[str, str, _Read]) -> tuple[_Reader, ...]:
    return tuple(_Reader(tuple(pieces.split()), re.compile(pattern), read) for pieces, pattern, read in listed)


_CHINESE_TURN = "上上|下下|上|这|本|下"
_CHINESE_DAY = "[一二三四五六日天]"
_CHINESE_MONTH = "1[0-2]|[1-9]|十[一二]|[一二三四五六七八九十]"
_CHINESE_YEAR = r"(?P<year>去年|今年|明年|前年|后年|\d{4}年)"
_MONTHS = _MONTH_WORD.replace("|", " ")
_TH = "(?:st|nd|rd|th)?"
_IN_YEAR = r"(?:,? (?P<year>\d{4}))?"
_TURN = r"\b(?P<turn>last|this|next) "
_READERS = _compiled(
    ("tomorrow yesterday", r"\b(?:the\s+)?day\s+(?:after\s+tomorrow|before\s+yesterday)\b", _offset),
    ("yesterday today tonight tomorrow", r"\b(?:yesterday|today|tonight|tomorrow)\b", _offset),
    ("天 晚 早", r"大前天|大后天|前天|昨[天晚]|今[天晚]|明[天早晚]|后天", _offset),
    # "The last week" and "the next year" may be the days around now, and "last week of May" is another week.
    ("last this next", rf"(?<!\bthe ){_TURN}(?P<unit>week|month|year)\b(?!\s+(?:of|in|before|after)\b)", _turned),
    ("周 星期 礼拜 月", rf"(?P<turn>{_CHINESE_TURN})个?(?P<unit>周|星期|礼拜|月)(?!末)", _turned),
    ("day week month year", rf"\bin (?P<count>{_COUNT}) {_UNIT}(?P<way>)(?:'? time)?\b", _counted),
    ("ago now", rf"\b(?P<count>{_COUNT}) {_UNIT} (?P<way>ago|from now)\b", _counted),
    ("前 后", rf"(?P<count>{_CHINESE_COUNT}){_CHINESE_UNIT}(?P<way>[之以]?前|[之以]?后)(?![后前夕面])", _counted),
    ("day", rf"(?:{_TURN})?\b(?P<day>{_DAY_WORD})\b", _english_weekday),
    ("周 星期 礼拜", rf"(?:(?P<turn>{_CHINESE_TURN})个?)?(?:周|星期|礼拜)(?P<day>{_CHINESE_DAY})", _chinese_weekday),
    ("-", r"\b(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)\b", _date_of),
    ("日 号", r"(?:(?P<year>\d{4})年)?(?P<month>\d{1,2})月(?P<day>\d{1,2})[日号]", _date_of),
    (_MONTHS, rf"\b(?P<month>{_MONTH_WORD}) (?P<day>\d{{1,2}}){_TH}{_IN_YEAR}\b(?!:)", _date_of),
    (_MONTHS, rf"\b(?P<day>\d{{1,2}}){_TH}(?: of)? (?P<month>{_MONTH_WORD}){_IN_YEAR}\b", _date_of),
    (_MONTHS, rf"(?:{_TURN})?\b(?P<month>{_MONTH_WORD})(?: (?P<year>\d{{4}}))?\b", _english_month),
    ("月", rf"(?:{_CHINESE_YEAR}的?)?(?<![\d十个])(?P<month>{_CHINESE_MONTH})月(?!\d)", _chinese_month),
    ("去年 今年 明年 前年 后年", r"(?:去年|今年|明年|前年|后年)", _year),
    ("19 20", r"(?:(?<=\bin )|(?<=\bsince )|(?<=\bend of ))(?P<year>(?:19|20)\d\d)\b(?!-)", _year),
    ("到", r"(?<=到)(?:本|这个|今)?(?P<unit>月|年)(?=底)", _current),
)  # fmt: skip
"""The month that a count in front of 月 makes a number of months ("三个月") is none of the calendar."""
_PIECES = tuple(dict.fromkeys(piece for reader in _READERS for piece in reader.pieces))
