"""Requests: what a door was told, in texts -> the typed requests of the stages. Every door asks through these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar, cast, get_args

from heedful.bridges.request import RequestFeatures
from heedful.claims.extract import parse_value
from heedful.gate.action import ActionRequest
from heedful.kernel.errors import InvalidInputError
from heedful.kernel.ids import ActionClassId, KindId, RecordId, RunId
from heedful.kernel.ladder import Classification, Consent, Impact
from heedful.kernel.scope import Scope, parse_scope
from heedful.kernel.times import SourceTime, parse_time
from heedful.observations.limits import encode_content, require_whole_text, validate_attributes
from heedful.observations.record import AttributeValue, Candidate, Channel, RecordType, SourceGrade, Subject
from heedful.observations.redact import redact
from heedful.policy.decide import may
from heedful.recall.request import MemoryRequest, TaskClass
from heedful.service.propose import ClaimDraft
from heedful.service.session import Session

QUESTION_CHARACTERS_MAX = 20_000
TOOL_CHARACTERS_MAX = 256
BUDGET_TOKENS_MAX = 200_000
REASON_CHARACTERS_MAX = 500
_RULE_FORMS = ("constraint", "workflow")
E = TypeVar("E")


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


def memory_request(
    session: Session,
    question: str,
    *,
    scope: Sequence[str],
    tool: str | None = None,
    args: Mapping[str, object] | None = None,
    action_class: str | None = None,
    metadata: Mapping[str, str] | None = None,
    task_class: str = "general",
    impact: str = "read",
    clearance: str = "restricted",
    record_types: Sequence[str] = (),
    attributes: Mapping[str, AttributeValue | Sequence[AttributeValue]] | None = None,
    as_of: str | None = None,
    budget_tokens: int | None = None,
) -> MemoryRequest:
    """The memory request that these texts make.

    `attributes`: name -> the value, or the values of which one must be there.

    Raises:
        InvalidInputError: `question_too_long`, `choice_unknown`, `budget_malformed`, `time_malformed`, and those of
            `parse_scope` and `validate_attributes`.
    """
    return MemoryRequest(
        features=RequestFeatures(
            # Packets are kept, and name what was asked.
            text=redact(_bounded(question, field="question", characters_max=QUESTION_CHARACTERS_MAX)).text,
            tool=None if tool is None else _bounded(tool, field="tool", characters_max=TOOL_CHARACTERS_MAX),
            args=args or {},
            action_class=None if action_class is None else ActionClassId(action_class),
            metadata=metadata or {},
        ),
        principal=session.principal,
        scope=parse_scope(scope),
        clearance=choice(Classification, clearance, field="clearance"),
        task_class=cast("TaskClass", _one_of(get_args(TaskClass), task_class, field="task_class")),
        impact=choice(Impact, impact, field="impact"),
        as_of_us=session.clock.now_us() if as_of is None else parse_time(as_of, field="as_of").at_us,
        record_types=tuple(choice(RecordType, each, field="record_types") for each in record_types),
        attributes=tuple((name, _values(name, value)) for name, value in (attributes or {}).items()),
        budget_tokens=_budget(session.packet_tokens if budget_tokens is None else budget_tokens),
    )


def action_request(
    session: Session, tool: str, *, scope: Sequence[str], args: Mapping[str, object] | None = None, text: str = ""
) -> ActionRequest:
    """The action request that these texts make.

    Raises:
        InvalidInputError: `scope_empty`, `question_too_long`, and those of `parse_scope`.
    """
    parsed = parse_scope(scope)
    if parsed.is_empty:
        raise InvalidInputError(
            "scope_empty",
            "the action names no scope",
            next_step="name one, such as --scope project:payments",
            details={"field": "scope"},
        )
    return ActionRequest(
        tool=_bounded(tool, field="tool", characters_max=TOOL_CHARACTERS_MAX),
        args=args or {},
        text=_bounded(text, field="text", characters_max=QUESTION_CHARACTERS_MAX),
        principal=session.principal,
        scope=parsed,
    )


def claim_draft(content: str | bytes, texts: RememberTexts) -> ClaimDraft | None:
    """The claim that is asked for, or None where no kind is named.

    Raises:
        InvalidInputError: `kind_missing`, `statement_not_text`, `text_lone_surrogate`, `time_malformed`.
    """
    if texts.kind is not None:
        return ClaimDraft(
            kind=texts.kind,
            statement=_statement(content),
            subject=texts.subject,
            property=texts.property_name,
            value=parse_value(texts.value) if isinstance(texts.value, str) else texts.value,
            form=texts.form,
            applies_to=None if texts.applies_to is None else tuple(texts.applies_to),
            not_for=None if texts.not_for is None else tuple(texts.not_for),
            since_us=None if texts.since is None else parse_time(texts.since, field="since").at_us,
            until_us=None if texts.until is None else parse_time(texts.until, field="until").at_us,
        )
    of_claim = ("subject", "property_name", "value", "form", "applies_to", "not_for", "since", "until")
    if any(getattr(texts, name) is not None for name in of_claim):
        raise InvalidInputError(
            "kind_missing",
            "subject, property, value, form, applies_to, not_for, since and until say something of a claim",
            next_step="name its kind as well: --kind release.freeze; `heedful registry show kinds` lists them",
            details={"field": "kind"},
        )
    return None


def candidate_of(
    session: Session, content: str | bytes, scope: Scope, texts: RememberTexts, draft: ClaimDraft | None
) -> Candidate:
    """The candidate for the write gate.

    Raises:
        InvalidInputError: `choice_unknown`, `text_lone_surrogate`, `time_malformed`.
    """
    now_us = session.clock.now_us()
    at = None if texts.occurred_at is None else parse_time(texts.occurred_at, field="occurred_at")
    default_days = session.registry.policy.default_retain_days
    return Candidate(
        type=choice(RecordType, texts.record_type, field="record_type"),
        grade=_grade(session, texts.grade, draft),
        channel=session.channel,
        principal=session.principal,
        scope=scope,
        source_ref=texts.source_ref,
        content=encode_content(content) if isinstance(content, str) else content,
        media_type=texts.media_type,
        occurred=at or SourceTime(now_us, None, "microsecond"),
        run_id=None if texts.run_id is None else RunId(texts.run_id),
        sequence=texts.sequence,
        speaker=texts.speaker,
        subjects=tuple(Subject(each_type, each_id) for each_type, each_id in texts.subjects),
        attributes=tuple((texts.attributes or {}).items()),
        classification=choice(Classification, texts.classification, field="classification"),
        consent=choice(Consent, texts.consent, field="consent"),
        expected_utility=texts.expected_utility,
        confidence=texts.confidence,
        retain_days=default_days if texts.retain_days is None else texts.retain_days,
        derived_from=tuple(RecordId(each) for each in texts.derived_from),
    )


def reason_text(reason: str) -> str:
    """A person's reason as it goes into the ledger: whole, bounded, without a secret.

    Raises:
        InvalidInputError: `text_lone_surrogate`, `question_too_long`.
    """
    require_whole_text(reason, field="reason")
    return redact(_bounded(reason, field="reason", characters_max=REASON_CHARACTERS_MAX)).text


def choice(ladder: type[E], text: str, *, field: str) -> E:
    """The member of a text enumeration that this text is.

    Raises:
        InvalidInputError: `choice_unknown`.
    """
    try:
        return ladder(text)  # type: ignore[call-arg]
    except ValueError as error:
        raise _unknown(tuple(str(each) for each in ladder), text, field) from error  # type: ignore[attr-defined]


def _grade(session: Session, grade: str | None, draft: ClaimDraft | None) -> SourceGrade:
    if grade is not None:
        return choice(SourceGrade, grade, field="grade")
    if session.channel is Channel.AGENT:
        return SourceGrade.AGENT
    kind = None if draft is None or draft.kind is None else session.registry.vocabulary.kinds.get(KindId(draft.kind))
    stated = None if draft is None else draft.form or (kind.form if kind else None)
    may_rule = may(session.registry.policy, session.principal, "state_rule").allowed
    return SourceGrade.OPERATOR if stated in _RULE_FORMS and may_rule else SourceGrade.USER


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


def _one_of(allowed: tuple[str, ...], text: str, *, field: str) -> str:
    if text not in allowed:
        raise _unknown(allowed, text, field)
    return text


def _unknown(allowed: tuple[str, ...], text: str, field: str) -> InvalidInputError:
    return InvalidInputError(
        "choice_unknown",
        f"{field} is {text[:40]!r}",
        next_step=f"it is one of: {', '.join(allowed)}",
        details={"field": field},
    )


def _bounded(text: str, *, field: str, characters_max: int) -> str:
    if len(text) > characters_max:
        raise InvalidInputError(
            "question_too_long",
            f"{field} has {len(text)} characters; at most {characters_max} are allowed",
            next_step="shorten it",
            details={"field": field, "limit": characters_max},
        )
    return text


def _values(name: str, value: AttributeValue | Sequence[AttributeValue]) -> tuple[AttributeValue, ...]:
    values = tuple(value) if isinstance(value, list | tuple) else (cast("AttributeValue", value),)
    for each in values:
        validate_attributes(((name, each),))  # else it would find nothing, as if that were an answer
    return values


def _budget(tokens: int) -> int:
    if not 0 < tokens <= BUDGET_TOKENS_MAX:
        raise InvalidInputError(
            "budget_malformed",
            f"budget_tokens is {tokens}; it goes from 1 to {BUDGET_TOKENS_MAX}",
            next_step="give another number",
            details={"field": "budget_tokens", "limit": BUDGET_TOKENS_MAX},
        )
    return tokens
