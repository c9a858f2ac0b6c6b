"""The write gate: a candidate becomes a record, or a record that waits, or a refusal; always with reasons.

In this order (the first refusal ends it):

| what                                                     | answer   | reason                       |
| -------------------------------------------------------- | -------- | ---------------------------- |
| a field is not of its form or over its limit             | an error | limits.py has the codes      |
| consent is `denied`                                      | refused  | `consent-denied`             |
| nobody captured it, and it is a summary of nothing named | refused  | `summary-without-sources`    |
| a secret stands in a name (source_ref, run, speaker,     | refused  | `secret-in-name:<field>`     |
| media type, subject, scope, attribute's name)            |          |                              |
| expected utility under `utility_min`, and not captured   | refused  | `utility-too-low`            |
| `sensitive` or `restricted` through an agent's door      | pending  | `awaits-confirmation`        |
| confidence under `confidence_min` through an agent's door| pending  | `confidence-too-low`         |
| anything else                                            | admitted | `graded-<grade>`             |

Besides: a secret in content or in an attribute's text is cut (`secret-redacted`), an agent's word for a user's consent
counts as implicit (`agent-may-not-consent`), a grade beyond the door's is lowered (grade.py). A record that was
captured word for word is evidence of what happened, so neither utility nor confidence keeps it out. That semantic
claims need their subject's confirmation or two independent records is judged where claims are (claims/), not here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from heedful.kernel.frozen import quickly_made
from heedful.kernel.ids import PrincipalId, RecordId
from heedful.kernel.ladder import Classification, Consent
from heedful.observations.assignments import strength_of
from heedful.observations.clean_names import name_with_secret, names_and_values_are_clean
from heedful.observations.grade import Graded, grade_source
from heedful.observations.instructions import instruction_clues, instruction_flags
from heedful.observations.limits import Limits, validate
from heedful.observations.quoting import QUOTES_MEMORY, quotes_memory
from heedful.observations.record import AttributeValue, BlobRef, Candidate, Channel, Record, Redaction, SourceGrade
from heedful.observations.redact import may_hold_secret, redact, redact_bytes, redact_marked, redact_named
from heedful.observations.screen import SECRET, Screen

_CLUES = SECRET << 1
SCREEN = Screen(lambda text: (SECRET if may_hold_secret(text) else 0) | instruction_clues(text) * _CLUES)

REDACTIONS_NAMED_MAX = 1_000
"""Every secret is cut; of a content with more, the first so many are named."""

SECRET_REDACTED = "secret-redacted"  # noqa: S105  (a reason's name)
SECRET_IN_ATTRIBUTE = "secret-in-attribute"  # noqa: S105
SUMMARY_WITHOUT_SOURCES = "summary-without-sources"
REDACTIONS_NOT_ALL_NAMED = "redactions-not-all-named"


@quickly_made
@dataclass(frozen=True, slots=True)
class Circumstances:
    """What the caller knows about this write and the candidate can't be asked.

    Attributes:
        may_state_rules: policy lets the principal state rules (role `operator` or `owner`).
        matches_captured: the content equals a message that a hook or an importer captured from the user.
        flags: what the importer noticed (`sidechain`, `compaction-summary`, ...).
        utility_min: 0 to 1; below it a statement is not worth keeping. 0 keeps everything.
        confidence_min: 0 to 1; below it an agent's statement waits. 0 lets everything through.
    """

    may_state_rules: bool
    matches_captured: bool
    flags: tuple[str, ...]
    utility_min: float
    confidence_min: float


ORDINARY = Circumstances(may_state_rules=False, matches_captured=False, flags=(), utility_min=0.0, confidence_min=0.0)
"""Nothing special is known: the strictest reading of who speaks, and no thresholds."""


@quickly_made
@dataclass(frozen=True, slots=True)
class Admission:
    """The record is evidence. `blob_content` is what the caller puts under `record.blob.name` first; None: inline."""

    record: Record
    reasons: tuple[str, ...]
    blob_content: bytes | None


@quickly_made
@dataclass(frozen=True, slots=True)
class Pending:
    """The record is kept apart until a person or a second source confirms it; `blob_content` as in Admission."""

    record: Record
    reasons: tuple[str, ...]
    blob_content: bytes | None


@dataclass(frozen=True, slots=True)
class Refusal:
    """Nothing is kept but this; there is no content in it. `source_ref` is without its secrets, where it had any."""

    record_id: RecordId
    source_ref: str | None
    principal: PrincipalId
    reasons: tuple[str, ...]


def admit(
    candidate: Candidate,
    *,
    record_id: RecordId,
    limits: Limits,
    circumstances: Circumstances,
    blob_name: Callable[[bytes], str],
) -> Admission | Pending | Refusal:
    """Whether the candidate is kept, and as what. Same arguments, same answer; nothing is stored here.

    `blob_name` gives the name of content over `limits.inline_bytes_max`, from its redacted bytes; it is keyed by tenant
    and has no effect of its own. Where the answer has `blob_content`, the caller stores it before the record.

    Raises:
        InvalidInputError: a field is not of its form or over its limit; see `validate` in limits.py.
    """
    text = validate(candidate, limits)
    if candidate.consent is Consent.DENIED:
        return _refusal(candidate, record_id, "consent-denied")
    if _is_unfounded(candidate):
        return _refusal(candidate, record_id, SUMMARY_WITHOUT_SOURCES)
    is_clean = names_and_values_are_clean(candidate)
    field = None if is_clean else name_with_secret(candidate)
    if field is not None:
        return _refusal(candidate, record_id, f"secret-in-name:{field}")
    captured = candidate.channel is Channel.CAPTURE
    if not captured and candidate.expected_utility < circumstances.utility_min:
        return _refusal(candidate, record_id, "utility-too-low")
    graded = grade_source(
        candidate.grade,
        candidate.channel,
        candidate.principal,
        speaker=candidate.speaker,
        may_state_rules=circumstances.may_state_rules,
        matches_captured=circumstances.matches_captured,
    )
    content = _redacted_content(candidate.content, text)
    inline = len(content.whole) <= limits.inline_bytes_max
    place = None if inline else BlobRef(blob_name(content.whole), len(content.whole))
    attributes = _redacted_attributes(candidate.attributes, judge_by_name_alone=is_clean)
    record, notes = _record(
        candidate, record_id, graded, content, attributes, place=place, given_flags=circumstances.flags
    )
    blob = None if inline else content.whole
    awaits = tuple(_awaits(candidate, circumstances))
    reasons = (*awaits, f"graded-{graded.grade}", *graded.reasons, *notes)
    return Pending(record, reasons, blob) if awaits else Admission(record, reasons, blob)


@quickly_made
@dataclass(frozen=True, slots=True)
class _Content:
    """Content after redaction. `text` is None where it is no UTF-8; `clues`: see `instruction_clues`."""

    text: str | None
    whole: bytes
    redactions: tuple[Redaction, ...]
    clues: int


_Attributes = tuple[tuple[tuple[str, AttributeValue], ...], bool]
"""Attributes without their secrets, and whether one was cut."""


def _redacted_content(content: bytes, text: str | None) -> _Content:
    if text is None:
        bare = redact_bytes(content)
        return _Content(None, bare.content, bare.redactions, 0)
    marks = SCREEN.marks(text)
    clues = marks // _CLUES
    if not marks & SECRET:
        return _Content(text, content, (), clues)
    redacted = redact_marked(text)
    whole = redacted.text.encode() if redacted.redactions else content
    # What a mark says ([redacted:...]) may start a pattern too, and nothing but its own words is known of it.
    return _Content(
        redacted.text,
        whole,
        redacted.redactions,
        clues | (instruction_clues(redacted.text) if redacted.redactions else 0),
    )


def _record(
    candidate: Candidate,
    record_id: RecordId,
    graded: Graded,
    content: _Content,
    attributes: _Attributes,
    *,
    place: BlobRef | None,
    given_flags: tuple[str, ...],
) -> tuple[Record, tuple[str, ...]]:
    """The record, and the reasons that its making gave."""
    kept_attributes, attribute_cut = attributes
    noticed = () if content.text is None else instruction_flags(content.text, graded.grade, content.clues)
    quoting = (QUOTES_MEMORY,) if content.text is not None and quotes_memory(content.text) else ()
    flags = (*given_flags, *graded.flags, *noticed, *quoting)
    if attribute_cut:
        flags = (*flags, SECRET_IN_ATTRIBUTE)
    if len(content.redactions) > REDACTIONS_NAMED_MAX:
        flags = (*flags, REDACTIONS_NOT_ALL_NAMED)
    consent, notes = candidate.consent, (SECRET_REDACTED,) if content.redactions or attribute_cut else ()
    if (
        consent is Consent.EXPLICIT
        and candidate.channel is Channel.AGENT
        and "matches-captured-message" not in graded.reasons
    ):
        consent, notes = Consent.IMPLICIT, (*notes, "agent-may-not-consent")
    record = Record(
        record_id=record_id,
        type=candidate.type,
        grade=graded.grade,
        channel=candidate.channel,
        principal=candidate.principal,
        scope=candidate.scope,
        source_ref=candidate.source_ref,
        content=content.text if place is None else None,
        content_base64=content.whole if place is None and content.text is None else None,
        blob=place,
        media_type=candidate.media_type,
        occurred=candidate.occurred,
        run_id=candidate.run_id,
        sequence=candidate.sequence,
        speaker=candidate.speaker,
        subjects=candidate.subjects,
        attributes=kept_attributes,
        classification=candidate.classification,
        consent=consent,
        expected_utility=candidate.expected_utility,
        confidence=candidate.confidence,
        retain_days=candidate.retain_days,
        derived_from=candidate.derived_from,
        redactions=content.redactions[:REDACTIONS_NAMED_MAX],
        flags=tuple(dict.fromkeys(flags)),
    )
    return record, notes


def is_summary(candidate: Candidate) -> bool:
    """True where somebody says that it sums up records; what was captured is evidence of what happened, as it came."""
    return candidate.grade is SourceGrade.SUMMARY and candidate.channel is not Channel.CAPTURE


def _is_unfounded(candidate: Candidate) -> bool:
    """True for a summary without a link to what it sums up: it is told a second time, by whoever tells it."""
    return is_summary(candidate) and not candidate.derived_from


def _awaits(candidate: Candidate, circumstances: Circumstances) -> Iterator[str]:
    """Why a person or a second source must confirm it first; nothing where none must."""
    if candidate.channel is not Channel.AGENT:
        return
    if candidate.classification.at_least(Classification.SENSITIVE):
        yield "awaits-confirmation"
    if candidate.confidence < circumstances.confidence_min:
        yield "confidence-too-low"


def _redacted_attributes(
    attributes: tuple[tuple[str, AttributeValue], ...], *, judge_by_name_alone: bool
) -> _Attributes:
    if not any(isinstance(value, str) for _, value in attributes):
        return attributes, False
    if judge_by_name_alone and not any(strength_of(name) for name, _ in attributes):
        return attributes, False
    kept: list[tuple[str, AttributeValue]] = []
    cut = False
    for name, value in attributes:
        redacted = redact_named(name, value) if isinstance(value, str) else None
        kept.append((name, value if redacted is None else redacted.text))
        cut = cut or bool(redacted and redacted.redactions)
    return tuple(kept), cut


def _refusal(candidate: Candidate, record_id: RecordId, reason: str) -> Refusal:
    source_ref = None if candidate.source_ref is None else redact(candidate.source_ref).text
    return Refusal(record_id, source_ref, candidate.principal, (reason,))
