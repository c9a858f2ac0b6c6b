"""Telling: memories among distractors, by the ordinary write path, in an order that the seed decides."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from heedful.claims.claim import UNREVIEWED
from heedful.evaluation.datasets import Case
from heedful.evaluation.plan import Plan
from heedful.kernel.errors import ConflictError, FaultError
from heedful.kernel.ids import RecordId
from heedful.observations.record import RecordType, SourceGrade
from heedful.service.keeping.remember import Remembered
from heedful.service.keeping.remember_many import Answer, Item, remember_many
from heedful.service.recalling.vectors import embed_waiting
from heedful.service.review import approve, review_queue
from heedful.service.session import Session

APPROVAL_ROUNDS_MAX = 100
EMBED_STEPS_MAX = 100_000

SPEAKER = "user:somebody"
"""The scope of whoever tells a case that names none; apart, each case has a tenant of its own all the same."""

_GRADES = {RecordType.DOCUMENT: SourceGrade.DOCUMENT, RecordType.TOOL_RESULT: SourceGrade.TOOL}
"""What comes from a document or a tool is data; the rest is a person's word."""


@dataclass(frozen=True, slots=True)
class Utterance:
    """One thing to be told; `case` is the one whose memory it is, None for a distractor."""

    text: str
    scope: tuple[str, ...]
    record_type: RecordType
    run_id: str | None
    case: Case | None


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of a memory: its record; None, with the reasons, where none was kept."""

    record_id: RecordId | None
    reasons: str


def home_scope(case: Case) -> tuple[str, ...]:
    """Where the case's memory is told: its own scope, or that of a person, the same for all.

    One name for all, since claims are embedded with their subject: what a distractor tells is then embedded once.
    """
    return case.scope or (SPEAKER,)


def in_order(cases: Sequence[Case], distractors: Sequence[str], plan: Plan) -> list[Utterance]:
    """The memories of these cases among the distractors, each of which is told where one of the cases is at home."""
    chance = random.Random(f"{plan.seed}:{cases[0].case_id}:{len(cases)}")  # noqa: S311  (an order, and no secret)
    memories = [Utterance(case.memory, home_scope(case), case.record_type, None, case) for case in cases]
    homes = [memory.scope for memory in memories]
    others = [
        Utterance(text, homes[number % len(homes)], RecordType.MESSAGE, None, None)
        for number, text in enumerate(distractors)
    ]
    if plan.inject is None:
        for memory in memories:
            others.insert(chance.randint(0, len(others)), memory)
        return others
    return _in_rounds(memories, others, *plan.inject)


def tell(session: Session, utterances: Sequence[Utterance]) -> tuple[Kept, ...]:
    """What became of each, in their order."""
    items: list[Item] = [_item(each) for each in utterances]
    answers = remember_many(session, items, scope=utterances[0].scope, progress=lambda _done: None)
    return tuple(_kept(answer) for answer in answers)


def tell_update(session: Session, case: Case, update: str) -> None:
    """The update, as a person's message where the memory is at home: only a person's words end anything."""
    tell(session, [Utterance(update, home_scope(case), RecordType.MESSAGE, None, None)])


def settle(session: Session, plan: Plan) -> None:
    """Everything that waits is done: vectors are made, and a person has approved, where the plan has one do so."""
    if plan.review == "approved":
        _approve_all(session)
    position: int | None = 0
    for _ in range(EMBED_STEPS_MAX):
        position = embed_waiting(session, after=position or 0)
        if position is None:
            return
    raise FaultError("evaluation_unsettled", "vectors are still waiting after all steps", next_step="report this")


def _approve_all(session: Session) -> None:
    left: set[str] = set()
    for _ in range(APPROVAL_ROUNDS_MAX):
        queue = review_queue(session)
        waiting = [claim for claim in queue.claims if claim.status in UNREVIEWED and claim.claim_id not in left]
        if not waiting:
            return
        for claim in waiting:
            try:
                if approve(session, claim.claim_id, "the approved profile of an evaluation").approvals_missing:
                    left.add(claim.claim_id)
            except ConflictError as error:
                # What rests on a record that waits for a person itself is not evidence yet.
                if error.code != "evidence_gone":
                    raise
                left.add(claim.claim_id)


def _in_rounds(memories: list[Utterance], others: list[Utterance], at_round: int, rounds: int) -> list[Utterance]:
    ordered: list[Utterance] = []
    for number in range(1, rounds + 1):
        run_id = f"round-{number}"
        begin, end = ((each * len(others)) // rounds for each in (number - 1, number))
        ordered += [_in_run(each, run_id) for each in others[begin:end]]
        if number == at_round:
            ordered += [_in_run(each, run_id) for each in memories]
    return ordered


def _in_run(utterance: Utterance, run_id: str) -> Utterance:
    return Utterance(utterance.text, utterance.scope, utterance.record_type, run_id, utterance.case)


def _item(utterance: Utterance) -> dict[str, object]:
    item: dict[str, object] = {
        "content": utterance.text,
        "scope": utterance.scope,
        "record_type": utterance.record_type.value,
    }
    if utterance.run_id is not None:
        item["run_id"] = utterance.run_id
    grade = _GRADES.get(utterance.record_type)
    if grade is not None:
        item["grade"] = grade.value
    return item


def _kept(answer: Answer) -> Kept:
    if not isinstance(answer, Remembered):
        return Kept(None, f"{answer.code}: {answer.message}")
    if answer.outcome == "admitted":
        return Kept(answer.record_id, "")
    return Kept(None, f"{answer.outcome}: {', '.join(answer.reasons)}")
