"""Choose: which events prove the answer, whether that is enough, and what the question then asks for."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from heedful.evidence.grounds.event import FoundEvent
from heedful.evidence.grounds.features import NAMES, Asked, features_of
from heedful.evidence.grounds.weights import GAP_START, GAP_WEIGHTS, START, WEIGHTS
from heedful.kernel.ids import RecordId
from heedful.observations.record import RecordType

SUPPORT_MIN, SUPPORT_MAX = 2, 5
"""So many events are taken as grounds: of fewer nothing follows, and of more few would be read."""
SURE_MIN = 0.1
"""How surely an event proves the answer, from the third on; `SURE_SHARE_MIN` is the same beside the surest one."""
SURE_SHARE_MIN = 0.35
MATTER_MIN = 0.5
"""From this weight of its subject on an event is of the matter that is asked about."""
SEEN_COUNTED = 6
WEIGHED = "weighed"
"""What is said of an event for which, or against which, nothing plain speaks."""
NONE_UNFIT: Mapping[RecordId, str] = {}
_AT = {name: place for place, name in enumerate(NAMES)}


@dataclass(frozen=True, slots=True)
class Ground:
    """An event with how surely it proves the answer, 0 to 1.

    Attributes:
        supports: True: it is among the grounds; False: it is context.
        because: what speaks for that, or against it, in stable words.
        is_barred: it can be no grounds, however well it fits.
    """

    event: FoundEvent
    sure: float
    supports: bool
    because: str
    is_barred: bool = False


@dataclass(frozen=True, slots=True)
class Grounds:
    """What was found for a question, the surest first.

    Attributes:
        gap: how likely these events show that the answer is not here, 0 to 1.
    """

    found: tuple[Ground, ...]
    gap: float

    @property
    def support(self) -> tuple[Ground, ...]:
        """Those that prove the answer."""
        return tuple(each for each in self.found if each.supports)


def choose(asked: Asked, events: Sequence[FoundEvent], unfit: Mapping[RecordId, str] = NONE_UNFIT) -> Grounds:
    """The grounds among these events, the surest first; what is barred comes last.

    `unfit`: records that can be no grounds for a reason that their numbers do not tell -> that reason.
    """
    return chosen(asked.task_class, features_of(asked, events), unfit)


def chosen(
    task_class: str,
    events: Sequence[tuple[FoundEvent, Sequence[float]]],
    unfit: Mapping[RecordId, str] = NONE_UNFIT,
) -> Grounds:
    """The same of events with their numbers, in the order of features.NAMES."""
    weighed = [
        (barred(task_class, numbers) or unfit.get(event.record.record_id), sure_of(numbers), event, numbers)
        for event, numbers in events
    ]
    ranked = sorted(weighed, key=lambda each: (each[0] is not None, -each[1], each[2].record.record_id))
    best = ranked[0][1] if ranked else 0.0
    found: list[Ground] = []
    taken: list[Sequence[float]] = []
    for bar, sure, event, numbers in ranked:
        is_sure = sure > max(SURE_MIN, SURE_SHARE_MIN * best)
        supports = bar is None and len(taken) < (SUPPORT_MAX if is_sure else SUPPORT_MIN)
        if supports:
            taken.append(numbers)
        because = bar or _because(numbers, supports=supports)
        found.append(Ground(event, round(sure, 3), supports, because, is_barred=bar is not None))
    return Grounds(tuple(found), gap_of(taken, [numbers for _, numbers in events]))


def barred(task_class: str, numbers: Sequence[float]) -> str | None:
    """Why the event can be no grounds, however well it fits; None where it can.

    What is of another environment than the question names; a call, which tells what was tried and not what came of it;
    a note that jumps to a conclusion, where no rule is asked for that a person may set.
    """
    if numbers[_AT["elsewhere"]]:
        return "of another environment"
    if numbers[_AT[f"is_{RecordType.TOOL_CALL}"]]:
        return "a call, no outcome"
    if numbers[_AT["note_concludes"]] and task_class not in ("workflow", "premise"):
        return "a conclusion, no observation"
    return None


def independent_runs(support: Sequence[Ground]) -> int:
    """From how many runs the grounds are: retries and copies within one run count once, derivations for nothing."""
    originals = [each.event.record for each in support if not each.event.record.derived_from]
    return len({each.run_id or each.record_id for each in originals})


def gap_numbers(support: Sequence[Sequence[float]], everything: Sequence[Sequence[float]]) -> list[float]:
    """What is weighed of a gap, of the grounds and of what was seen of the matter, in the order of GAP_WEIGHTS.

    `everything` is in the order in which it happened.
    """
    matter = [each for each in everything if each[_AT["subject"]] >= MATTER_MIN and not each[_AT["elsewhere"]]]
    verified, note, call = (
        _AT[f"is_{each}"] for each in (RecordType.VERIFICATION, RecordType.HUMAN_NOTE, RecordType.TOOL_CALL)
    )
    seen = [each for each in matter if not each[note] and not each[call]]
    last = seen[-1] if seen else None
    return [
        *(_share(support, _AT[name]) for name in ("gap", "failed", "passed")),
        _share(support, verified),
        float(any(each[verified] for each in matter)),
        max((sure_of(each) for each in support), default=0.0),
        _share(matter, _AT["gap"]),
        _share(seen, _AT["passed"]),
        float(last is not None and last[_AT["gap"]] > 0),
        float(last is not None and last[_AT["passed"]] > 0),
        len(seen) / SEEN_COUNTED,
        _share(support, _AT["words"]),
        _share(support, _AT["replaces"]),
    ]


def _share(events: Sequence[Sequence[float]], place: int) -> float:
    return sum(each[place] for each in events) / max(1, len(events))


def gap_of(support: Sequence[Sequence[float]], everything: Sequence[Sequence[float]]) -> float:
    """How likely what was found shows only that the answer is not here, 0 to 1."""
    numbers = gap_numbers(support, everything)
    return round(_logistic(GAP_START, GAP_WEIGHTS, numbers), 3)


def sure_of(numbers: Sequence[float]) -> float:
    """How surely an event proves the answer, 0 to 1, by its numbers."""
    return _logistic(START, WEIGHTS, numbers)


def _logistic(start: float, weights: Sequence[float], numbers: Sequence[float]) -> float:
    total = start + sum(weight * value for weight, value in zip(weights, numbers, strict=True))
    return 1.0 / (1.0 + math.exp(-total))


def support_ids(grounds: Grounds) -> frozenset[RecordId]:
    """The ids of the records that prove the answer."""
    return frozenset(each.event.record.record_id for each in grounds.support)


def _because(numbers: Sequence[float], *, supports: bool) -> str:
    """The plainest thing that speaks for it, or against it."""
    words = _FOR if supports else _AGAINST
    return next((said for name, said in words if numbers[_AT[name]]), WEIGHED)


_FOR = (
    (f"is_{RecordType.VERIFICATION}", "verified"),
    ("last_of_sort", "the newest of its sort"),
    ("after_change", "after the change"),
)
_AGAINST = (
    ("replaced", "replaced by a later one"),
    ("note_plans", "a plan"),
    ("before_change", "before a change"),
    ("lone_subject", "about something else"),
)
