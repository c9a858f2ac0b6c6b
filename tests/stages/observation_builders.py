"""Candidates with every field filled, for the tests of the write gate."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from heedful.kernel.ids import PrincipalId, RecordId, RunId
from heedful.kernel.ladder import Classification, Consent
from heedful.kernel.scope import parse_scope
from heedful.kernel.times import SourceTime
from heedful.observations.admit import ORDINARY, Admission, Circumstances, Pending, Refusal, admit
from heedful.observations.limits import Limits
from heedful.observations.record import Candidate, Channel, RecordType, SourceGrade, Subject

LIMITS = Limits(content_bytes_max=100_000, inline_bytes_max=10_000)
RECORD_ID = RecordId("019378aa-7b1c-7def-8abc-0123456789ab")


def candidate(**changes: Any) -> Candidate:
    """A user's message through a person's door, unless `changes` says otherwise."""
    ordinary = Candidate(
        type=RecordType.MESSAGE,
        grade=SourceGrade.USER,
        channel=Channel.PERSON,
        principal=PrincipalId("person:ana"),
        scope=parse_scope(["user:ana", "project:payments"]),
        source_ref="chat:42",
        content=b"I am allergic to almonds",
        media_type="text/plain",
        occurred=SourceTime(at_us=1, offset_minutes=60, precision="second"),
        run_id=RunId("run-1"),
        sequence=3,
        speaker=None,
        subjects=(Subject("user", "ana"),),
        attributes=(("topic", "food"), ("score", 9), ("ok", True), ("ratio", 0.5)),
        classification=Classification.NORMAL,
        consent=Consent.EXPLICIT,
        expected_utility=0.5,
        confidence=0.9,
        retain_days=30,
        derived_from=(RecordId("r-1"),),
    )
    return replace(ordinary, **changes)


def judge(given: Candidate, **circumstances: Any) -> Admission | Pending | Refusal:
    """The gate's answer; blobs are named by their length."""
    return admit(
        given,
        record_id=RECORD_ID,
        limits=LIMITS,
        circumstances=replace(ORDINARY, **circumstances) if circumstances else ORDINARY,
        blob_name=lambda content: f"blob-{len(content)}",
    )


__all__ = ["LIMITS", "RECORD_ID", "Circumstances", "candidate", "judge"]
