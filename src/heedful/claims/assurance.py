"""Assurance: how a state is known, from the records that it rests on; nothing else is asked, and nobody sets it."""

from __future__ import annotations

from collections.abc import Iterable

from heedful.kernel.ladder import Assurance
from heedful.observations.record import Record, RecordType, SourceGrade

VERIFIES = "verifies"
"""The attribute of a verification that names the class that it was made for."""

PASSED = "passed"
"""The attribute of a verification that says whether it passed."""

APPROVES = "approves"
"""The attribute by which the gate knows a person's yes to one action; `approve` alone sets it."""

ASSURANCE = "assurance"
"""How a verification is known, where whoever keeps it says so; one that says anything but `verified` proves nothing."""

_GUESSES = frozenset({SourceGrade.AGENT, SourceGrade.SUMMARY})


def assurance_of(records: Iterable[Record]) -> Assurance:
    """The best of what these records are: the caller names those that are evidence now.

    `verified`: a verification that passed, and not on an agent's word. `reported`: anything else that was captured, or
    that a person says. `inferred`: what an agent says, machine text about other records, and no record at all.
    """
    return max(map(_assurance, records), key=lambda each: each.rank, default=Assurance.INFERRED)


def assurance_by(record_type: RecordType, grade: SourceGrade, *, passed: bool) -> Assurance:
    """What one record of this type and grade makes of a state; `passed`: it is a verification that passed."""
    if grade in _GUESSES:
        return Assurance.INFERRED
    return Assurance.VERIFIED if record_type is RecordType.VERIFICATION and passed else Assurance.REPORTED


def _assurance(record: Record) -> Assurance:
    attributes = dict(record.attributes)
    is_sure = attributes.get(ASSURANCE, Assurance.VERIFIED) == Assurance.VERIFIED
    return assurance_by(record.type, record.grade, passed=is_sure and attributes.get(PASSED) is True)
