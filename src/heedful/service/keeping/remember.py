"""Remember: one statement -> a record, and the claims that are proposed of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from heedful.kernel.frozen import quickly_made
from heedful.kernel.ids import RecordId
from heedful.observations.admit import is_summary
from heedful.observations.record import Candidate, Channel, RecordStatus, Redaction, SourceGrade
from heedful.ports.store import StoredRecord, Writing
from heedful.service.belief.settle import look_ahead, settled
from heedful.service.erasure.barred import is_barred
from heedful.service.keeping.calls import Calls
from heedful.service.keeping.contents import write_kept
from heedful.service.keeping.keep import (
    Outcome,
    Prepared,
    kept_before,
    matches_captured,
    may_know,
    own_reference,
    prepare,
    source_ref_reused,
    with_reference,
)
from heedful.service.keeping.keep_claims import ClaimNote
from heedful.service.keeping.propose import ClaimDraft
from heedful.service.keeping.sources import (
    ERASED_BEFORE,
    NO_CONSENT,
    SOURCE_ERASED,
    SOURCE_WITHDRAWN,
    all_are_evidence,
    brought_back,
    comes_again,
    refused,
    unless_erased,
)
from heedful.service.keeping.statements import RememberTexts, candidate_of, claim_draft
from heedful.service.requests import clean_scope
from heedful.service.session import Session
from heedful.service.sight import seen_claim, told_position

_KEPT_BEFORE: dict[RecordStatus, Outcome] = {
    RecordStatus.ADMITTED: "admitted",
    RecordStatus.PENDING: "pending",
    RecordStatus.WITHDRAWN: "refused",
    RecordStatus.HELD: "refused",
}


@quickly_made
@dataclass(frozen=True, slots=True)
class Remembered:
    """What became of it.

    Attributes:
        duplicate: True: it was kept before under this source reference, and nothing was written; outcome and claims
            are those of then, as they stand now. One that was withdrawn since is not kept again: refused.
        position: of its event in the ledger; 0 for a duplicate, and for those who may not audit.
        problems: `remember:` lines that were not proposed, with the reason.
        ended: claims that nobody had reviewed, and that its words ended.
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
    ended: tuple[ClaimNote, ...] = ()


def remember(
    session: Session, content: str | bytes, *, scope: Sequence[str], texts: RememberTexts | None = None
) -> Remembered:
    """What was kept of this statement; durable when it returns.

    With a kind in `texts`, a claim of that kind is proposed, resting on the record. Saying the same again under one
    `source_ref` keeps it once in each scope and classification.

    Raises:
        ForbiddenError: `principal_may_not`, `scope_not_granted`, `form_not_allowed`.
        InvalidInputError: any field, each by its own code.
        ConflictError: `source_ref_reused` where that reference names other content.
        BusyError, UnavailableError: the store; nothing was kept.
    """
    session.require("remember")
    parsed_scope = clean_scope(scope)
    session.require_writable(parsed_scope)
    texts = texts or RememberTexts()
    draft = claim_draft(session, content, texts)
    return write_candidate(session, candidate_of(session, content, parsed_scope, texts, draft), draft=draft)


def write_candidate(session: Session, candidate: Candidate, *, draft: ClaimDraft | None = None) -> Remembered:
    """What the write gate made of the candidate, durable; or the record that was kept before under its reference."""
    prepared = prepare_candidate(session, candidate, draft)
    look_ahead(session, [prepared])

    def work(writing: Writing) -> Remembered:
        found = to_keep(session, writing, candidate, prepared)
        if isinstance(found, Remembered):
            return found
        return remembered(session, found, session.append(writing, found.events)[0].position)

    return write_kept(session, [prepared], work)


