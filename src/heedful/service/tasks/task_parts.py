"""Task parts: what a task's working state is made of, read and ended; see claims.tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from heedful.claims.claim import Claim, ClaimStatus
from heedful.claims.layers import TASK_DIMENSION, is_of_task
from heedful.claims.tasks import ENDED, ENTRY, PROPERTY_PREFIX, Part, said_by_person
from heedful.kernel.errors import ConflictError
from heedful.kernel.ids import ClaimId, RecordId
from heedful.kernel.ladder import Tier
from heedful.kernel.scope import Scope
from heedful.ledger.belief_events import ClaimBounded
from heedful.ledger.events import ClaimProposed, ClaimTransitioned, Event
from heedful.observations.names import shown
from heedful.observations.record import Record, RecordStatus
from heedful.ports.store import AttributeFilter, Reading, StoredRecord
from heedful.service.keeping.keep import Prepared
from heedful.service.keeping.propose import NOTE_KIND
from heedful.service.requests import clean_scope
from heedful.service.session import Session
from heedful.service.sight import visible_in

ENTRIES_MAX = 1_000
"""Parts of one task that are looked at; ending a task with more ends these, and ending it again the next."""
DONE = "done"
"""The reason for which a to-do ended that was done."""
_OWN = frozenset(f"{PROPERTY_PREFIX}{part}" for part in (Part.PLAN, Part.TO_DO))
OVER = (ClaimStatus.SUPERSEDED,)


class TaskPlace(NamedTuple):
    """Where a task is: its own scope, and the one around it."""

    task: str
    scope: Scope
    outside: Scope


@dataclass(frozen=True, slots=True)
class TaskEntry:
    """A part of a task's working state.

    Attributes:
        done: a to-do that was done.
        by_person: a person said it; else it is an agent's word.
        evidence: what it rests on; the first states it.
    """

    claim_id: ClaimId
    part: Part
    statement: str
    status: ClaimStatus
    status_reason: str
    done: bool
    by_person: bool
    evidence: tuple[RecordId, ...]


class Held(NamedTuple):
    """A part with the claim that holds it, the record that states it, and all that it rests on."""

    part: Part
    claim: Claim
    statement: Record
    evidence: tuple[StoredRecord, ...]


def place_of(task: str, scope: Sequence[str]) -> TaskPlace:
    """Where the task of that name is, in this scope.

    Raises:
        InvalidInputError: `scope_malformed` where the scope names a task itself, and those of `clean_scope`.
    """
    outside = clean_scope(scope)
    return TaskPlace(task, clean_scope((*outside.elements, f"{TASK_DIMENSION}:{task}")), outside)


def held_in(
    session: Session, reading: Reading, place: TaskPlace, statuses: Sequence[ClaimStatus]
) -> tuple[tuple[Held, ...], bool]:
    """The parts of the task of these statuses that the session sees, in ledger order, and whether there are more."""
    claims = reading.claims(
        visible_in(session, (place.scope,)),
        statuses=statuses,
        kinds=None,
        visibility=None,
        tier_min=Tier.UNVERIFIED,
        valid_at_us=None,
        limit=ENTRIES_MAX + 1,
    )
    ids = dict.fromkeys(each for claim in claims[:ENTRIES_MAX] for each in claim.evidence)
    stored = {each.record.record_id: each for each in reading.records_by_ids(list(ids))}
    held = (_held(claim, [stored[each] for each in claim.evidence if each in stored]) for claim in claims[:ENTRIES_MAX])
    return tuple(each for each in held if each is not None), len(claims) > ENTRIES_MAX


def waits_for_nobody(claim: Claim) -> bool:
    """True for a plan or to-do of a task: it is somebody's own, and nothing to be believed."""
    own = claim.property in _OWN and claim.kind == NOTE_KIND
    return own and is_of_task(claim.scope) and claim.status is not ClaimStatus.QUARANTINED


def has_ended(session: Session, reading: Reading, place: TaskPlace) -> bool:
    """True where the task has ended, as far as the session sees."""
    found = reading.records(
        visible_in(session, (place.scope,)),
        status=RecordStatus.ADMITTED,
        run_id=None,
        attributes=(AttributeFilter(ENTRY, (ENDED,)),),
        before=None,
        limit=1,
    )
    return bool(found)


def over(session: Session, claim: Claim, reason: str) -> tuple[Event, ...]:
    """The end of a part, which is history from now on: what was approved has held until now."""
    ended = ClaimTransitioned(claim.claim_id, claim.status, ClaimStatus.SUPERSEDED, session.principal, reason)
    if claim.status is not ClaimStatus.ACTIVE:
        return (ended,)
    now_us, start_us = session.clock.now_us(), claim.valid_from_us
    end_us = now_us if claim.valid_to_us is None else min(now_us, claim.valid_to_us)
    end_us = end_us if start_us is None else max(start_us, end_us)
    return ClaimBounded(claim.claim_id, start_us, end_us, session.principal, reason, None), ended


def entry_of(held: Held) -> TaskEntry:
    """The part as it is handed out."""
    part, claim, statement, _ = held
    return TaskEntry(
        claim_id=claim.claim_id,
        part=part,
        statement=claim.statement,
        status=claim.status,
        status_reason=claim.status_reason,
        done=part is Part.TO_DO and claim.status in OVER and claim.status_reason == DONE,
        by_person=said_by_person(statement),
        evidence=claim.evidence,
    )


def _held(claim: Claim, evidence: Sequence[StoredRecord]) -> Held | None:
    """None for a claim of the task's scope that is no part of its working state."""
    for each in evidence:
        part = dict(each.record.attributes).get(ENTRY)
        if part in {*Part}:
            is_part = part == Part.FACT or claim.property == f"{PROPERTY_PREFIX}{part}"
            return Held(Part(str(part)), claim, each.record, tuple(evidence)) if is_part else None
    return None


def resting_on(prepared: Prepared, record_ids: Sequence[RecordId]) -> Prepared:
    """The same; its claims rest on these records too."""
    events = tuple(
        replace(event, evidence=tuple(dict.fromkeys((*event.evidence, *record_ids))))
        if isinstance(event, ClaimProposed)
        else event
        for event in prepared.events
    )
    return replace(prepared, events=events)


def task_ended(place: TaskPlace) -> ConflictError:
    """The answer where a task has ended that is to go on, or to end again."""
    return ConflictError(
        "task_ended",
        f"task {shown(place.task, 64)} has ended",
        next_step="give what goes on another name; `heedful task show TASK` tells what was kept",
        details={"task": shown(place.task, 64)},
    )
