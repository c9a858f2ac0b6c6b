"""Time words -> when what is said holds, seen from the moment that it was said, by the speaker's own calendar.

"Since March", "until Friday", "next week", 从三月起, 到周五为止. Where the words leave it open, nothing is told: no
interval is better than a wrong one. English and Chinese.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from enum import StrEnum

from heedful.claims.calendar_words import Named, Precision, Recurring, Stretch, named_in
from heedful.kernel.intervals import Interval
from heedful.kernel.times import SourceTime, clock_at

CHARACTERS_MAX = 4_000
"""Of a text; longer ones are documents, whose days are not those of whoever brings them."""
NEAR_CHARACTERS = 60
"""Before and after the words of a time, in which is looked for what they say of it."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Role(StrEnum):
    """What the words say of the stretch: in it, from its start on, or up to it."""

    IN = "in"
    SINCE = "since"
    UNTIL = "until"


@dataclass(frozen=True, slots=True)
class Spoken:
    """Words of a time, and the time that they mean.

    Attributes:
        written: the words, as they stand in the text.
        valid: UTC microseconds, half open; open at the side of which they say nothing.
        precision: the unit that was named: `week` of "next week".
    """

    written: str
    role: Role
    valid: Interval
    precision: Precision


def zone_of(said: SourceTime, zone: tzinfo) -> tzinfo:
    """The zone by whose calendar words said then are read: the source's own offset, else `zone`.

    `zone` too where it has that offset then, for it knows when clocks change. An offset of zero is what machines write
    of any place (RFC 9557), so there `zone` counts.
    """
    if not said.offset_minutes:
        return zone
    offset = timedelta(minutes=said.offset_minutes)
    return zone if clock_at(said.at_us, zone).utcoffset() == offset else timezone(offset)


def times_in(text: str, said_us: int, zone: tzinfo) -> tuple[Spoken, ...]:
    """The times that a text names for sure, in its order; none of one over CHARACTERS_MAX."""
    return tuple(each for each in _read(text, said_us, zone) if each is not None)


def validity_in(text: str, said_us: int, zone: tzinfo) -> Spoken | None:
    """When what is said holds: the one time that it names, or a since and an until together; None where it is not sure.

    It is not where another time stands beside it, one of them can't be told, or the whole is doubtful ("maybe", 如果).
    """
    read = _read(text, said_us, zone)
    if not read or None in read or _DOUBT.search(text):
        return None
    found = {(each.role, each.valid): each for each in read if each is not None}
    spoken = sorted(found.values(), key=lambda each: list(Role).index(each.role))
    if len(spoken) == 1:
        return spoken[0]
    if [each.role for each in spoken] != [Role.SINCE, Role.UNTIL]:
        return None
    since, until = spoken
    valid = Interval(since.valid.start_us, until.valid.end_us)
    return None if valid.is_empty else Spoken(f"{since.written} {until.written}", Role.IN, valid, since.precision)


def _read(text: str, said_us: int, zone: tzinfo) -> Sequence[Spoken | None]:
    """Every time that the text names; None for one that can't be told."""
    if len(text) > CHARACTERS_MAX:
        return ()
    lowered = text.lower()
    if len(lowered) != len(text):
        return ()  # the places of words would be others: a handful of letters, none of them of these languages
    today = clock_at(said_us, zone).date()
    found: list[Spoken | None] = []
    for named in named_in(lowered, today):
        at = max(0, named.begin - NEAR_CHARACTERS)
        before, after = lowered[at : named.begin], lowered[named.end : named.end + NEAR_CHARACTERS]
        role, begin = _role(before, after)
        stretch = _stretch(named, role, lowered, before, today)
        if isinstance(named, Recurring) and role is Role.IN and stretch is None:
            continue  # a plain "Friday" may be any; "may" is no month
        if role is Role.IN and _NAME.match(lowered, named.begin) and not _AT.search(before):
            continue  # the date of a version or a file
        if role is Role.IN and _END_AFTER.match(after):
            stretch = None  # 下个月底 is a part of it
        if stretch is None or _BLOCKED.search(before[:begin]) or _ABOUT.match(after) or _lasted(lowered, named):
            found.append(None)
            continue
        valid = _valid(role, stretch, before, after, zone)
        end = _SINCE_AFTER.match(after) or _UNTIL_AFTER.match(after) or _END_AFTER.match(after)
        written = text[at + begin : named.end + (end.end() if end else 0)].strip()
        found.append(None if valid is None else Spoken(written, role, valid, stretch.precision))
    return found


def _lasted(text: str, named: Named | Recurring) -> bool:
    """True where "in two days" may be how long it took."""
    return text.startswith("in ", named.begin) and _DONE.search(text) is not None


def _role(before: str, after: str) -> tuple[Role, int]:
    """What is said of the stretch between these, and where the words for it begin."""
    if match := _UNTIL_BEFORE.search(before):
        return Role.UNTIL, match.start()
    if match := _SINCE_BEFORE.search(before):
        return Role.SINCE, match.start()
    if _UNTIL_AFTER.match(after):
        return Role.UNTIL, len(before.removesuffix("到").removesuffix("至"))
    if _SINCE_AFTER.match(after):
        return Role.SINCE, len(before.removesuffix("从"))
    if before.endswith("到") and _END_AFTER.match(after):
        return Role.UNTIL, len(before) - 1
    return Role.IN, len(before)


