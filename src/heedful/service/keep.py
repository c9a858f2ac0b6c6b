"""Keep: a candidate goes through the write gate, and what it answers becomes events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from heedful.bridges.over import Ending
from heedful.claims.claim import ClaimStatus
from heedful.claims.extract import LINES_MAX, extract_statements
from heedful.kernel.digest import keyed_name
from heedful.kernel.errors import ConflictError, ForbiddenError, InvalidInputError
from heedful.kernel.frozen import quickly_made
from heedful.kernel.ids import ClaimId, RecordId
from heedful.kernel.ladder import Classification
from heedful.kernel.scope import Scope
from heedful.kernel.times import format_time
from heedful.ledger.events import ClaimTransitioned, Event, RecordAdmitted, RecordPending, RecordRefused
from heedful.observations.admit import Admission, Circumstances, Pending, Refusal, admit
from heedful.observations.record import OWN_REFERENCE, Candidate, Channel, Record, RecordType, SourceGrade
from heedful.observations.redact import redact
from heedful.observations.text import query_terms
from heedful.policy.decide import may
from heedful.ports.store import Reading, SearchFilter, StoredRecord, Writing
from heedful.service.auto_approve import onward
from heedful.service.facts import (
    draft_of_fact,
    ended_claims,
    ending_draft,
    endings_of,
    facts_in,
    may_tell_end,
    moves_of_ended,
)
from heedful.service.propose import ClaimDraft, draft_of, propose
from heedful.service.session import Session
from heedful.service.sight import rests_on_denied, visible_in

CAPTURED_LOOKED_AT_MAX = 50
"""Captured messages that an agent's quotation is compared with, the newest that share a word with it."""
_QUOTED_TERMS_MAX = 8

_ASIDE = frozenset({"dead-branch", "detached"})
"""What was said in a part of the conversation that was taken back asks for nothing now."""

Outcome = Literal["admitted", "pending", "refused"]


@dataclass(frozen=True, slots=True)
class ClaimNote:
    """A claim that was proposed: where it got to by itself, and what it says."""

    claim_id: ClaimId
    kind: str
    statement: str
    status: ClaimStatus


@quickly_made
@dataclass(frozen=True, slots=True)
class Prepared:
    """What the gate answered to one candidate, before anything is written.

    Attributes:
        events: what goes into the ledger, in order; the first is the record's.
        problems: `remember:` lines that could not be proposed, each with its reason.
        endings: what the record's words may say is over, of the claims that are held.
        ended: the claims that they ended.
    """

    outcome: Outcome
    record_id: RecordId
    record: Record | None
    blob_content: bytes | None
    reasons: tuple[str, ...]
    events: tuple[Event, ...]
    claims: tuple[ClaimNote, ...]
    problems: tuple[str, ...]
    endings: tuple[Ending, ...] = ()
    ended: tuple[ClaimNote, ...] = ()


@dataclass(slots=True)
class _Claims:
    events: list[Event] = field(default_factory=list)
    notes: list[ClaimNote] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def prepare(
    session: Session,
    candidate: Candidate,
    *,
    flags: tuple[str, ...] = (),
    draft: ClaimDraft | None = None,
    matches_captured: bool = False,
) -> Prepared:
    """What the write gate answers; nothing is written yet. With `draft`, a claim that rests on the record.

    Besides the draft, each `remember:` line in a person's own message is proposed; one that can't be is a problem.

    Raises:
        InvalidInputError: see `admit` and, for `draft`, `propose`.
        ForbiddenError: `form_not_allowed`, for `draft`.
    """
    tenant_key = session.keys.tenant_key(session.store.tenant.tenant_id)
    answer = admit(
        candidate,
        record_id=RecordId(session.new_id()),
        limits=session.limits,
        circumstances=Circumstances(
            may_state_rules=session.channel is not Channel.AGENT
            and may(session.registry.policy, session.principal, "state_rule").allowed,
            matches_captured=matches_captured,
            flags=flags,
            utility_min=0.0,
            confidence_min=0.0,
        ),
        blob_name=lambda content: keyed_name(tenant_key, content),
    )
    if isinstance(answer, Refusal):
        refused = RecordRefused(answer.record_id, answer.source_ref, answer.principal, answer.reasons)
        return Prepared("refused", answer.record_id, None, None, answer.reasons, (refused,), (), ())
    return _kept(session, answer, draft)


