"""Runner: every case through every arm, in a store that is thrown away -> rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from heedful.bootstrap import App
from heedful.bridges.request import PRE_ROUTER
from heedful.evaluation.arms import TextMemory
from heedful.evaluation.asking import Answered, ask
from heedful.evaluation.datasets import Case, Dataset, Distractors, Question
from heedful.evaluation.plan import BRIDGE_FIRST, HYBRID, MEMORY_ARMS, Plan
from heedful.evaluation.reasons import NO_RECORD
from heedful.evaluation.rows import Probe, ResultRow
from heedful.evaluation.stores import as_if_new, new_memory
from heedful.evaluation.telling import Kept, Utterance, home_scope, in_order, settle, tell, tell_update
from heedful.kernel.errors import HeedfulError
from heedful.kernel.ladder import Mode
from heedful.kernel.tokens import estimate_tokens
from heedful.service.governing.modes import set_mode
from heedful.service.session import Session

SUITE = "paired"
SWEPT_PROBES: tuple[Probe, ...] = ("indirect", "topic_negative", "lexical_negative")
ELSEWHERE = "-elsewhere"
"""What is put behind the values of a case's scope, where its question from another scope names none."""
_MS = 1_000.0


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory to which everything was told: Heedful's, and the texts beside it.

    Attributes:
        kept: case id -> what became of its memory; empty where no arm is Heedful's own.
        places: case id -> the place of its memory among the texts.
    """

    app: App
    session: Session
    utterances: Sequence[Utterance]
    texts: TextMemory
    kept: Mapping[str, Kept]
    places: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of a case, for an arm."""

    arm: str
    case: Case
    probe: Probe
    question: Question


def run_paired(
    app: App, dataset: Dataset, distractors: Distractors, plan: Plan, progress: Callable[[int], None]
) -> Iterator[ResultRow]:
    """The rows of every case, in the order of the file, arms and questions; `progress` is told what has been told.

    Each case has a memory of its own, or all have one together; there, everything is asked before any update is told.

    Raises:
        UnsupportedError: `arm_needs_embedder`.
        UnavailableError: `embedder_unavailable`, or the store's.
    """
    if app.router is not None:
        app.router.route("what does this cost")  # so that its weights are loaded before anything is measured
    groups = [dataset.cases] if plan.together else [(case,) for case in dataset.cases]
    told = 0
    for number, cases in enumerate(groups, 1):
        utterances = in_order(cases, distractors.utterances, plan)
        memory = _told_memory(new_memory(app, f"memory-{number}", plan), app, utterances, plan)
        told += len(utterances)
        progress(told)
        for case in cases:
            with _named(case):
                rows = list(_asked(memory, case, plan))
            yield from rows
        for case in cases:
            if case.update is not None:
                with _named(case):
                    rows = list(_updated(memory, case, case.update, plan))
                yield from rows


@contextmanager
def _named(case: Case) -> Iterator[None]:
    """An error names the case at which it happened."""
    try:
        yield
    except HeedfulError as error:
        error.details = {**error.details, "case": case.case_id}
        raise


def told_count(dataset: Dataset, distractors: Distractors, plan: Plan) -> int:
    """How many utterances a run tells, updates aside."""
    cases = len(dataset.cases)
    return cases + len(distractors.utterances) * (1 if plan.together else cases)


def _told_memory(session: Session, app: App, utterances: Sequence[Utterance], plan: Plan) -> Memory:
    kept: Sequence[Kept] = ()
    if any(arm in MEMORY_ARMS for arm in plan.arms):
        kept = tell(session, utterances)
        settle(session, plan)
    places = {each.case.case_id: place for place, each in enumerate(utterances) if each.case is not None}
    return Memory(
        app=app,
        session=session,
        utterances=utterances,
        texts=TextMemory([each.text for each in utterances], session.embedder),
        kept={case_id: kept[place] for case_id, place in places.items()} if kept else {},
        places=places,
    )


def _asked(memory: Memory, case: Case, plan: Plan) -> Iterator[ResultRow]:
    for arm in plan.arms:
        yield from _rows(memory, memory.texts, [Asked(arm, case, *each) for each in _questions(case)], plan)
    for urgency_min in plan.swept if BRIDGE_FIRST in plan.arms else ():
        session = replace(memory.session, urgency_min=urgency_min)
        for probe, question in _questions(case):
            if probe in SWEPT_PROBES:
                row = _memory_row(memory, session, Asked(BRIDGE_FIRST, case, probe, question), plan)
                yield replace(row, setting=f"urgency_min={urgency_min:g}")


