"""Remember: one statement -> a record, and the claims that are proposed of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from heedful.claims.extract import parse_value
from heedful.kernel.errors import InvalidInputError
from heedful.kernel.ids import RecordId, RunId
from heedful.kernel.ladder import Classification, Consent
from heedful.kernel.scope import parse_scope
from heedful.kernel.times import SourceTime, parse_time
from heedful.observations.limits import encode_content, require_whole_text
from heedful.observations.record import (
    AttributeValue,
    Candidate,
    Channel,
    Record,
    RecordType,
    Redaction,
    SourceGrade,
    Subject,
)
from heedful.policy.decide import may
from heedful.ports.store import Writing
from heedful.service.keep import (
    ClaimNote,
    Outcome,
    Prepared,
    kept_before,
    matches_captured,
    prepare,
    put_blob,
    source_ref_reused,
)
from heedful.service.propose import ClaimDraft
from heedful.service.requests import choice
from heedful.service.session import Session

_RULE_FORMS = ("constraint", "workflow")


@dataclass(frozen=True, slots=True)
class Remembered:
    """What became of it.

    Attributes:
        duplicate: True: it was kept before under this source reference; nothing was written.
        position: of its event in the ledger; 0 for a duplicate.
        problems: `remember:` lines that were not proposed, with the reason.
    """

    outcome: Outcome
    record_id: RecordId
    duplicate: bool
    position: int
    reasons: tuple[str, ...]
    redactions: tuple[Redaction, ...]
    flags: tuple[str, ...]
    claims: tuple[ClaimNote, ...]
    problems: tuple[str, ...]


def remember(
    session: Session,
    content: str | bytes,
    *,
    scope: Sequence[str],
    kind: str | None = None,
    subject: str | None = None,
    property_name: str | None = None,
    value: str | float | bool | None = None,
    form: str | None = None,
    applies_to: Sequence[str] | None = None,
    not_for: Sequence[str] | None = None,
    since: str | None = None,
    until: str | None = None,
    record_type: str = "human_note",
    grade: str | None = None,
    source_ref: str | None = None,
    media_type: str = "text/plain",
    speaker: str | None = None,
    attributes: Mapping[str, AttributeValue] | None = None,
    classification: str = "normal",
    consent: str = "implicit",
    occurred_at: str | None = None,
    run_id: str | None = None,
    sequence: int | None = None,
    subjects: Sequence[tuple[str, str]] = (),
    confidence: float = 1.0,
    expected_utility: float = 0.5,
    retain_days: int | None = None,
    derived_from: Sequence[str] = (),
) -> Remembered:
    """What was kept of this statement; durable when it returns.

    With `kind`, a claim of that kind is proposed, resting on the record. `grade` says on whose word it stands (the
    person's own where none is given; a rule by somebody who may state rules is the operator's). Saying the same
    again under one `source_ref` keeps it once.

    Raises:
        ForbiddenError: `principal_may_not`, `scope_not_granted`, `form_not_allowed`.
        InvalidInputError: any field, each by its own code.
        ConflictError: `source_ref_reused` where that reference names other content.
        BusyError, UnavailableError: the store; nothing was kept.
    """
    session.require("remember")
    parsed_scope = parse_scope(scope)
    session.require_writable(parsed_scope)
    draft = None
    if kind is not None:
        draft = ClaimDraft(
            kind=kind,
            statement=_statement(content),
            subject=subject,
            property=property_name,
            value=parse_value(value) if isinstance(value, str) else value,
            form=form,
            applies_to=None if applies_to is None else tuple(applies_to),
            not_for=None if not_for is None else tuple(not_for),
            since_us=None if since is None else parse_time(since, field="since").at_us,
            until_us=None if until is None else parse_time(until, field="until").at_us,
        )
    elif any(given is not None for given in (subject, property_name, value, form, applies_to, not_for, since, until)):
        raise InvalidInputError(
            "kind_missing",
            "subject, property, value, form, applies_to, not_for, since and until say something of a claim",
            next_step="name its kind as well: --kind release.freeze; `heedful registry show kinds` lists them",
            details={"field": "kind"},
        )
    candidate = Candidate(
        type=choice(RecordType, record_type, field="record_type"),
        grade=_grade(session, grade, draft),
        channel=session.channel,
        principal=session.principal,
        scope=parsed_scope,
        source_ref=source_ref,
        content=encode_content(content) if isinstance(content, str) else content,
        media_type=media_type,
        occurred=_occurred(session, occurred_at),
        run_id=None if run_id is None else RunId(run_id),
        sequence=sequence,
        speaker=speaker,
        subjects=tuple(Subject(each_type, each_id) for each_type, each_id in subjects),
        attributes=tuple((attributes or {}).items()),
        classification=choice(Classification, classification, field="classification"),
        consent=choice(Consent, consent, field="consent"),
        expected_utility=expected_utility,
        confidence=confidence,
        retain_days=session.registry.policy.default_retain_days if retain_days is None else retain_days,
        derived_from=tuple(RecordId(each) for each in derived_from),
    )
    return write_candidate(session, candidate, draft=draft)


def write_candidate(session: Session, candidate: Candidate, *, draft: ClaimDraft | None = None) -> Remembered:
    """What the write gate made of the candidate, durable; or the record that was kept before under its reference."""
    quotes = candidate.channel is Channel.AGENT and candidate.grade is SourceGrade.USER
    prepared = prepare(session, candidate, draft=draft, matches_captured=quotes and _captured(session, candidate))
    put_blob(session, prepared)

    def work(writing: Writing) -> Remembered:
        before = kept_before(writing, candidate)
        if before is not None:
            return _duplicate(before.record, prepared)
        return _remembered(prepared, session.append(writing, prepared.events)[0].position)

    return session.store.write(work)


def _captured(session: Session, candidate: Candidate) -> bool:
    with session.store.read() as reading:
        return matches_captured(session, reading, candidate.scope, candidate.content.decode("utf-8", "replace"))


def _remembered(prepared: Prepared, position: int) -> Remembered:
    record = prepared.record
    return Remembered(
        outcome=prepared.outcome,
        record_id=prepared.record_id,
        duplicate=False,
        position=position,
        reasons=prepared.reasons,
        redactions=record.redactions if record else (),
        flags=record.flags if record else (),
        claims=prepared.claims,
        problems=prepared.problems,
    )


def _duplicate(before: Record, prepared: Prepared) -> Remembered:
    again = prepared.record
    places = ("content", "content_base64", "blob", "type")
    if again is None or any(getattr(again, place) != getattr(before, place) for place in places):
        raise source_ref_reused()
    return Remembered(
        outcome="admitted",
        record_id=before.record_id,
        duplicate=True,
        position=0,
        reasons=("kept-before",),
        redactions=before.redactions,
        flags=before.flags,
        claims=(),
        problems=(),
    )


def _grade(session: Session, grade: str | None, draft: ClaimDraft | None) -> SourceGrade:
    if grade is not None:
        return choice(SourceGrade, grade, field="grade")
    if session.channel is Channel.AGENT:
        return SourceGrade.AGENT
    kind = session.registry.vocabulary.kinds.get(draft.kind) if draft else None  # type: ignore[call-overload]
    stated = draft.form or (kind.form if kind else None) if draft else None
    may_rule = may(session.registry.policy, session.principal, "state_rule").allowed
    return SourceGrade.OPERATOR if stated in _RULE_FORMS and may_rule else SourceGrade.USER


def _occurred(session: Session, occurred_at: str | None) -> SourceTime:
    if occurred_at is None:
        return SourceTime(session.clock.now_us(), None, "microsecond")
    return parse_time(occurred_at, field="occurred_at")


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
