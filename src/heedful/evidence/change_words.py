"""Change words: a change as one line, and what is said where nothing is known to hold instead."""

from __future__ import annotations

from heedful.evidence.escape import spoken, told_name
from heedful.evidence.packet import Change


def change_line(change: Change) -> str:
    """The change as one line, for prompts and people. Not escaped."""
    what = f"{told_name(change.property)} of {told_name(change.subject)}"
    old = "not known" if change.old_value is None else told_name(change.old_value)
    new = "not known" if change.new_value is None else told_name(change.new_value)
    when = "" if change.at is None else f" from {change.at}"
    by = "" if change.record_id is None else f", by record {change.record_id}"
    if change.how == "ground":
        if not change.property:
            return "out of date: what it rests on has ended"
        return f"out of date: it rests on {what}, which was {old} and is {new}{when}{by}"
    if change.how == "corrected":
        return f"corrected: {what} is {new}, and never was {old}{by}"
    return f"changed: {what} was {old} and is {new}{when}{by}"


def absence(change: Change | None, subject: str, property_name: str) -> str:
    """The sentence of advice that what was known is out of date, and that nothing tells what holds instead."""
    rested = (
        "" if change is None or not change.property else f" ({spoken(change.property)} of {spoken(change.subject)})"
    )
    return (
        f"{spoken(property_name)} of {spoken(subject)}: what was known is out of date, as what it rests on changed"
        f"{rested}; what holds now is not known. Do not state the old value; ask."
    )
