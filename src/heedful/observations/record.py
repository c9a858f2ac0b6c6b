"""Record: one piece of evidence, immutable; and the candidate that asks to become one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from heedful.kernel.frozen import quickly_made
from heedful.kernel.ids import PrincipalId, RecordId, RunId
from heedful.kernel.ladder import Classification, Consent
from heedful.kernel.scope import Scope
from heedful.kernel.times import SourceTime

AttributeValue = str | int | float | bool
"""Text, number, boolean, or a time as ISO 8601 text; filterable by equality and membership."""

OWN_REFERENCE = "\x1f"
"""Stands in a source reference before its principal, where the plain one is taken by what they may not see."""


class RecordType(StrEnum):
    """What kind of evidence it is."""

    MESSAGE = "message"
    OBSERVATION = "observation"
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_result"
    ACTION = "action"
    VERIFICATION = "verification"
    HUMAN_NOTE = "human_note"
    DOCUMENT = "document"


class SourceGrade(StrEnum):
    """On whose word it stands. Only the first three speak with a person's authority.

    system: the system's own configuration. operator: a person who runs the agent, through a person's door.
    user: a person's own words, captured as such. agent: what an agent says, also of what a user said.
    tool, document: data, whatever it says. summary: machine text about other records.
    """

    SYSTEM = "system"
    OPERATOR = "operator"
    USER = "user"
    AGENT = "agent"
    TOOL = "tool"
    DOCUMENT = "document"
    SUMMARY = "summary"


class Channel(StrEnum):
    """The door that a candidate came through; it bounds the grade that may be claimed.

    person: a person at the command line or in their own program. agent: an agent's door.
    capture: an importer or hook that copies what it saw, word for word.
    """

    PERSON = "person"
    AGENT = "agent"
    CAPTURE = "capture"


@dataclass(frozen=True, slots=True)
class Subject:
    """An entity that a record is about, such as `deployment` / `checkout-7`."""

    type: str
    id: str


@dataclass(frozen=True, slots=True)
class Redaction:
    """A secret that was cut out before anything was written: where it stood in the redacted text, and its sort."""

    start_character: int
    end_character: int
    detector: str


@dataclass(frozen=True, slots=True)
class BlobRef:
    """Content that lies in the blob store, under a name keyed by tenant."""

    name: str
    size_bytes: int


@quickly_made
@dataclass(frozen=True, slots=True)
class Candidate:
    """What somebody asks us to keep; nothing of it is believed or stored yet.

    Attributes:
        source_ref: the source's own name for it; with the tenant it is the idempotency key. None: no retry is told
            apart from a new statement.
        content: bytes, kept as they are (NUL included); text is UTF-8.
        media_type: `text/plain` and the like; text types are searched.
        sequence: place in its run, from 0, whatever the clock says.
        speaker: for grade `user` and `operator`, whose words they are, where that is known.
        subjects: entities that it is about.
        expected_utility, confidence: 0 to 1.
        retain_days: how long to keep it; None: as policy says.
        derived_from: the records that this one was made from (a summary, a copy).
        again: it is kept also where something was erased that had come from the same place.
    """

    type: RecordType
    grade: SourceGrade
    channel: Channel
    principal: PrincipalId
    scope: Scope
    source_ref: str | None
    content: bytes
    media_type: str
    occurred: SourceTime
    run_id: RunId | None
    sequence: int | None
    speaker: str | None
    subjects: tuple[Subject, ...]
    attributes: tuple[tuple[str, AttributeValue], ...]
    classification: Classification
    consent: Consent
    expected_utility: float
    confidence: float
    retain_days: int | None
    derived_from: tuple[RecordId, ...]
    again: bool = False


@quickly_made
@dataclass(frozen=True, slots=True)
class Record:
    """One piece of evidence as it was kept: a candidate after the gate, with its id.

    Its content, redacted, is in exactly one of three places: `content` (valid UTF-8 text, NUL included),
    `content_base64` (any other bytes) or `blob` (over the limit, in the blob store).

    Attributes:
        flags: what the gate noticed: `addresses-agent`, `one-off`, `escaped-surrogate`, ...
    """

    record_id: RecordId
    type: RecordType
    grade: SourceGrade
    channel: Channel
    principal: PrincipalId
    scope: Scope
    source_ref: str | None
    content: str | None
    content_base64: bytes | None
    blob: BlobRef | None
    media_type: str
    occurred: SourceTime
    run_id: RunId | None
    sequence: int | None
    speaker: str | None
    subjects: tuple[Subject, ...]
    attributes: tuple[tuple[str, AttributeValue], ...]
    classification: Classification
    consent: Consent
    expected_utility: float
    confidence: float
    retain_days: int | None
    derived_from: tuple[RecordId, ...]
    redactions: tuple[Redaction, ...]
    flags: tuple[str, ...]

    @property
    def told_source_ref(self) -> str | None:
        """The source reference as it was given; what is after OWN_REFERENCE would tell that another record is there."""
        return None if self.source_ref is None else self.source_ref.partition(OWN_REFERENCE)[0]


class RecordStatus(StrEnum):
    """Where a record stands: readable, waiting for a confirmation, withdrawn, or erased, but that a hold keeps it."""

    ADMITTED = "admitted"
    PENDING = "pending"
    WITHDRAWN = "withdrawn"
    HELD = "held"
