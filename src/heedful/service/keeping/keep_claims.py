"""Keep claims: what rests on a record as it is kept: drafts, `remember:` lines, and what was told, as events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from heedful.claims.asked_ends import AskedLine, asked_end_in
from heedful.claims.claim import ClaimStatus
from heedful.claims.corrected import Correction
from heedful.claims.extract import LINES_MAX, extract_statements
from heedful.claims.projections.experience import is_tested
from heedful.claims.said_others import Moved
from heedful.claims.time_words import zone_of
from heedful.kernel.errors import ConflictError, ForbiddenError, InvalidInputError, NotFoundError
from heedful.kernel.ids import ClaimId
from heedful.kernel.times import format_time
from heedful.ledger.events import ClaimTransitioned, Event
from heedful.observations.record import Record, RecordType, SourceGrade
from heedful.observations.redact import redact
from heedful.service.keeping.auto_approve import onward
from heedful.service.keeping.first_hand import correction_of, first_hand
from heedful.service.keeping.grounds import with_grounds
from heedful.service.keeping.propose import ClaimDraft, draft_of, propose
from heedful.service.keeping.worded import worded
from heedful.service.session import Session

ASIDE = frozenset({"dead-branch", "detached"})
"""What was said in a part of the conversation that was taken back asks for nothing now."""


@dataclass(frozen=True, slots=True)
class ClaimNote:
    """A claim that was proposed: where it got to by itself, and what it says."""

    claim_id: ClaimId
    kind: str
    statement: str
    status: ClaimStatus


@dataclass(frozen=True, slots=True)
class Leaning:
    """A correction that names no property, or a pronoun: what it means is told by what was said before.

    Attributes:
        note_id: the note that its line is where it leans on nothing; None: nobody asked to have it remembered.
    """

    correction: Correction | Moved
    note_id: ClaimId | None


@dataclass(slots=True)
class Claims:
    """What is collected for one record."""

    events: list[Event] = field(default_factory=list)
    notes: list[ClaimNote] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    asked: list[AskedLine] = field(default_factory=list)
    leaning: Leaning | None = None


def add_commands(session: Session, record: Record, claims: Claims, *, evident: bool) -> None:
    """The claims of its `remember:` lines, where a person speaks; one that can't be proposed is a problem."""
    speaks = record.grade in (SourceGrade.USER, SourceGrade.OPERATOR) and not ASIDE & {*record.flags}
    if record.content is None or record.type not in (RecordType.MESSAGE, RecordType.HUMAN_NOTE) or not speaks:
        return
    statements = extract_statements(record.content)
    if len(statements) > LINES_MAX:
        later = statements[LINES_MAX].line_number
        claims.problems.append(f"`remember:` in line {later} and after was not proposed: at most {LINES_MAX} are read")
    for place, statement in enumerate(statements[:LINES_MAX]):
        try:
            asked = draft_of(statement, zone_of(record.occurred, session.zone))
            if (end := _end_of(asked)) is not None:
                claims.asked.append(end)
                continue
            draft = worded(session, record, first_hand(session, record, asked))
            add_claim(session, record, draft, claims, evident=evident)
            if place == 0 and draft == asked and (correction := correction_of(draft)) is not None:
                claims.leaning = Leaning(correction, claims.notes[-1].claim_id)
        except (InvalidInputError, ForbiddenError, NotFoundError, ConflictError) as error:
            problem = f"`remember:` in line {statement.line_number} was not proposed: {error.message} [{error.code}]"
            then = f"; next: {error.next_step}" if error.next_step else ""
            claims.problems.append(redact(problem + then).text)


def _end_of(draft: ClaimDraft) -> AskedLine | None:
    """What the line ends; back to the default needs a kind, and no value of its own."""
    end = asked_end_in(draft.statement) if draft.value is None else None
    if end is None or (end.how == "default" and draft.kind is None):
        return None
    return AskedLine(end, draft.kind, draft.subject, draft.property)


def add_told(session: Session, record: Record, draft: ClaimDraft, claims: Claims, *, evident: bool) -> None:
    """Nobody asked for this claim, so where policy or a limit keeps it out the record is kept without it."""
    told = Claims()
    try:
        add_claim(session, record, draft, told, evident=evident)
    except (InvalidInputError, ForbiddenError):
        return
    claims.events += told.events
    claims.notes += told.notes


def add_claim(session: Session, record: Record, draft: ClaimDraft, claims: Claims, *, evident: bool) -> None:
    """The claim of this draft, as far as policy lets it go.

    Raises:
        InvalidInputError, ForbiddenError: see `propose`.
        InvalidInputError, NotFoundError, ConflictError: see `with_grounds`.
    """
    claim_id, now_us = ClaimId(session.new_id()), record.occurred.at_us
    proposal = propose(
        draft, record, session.registry, claim_id=claim_id, now_us=now_us, gotcha_days=session.gotcha_days
    )
    proposal = with_grounds(session, proposal)
    asked = draft.form or (kind.form if (kind := session.registry.vocabulary.kinds.get(proposal.kind)) else None)
    if asked is not None and asked != proposal.form:
        claims.problems.append(
            f"{proposal.kind}: kept as an {proposal.form}; on the word of {record.grade}, no {asked}"
        )
    if proposal.valid_to_us is not None and proposal.valid_to_us <= session.clock.now_us():
        until = format_time(proposal.valid_to_us)
        claims.problems.append(f"{proposal.kind}: it held until {until}, so it does not come to mind now")
    if not is_tested(proposal.form, proposal.scope, proposal.valid_from_us):
        claims.problems.append(f"{proposal.kind}: it waits: a premise says where and since when it was tested")
    moves = onward(proposal, record, session.registry) if evident else ()
    if draft.told_by is not None:
        moves = moves[:1]  # what nobody named is approved by a person alone
    claims.events += [proposal, *moves]
    claims.notes.append(ClaimNote(proposal.claim_id, proposal.kind, proposal.statement, status_after(moves)))


def status_after(moves: Sequence[Event]) -> ClaimStatus:
    """Where a proposal stands after these moves of it."""
    last = moves[-1] if moves else None
    return ClaimStatus(last.to_status) if isinstance(last, ClaimTransitioned) else ClaimStatus.PROPOSED
