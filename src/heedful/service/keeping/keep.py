"""Keep: a candidate goes through the write gate, and what it answers becomes events."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from heedful.bridges.over import Ending
from heedful.claims.asked_ends import AskedLine
from heedful.claims.said import SAID_KINDS
from heedful.kernel.digest import keyed_name
from heedful.kernel.errors import ConflictError
from heedful.kernel.frozen import quickly_made
from heedful.kernel.ids import ClaimId, RecordId
from heedful.kernel.ladder import Classification
from heedful.kernel.scope import Scope
from heedful.kernel.times import CLOCK_SKEW_US
from heedful.ledger.events import Event, RecordAdmitted, RecordPending, RecordRefused
from heedful.observations.admit import Admission, Circumstances, Pending, Refusal, admit
from heedful.observations.record import OWN_REFERENCE, Candidate, Channel, Record, RecordType, SourceGrade
from heedful.observations.text import query_terms
from heedful.policy.decide import may
from heedful.ports.store import Reading, SearchFilter, StoredRecord
from heedful.service.keeping.calls import Calls
from heedful.service.keeping.facts import draft_of_fact, endings_of, facts_in
from heedful.service.keeping.first_hand import forgotten_in, leaning_of, said_of
from heedful.service.keeping.keep_claims import ASIDE, ClaimNote, Claims, Leaning, add_claim, add_commands, add_told
from heedful.service.keeping.propose import ClaimDraft
from heedful.service.keeping.states import draft_of_state, states_in
from heedful.service.keeping.worded import worded
from heedful.service.session import Session
from heedful.service.sight import rests_on_denied, visible_in

CAPTURED_LOOKED_AT_MAX = 50
"""Captured messages that an agent's quotation is compared with, the newest that share a word with it."""
_QUOTED_TERMS_MAX = 8
AHEAD_OF_CLOCK = "ahead-of-clock"
"""The flag of a record that says that it happened after it was told: its clock is wrong, and wins nothing by that."""

Outcome = Literal["admitted", "pending", "refused"]


@quickly_made
@dataclass(frozen=True, slots=True)
class Prepared:
    """What the gate answered to one candidate, before anything is written.

    Attributes:
        events: what goes into the ledger, in order; the first is the record's.
        problems: `remember:` lines that could not be proposed, each with its reason.
        endings: what the record's words may say is over, of the claims that are held.
        ended: the claims that they ended.
        states: those of the claims that projectors read in its output.
        asked: lines that end what was said before.
        unasked: those of the claims that a sentence says of its speaker, and that nobody asked to have remembered.
        leaning: a correction of what was said before it.
        leaned: those of the claims that it made, see `leaning`.
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
    states: tuple[ClaimId, ...] = ()
    unasked: tuple[ClaimId, ...] = ()
    asked: tuple[AskedLine, ...] = ()
    leaning: Leaning | None = None
    leaned: tuple[ClaimId, ...] = ()

    @property
    def looks_back(self) -> bool:
        """True where it may change claims that came before: those must be in the store when it is settled."""
        is_about_before = bool(self.endings or self.states or self.asked or self.leaning)
        return is_about_before or any(note.kind in SAID_KINDS for note in self.claims)


def prepare(
    session: Session,
    candidate: Candidate,
    *,
    flags: tuple[str, ...] = (),
    draft: ClaimDraft | None = None,
    matches_captured: bool = False,
    calls: Calls | None = None,
) -> Prepared:
    """What the write gate answers; nothing is written yet. With `draft`, a claim that rests on the record.

    Besides the draft, each `remember:` line in a person's own message is proposed; one that can't be is a problem.
    With `calls`, the states that projectors read in a tool's output are proposed; see `settle`.

    Raises:
        InvalidInputError: see `admit` and, for `draft`, `propose`.
        ForbiddenError: `form_not_allowed`, for `draft`.
    """
    latest_us = session.clock.now_us() + CLOCK_SKEW_US
    tenant_key = session.keys.tenant_key(session.store.tenant.tenant_id)
    answer = admit(
        candidate,
        record_id=RecordId(session.new_id()),
        limits=session.limits,
        circumstances=Circumstances(
            may_state_rules=session.channel is not Channel.AGENT
            and may(session.registry.policy, session.principal, "state_rule").allowed,
            matches_captured=matches_captured,
            flags=flags if candidate.occurred.at_us <= latest_us else (*flags, AHEAD_OF_CLOCK),
            utility_min=0.0,
            confidence_min=0.0,
        ),
        blob_name=lambda content: keyed_name(tenant_key, content),
    )
    if isinstance(answer, Refusal):
        refused = RecordRefused(answer.record_id, answer.source_ref, answer.principal, answer.reasons)
        return Prepared("refused", answer.record_id, None, None, answer.reasons, (refused,), (), ())
    return _kept(session, answer, draft, calls)


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


def _kept(session: Session, answer: Admission | Pending, draft: ClaimDraft | None, calls: Calls | None) -> Prepared:
    record = answer.record
    claims = Claims()
    evident = isinstance(answer, Admission)
    if draft is not None:
        add_claim(session, record, draft, claims, evident=evident)
    add_commands(session, record, claims, evident=evident)
    # Who names a kind, or writes `remember:`, has said what is to be held; the rest is not searched for more.
    if not claims.notes and not claims.asked:
        claims.asked += forgotten_in(record)
    is_read = not claims.notes and not claims.asked and not ASIDE & {*record.flags}
    for fact in facts_in(session, record) if is_read else ():
        if not fact.ended:
            add_told(session, record, worded(session, record, draft_of_fact(fact, record)), claims, evident=evident)
    told = len(claims.notes)
    for draft_said in said_of(session, record) if is_read and not told else ():
        add_told(session, record, worded(session, record, draft_said), claims, evident=evident)
    if is_read and not claims.notes and (correction := leaning_of(record)) is not None:
        claims.leaning = Leaning(correction, None)
    named = len(claims.notes)
    if calls is not None:
        projected = states_in(session, record, answer.blob_content, calls)
        for state in projected.drafts:
            add_told(session, record, draft_of_state(state), claims, evident=evident)
        if projected.is_cut:
            claims.problems.append(f"the output tells more than {len(projected.drafts)} states; the rest were not read")
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
        asked=tuple(claims.asked),
        leaning=claims.leaning,
        states=tuple(note.claim_id for note in claims.notes[named:]),
        unasked=tuple(note.claim_id for note in claims.notes[told:named]),
    )
