"""Dated: the days that words name -> what a record is found by beside its words, and what a question asks for.

"Meeting tomorrow", said on the 19th, is found by a question for the 20th; "what is on tomorrow?" asks for another day.
"""

from __future__ import annotations

from datetime import UTC, timedelta, tzinfo

from heedful.claims.time_words import Role, Spoken, times_in, zone_of
from heedful.kernel.times import clock_at
from heedful.observations.record import Record
from heedful.observations.speaking import is_said_by_person
from heedful.observations.text import QUERY_TERMS_MAX, query_terms

CHARACTERS_MAX = 1_000
"""Of a message that is read for the days that it names."""
DAYS_MAX = 7
"""A longer stretch names no days."""


def day_tokens(record: Record, text: str) -> tuple[str, ...]:
    """A token for each day that a person's own words name for sure, by the calendar of where they were said.

    Without an offset of its own the record is read in UTC, so that folding it again gives the same.
    """
    if not is_said_by_person(record) or len(text) > CHARACTERS_MAX:
        return ()
    zone = zone_of(record.occurred, UTC)
    tokens = [token for each in times_in(text, record.occurred.at_us, zone) for token in _tokens(each, zone)]
    return tuple(dict.fromkeys(tokens))


def dated_terms(question: str, asked_us: int, zone: tzinfo) -> tuple[str, ...]:
    """The terms of a question, asked then and there; in place of the words for one day, that day.

    At most QUERY_TERMS_MAX.
    """
    asked = question
    days: list[str] = []
    for each in times_in(question, asked_us, zone) if len(question) <= CHARACTERS_MAX else ():
        if each.role is Role.IN and each.precision == "day" and len(days) < DAYS_MAX:
            if not any(map(str.isdigit, each.written)):
                # Logs have dates as they are written; "tomorrow" is another day wherever it stands.
                asked = asked.replace(each.written, " ", 1)
            days += _tokens(each, zone)
    terms = query_terms(asked, QUERY_TERMS_MAX - len(days)) if any(map(str.isalnum, asked)) else ()
    return tuple(dict.fromkeys((*days, *terms)))


def _tokens(spoken: Spoken, zone: tzinfo) -> list[str]:
    if spoken.role is not Role.IN or spoken.valid.start_us is None or spoken.valid.end_us is None:
        return []
    first = clock_at(spoken.valid.start_us, zone).date()
    after = clock_at(spoken.valid.end_us, zone).date()
    days = (after - first).days
    return [f"onday{first + timedelta(days=day):%Y%m%d}" for day in range(days)] if days <= DAYS_MAX else []
