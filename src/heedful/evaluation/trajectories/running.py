"""Running: each case in a store of its own, told in the order in which its events arrived, then asked -> rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from heedful.bootstrap import App
from heedful.evaluation.plan import Plan
from heedful.evaluation.stores import as_if_new, new_memory
from heedful.evaluation.telling import settle
from heedful.evaluation.trajectories.cases import Event, TrajectoryCase
from heedful.evidence.packet import Packet
from heedful.kernel.errors import FaultError
from heedful.kernel.times import parse_time
from heedful.observations.record import RecordType, SourceGrade
from heedful.service.keeping.remember import Remembered
from heedful.service.keeping.remember_many import remember_many
from heedful.service.recalling.experience import AUTO
from heedful.service.recalling.recall import recall
from heedful.service.requests import memory_request
from heedful.service.session import Session

SUITE = "trajectories"
BUDGET_TOKENS = 3_200
"""Of a packet (seed 003)."""
RECOGNISED = "recognised"
"""The arm in which the question's class is left to be recognised; in `given` it is the case's own."""
GIVEN = "given"
ARMS = (GIVEN, RECOGNISED)
_MS = 1_000.0
_GRADES = {RecordType.HUMAN_NOTE: SourceGrade.USER, RecordType.MESSAGE: SourceGrade.USER}


@dataclass(frozen=True, slots=True, kw_only=True)
class TrajectoryRow:
    """What a packet held for one case; nothing but `latency_ms` differs between two runs of one manifest.

    Attributes:
        supported: ids of the events that the packet marks as grounds; `shown`: of all that it holds.
        leaked: ids of events of another tenant or scope that it holds.
        expected: the decisions that would be exact.
    """

    suite: str
    case_id: str
    arm: str
    group: str
    language: str
    task_class: str
    recognised: str
    support: tuple[str, ...]
    forbidden: tuple[str, ...]
    supported: tuple[str, ...]
    shown: tuple[str, ...]
    leaked: tuple[str, ...]
    stale: tuple[str, ...]
    decision: str
    expected: tuple[str, ...]
    sufficiency: str
    reasons: tuple[str, ...]
    tokens: int
    latency_ms: float


def run_trajectories(
    app: App, cases: Sequence[TrajectoryCase], plan: Plan, progress: Callable[[int], None]
) -> Iterator[TrajectoryRow]:
    """The rows of every case and arm, in the order of the file; `progress` is told how many cases are done.

    Raises:
        FaultError: `event_not_kept`; what the store raises.
    """
    for number, case in enumerate(cases, 1):
        sessions = {
            tenant: new_memory(app, f"case-{number}-{place}", plan)
            for place, tenant in enumerate(dict.fromkeys([case.tenant, *(each.tenant for each in case.events)]))
        }
        kept = _told(sessions, case, plan)
        for arm in plan.arms:
            yield _asked(app, sessions[case.tenant], case, kept, arm=arm, budget_tokens=plan.budget_tokens)
        progress(number)


def _told(sessions: dict[str, Session], case: TrajectoryCase, plan: Plan) -> dict[str, str]:
    """Record id -> id of the event that it is of."""
    kept: dict[str, str] = {}
    for tenant, session in sessions.items():
        events = [each for each in case.events if each.tenant == tenant]
        answers = remember_many(
            session, [_item(each) for each in events], scope=case.scope, progress=lambda _done: None
        )
        for event, answer in zip(events, answers, strict=True):
            if not isinstance(answer, Remembered) or answer.outcome != "admitted":
                raise FaultError(
                    "event_not_kept",
                    f"event {event.event_id} of case {case.case_id} was not kept: {answer}",
                    next_step="mend the event, or leave the case out",
                    details={"case": case.case_id, "event": event.event_id},
                )
            kept[answer.record_id] = event.event_id
        settle(session, plan)
    return kept


def _item(event: Event) -> dict[str, object]:
    return {
        "content": event.text,
        "scope": event.scope,
        "record_type": event.type.value,
        "grade": _GRADES.get(event.type, SourceGrade.TOOL).value,
        "source_ref": event.event_id,
        "run_id": event.run_id,
        "sequence": event.sequence,
        "occurred_at": event.occurred_at,
        "subjects": event.subjects,
    }


def _asked(
    app: App, session: Session, case: TrajectoryCase, kept: dict[str, str], *, arm: str, budget_tokens: int
) -> TrajectoryRow:
    request = memory_request(
        session,
        case.question,
        scope=case.scope,
        task_class=AUTO if arm == RECOGNISED else case.task_class,
        impact=case.impact,
        as_of=case.as_of,
        budget_tokens=budget_tokens,
    )
    fresh = as_if_new(app, session, request.features.text)
    began = time.perf_counter()
    packet = recall(fresh, request)
    latency_ms = round((time.perf_counter() - began) * _MS, 3)
    supported, shown = _events_in(packet, kept)
    return TrajectoryRow(
        suite=SUITE,
        case_id=case.case_id,
        arm=arm,
        group=case.group,
        language=case.language,
        task_class=case.task_class,
        recognised=packet.task_class,
        support=tuple(sorted(case.support)),
        forbidden=tuple(sorted(case.forbidden)),
        supported=supported,
        shown=shown,
        leaked=tuple(sorted(case.foreign & {*shown})),
        stale=_stale(case),
        decision=packet.decision.value,
        expected=tuple(each.value for each in case.expected),
        sufficiency=packet.sufficiency.value,
        reasons=packet.sufficiency_reasons,
        tokens=packet.tokens,
        latency_ms=latency_ms,
    )


def _events_in(packet: Packet, kept: dict[str, str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Ids of the events that the packet marks as grounds, and of all that it holds or rests on."""
    supported: dict[str, None] = {}
    shown: dict[str, None] = {}
    for item in packet.items:
        for record_id in (item.item_id, *item.evidence):
            event_id = kept.get(record_id)
            if event_id is not None:
                shown[event_id] = None
                if item.supports:
                    supported[event_id] = None
    return tuple(supported), tuple(shown)


def _stale(case: TrajectoryCase) -> tuple[str, ...]:
    """Of the asker's own events, those that must not be grounds and lie before the newest that is one."""
    at = {each.event_id: parse_time(each.occurred_at, field="occurred_at").at_us for each in case.events}
    newest = max((at[each] for each in case.support if each in at), default=0)
    return tuple(sorted(each for each in case.forbidden - case.foreign if each in at and at[each] < newest))