def _stretch(named: Named | Recurring, role: Role, text: str, before: str, today: date) -> Stretch | None:
    if isinstance(named, Named):
        return named.stretch
    ahead, behind = is_ahead(text), is_past(text)
    match role:
        case Role.SINCE:
            return named.behind if ahead and not _SINCE_PAST.search(before) else named.before
        case Role.UNTIL if named.before.first <= today < named.before.after:
            # Until Friday, said on a Friday; the end of a month that has begun is sure.
            return None if named.before.precision == "day" else named.before
        case Role.UNTIL:
            return named.behind
        case Role.IN:
            is_on = re.search(r"(?:\b(?:on|in) |[\u4e00-\u9fff])$", before) is not None
            return None if not is_on or ahead == behind else named.behind if ahead else named.before


def _valid(role: Role, stretch: Stretch, before: str, after: str, zone: tzinfo) -> Interval | None:
    start_us, end_us = _midnight_us(stretch.first, zone), _midnight_us(stretch.after, zone)
    if start_us is None or end_us is None:
        return None
    match role:
        case Role.IN:
            return Interval(start_us, end_us)
        case Role.SINCE:
            return Interval(start_us, None)
        case Role.UNTIL:
            if _WHOLE_BEFORE.search(before) or _END_AFTER.match(after) or _UNTIL_AFTER.match(after):
                return Interval(None, end_us)
            # What is not so until Friday may be so on Friday; where somebody is until Friday, they are on Friday too.
            return (
                Interval(None, start_us if _DENIED.search(before) else end_us) if stretch.precision == "day" else None
            )


def is_ahead(text: str) -> bool:
    """True where the text says that something is to come."""
    return _AHEAD.search(text.lower()) is not None


def is_past(text: str) -> bool:
    """True where the text says that something was."""
    return _PAST.search(text.lower()) is not None


def _midnight_us(at: date, zone: tzinfo) -> int | None:
    """The first instant of a day there; where clocks skip midnight, the first that there is."""
    try:
        return (datetime(at.year, at.month, at.day, tzinfo=zone).astimezone(UTC) - _EPOCH) // _MICROSECOND
    except OverflowError:
        return None


_SINCE_BEFORE = re.compile(
    r"(?:\b(?:(?:ever )?since|starting(?: from| on| in)?|beginning(?: on| in)?|from|as of|as from|effective)\s+"
    r"|自从?|(?:从|打从|由)(?=$))$"
)
_SINCE_PAST = re.compile(r"\bsince\s+$|自从?$")
_SINCE_AFTER = re.compile(r"起|开始|以来|至今")
_UNTIL_BEFORE = re.compile(r"(?:\b(?:until|till|through)\s+(?:the\s+end\s+of\s+)?|直到|截至|截止到)$")
_UNTIL_AFTER = re.compile(r"为止|止")
_END_AFTER = re.compile(r"[底末](?:为止|止)?")
_WHOLE_BEFORE = re.compile(r"\bend\s+of\s+$|\bthrough\s+$")
_BLOCKED = re.compile(
    r"(?:\b(?:about|around|almost|nearly|over|than|some|roughly|approximately|every|each|before|after|by|to|between|not"
    r"|of|past|within)\s+(?:the\s+)?|n't\s+|大约|差不多|将近|近|约|每|不是|并非|至|超过)$"
)
_ABOUT = re.compile(r"\s*(?:[底末]?(?:之?前|以前|之?后|以后)(?!天)|左右|前后|上下|多|or so\b|to\b|-)")
_DONE = re.compile(r"\b\w{2,}ed\b|\b(?:was|were|did|had|took|got|wrote|built|ran|learnt|made|done|won|lost)\b")
_NAME = re.compile(r"\d{4}-")
_AT = re.compile(r"(?:^|\b(?:on|at|for|of|is|was|be|from|the)|[:：,，;；(\u4e00-\u9fff])\s*$")
_DENIED = re.compile(r"\b(?:no|not|never|nothing|nobody|none|cannot|without)\b|n't\b")
_DOUBT = re.compile(
    r"\b(?:[Ii]f|[Mm]aybe|[Pp]erhaps|might|may|could|would|[Pp]ossibly|[Pp]robably|[Uu]nless|[Ww]hether|[Hh]ope|[Ww]ish"
    r"|cancell?ed|called off|postponed)\b"
    r"|可能|也许|或许|如果|要是|万一|大概|希望|说不定|取消|推迟"
)
_AHEAD = re.compile(
    r"\b(?:will|shall|going to|gonna|plan(?:ning|s)?|intend(?:s|ing)?|scheduled|due|about to)\b|'ll\b"
    r"|\b(?:i'm|we're|he's|she's|they're|am|is|are) (?!living|working|staying|still)\w{2,}ing\b"
    r"|将|打算|计划|准备|要去|会去"
)
_PAST = re.compile(
    r"\b(?:was|were|did|had|went|visited|attended|met|flew|returned|saw|watched|came|left|got|took|bought|ate|ran)\b"
    r"|去了|来了|见了|看了|参加了|去过|买了|吃了|回来了"
)