def _updated(memory: Memory, case: Case, update: str, plan: Plan) -> Iterator[ResultRow]:
    """The indirect request once more, after the update."""
    if memory.kept:
        tell_update(memory.session, case, update)
        settle(memory.session, plan)
    texts = TextMemory([*(each.text for each in memory.utterances), update], memory.session.embedder)
    for arm in plan.arms:
        yield from _rows(memory, texts, [Asked(arm, case, "after_update", case.indirect)], plan)


def _questions(case: Case) -> list[tuple[Probe, Question]]:
    """The questions that a case has; the indirect one first, since what it costs is measured when it is new."""
    asked: tuple[tuple[Probe, Question | None], ...] = (
        ("indirect", case.indirect),
        ("direct", case.direct),
        ("topic_negative", case.topic_negative),
        ("lexical_negative", case.lexical_negative),
        ("other_scope", case.other_scope),
    )
    return [(probe, question) for probe, question in asked if question is not None]


def _rows(memory: Memory, texts: TextMemory, questions: Sequence[Asked], plan: Plan) -> list[ResultRow]:
    """The rows of these questions, which are all for one arm."""
    arm = questions[0].arm
    if arm not in MEMORY_ARMS:
        return [_text_row(memory, texts, asked, plan) for asked in questions]
    if arm == HYBRID:
        set_mode(memory.session, PRE_ROUTER, Mode.OFF, "the arm without bridges")
    rows = [_memory_row(memory, memory.session, asked, plan) for asked in questions]
    if arm == HYBRID:
        set_mode(memory.session, PRE_ROUTER, None, "the arm without bridges is done")
    return rows


def _memory_row(memory: Memory, session: Session, asked: Asked, plan: Plan) -> ResultRow:
    kept = memory.kept[asked.case.case_id]
    home = home_scope(asked.case)
    scope = tuple(f"{each}{ELSEWHERE}" for each in home) if asked.probe == "other_scope" else home
    answered = ask(
        *(memory.app, session, asked.question), probe=asked.probe, record_id=kept.record_id, scope=scope, plan=plan
    )
    if kept.record_id is None:
        answered = replace(answered, reason=f"{NO_RECORD}: {kept.reasons}")
    return _row(asked, answered, stored=bool(answered.kinds))


def _text_row(memory: Memory, texts: TextMemory, asked: Asked, plan: Plan) -> ResultRow:
    """The texts that such an arm hands out; it knows no scopes, so that one asked elsewhere gets the same."""
    target = memory.places[asked.case.case_id]
    as_if_new(memory.app, memory.session, asked.question.text)
    texts.index(asked.arm)
    began = time.perf_counter()
    served = texts.serve(asked.arm, asked.question.text, target=target, places_max=max(plan.places))
    latency_ms = round((time.perf_counter() - began) * _MS, 3)
    answered = Answered(
        present=target in served,
        activated=False,
        alarmed=False,
        others=0,
        bridge_valid=None,
        decision=None,
        tokens=estimate_tokens("\n".join(map(texts.text, served))),
        latency_ms=latency_ms,
        kinds=(),
        classes=(),
        reason="",
    )
    return _row(asked, answered, stored=None)


def _row(asked: Asked, answered: Answered, *, stored: bool | None) -> ResultRow:
    return ResultRow(
        suite=SUITE,
        case_id=asked.case.case_id,
        arm=asked.arm,
        probe=asked.probe,
        setting="",
        language=asked.case.language,
        domain=asked.case.domain,
        stored=stored,
        present=answered.present,
        activated=answered.activated,
        alarmed=answered.alarmed,
        others=answered.others,
        bridge_valid=answered.bridge_valid,
        decision=answered.decision,
        expected=tuple(each.value for each in asked.case.expected) if asked.probe == "indirect" else (),
        tokens=answered.tokens,
        latency_ms=answered.latency_ms,
        kinds=answered.kinds,
        classes=answered.classes,
        reason=answered.reason,
    )
