"""Leaning: words that put right what their speaker said just before -> a claim of the same, with the other value."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from heedful.bridges.sentences import is_question, own_words, sentences_of
from heedful.claims.claim import LIVE, Claim, ClaimStatus
from heedful.claims.corrected import Correction, is_noted, put_right
from heedful.claims.lifecycle import MERGED
from heedful.claims.said import HOME
from heedful.claims.said_others import Moved, may_be
from heedful.kernel.errors import ForbiddenError, InvalidInputError
from heedful.kernel.ids import ClaimId
from heedful.ledger.events import ClaimProposed, ClaimTransitioned, Event
from heedful.observations.grade import SPEAKS_FOR_ANOTHER
from heedful.observations.instructions import ADDRESSES_AGENT
from heedful.observations.record import Record, RecordStatus, RecordType, SourceGrade
from heedful.observations.speaking import is_said_by_person
from heedful.ports.store import Reading, Writing
from heedful.service.belief.weigh import comparator_of, start_of
from heedful.service.keeping.auto_approve import auto_approved, onward
from heedful.service.keeping.keep import Prepared
from heedful.service.keeping.keep_claims import ASIDE, ClaimNote, status_after
from heedful.service.keeping.propose import ClaimDraft, propose
from heedful.service.session import Session
from heedful.service.sight import seen_of, seen_records, visible_in

LOOKED_BACK_MAX = 10
"""Records before it, the newest, among which the one that it leans on is looked for."""
APART_MAX_US: Final = 10 * 60 * 1_000_000
"""Microseconds; where no run holds two records together, what is further apart is no answer to what was said before."""
TOLD_BY = "the sentence puts right what its speaker said just before"
_SILENT = frozenset({RecordType.TOOL_CALL, RecordType.TOOL_RESULT})


def with_leaning(session: Session, writing: Writing, prepared: Prepared) -> Prepared:
    """The same, with the claim that its words put right, with the other value; the same where they lean on nothing.

    It leans on what the same speaker said last in that scope and run, where that is of one single-valued property and
    no question, and nobody else spoke since but to say that they heard it. The claim rests on both records.
    """
    record, leaning = prepared.record, prepared.leaning
    if record is None or leaning is None or prepared.outcome != "admitted":
        return prepared
    before = _before(session, writing, record)
    claim = None if before is None else _meant(session, writing, record, before)
    if before is None or claim is None:
        return prepared
    is_asked = leaning.note_id is not None
    draft = _draft(claim, before, leaning.correction, told_by=None if is_asked else TOLD_BY)
    if draft is None:
        return prepared
    claim_id = ClaimId(session.new_id())
    try:
        proposal = propose(draft, record, session.registry, claim_id=claim_id, now_us=record.occurred.at_us)
    except (InvalidInputError, ForbiddenError):
        return prepared
    proposal = replace(proposal, evidence=(record.record_id, before.record_id))
    moves = onward(proposal, record, session.registry)
    if not is_asked or not auto_approved(proposal, before, session.registry):
        moves = moves[:1]
    note = ClaimNote(claim_id, proposal.kind, proposal.statement, status_after(moves))
    return replace(
        prepared,
        events=(*(each for each in prepared.events if not _is_of(each, leaning.note_id)), proposal, *moves),
        claims=(*(each for each in prepared.claims if each.claim_id != leaning.note_id), note),
        unasked=prepared.unasked if is_asked else (*prepared.unasked, claim_id),
        leaned=(claim_id,),
    )


def _is_of(event: Event, claim_id: ClaimId | None) -> bool:
    return isinstance(event, ClaimProposed | ClaimTransitioned) and event.claim_id == claim_id


def _before(session: Session, reading: Reading, record: Record) -> Record | None:
    """What the speaker said last before, of that scope and run, as far as nobody else said anything since."""
    visible = visible_in(session, (record.scope,))
    recent = reading.records(
        visible,
        status=RecordStatus.ADMITTED,
        run_id=record.run_id,
        attributes=(),
        before=None,
        limit=LOOKED_BACK_MAX,
    )
    for stored in seen_records(session, reading, recent):
        found = stored.record
        if found.scope != record.scope or found.type in _SILENT or _is_heard(found):
            continue
        return found if _is_same_voice(found, record) else None
    return None


def _is_heard(record: Record) -> bool:
    """True where an agent merely says that it heard it."""
    return record.grade is SourceGrade.AGENT and is_noted(record.content or "")


def _is_same_voice(before: Record, record: Record) -> bool:
    """True where the same person says both, in their own name, in one conversation and of one label."""
    voices = [(each.principal, each.speaker, each.grade, each.classification, each.run_id) for each in (before, record)]
    aside = ASIDE | {SPEAKS_FOR_ANOTHER, ADDRESSES_AGENT}
    apart_us = record.occurred.at_us - before.occurred.at_us
    is_near = apart_us >= 0 and (record.run_id is not None or apart_us <= APART_MAX_US)
    return (
        voices[0] == voices[1] and is_said_by_person(before) and not aside & {*before.flags, *record.flags} and is_near
    )


def _meant(session: Session, reading: Reading, record: Record, before: Record) -> Claim | None:
    """The one claim that the last sentence before told; None where it told none, or several."""
    told = [
        claim
        for claim in seen_of(session, reading, reading.claims_on(before.record_id))
        if (claim.status in LIVE or _is_merged(claim))
        and claim.proposed_by == record.principal
        and comparator_of(session, claim) is not None
    ]
    said = sentences_of(own_words(before.content or ""))[-1:]
    if len(told) != 1 or not said or is_question(said[0]):
        return None
    return told[0] if str(told[0].value).casefold() in said[0].casefold() else None


def _is_merged(claim: Claim) -> bool:
    return claim.status is ClaimStatus.SUPERSEDED and claim.status_reason.startswith(MERGED)


def _draft(claim: Claim, before: Record, words: Correction | Moved, *, told_by: str | None) -> ClaimDraft | None:
    """What was wrong was wrong from its beginning; who moved, or what was held already, changes now."""
    is_now = isinstance(words, Moved) or _is_merged(claim)
    found = _moved(claim, words) if isinstance(words, Moved) else _righted(claim, words, is_asked=told_by is None)
    if found is None:
        return None
    statement, value = found
    return ClaimDraft(
        kind=claim.kind,
        statement=statement,
        subject=claim.subject,
        property=claim.property,
        value=value,
        form=claim.form,
        applies_to=claim.applies_to,
        not_for=claim.not_for,
        since_us=None if is_now else start_of(claim, before),
        until_us=None if is_now else claim.valid_to_us,
        told_by=told_by,
        classification=claim.classification,
    )


def _righted(claim: Claim, correction: Correction, *, is_asked: bool) -> tuple[str, str | int | float] | None:
    return put_right(claim.statement, claim.value, correction, is_asked=is_asked)


def _moved(claim: Claim, moved: Moved) -> tuple[str, str] | None:
    """Where they live now, where the claim tells where somebody else did whom the pronoun may stand for."""
    whom = claim.subject.partition("/")[2]
    if claim.kind != HOME or not whom or not may_be(whom, moved.pronoun):
        return None
    right = put_right(claim.statement, claim.value, Correction(moved.place, None, is_sure=True), is_asked=True)
    return None if right is None else (right[0], moved.place)
