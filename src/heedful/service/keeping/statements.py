"""Statements: what a door was told of something to remember, in texts -> a candidate, and the claim it asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from typing import TypedDict

from heedful.claims.assurance import APPROVES, PASSED, VERIFIES
from heedful.claims.claim import RULE_FORMS
from heedful.claims.extract import parse_value
from heedful.kernel.errors import InvalidInputError
from heedful.kernel.ids import ClaimId, KindId, RecordId, RunId
from heedful.kernel.ladder import Classification, Consent
from heedful.kernel.local_times import offset_at
from heedful.kernel.scope import Scope
from heedful.kernel.times import SourceTime, parse_time
from heedful.observations.grade import RULE_GRADES
from heedful.observations.limits import encode_content, require_whole_text
from heedful.observations.names import distinct_name
from heedful.observations.record import AttributeValue, Candidate, Channel, RecordType, SourceGrade, Subject
from heedful.policy.decide import may
from heedful.service.instants import instant, instant_or_none
from heedful.service.keeping.propose import ClaimDraft
from heedful.service.keeping.sources import labelled
from heedful.service.requests import choice
from heedful.service.session import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberTexts:
    """What a door was told of a statement besides its content and scope; every field has the door's default.

    Attributes:
        kind: proposes a claim of this kind; `subject` to `until` say something of that claim.
        value: a text that is a number or a boolean counts as one.
        since, until, occurred_at: ISO 8601.
        grade: on whose word it stands; None: the principal's own, or an operator's where it states a rule and may.
        speaker: whose words they are, where that is somebody else.
        subjects: (type, id) pairs.
        retain_days: None: as policy says.
        derived_from: ids of the records that it was made from.
        rests_on: ids of the claims that the claim is so only as long as they are.
        again: it is kept also where something was erased that came from this `source_ref`; it takes the right to erase.
    """

    kind: str | None = None
    subject: str | None = None
    property_name: str | None = None
    value: str | float | bool | None = None
    form: str | None = None
    applies_to: Sequence[str] | None = None
    not_for: Sequence[str] | None = None
    since: str | None = None
    until: str | None = None
    record_type: str = "human_note"
    grade: str | None = None
    source_ref: str | None = None
    media_type: str = "text/plain"
    speaker: str | None = None
    attributes: Mapping[str, AttributeValue] | None = None
    classification: str = "normal"
    consent: str = "implicit"
    occurred_at: str | None = None
    run_id: str | None = None
    sequence: int | None = None
    subjects: Sequence[tuple[str, str]] = ()
    confidence: float = 1.0
    expected_utility: float = 0.5
    retain_days: int | None = None
    derived_from: Sequence[str] = ()
    rests_on: Sequence[str] = ()
    again: bool = False


class RememberFields(TypedDict, total=False):
    """The fields of RememberTexts, each of which may be left out; for doors that take them by name."""

    kind: str | None
    subject: str | None
    property_name: str | None
    value: str | float | bool | None
    form: str | None
    applies_to: Sequence[str] | None
    not_for: Sequence[str] | None
    since: str | None
    until: str | None
    record_type: str
    grade: str | None
    source_ref: str | None
    media_type: str
    speaker: str | None
    attributes: Mapping[str, AttributeValue] | None
    classification: str
    consent: str
    occurred_at: str | None
    run_id: str | None
    sequence: int | None
    subjects: Sequence[tuple[str, str]]
    confidence: float
    expected_utility: float
    retain_days: int | None
    derived_from: Sequence[str]
    rests_on: Sequence[str]
    again: bool


def claim_draft(session: Session, content: str | bytes, texts: RememberTexts) -> ClaimDraft | None:
    """The claim that is asked for, or None where no kind is named; times without an offset are of the session's zone.

    Raises:
        InvalidInputError: `kind_missing`, `statement_not_text`, `text_lone_surrogate`, and those of `instant`.
    """
    if texts.kind is not None:
        return ClaimDraft(
            kind=texts.kind,
            statement=_statement(content),
            subject=distinct_name(texts.subject, field="subject"),
            property=distinct_name(texts.property_name, field="property"),
            value=parse_value(texts.value) if isinstance(texts.value, str) else texts.value,
            form=texts.form,
            applies_to=None if texts.applies_to is None else tuple(texts.applies_to),
            not_for=None if texts.not_for is None else tuple(texts.not_for),
            since_us=instant_or_none(session, texts.since, field="since"),
            until_us=instant_or_none(session, texts.until, field="until"),
            rests_on=tuple(map(ClaimId, texts.rests_on)),
        )
    of_claim = (texts.subject, texts.property_name, texts.value, texts.form, texts.applies_to, texts.not_for)
    if texts.rests_on or not all(each is None for each in (*of_claim, texts.since, texts.until)):
        raise InvalidInputError(
            "kind_missing",
            "subject, property, value, form, applies_to, not_for, since, until and rests_on say something of a claim",
            next_step="name its kind as well: --kind release.freeze; `heedful registry show kinds` lists them",
            details={"field": "kind"},
        )
    return None


def candidate_of(
    session: Session, content: str | bytes, scope: Scope, texts: RememberTexts, draft: ClaimDraft | None
) -> Candidate:
    """The candidate for the write gate.

    Raises:
        ForbiddenError: `principal_may_not` of `again`.
        InvalidInputError: `choice_unknown`, `text_lone_surrogate`, those of `instant`, `attribute_reserved`,
            `source_unfit`, and of a verification that nothing would count `action_class_unknown`,
            `verification_malformed`.
    """
    _require_unreserved(texts.attributes or {})
    if texts.again:
        session.require("erase")
    if texts.record_type == RecordType.VERIFICATION:
        _require_verification(session, texts.attributes or {})
    now_us = session.clock.now_us()
    grade = _grade(session, texts.grade, draft)
    candidate = Candidate(
        type=choice(RecordType, texts.record_type, field="record_type"),
        grade=grade,
        channel=session.channel,
        principal=session.principal,
        scope=scope,
        source_ref=texts.source_ref,
        content=encode_content(content) if isinstance(content, str) else content,
        media_type=texts.media_type,
        occurred=_occurred(session, texts.occurred_at, now_us),
        run_id=None if texts.run_id is None else RunId(texts.run_id),
        sequence=texts.sequence,
        speaker=texts.speaker,
        subjects=tuple(Subject(each_type, each_id) for each_type, each_id in texts.subjects),
        attributes=tuple((texts.attributes or {}).items()),
        classification=choice(Classification, texts.classification, field="classification"),
        consent=choice(Consent, texts.consent, field="consent"),
        expected_utility=texts.expected_utility,
        confidence=texts.confidence,
        retain_days=_default_days(session, grade) if texts.retain_days is None else texts.retain_days,
        derived_from=tuple(RecordId(each) for each in texts.derived_from),
        again=texts.again,
    )
    return labelled(session, candidate)


def _occurred(session: Session, text: str | None, now_us: int) -> SourceTime:
    """When it happened, with the offset of the session's zone where none was given: words of time are read by it."""
    told = SourceTime(now_us, None, "microsecond") if text is None else parse_time(text, field="occurred_at")
    if told.offset_minutes is not None or session.zone is UTC:
        return told
    at_us = now_us if text is None else instant(session, text, field="occurred_at")
    return SourceTime(at_us, offset_at(at_us, session.zone), told.precision)