def prepare_candidate(
    session: Session, candidate: Candidate, draft: ClaimDraft | None, calls: Calls | None = None
) -> Prepared:
    """What the write gate answers to the candidate; nothing is written. See `write_kept` for how it is.

    `calls` knows the calls that came with it and are not in the store yet.
    """
    quotes = candidate.channel is Channel.AGENT and candidate.grade is SourceGrade.USER
    prepared = prepare(
        session,
        candidate,
        draft=draft,
        matches_captured=quotes and _captured(session, candidate),
        calls=calls or Calls(session),
    )
    if prepared.blob_content is not None:
        # What is refused for what was erased must not lie there again: no record would name it, and nothing take it.
        with session.store.read() as reading:
            if kept_before(reading, candidate.source_ref, candidate.scope, candidate.classification) is None:
                prepared = unless_erased(session, reading, prepared)
    return prepared


def to_keep(session: Session, writing: Writing, candidate: Candidate, prepared: Prepared) -> Prepared | Remembered:
    """What is to be appended of it; or what became of it before, where its reference was kept already.

    Raises:
        ConflictError: `source_ref_reused`.
    """
    if prepared.record is not None and is_barred(writing, prepared.events):
        return refused(prepared, NO_CONSENT)
    if is_summary(candidate) and not all_are_evidence(writing, candidate):
        return refused(prepared, SOURCE_WITHDRAWN)  # meanwhile
    if candidate.derived_from and writing.erased_among(candidate.derived_from):
        return refused(prepared, SOURCE_ERASED)
    before = kept_before(writing, candidate.source_ref, candidate.scope, candidate.classification)
    if before is None and comes_again(session, writing, candidate):
        if not candidate.again:
            return refused(prepared, ERASED_BEFORE)
        prepared = brought_back(prepared)
    if before is None or prepared.record is None:
        return settled(session, writing, prepared)
    if may_know(session, writing, before):
        return _duplicate(session, writing, before, prepared)
    before = _first_known(session, writing, candidate)
    if before is not None:
        return _duplicate(session, writing, before, prepared)
    own = with_reference(prepared, own_reference(session.principal, candidate.source_ref))
    return settled(session, writing, own)


def _first_known(session: Session, writing: Writing, candidate: Candidate) -> StoredRecord | None:
    """The first record that anybody kept beside the hidden one, of those that the session may know of.

    Without the hidden one it would have the reference itself. What somebody kept who has left policy is not found.
    """
    kept = (
        kept_before(writing, own_reference(each, candidate.source_ref), candidate.scope, candidate.classification)
        for each in {*session.registry.policy.principals, session.principal}
    )
    known = (stored for stored in kept if stored is not None and may_know(session, writing, stored))
    return min(known, key=lambda stored: stored.position, default=None)


def _captured(session: Session, candidate: Candidate) -> bool:
    with session.store.read() as reading:
        return matches_captured(session, reading, candidate.scope, candidate.content.decode("utf-8", "replace"))


def remembered(session: Session, prepared: Prepared, position: int) -> Remembered:
    """The answer for what was appended, its first event at this position."""
    record = prepared.record
    return Remembered(
        outcome=prepared.outcome,
        record_id=prepared.record_id,
        duplicate=False,
        position=told_position(session, position),
        reasons=prepared.reasons,
        redactions=record.redactions if record else (),
        flags=record.flags if record else (),
        claims=prepared.claims,
        problems=prepared.problems,
        ended=prepared.ended,
    )


def _duplicate(session: Session, writing: Writing, before: StoredRecord, prepared: Prepared) -> Remembered:
    kept, again = before.record, prepared.record
    places = ("content", "content_base64", "blob", "type")
    if again is None or any(getattr(again, place) != getattr(kept, place) for place in places):
        raise source_ref_reused()
    resting = (seen_claim(session, writing, each.claim_id) for each in writing.claims_on(kept.record_id))
    claims = tuple(each for each in resting if each is not None)
    reasons = ("kept-before",) if before.status is RecordStatus.ADMITTED else ("kept-before", before.status.value)
    return Remembered(
        outcome=_KEPT_BEFORE[before.status],
        record_id=kept.record_id,
        duplicate=True,
        position=0,
        reasons=reasons,
        redactions=kept.redactions,
        flags=kept.flags,
        claims=tuple(ClaimNote(each.claim_id, each.kind, each.statement, each.status) for each in claims),
        problems=(),
    )
