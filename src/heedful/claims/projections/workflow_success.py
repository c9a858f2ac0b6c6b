"""A run that went well: its calls that changed something, where that was, and what verified them; or why it is none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from heedful.claims.projections.workflow_run import Run, RunEntry, in_order, is_error_of
from heedful.kernel.dotted import covers
from heedful.kernel.ids import ActionClassId
from heedful.kernel.ladder import Impact
from heedful.kernel.scope import Scope
from heedful.observations.record import Subject
from heedful.policy.schema_workflows import STEPS_MAX

ENVIRONMENT_TYPES = frozenset({"environment", "cluster", "region", "namespace", "account", "host"})
"""Types of subjects that say where something was done."""
ROLLBACK = "rollback"
"""The last part of the id of a class that takes something back."""
_SUCCEEDED = "succeeded"


@dataclass(frozen=True, slots=True)
class CallSort:
    """What a call is by the registry's tool patterns. `is_known`: every part of it matches one."""

    classes: tuple[ActionClassId, ...]
    impact: Impact
    is_known: bool


@dataclass(frozen=True, slots=True)
class SuccessCall:
    """A call that changed something. `check`: the newest verification after it and before the next; None: none."""

    entry: RunEntry
    args: Mapping[str, object]
    classes: tuple[ActionClassId, ...]
    check: RunEntry | None


@dataclass(frozen=True, slots=True)
class Success:
    """A run that went well. `before`: the newest verification of each class before the first call, by class."""

    run: Run
    calls: tuple[SuccessCall, ...]
    before: tuple[RunEntry, ...]
    scope: Scope
    subjects: tuple[Subject, ...]

    @property
    def began_us(self) -> int:
        """When its first call was made, UTC microseconds."""
        return self.calls[0].entry.occurred_at_us


def success_of(run: Run, sort_of: Callable[[str, Mapping[str, object]], CallSort], at_us: int) -> Success | str:
    """The run as a success, or why it is none.

    It is one where every call that changes something is known to the registry and of one environment, none failed,
    nothing was rolled back or reported as anything but a success, and the newest verification after each call that has
    one, the last call among them, passed, by a person or a tool.
    """
    if run.is_cut:
        return "too long"
    entries = in_order(run.entries)
    changing: list[tuple[RunEntry, Mapping[str, object], CallSort]] = []
    for entry in entries:
        if entry.sort == "call":
            if entry.args is None:
                return "a call that can't be read"
            sort = sort_of(entry.tool, entry.args)
            if sort.impact is Impact.EXECUTE:
                changing.append((entry, entry.args, sort))
    if not changing:
        return "changes nothing"
    why = _unfit(changing, entries)
    if why is not None:
        return why
    place = _place_of([entry for entry, _, _ in changing])
    if place is None:
        return "several environments, or none"
    return _verified(run, entries, changing, place, at_us)


def _unfit(changing: Sequence[tuple[RunEntry, Mapping[str, object], CallSort]], entries: list[RunEntry]) -> str | None:
    if len(changing) > STEPS_MAX:
        return "too long"
    if not all(sort.is_known and sort.classes for _, _, sort in changing):
        return "a call that no tool pattern knows"
    errors = [entry for entry in entries if entry.sort == "error"]
    if any(is_error_of(error, entry) for error in errors for entry, _, _ in changing):
        return "failed"
    if any(entry.sort == "outcome" and entry.status != _SUCCEEDED for entry in entries):
        return "failed or rolled back"
    back = [any(name.rpartition(".")[2] == ROLLBACK for name in sort.classes) for _, _, sort in changing]
    return "failed or rolled back" if any(back) and not all(back) else None


def _place_of(calls: Sequence[RunEntry]) -> tuple[Scope, tuple[Subject, ...]] | None:
    """The one environment in which all of them were made."""
    scopes = {call.scope for call in calls}
    subjects = {subject for call in calls for subject in call.subjects if subject.type in ENVIRONMENT_TYPES}
    if len(scopes) != 1 or len({subject.type for subject in subjects}) != len(subjects):
        return None
    (scope,) = scopes
    ordered = tuple(sorted(subjects, key=lambda subject: (subject.type, subject.id)))
    return None if scope.is_empty and not ordered else (scope, ordered)


def _verified(
    run: Run,
    entries: Sequence[RunEntry],
    changing: Sequence[tuple[RunEntry, Mapping[str, object], CallSort]],
    place: tuple[Scope, tuple[Subject, ...]],
    at_us: int,
) -> Success | str:
    scope, subjects = place
    checks: list[RunEntry | None] = [None] * len(changing)
    before: dict[ActionClassId, RunEntry] = {}
    number = {entry.record_id: at for at, (entry, _, _) in enumerate(changing)}
    at = -1
    for entry in entries:
        if entry.record_id in number:
            at = number[entry.record_id]
        elif entry.sort == "check" and _counts(entry, scope, subjects, at_us):
            assert entry.verifies is not None
            if at < 0:
                before[entry.verifies] = entry
            elif _is_of(entry, changing[at]):
                checks[at] = entry
    if any(check is not None and not check.passed for check in (*checks, *before.values())):
        return "a verification that did not pass"
    if checks[-1] is None:
        return "not verified"
    calls = tuple(
        SuccessCall(entry, args, sort.classes, check)
        for (entry, args, sort), check in zip(changing, checks, strict=True)
    )
    return Success(run, calls, tuple(before[name] for name in sorted(before)), scope, subjects)


def _counts(check: RunEntry, scope: Scope, subjects: Sequence[Subject], at_us: int) -> bool:
    named = {subject.type: subject for subject in subjects}
    return (
        check.counts
        and check.occurred_at_us <= at_us
        and check.scope == scope
        and all(named.get(subject.type, subject) == subject for subject in check.subjects)
    )


def _is_of(check: RunEntry, called: tuple[RunEntry, Mapping[str, object], CallSort]) -> bool:
    entry, _, sort = called
    is_later = not entry.by_agent or entry.position < check.position
    return is_later and any(covers(check.verifies or "", name) for name in sort.classes)