def _require_verification(session: Session, attributes: Mapping[str, AttributeValue]) -> None:
    """Nothing, where what the gate reads of a verification is in order; one without `verifies` is plain evidence."""
    if VERIFIES not in attributes:
        return
    if attributes[VERIFIES] not in session.registry.vocabulary.action_classes:
        raise InvalidInputError(
            "action_class_unknown",
            f"the attribute {VERIFIES} names no action class of the registry",
            next_step="`heedful registry show action-classes` lists them",
            details={"field": f"attributes.{VERIFIES}"},
        )
    if not isinstance(attributes.get(PASSED), bool):
        raise InvalidInputError(
            "verification_malformed",
            f"a verification says whether it passed: the attribute {PASSED} is true or false",
            next_step=f"add --attribute {PASSED}=true, or {PASSED}=false",
            details={"field": f"attributes.{PASSED}"},
        )


def _require_unreserved(attributes: Mapping[str, AttributeValue]) -> None:
    if APPROVES in attributes:
        raise InvalidInputError(
            "attribute_reserved",
            f"the attribute {APPROVES} is set by an approval alone",
            next_step="`heedful review approve VERDICT` approves an action; give your attribute another name",
            details={"field": "attributes"},
        )


def _default_days(session: Session, grade: SourceGrade) -> int | None:
    """Policy's days; they say nothing of what has an operator's or the system's authority, as in jobs/retain.py."""
    policy = session.registry.policy
    is_rule = grade in RULE_GRADES and session.channel is not Channel.AGENT
    return None if is_rule and may(policy, session.principal, "state_rule").allowed else policy.default_retain_days


def _grade(session: Session, grade: str | None, draft: ClaimDraft | None) -> SourceGrade:
    if grade is not None:
        return choice(SourceGrade, grade, field="grade")
    if session.channel is Channel.AGENT:
        return SourceGrade.AGENT
    if draft is None:
        return SourceGrade.USER
    kind = None if draft.kind is None else session.registry.vocabulary.kinds.get(KindId(draft.kind))
    stated = draft.form or (kind.form if kind else None)
    may_rule = stated in RULE_FORMS and may(session.registry.policy, session.principal, "state_rule").allowed
    return SourceGrade.OPERATOR if may_rule else SourceGrade.USER


def _statement(content: str | bytes) -> str:
    if isinstance(content, str):
        require_whole_text(content, field="content")
        return content
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            "statement_not_text",
            "a claim's statement must be UTF-8 text",
            next_step="leave out kind to keep bytes as a record alone",
            details={"field": "content"},
        ) from error