def put_blob(session: Session, prepared: Prepared) -> None:
    """Content over the inline limit is in the blob store before the record that names it is written."""
    if prepared.blob_content is not None and prepared.record is not None and prepared.record.blob is not None:
        session.blobs.put(session.store.tenant.tenant_id, prepared.record.blob.name, prepared.blob_content)


def kept_before(
    reading: Reading, source_ref: str | None, scope: Scope, classification: Classification
) -> StoredRecord | None:
    """The record of this scope and classification that was kept under this source reference, or None."""
    return None if source_ref is None else reading.record_by_source(source_ref, scope, classification)


def may_know(session: Session, reading: Reading, stored: StoredRecord) -> bool:
    """True where the session may learn that this record is there: it may see it, or brought it itself."""
    is_denied = rests_on_denied(session, reading, (stored.record.record_id,))
    is_seen = session.clearance.at_least(stored.record.classification) and not is_denied
    return is_seen or stored.record.principal == session.principal


def own_reference(principal: str, source_ref: str | None) -> str | None:
    """The reference under which this principal's record is kept where the plain one is of a record unknown to them.

    It holds a control character, so nobody can give it themselves; saying the same again finds it, as it would the
    plain one: else the answer to a retry would tell that the other record is there.
    """
    return None if source_ref is None else f"{source_ref}{OWN_REFERENCE}{principal}"


def with_reference(prepared: Prepared, source_ref: str | None) -> Prepared:
    """The same with this source reference."""
    assert prepared.record is not None
    record = replace(prepared.record, source_ref=source_ref)
    first, *others = prepared.events
    assert isinstance(first, RecordAdmitted | RecordPending)
    return replace(prepared, record=record, events=(replace(first, record=record), *others))


def source_ref_reused() -> ConflictError:
    """The answer where a source reference comes with another content or type than before."""
    return ConflictError(
        "source_ref_reused",
        "this source reference was used for something else in this scope",
        next_step="give another source_ref, or none",
        details={"field": "source_ref"},
    )


def matches_captured(session: Session, reading: Reading, scope: Scope, text: str) -> bool:
    """True where a message that an importer or hook captured from the user, in this scope, has exactly these words."""
    terms = query_terms(text)[:_QUOTED_TERMS_MAX]
    if not terms:
        return False
    search_filter = SearchFilter("record", (RecordType.MESSAGE,), (), session.clock.now_us(), unreviewed=False)
    result = reading.search(visible_in(session, (scope,)), terms, search_filter, limit=CAPTURED_LOOKED_AT_MAX)
    stored = (reading.record(RecordId(hit.item_id)) for hit in result.hits)
    return any(
        each is not None
        and each.record.channel is Channel.CAPTURE
        and each.record.grade is SourceGrade.USER
        and each.record.content == text
        for each in stored
    )


def _kept(session: Session, answer: Admission | Pending, draft: ClaimDraft | None) -> Prepared:
    record = answer.record
    claims = _Claims()
    evident = isinstance(answer, Admission)
    if draft is not None:
        _add_claim(session, record, draft, claims, evident=evident)
    _add_commands(session, record, claims, evident=evident)
    # Who names a kind, or writes `remember:`, has said what is to be held; the rest is not searched for more.
    is_read = not claims.notes and not _ASIDE & {*record.flags}
    for fact in facts_in(session, record) if is_read else ():
        if not fact.ended:
            _add_told(session, record, draft_of_fact(fact, record), claims, evident=evident)
    first: Event = RecordAdmitted(record, answer.reasons) if evident else RecordPending(record, answer.reasons)
    return Prepared(
        outcome="admitted" if evident else "pending",
        record_id=record.record_id,
        record=record,
        blob_content=answer.blob_content,
        reasons=answer.reasons,
        events=(first, *claims.events),
        claims=tuple(claims.notes),
        problems=tuple(claims.problems),
        endings=endings_of(session, record) if is_read else (),
    )


