"""Correct: a person's word about what a claim should say ends it at once, wholly or for a stretch of time."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.claims.claim import LIVE, Claim, ClaimStatus
from heedful.claims.extract import parse_value
from heedful.kernel.errors import ConflictError, InvalidInputError
from heedful.kernel.intervals import Interval
from heedful.kernel.ladder import Consent, Tier
from heedful.ledger.events import JsonScalar
from heedful.observations.record import SourceGrade
from heedful.ports.store import Reading, Writing
from heedful.service.belief.override import Overridden
from heedful.service.belief.overriding import (
    claim_for,
    require_authority,
    require_override,
    require_rule_right,
    speaks_for_it,
)
from heedful.service.belief.put_right import Correcting
from heedful.service.instants import instant_or_none
from heedful.service.keeping.contents import write_kept
from heedful.service.keeping.keep import Prepared
from heedful.service.keeping.propose import ClaimDraft
from heedful.service.keeping.remember import prepare_candidate
from heedful.service.keeping.statements import RememberTexts, candidate_of
from heedful.service.requests import reason_text
from heedful.service.session import Session

_CORRECTABLE = frozenset({*LIVE, ClaimStatus.EXPIRED, ClaimStatus.SUPERSEDED, ClaimStatus.QUARANTINED})


@dataclass(frozen=True, slots=True)
class Correction:
    """What is right instead, as it was said.

    Attributes:
        value: None: the statement alone says it.
        since, until: ISO 8601, the stretch of time that is put right; None: from its start, to its end.
    """

    value: JsonScalar | None = None
    statement: str | None = None
    since: str | None = None
    until: str | None = None


def correct(session: Session, claim_id: str, correction: Correction, *, reason: str) -> Overridden:
    """What it did: the person's words are a record, the claim of them stands from now on, and the old one has ended.

    Without `since` and `until` the old one never held; with them only that stretch is put right, and what is before and
    after it keeps the old value. Who does not speak for the subject and may approve proposes it to another approver,
    but for a store of one person.

    Raises:
        NotFoundError: `item_not_found`.
        ForbiddenError: `override_not_yours`, `claim_system`, `claim_operator`, `scope_not_granted`.
        ConflictError: `claim_over`, `stretch_outside`, `words_not_kept`.
        InvalidInputError: `correction_empty`, `value_missing`, `time_malformed`, `validity_empty`, and those of
            `remember`.
    """
    session.require("remember")
    noted = reason_text(reason)
    stretch = _stretch(session, correction)
    with session.store.read() as reading:
        claim = _target(session, reading, claim_id)
        is_own = _is_own(session, reading, claim)
    prepared = _prepared(session, claim, correction, is_own=is_own)

    def work(writing: Writing) -> Overridden:
        now = _target(session, writing, claim_id)
        return Correcting(session, writing, now, prepared, noted).done(stretch)

    return write_kept(session, [prepared], work)


def _target(session: Session, reading: Reading, claim_id: str) -> Claim:
    claim = claim_for(session, reading, claim_id, _CORRECTABLE, "corrected")
    require_override(session, claim)
    require_rule_right(session, reading, claim)
    require_authority(session, claim)
    session.require_writable(claim.scope)
    return claim


def _stretch(session: Session, correction: Correction) -> Interval:
    since, until = correction.since, correction.until
    stretch = Interval(instant_or_none(session, since, field="since"), instant_or_none(session, until, field="until"))
    if stretch.is_empty:
        raise InvalidInputError(
            "validity_empty",
            "the correction would never hold: its until is not after its since",
            next_step="give an until that is later than since",
            details={"field": "until"},
        )
    return stretch


def _is_own(session: Session, reading: Reading, claim: Claim) -> bool:
    """True where the claim's words are of who corrects it, or there is nobody else."""
    said = reading.records_by_ids(claim.evidence[:1])
    return session.registry.policy.solo or any(each.record.principal == session.principal for each in said)


def _prepared(session: Session, claim: Claim, correction: Correction, *, is_own: bool) -> Prepared:
    """The record of the words and the claim of them, as the write gate lets them through.

    Raises:
        ConflictError: `words_not_kept` where it does not.
    """
    value, statement = _said(claim, correction, is_own=is_own)
    draft = ClaimDraft(
        kind=claim.kind,
        statement=statement,
        subject=claim.subject,
        property=claim.property,
        value=value,
        form=claim.form,
        applies_to=claim.applies_to,
        not_for=claim.not_for,
        since_us=None,
        until_us=None,
        replaces=(claim.claim_id,),
        classification=claim.classification,
    )
    texts = RememberTexts(
        grade=SourceGrade.OPERATOR if claim.tier is Tier.OPERATOR else None,
        classification=claim.classification.value,
        consent=Consent.EXPLICIT if speaks_for_it(session, claim) else Consent.IMPLICIT,
    )
    prepared = prepare_candidate(session, candidate_of(session, statement, claim.scope, texts, draft), draft)
    if prepared.outcome != "admitted":
        raise ConflictError(
            "words_not_kept",
            f"the write gate does not keep these words: {', '.join(prepared.reasons)}",
            next_step="say it in other words",
            details={"reasons": list(prepared.reasons)},
        )
    return prepared


def _said(claim: Claim, correction: Correction, *, is_own: bool) -> tuple[JsonScalar, str]:
    """The value and the statement that are right."""
    given, statement = correction.value, correction.statement
    if given is None and not (statement or "").strip():
        raise InvalidInputError(
            "correction_empty",
            "the correction says neither a value nor a statement",
            next_step='say what is right: `heedful correct CLAIM VALUE`, or --statement "..."',
            details={"field": "value"},
        )
    if given is None:
        if claim.value is not True:
            raise InvalidInputError(
                "value_missing",
                f"claim {claim.claim_id} has a value, and the correction has none",
                next_step="give the right value beside the statement: `heedful correct CLAIM VALUE --statement ...`",
                details={"field": "value"},
            )
        return True, statement or ""
    value = parse_value(given) if isinstance(given, str) and not isinstance(claim.value, str) else given
    return value, statement or _reworded(claim, value, is_own=is_own)


def _reworded(claim: Claim, value: JsonScalar, *, is_own: bool) -> str:
    """The old statement with the new value where it names the old one just once; else a plain one.

    Plain for another's words too: in a record of somebody else they would stay when their own are erased.
    """
    old = claim.value
    if is_own and isinstance(old, str) and old and claim.statement.count(old) == 1:
        return claim.statement.replace(old, str(value))
    return f"{claim.property} of {claim.subject}: {value}"
