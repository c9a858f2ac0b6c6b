"""Task: the working state of one task, in mind within it alone: plan, to-do, constraints, what was found out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from heedful.claims.claim import LIVE, TO_ACTIVE, ClaimStatus
from heedful.claims.layers import TASK_DIMENSION
from heedful.claims.tasks import ENTRY, PROPERTY_PREFIX, Part
from heedful.kernel.errors import ConflictError, InvalidInputError
from heedful.kernel.ladder import Classification
from heedful.kernel.scope import Scope
from heedful.ledger.events import JsonScalar
from heedful.observations.names import distinct_name, shown
from heedful.observations.record import Record
from heedful.ports.store import Reading, Writing
from heedful.service.belief.settle import settled
from heedful.service.instants import instant_or_none
from heedful.service.keeping.contents import write_kept
from heedful.service.keeping.propose import ClaimDraft
from heedful.service.keeping.remember import Remembered, prepare_candidate, remembered
from heedful.service.keeping.statements import RememberTexts, candidate_of
from heedful.service.requests import choice
from heedful.service.session import Session
from heedful.service.sight import is_within_sight, not_found, seen_record
from heedful.service.tasks.task_parts import (
    DONE,
    OVER,
    TaskEntry,
    TaskPlace,
    entry_of,
    has_ended,
    held_in,
    over,
    place_of,
    resting_on,
    task_ended,
)

EVIDENCE_MAX = 64


@dataclass(frozen=True, slots=True)
class TaskState:
    """The working state of a task.

    Attributes:
        ended: it has ended; what is still live was kept.
        is_cut: there are more entries than ENTRIES_MAX.
    """

    task: str
    scope: Scope
    ended: bool
    entries: tuple[TaskEntry, ...]
    is_cut: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FactTexts:
    """What a fact says, for machines, and what shows it; other parts have none of it. See RememberTexts."""

    kind: str | None = None
    subject: str | None = None
    property_name: str | None = None
    value: JsonScalar | None = None
    since: str | None = None
    until: str | None = None
    evidence: Sequence[str] = ()


def add(
    session: Session, task: str, text: str, *, part: str, scope: Sequence[str], fact: FactTexts | None = None
) -> Remembered:
    """What was kept of this part of the task's working state: a record, and a claim that rests on it; durable.

    Raises:
        ForbiddenError: `principal_may_not`, `scope_not_granted`, `form_not_allowed`.
        InvalidInputError: `choice_unknown`, `fact_only`, `evidence_unfit`, those of `remember`.
        NotFoundError: `item_not_found` for evidence that is not there for this principal.
        ConflictError: `task_ended`.
    """
    session.require("remember")
    place = place_of(task, scope)
    session.require_writable(place.scope)
    chosen = choice(Part, part, field="part")
    fact = fact or FactTexts()
    if chosen is not Part.FACT and fact != FactTexts():
        raise InvalidInputError(
            "fact_only",
            f"a {chosen} has no kind, value, validity or evidence",
            next_step="say it as a fact, or leave them out",
            details={"field": "part"},
        )
    with session.store.read() as reading:
        shown_by = _evidence(session, reading, place, fact.evidence)
    draft = _draft(session, chosen, text, place, fact, shown_by=shown_by)
    texts = RememberTexts(attributes={ENTRY: chosen.value}, classification=draft.classification.value)
    candidate = candidate_of(session, text, place.scope, texts, draft)
    prepared = resting_on(prepare_candidate(session, candidate, draft), [each.record_id for each in shown_by])

    def work(writing: Writing) -> Remembered:
        if has_ended(session, writing, place):
            raise task_ended(place)
        found = settled(session, writing, prepared)
        return remembered(session, found, session.append(writing, found.events)[0].position)

    return write_kept(session, [prepared], work)


def done(session: Session, task: str, claim_id: str, *, scope: Sequence[str]) -> TaskEntry:
    """The to-do, which is done from now on.

    Raises:
        ForbiddenError: `principal_may_not`, `scope_not_granted`.
        NotFoundError: `item_not_found` where the task has no such part for this principal.
        ConflictError: `todo_over` where it is no to-do that is still to be done.
    """
    session.require("remember")
    place = place_of(task, scope)
    session.require_writable(place.scope)

    def work(writing: Writing) -> TaskEntry:
        held, _ = held_in(session, writing, place, (*TO_ACTIVE, *OVER))
        found = next((each for each in held if each.claim.claim_id == claim_id), None)
        if found is None:
            raise not_found(claim_id)
        claim = found.claim
        if found.part is not Part.TO_DO or claim.status not in LIVE:
            raise ConflictError(
                "todo_over",
                f"claim {claim_id} is no to-do that is still to be done: it is a {found.part}, {claim.status}",
                next_step="`heedful task show TASK` lists what is to be done",
                details={"claim_id": claim.claim_id},
            )
        session.append(writing, over(session, claim, DONE))
        return entry_of(found._replace(claim=replace(claim, status=ClaimStatus.SUPERSEDED, status_reason=DONE)))

    return session.store.write(work)


def show(session: Session, task: str, *, scope: Sequence[str]) -> TaskState:
    """The working state of the task, in ledger order: what holds, and what was done or is over.

    Raises:
        ForbiddenError: `principal_may_not`, `scope_not_granted`.
    """
    session.require("recall")
    place = place_of(task, scope)
    session.require_writable(place.scope)
    with session.store.read() as reading:
        held, is_cut = held_in(session, reading, place, (*TO_ACTIVE, *OVER))
        ended = has_ended(session, reading, place)
    return TaskState(task, place.scope, ended, tuple(map(entry_of, held)), is_cut)


def _evidence(session: Session, reading: Reading, place: TaskPlace, ids: Sequence[str]) -> tuple[Record, ...]:
    """The records that are to show a fact.

    Raises:
        NotFoundError: `item_not_found`.
        InvalidInputError: `entries_too_many`, `evidence_unfit`.
    """
    if len(ids) > EVIDENCE_MAX:
        raise InvalidInputError(
            "entries_too_many",
            f"evidence has {len(ids)} entries; at most {EVIDENCE_MAX} are allowed",
            next_step="name those that show it best",
            details={"field": "evidence", "limit": EVIDENCE_MAX},
        )
    records = []
    for record_id in dict.fromkeys(ids):
        stored = seen_record(session, reading, record_id)
        if stored is None:
            raise not_found(record_id)
        is_outside = not is_within_sight(session, stored.record.scope, place.scope)
        if not stored.is_evidence or is_outside:
            why = f"is of scope {shown(str(stored.record.scope), 200)}" if is_outside else f"is {stored.status}"
            raise InvalidInputError(
                "evidence_unfit",
                f"record {record_id} can show nothing in task {shown(place.task, 64)}: it {why}",
                next_step="name records that are evidence, of the task or of the scope around it",
                details={"field": "evidence", "id": record_id},
            )
        records.append(stored.record)
    return tuple(records)


def _draft(
    session: Session, part: Part, text: str, place: TaskPlace, fact: FactTexts, *, shown_by: Sequence[Record]
) -> ClaimDraft:
    is_fact = part is Part.FACT
    around = place.outside if is_fact and not place.outside.is_empty else Scope((f"{TASK_DIMENSION}:{place.task}",))
    return ClaimDraft(
        kind=fact.kind,
        statement=text,
        subject=distinct_name(fact.subject, field="subject") or around.elements[0],
        property=distinct_name(fact.property_name, field="property") if is_fact else PROPERTY_PREFIX + part.value,
        value=fact.value,
        form=None if fact.kind is not None else part.form,
        applies_to=None,
        not_for=None,
        since_us=instant_or_none(session, fact.since, field="since"),
        until_us=instant_or_none(session, fact.until, field="until"),
        # Its label dominates that of all that it rests on.
        classification=max(
            (record.classification for record in shown_by), default=Classification.NORMAL, key=lambda each: each.rank
        ),
    )
