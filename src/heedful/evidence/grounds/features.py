"""What is weighed of each event beside a question, as numbers in a fixed order: see NAMES."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from heedful.evidence.grounds.event import FoundEvent, are_alike, coverages, in_order, is_outcome, subject_weights
from heedful.evidence.grounds.places import asked_places, place_score
from heedful.evidence.grounds.words import CHANGES, CONCLUDES, FAILED, GAP, PASSED, PLANS
from heedful.observations.record import RecordType
from heedful.recall.request import TaskClass

_TYPES = (
    RecordType.VERIFICATION,
    RecordType.TOOL_RESULT,
    RecordType.ACTION,
    RecordType.OBSERVATION,
    RecordType.HUMAN_NOTE,
    RecordType.TOOL_CALL,
)
_CLASSES: tuple[TaskClass, ...] = ("state", "causal", "workflow", "gotcha", "premise")
_BASE = (
    "near",
    "nearest_share",
    "words",
    "subject",
    "subject_count",
    "lone_subject",
    "here",
    "elsewhere",
    "replaced",
    "replaces",
    "before_change",
    "after_change",
    "late",
    "last_of_sort",
    "after_call",
    "failed",
    "passed",
    "gap",
    "note_concludes",
    "note_plans",
    "structured",
)
_BY_CLASS = ("late", "failed", "passed", "replaced", "before_change")
NAMES: tuple[str, ...] = (
    *_BASE,
    *(f"is_{each}" for each in _TYPES),
    *(f"{task}:{each}" for task in _CLASSES for each in (*(f"is_{sort}" for sort in _TYPES), *_BY_CLASS)),
)
"""Of each number that `features_of` gives, what it is."""
SAME_SUBJECT_COUNTED_MAX = 6


@dataclass(frozen=True, slots=True)
class Asked:
    """The question that grounds are looked for.

    Attributes:
        task_class: as asked or recognised; `general` is weighed as none of the others.
    """

    question: str
    task_class: TaskClass


def features_of(asked: Asked, events: Sequence[FoundEvent]) -> list[tuple[FoundEvent, list[float]]]:
    """Each event, in the order in which they happened, with its numbers in the order of NAMES."""
    ordered = in_order(events)
    covered = coverages(ordered, asked.question)
    weights = subject_weights(ordered, covered, asked.question)
    places = asked_places(asked.question, ordered)
    nearness = sorted((each.nearness for each in ordered), reverse=True)
    mean = sum(nearness) / max(1, len(nearness))
    spread = (sum((each - mean) ** 2 for each in nearness) / max(1, len(nearness))) ** 0.5 or 1.0
    found = []
    changing = [_changes(event) for event in ordered]
    for place, event in enumerate(ordered):
        here, elsewhere = place_score(event, places)
        base = {
            "near": (event.nearness - mean) / spread,
            "nearest_share": 1.0 - nearness.index(event.nearness) / max(1, len(nearness) - 1),
            "words": covered[place],
            "here": float(here),
            "elsewhere": float(elsewhere),
            **_subject(event, ordered, weights),
            **_standing(place, ordered, changing),
            **_words(event),
        }
        found.append((event, _numbers(asked.task_class, event, base)))
    return found


def _numbers(task_class: TaskClass, event: FoundEvent, base: Mapping[str, float]) -> list[float]:
    sorts = {f"is_{each}": float(event.record.type is each) for each in _TYPES}
    values = {**base, **sorts}
    by_class = [
        values[each] if task is task_class or task == task_class else 0.0
        for task in _CLASSES
        for each in (*sorts, *_BY_CLASS)
    ]
    return [*(values[each] for each in _BASE), *sorts.values(), *by_class]


def _subject(
    event: FoundEvent, ordered: Sequence[FoundEvent], weights: Mapping[tuple[str, str], float]
) -> dict[str, float]:
    own = set(event.subjects)
    count = sum(bool(own & set(other.subjects)) for other in ordered) - 1 if own else 0
    return {
        "subject": max((weights[each] for each in event.subjects), default=0.0),
        "subject_count": min(count, SAME_SUBJECT_COUNTED_MAX) / SAME_SUBJECT_COUNTED_MAX,
        "lone_subject": float(count <= 0),
    }


def _standing(place: int, ordered: Sequence[FoundEvent], changing: Sequence[bool]) -> dict[str, float]:
    """How the event stands in time to the others about its subject."""
    event = ordered[place]
    own = set(event.subjects)
    near = [at for at, each in enumerate(ordered) if own & set(each.subjects)]
    before = [ordered[at] for at in near if at < place]
    after = [ordered[at] for at in near if at > place]
    alike_after = [each for each in after if is_outcome(each.record) and are_alike(event, each)]
    alike_before = [each for each in before if is_outcome(each.record) and are_alike(each, event)]
    is_seen = is_outcome(event.record)
    previous = ordered[place - 1] if place else None
    return {
        "replaced": float(is_seen and bool(alike_after)),
        "replaces": float(is_seen and bool(alike_before)),
        "before_change": float(any(changing[at] for at in near if at > place)),
        "after_change": float(any(changing[at] for at in near if at < place)),
        "late": (len(before) + 1) / (len(before) + len(after) + 1),
        "last_of_sort": float(is_seen and not alike_after and bool(before)),
        "after_call": float(
            previous is not None
            and previous.record.type is RecordType.TOOL_CALL
            and previous.record.run_id == event.record.run_id
        ),
    }


def _changes(event: FoundEvent) -> bool:
    does = event.record.type in (RecordType.ACTION, RecordType.TOOL_CALL)
    return does and CHANGES.search(event.text) is not None


def _words(event: FoundEvent) -> dict[str, float]:
    is_note = event.record.type in (RecordType.HUMAN_NOTE, RecordType.MESSAGE)
    text = event.text
    return {
        "failed": float(not is_note and FAILED.search(text) is not None),
        "passed": float(not is_note and PASSED.search(text) is not None),
        "gap": float(GAP.search(text) is not None),
        "note_concludes": float(is_note and CONCLUDES.search(text) is not None),
        "note_plans": float(is_note and PLANS.search(text) is not None),
        "structured": float(text.lstrip()[:1] in ("{", "[")),
    }
