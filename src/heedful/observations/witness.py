"""Witness: which records show something by themselves, and which only say again what others said."""

from __future__ import annotations

from heedful.observations.quoting import QUOTES_MEMORY
from heedful.observations.record import Channel, Record, SourceGrade

_WITNESSES = frozenset(
    {SourceGrade.SYSTEM, SourceGrade.OPERATOR, SourceGrade.USER, SourceGrade.TOOL, SourceGrade.DOCUMENT}
)
_SECOND_HAND = frozenset({"copied", "compaction-summary", QUOTES_MEMORY})


def is_second_hand(record: Record) -> bool:
    """True for copies and what a session was shortened to, as flagged by whoever brought them, and for our packets."""
    return not _SECOND_HAND.isdisjoint(record.flags)


def is_witness(record: Record) -> bool:
    """False for what an agent or a summary says, what came through an agent's door, and what is second-hand."""
    return record.grade in _WITNESSES and record.channel is not Channel.AGENT and not is_second_hand(record)
