"""Speaking: whether a person says it, and whether it is the word of its subject, which goes before what others say."""

from __future__ import annotations

from heedful.observations.grade import SPEAKS_FOR_ANOTHER
from heedful.observations.record import Channel, Record, RecordType, SourceGrade
from heedful.policy.model import Policy
from heedful.policy.speaks import speaks_for

_PEOPLE = frozenset({SourceGrade.USER, SourceGrade.OPERATOR})
_WORDS = frozenset({RecordType.MESSAGE, RecordType.HUMAN_NOTE})


def is_said_by_person(record: Record) -> bool:
    """True for a message or note on a user's or operator's word: what people say, and no tool or agent."""
    return record.grade in _PEOPLE and record.type in _WORDS


def is_own_word(policy: Policy, record: Record, subject: str) -> bool:
    """True where the record speaks for the subject: a user's first-party words of whoever may speak for them.

    Not through an agent's door, and not where the words are said to be somebody else's: a record that is captured
    (imported) says so by its speaker, who has to be the principal or the subject.
    """
    is_first_party = record.grade is SourceGrade.USER and record.channel is not Channel.AGENT
    if not is_first_party or SPEAKS_FOR_ANOTHER in record.flags or not speaks_for(policy, record.principal, subject):
        return False
    return record.speaker in (None, record.principal, record.principal.partition(":")[2], subject)