def with_endings(session: Session, writing: Writing, prepared: Prepared) -> Prepared:
    """The same, with the ends of the claims that the record's words say are over, as far as they end by themselves."""
    record = prepared.record
    if record is None or prepared.outcome != "admitted" or not prepared.endings:
        return prepared
    told = [note.kind for note in prepared.claims]
    ended = ended_claims(session, writing, record, told, prepared.endings)
    claims = _Claims()
    for ending, claim in ended:
        if may_tell_end(session, writing, record, told, claim):
            _add_told(session, record, ending_draft(ending, claim), claims, evident=True)
    notes = (*prepared.claims, *claims.notes)
    moves = moves_of_ended(session, writing, record, [note.kind for note in notes], ended)
    over = {move.claim_id for move in moves if isinstance(move, ClaimTransitioned)}
    return replace(
        prepared,
        events=(*prepared.events, *moves, *claims.events),
        claims=notes,
        ended=tuple(
            ClaimNote(claim.claim_id, claim.kind, claim.statement, ClaimStatus.SUPERSEDED)
            for _, claim in ended
            if claim.claim_id in over
        ),
    )


def _add_commands(session: Session, record: Record, claims: _Claims, *, evident: bool) -> None:
    speaks = record.grade in (SourceGrade.USER, SourceGrade.OPERATOR) and not _ASIDE & {*record.flags}
    if record.content is None or record.type not in (RecordType.MESSAGE, RecordType.HUMAN_NOTE) or not speaks:
        return
    statements = extract_statements(record.content)
    if len(statements) > LINES_MAX:
        later = statements[LINES_MAX].line_number
        claims.problems.append(f"`remember:` in line {later} and after was not proposed: at most {LINES_MAX} are read")
    for statement in statements[:LINES_MAX]:
        try:
            _add_claim(session, record, draft_of(statement), claims, evident=evident)
        except (InvalidInputError, ForbiddenError) as error:
            problem = f"`remember:` in line {statement.line_number} was not proposed: {error.message} [{error.code}]"
            claims.problems.append(redact(problem).text)


def _add_told(session: Session, record: Record, draft: ClaimDraft, claims: _Claims, *, evident: bool) -> None:
    """Nobody asked for this claim, so where policy or a limit keeps it out the record is kept without it."""
    told = _Claims()
    try:
        _add_claim(session, record, draft, told, evident=evident)
    except (InvalidInputError, ForbiddenError):
        return
    claims.events += told.events
    claims.notes += told.notes


def _add_claim(session: Session, record: Record, draft: ClaimDraft, claims: _Claims, *, evident: bool) -> None:
    proposal = propose(
        draft, record, session.registry, claim_id=ClaimId(session.new_id()), now_us=record.occurred.at_us
    )
    asked = draft.form or (kind.form if (kind := session.registry.vocabulary.kinds.get(proposal.kind)) else None)
    if asked is not None and asked != proposal.form:
        claims.problems.append(
            f"{proposal.kind}: kept as an {proposal.form}; on the word of {record.grade}, no {asked}"
        )
    if proposal.valid_to_us is not None and proposal.valid_to_us <= session.clock.now_us():
        until = format_time(proposal.valid_to_us)
        claims.problems.append(f"{proposal.kind}: it held until {until}, so it does not come to mind now")
    moves = onward(proposal, record, session.registry) if evident else ()
    if draft.told_by is not None:
        moves = moves[:1]  # what nobody named is approved by a person alone
    claims.events += [proposal, *moves]
    claims.notes.append(ClaimNote(proposal.claim_id, proposal.kind, proposal.statement, _status_after(moves)))


def _status_after(moves: Sequence[Event]) -> ClaimStatus:
    last = moves[-1] if moves else None
    return ClaimStatus(last.to_status) if isinstance(last, ClaimTransitioned) else ClaimStatus.PROPOSED
