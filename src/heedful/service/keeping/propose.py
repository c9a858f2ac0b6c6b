"""Propose: what somebody asked to have remembered -> a claim with its evidence, as far as policy lets it go."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import tzinfo

from heedful.bridges.registry import Registry
from heedful.bridges.vocabulary import Kind
from heedful.claims.claim import RULE_FORMS, Form, Visibility
from heedful.claims.extract import PAIR_KEYS, Statement, parse_value, split_list
from heedful.claims.projections.experience import EXPERIENCE_FORMS, GOTCHA_DAYS
from heedful.kernel.canonical import shortest
from heedful.kernel.errors import ForbiddenError, InvalidInputError
from heedful.kernel.ids import ActionClassId, ClaimId, KindId
from heedful.kernel.intervals import Interval
from heedful.kernel.label import Label
from heedful.kernel.ladder import Classification
from heedful.kernel.local_times import instant_in
from heedful.kernel.scope import require_plain_name
from heedful.kernel.times import US_A_DAY
from heedful.ledger.events import ClaimProposed, JsonScalar
from heedful.observations.grade import tier_for
from heedful.observations.limits import ATTRIBUTE_CHARACTERS_MAX, ATTRIBUTE_INTEGER_MAX, require_whole_text
from heedful.observations.names import distinct_name, require_clean_name, shown
from heedful.observations.record import Channel, Record, SourceGrade
from heedful.observations.redact import redact
from heedful.policy.decide import form_allowed

NOTE_KIND = KindId("note")
"""The kind of a statement that names none: it is found when looked for, and never before a question."""

STATEMENT_CHARACTERS_MAX = 2_000
_INTO_STATEMENT = "put it into the statement"
NAME_CHARACTERS_MAX = 256
_FIRST_PARTY = (SourceGrade.USER, SourceGrade.OPERATOR, SourceGrade.SYSTEM)


@dataclass(frozen=True, slots=True)
class ClaimDraft:
    """A statement to be proposed; None leaves a field to the kind's default.

    Attributes:
        since_us, until_us: when it holds, UTC microseconds.
        value: None is True: the statement simply holds.
        confidence: 0 to 1, how sure the kind is; the record's own bounds it.
        told_by: what found it in the record's words; None: somebody named its kind.
        replaces: approved claims that end when this one is approved.
        classification: the least that the claim gets, whatever its record and its kind have.
        rests_on: claims that it is so only as long as they are.
    """

    kind: str | None
    statement: str
    subject: str | None
    property: str | None
    value: JsonScalar | None
    form: str | None
    applies_to: tuple[str, ...] | None
    not_for: tuple[str, ...] | None
    since_us: int | None
    until_us: int | None
    confidence: float = 1.0
    told_by: str | None = None
    replaces: tuple[ClaimId, ...] = ()
    classification: Classification = Classification.NORMAL
    rests_on: tuple[ClaimId, ...] = ()


def draft_of(statement: Statement, zone: tzinfo) -> ClaimDraft:
    """The draft that a `remember:` line asks for; its times are read in the zone where they have no offset.

    Raises:
        InvalidInputError: `statement_malformed` where a key is given twice, and those of `instant_in`.
    """
    pairs = dict(statement.pairs)
    if len(pairs) != len(statement.pairs):
        raise InvalidInputError(
            "statement_malformed",
            f"line {statement.line_number} gives one key twice",
            next_step="give each key once",
            details={"line_number": statement.line_number},
        )
    assert pairs.keys() <= PAIR_KEYS
    since, until = pairs.get("since"), pairs.get("until")
    return ClaimDraft(
        kind=statement.kind,
        statement=statement.sentence,
        subject=distinct_name(pairs.get("subject"), field="subject"),
        property=distinct_name(pairs.get("property"), field="property"),
        value=parse_value(pairs["value"]) if "value" in pairs else None,
        form=pairs.get("form"),
        applies_to=split_list(pairs["applies_to"]) if "applies_to" in pairs else None,
        not_for=split_list(pairs["not_for"]) if "not_for" in pairs else None,
        since_us=instant_in(since, zone, field="since") if since else None,
        until_us=instant_in(until, zone, field="until") if until else None,
        rests_on=tuple(map(ClaimId, split_list(pairs.get("rests_on", "")))),
    )


def propose(
    draft: ClaimDraft,
    record: Record,
    registry: Registry,
    *,
    claim_id: ClaimId,
    now_us: int,
    gotcha_days: float = GOTCHA_DAYS,
) -> ClaimProposed:
    """The proposal of this draft, resting on this record; its label is the record's, or stricter.

    A gotcha or premise lives `gotcha_days` where neither it nor its kind says how long. A secret in the statement or
    the value is cut as in the record; one in a name refuses the draft.

    Raises:
        InvalidInputError: `kind_unknown`, `action_class_unknown`, `form_unknown`, `validity_empty`, `statement_blank`,
            `statement_too_long`, `name_malformed`, `name_too_long`, and those of a value that can't be kept.
        ForbiddenError: `form_not_allowed` where policy keeps this form out of the scope.
    """
    kind = _kind(draft, registry)
    form = _form(draft, kind, record)
    _require_allowed(form, record, registry)
    applies_to = _classes(draft.applies_to, kind.applies_to if kind else (), registry, field="applies_to")
    not_for = _classes(draft.not_for, kind.not_for if kind else (), registry, field="not_for")
    subject = draft.subject or next(iter(record.scope.elements), "tenant")
    property_name = draft.property or (kind.id if kind else NOTE_KIND)
    for field, text in (("subject", subject), ("property", property_name)):
        require_name(text, field)
    valid = _validity(draft, kind, now_us, gotcha_days if form in EXPERIENCE_FORMS else None)
    proposal = ClaimProposed(
        claim_id=claim_id,
        form=form,
        kind=kind.id if kind else NOTE_KIND,
        subject=subject,
        property=property_name,
        value=_value(draft.value),
        statement=_statement(draft.statement),
        scope=record.scope,
        classification=_stricter(_stricter(record.classification, draft.classification), _least(kind)),
        consent=record.consent,
        tier=tier_for(record.grade),
        confidence=shortest(record.confidence * draft.confidence),
        visibility=Visibility.PRE_QUERY if kind and applies_to else Visibility.QUERY,
        applies_to=applies_to,
        not_for=not_for,
        valid_from_us=valid.start_us,
        valid_to_us=valid.end_us,
        evidence=(record.record_id,),
        proposed_by=record.principal,
        registry_revision=registry.revision,
        told_by=draft.told_by,
        replaces=draft.replaces,
        rests_on=draft.rests_on,
    )
    # Design section 2: a record can affect only claims whose label dominates its own.
    label = Label(proposal.scope, proposal.kind, proposal.classification, proposal.consent)
    assert label.dominates(Label(record.scope, None, record.classification, record.consent))
    return proposal


def _kind(draft: ClaimDraft, registry: Registry) -> Kind | None:
    if draft.kind is None or draft.kind == NOTE_KIND:
        return None
    kind = registry.vocabulary.kinds.get(KindId(draft.kind))
    if kind is None:
        raise InvalidInputError(
            "kind_unknown",
            f"no kind {shown(draft.kind)!r} is in the registry",
            next_step=_near(draft.kind, registry.vocabulary.kinds, "heedful registry show kinds"),
            details={"field": "kind"},
        )
    return kind


def _form(draft: ClaimDraft, kind: Kind | None, record: Record) -> Form:
    name = draft.form or (kind.form if kind else Form.FACT)
    try:
        form = Form(name)
    except ValueError as error:
        raise InvalidInputError(
            "form_unknown",
            f"no form {shown(name)!r}",
            next_step=f"forms are: {', '.join(Form)}",
            details={"field": "form"},
        ) from error
    # An agent's word and machine text about records conclude; text of tools and documents states no rule either.
    if record.grade in (SourceGrade.AGENT, SourceGrade.SUMMARY):
        return Form.INFERENCE
    if form in RULE_FORMS and (record.channel is Channel.AGENT or record.grade not in _FIRST_PARTY):
        return Form.INFERENCE
    return form


def _require_allowed(form: Form, record: Record, registry: Registry) -> None:
    if not form_allowed(registry.policy, record.scope, form).allowed:
        raise ForbiddenError(
            "form_not_allowed",
            f"policy keeps claims of form {form} out of scope {record.scope}",
            next_step="use another scope, or ask an owner to allow the form in policy.yaml",
            details={"form": form.value, "scope": list(record.scope.elements)},
        )


def _classes(
    given: tuple[str, ...] | None, default: tuple[ActionClassId, ...], registry: Registry, *, field: str
) -> tuple[ActionClassId, ...]:
    if given is None:
        return default
    for name in given:
        if name not in registry.vocabulary.action_classes:
            raise InvalidInputError(
                "action_class_unknown",
                f"{field} names no action class of the registry: {shown(name)!r}",
                next_step=_near(name, registry.vocabulary.action_classes, "heedful registry show action-classes"),
                details={"field": field},
            )
    return tuple(ActionClassId(name) for name in given)


def _near(name: str, known: Iterable[str], command: str) -> str:
    near = difflib.get_close_matches(name, list(known), n=3)
    return (f"did you mean {', '.join(near)}? " if near else "") + f"`{command}` lists them"


def require_name(text: str, field: str) -> None:
    """Nothing, where the text may name a subject or a property.

    Raises:
        InvalidInputError: `name_malformed`, `name_too_long`.
    """
    require_plain_name(text, field=field, characters_max=NAME_CHARACTERS_MAX)
    require_clean_name(text, field=field)


def _value(value: JsonScalar | None) -> JsonScalar:
    if value is None or isinstance(value, bool):
        return True if value is None else value
    if isinstance(value, str):
        require_whole_text(value, field="value")
        if len(value) > ATTRIBUTE_CHARACTERS_MAX:
            message = f"value has {len(value)} characters; at most {ATTRIBUTE_CHARACTERS_MAX} are allowed"
            raise InvalidInputError(
                "attribute_too_long", message, next_step=_INTO_STATEMENT, details={"field": "value"}
            )
        return redact(value).text
    if isinstance(value, float) and not math.isfinite(value):
        message = "value is infinite or not a number"
        raise InvalidInputError("number_not_finite", message, next_step=_INTO_STATEMENT, details={"field": "value"})
    if abs(value) > ATTRIBUTE_INTEGER_MAX:
        message = f"value is beyond {ATTRIBUTE_INTEGER_MAX} and would lose digits"
        raise InvalidInputError("number_out_of_range", message, next_step=_INTO_STATEMENT, details={"field": "value"})
    return shortest(value)  # as the ledger will give it back: 3.0 is found as 3 is


def _statement(text: str) -> str:
    statement = redact(text.strip()).text
    if not statement:
        raise InvalidInputError(
            "statement_blank",
            "the statement is empty",
            next_step="say what is to be remembered",
            details={"field": "statement"},
        )
    if len(statement) > STATEMENT_CHARACTERS_MAX:
        raise InvalidInputError(
            "statement_too_long",
            f"the statement has {len(statement)} characters; at most {STATEMENT_CHARACTERS_MAX} are allowed",
            next_step="say it in one sentence; the record keeps the rest",
            details={"field": "statement", "limit": STATEMENT_CHARACTERS_MAX},
        )
    return statement


def _validity(draft: ClaimDraft, kind: Kind | None, now_us: int, days: float | None) -> Interval:
    until_us = draft.until_us
    days = kind.expires_after_days if kind and kind.expires_after_days is not None else days
    if until_us is None and days is not None:
        until_us = (draft.since_us or now_us) + int(days * US_A_DAY)
    valid = Interval(draft.since_us, until_us)
    if valid.is_empty:
        raise InvalidInputError(
            "validity_empty",
            "the statement would never hold: its until is not after its since",
            next_step="give an until that is later than since",
            details={"field": "until"},
        )
    return valid


def _least(kind: Kind | None) -> Classification:
    return kind.classification if kind else Classification.NORMAL


def _stricter(left: Classification, right: Classification) -> Classification:
    return max(left, right, key=lambda classification: classification.rank)
