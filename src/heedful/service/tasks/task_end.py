"""Task end: what was a task's working state is dropped, kept or promoted, by rule and not by anybody's word for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from heedful.claims.claim import TO_ACTIVE
from heedful.claims.tasks import ENDED, ENTRY, PROMOTED, Fate, Part, fate_of, grounds_of, is_statement, said_by_person
from heedful.kernel.errors import ForbiddenError, InvalidInputError
from heedful.kernel.ids import ClaimId, RecordId
from heedful.kernel.scope import Scope
from heedful.ledger.events import Event
from heedful.observations.record import Record, RecordType, SourceGrade
from heedful.policy.decide import may_write
from heedful.ports.store import Writing
from heedful.service.keeping.contents import write_kept
from heedful.service.keeping.keep import Prepared, prepare, put_blob
from heedful.service.keeping.propose import NOTE_KIND, ClaimDraft
from heedful.service.keeping.remember import prepare_candidate
from heedful.service.keeping.statements import RememberTexts, candidate_of
from heedful.service.requests import reason_text
from heedful.service.session import Session
from heedful.service.tasks.task_parts import Held, TaskPlace, has_ended, held_in, over, place_of, resting_on, task_ended

TOLD_BY = "task end 1"
"""What found a promoted claim; a person alone approves it."""


@dataclass(frozen=True, slots=True)
class EndedEntry:
    """What became of a part of the task's working state.

    Attributes:
        because: the rule, in words.
        promoted_as: the claim outside of the task that says the same, which waits for review.
    """

    claim_id: ClaimId
    part: Part
    statement: str
    fate: Fate
    because: str
    promoted_as: ClaimId | None


@dataclass(frozen=True, slots=True)
class TaskEnded:
    """What the end of a task did.

    Attributes:
        record_id: by which it ended.
        entries: every part that was live, in ledger order.
        undone: to-dos that were not done; they are dropped, and told here.
        is_cut: there are more; ending it again goes on.
    """

    task: str
    scope: Scope
    record_id: RecordId
    entries: tuple[EndedEntry, ...]
    undone: tuple[str, ...]
    is_cut: bool


class _Judged(NamedTuple):
    entry: EndedEntry
    events: tuple[Event, ...]


def end(session: Session, task: str, reason: str, *, scope: Sequence[str]) -> TaskEnded:
    """What became of the task's working state, by the table in claims.tasks; durable.

    Promoting needs the right to write in the scope around the task, where that is less known: who lacks it leaves the
    fact in the task.

    Raises:
        ForbiddenError: `principal_may_not`, `scope_not_granted`.
        ConflictError: `task_ended` where it has ended and nothing is left to end.
        InvalidInputError: those of the reason.
    """
    session.require("remember")
    place = place_of(task, scope)
    session.require_writable(place.scope)
    noted = reason_text(reason)
    texts = RememberTexts(attributes={ENTRY: ENDED})
    prepared = prepare_candidate(session, candidate_of(session, noted, place.scope, texts, None), None)

    def work(writing: Writing) -> TaskEnded:
        ended_before = has_ended(session, writing, place)
        held, is_cut = held_in(session, writing, place, TO_ACTIVE)
        judged = [_judge(session, place, each) for each in held]
        if ended_before and all(each.entry.fate is Fate.KEPT for each in judged):
            raise task_ended(place)
        session.append(writing, [prepared.events[0], *(event for each in judged for event in each.events)])
        undone = tuple(each.entry.statement for each in judged if each.entry.part is Part.TO_DO)
        return TaskEnded(
            task, place.scope, prepared.record_id, tuple(each.entry for each in judged), undone, is_cut=is_cut
        )

    return write_kept(session, [prepared], work)


def _judge(session: Session, place: TaskPlace, held: Held) -> _Judged:
    claim = held.claim
    live = [each.record for each in held.evidence if each.is_evidence]
    fate, because = fate_of(held.part, grounds_of(held.statement, live, place.outside))
    entry = EndedEntry(claim.claim_id, held.part, claim.statement, fate, because, None)
    match fate:
        case Fate.KEPT:
            return _Judged(entry, ())
        case Fate.DROPPED:
            return _Judged(entry, over(session, claim, f"the task ended: {because}"))
        case Fate.PROMOTED:
            return _promoted(session, place, held, live, entry)


def _promoted(session: Session, place: TaskPlace, held: Held, live: Sequence[Record], entry: EndedEntry) -> _Judged:
    """The fact as it is proposed outside; it stays in the task where that can't be."""
    claim = held.claim
    if not may_write(session.registry.policy, session.principal, place.outside).allowed:
        because = f"{session.principal} may not write outside of the task"
        return _Judged(replace(entry, fate=Fate.KEPT, because=because), ())
    # Words of the task itself stay in it: whoever ends it says the fact again, and what shows it is known outside.
    shown_by = [each.record_id for each in live if each.scope.applies_to(place.outside) and not is_statement(each)]
    try:
        prepared = _said_again(session, place, held, shown_by)
    except (InvalidInputError, ForbiddenError) as error:
        return _Judged(replace(entry, fate=Fate.KEPT, because=error.message), ())
    if not prepared.claims:
        return _Judged(replace(entry, fate=Fate.KEPT, because=", ".join(prepared.reasons)), ())
    promoted_as = prepared.claims[0].claim_id
    moved = over(session, claim, f"{PROMOTED}: claim {promoted_as} says it outside of the task")
    return _Judged(replace(entry, promoted_as=promoted_as), (*prepared.events, *moved))


def _said_again(session: Session, place: TaskPlace, held: Held, shown_by: Sequence[RecordId]) -> Prepared:
    claim = held.claim
    draft = ClaimDraft(
        kind=None if claim.kind == NOTE_KIND else claim.kind,
        statement=claim.statement,
        subject=claim.subject,
        property=claim.property,
        value=claim.value,
        form=claim.form,
        applies_to=claim.applies_to,
        not_for=claim.not_for,
        since_us=claim.valid_from_us,
        until_us=claim.valid_to_us,
        told_by=TOLD_BY,
        classification=claim.classification,
    )
    is_own = said_by_person(held.statement) and held.statement.principal == session.principal
    texts = RememberTexts(
        # Another's words do not become one's own by ending their task, and no words become commands by that.
        grade=None if is_own else SourceGrade.AGENT.value,
        record_type=RecordType.OBSERVATION.value,
        attributes={ENTRY: PROMOTED},
        classification=claim.classification.value,
        confidence=claim.confidence,
        derived_from=shown_by,
    )
    candidate = candidate_of(session, claim.statement, place.outside, texts, draft)
    prepared = prepare(session, candidate, draft=draft)
    put_blob(session, prepared)
    return resting_on(prepared, shown_by)
