"""Runs that went well, in the same way, in the same environment -> a workflow that somebody may review. No more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from heedful.claims.projections.workflow_generalised import generalised, shape_of
from heedful.claims.projections.workflow_run import Run
from heedful.claims.projections.workflow_success import CallSort, Success, SuccessCall, success_of
from heedful.kernel.canonical import canonical_bytes
from heedful.kernel.dotted import covers
from heedful.kernel.ids import ActionClassId, RecordId, RunId
from heedful.kernel.scope import Scope
from heedful.kernel.times import US_A_SECOND
from heedful.observations.record import Subject
from heedful.policy.schema_workflows import PRECONDITIONS_MAX

RUNS_MIN = 2
"""Independent runs that a proposal rests on, at least."""
RUNS_USED_MAX = 20
"""Of one proposal; the newest."""
RETRY_SECONDS = 3_600
"""Two runs with the very same arguments that began within this time are one that was tried again."""
COMPARED_MAX = 500
"""Runs of one shape that are compared with one another, the newest."""


@dataclass(frozen=True, slots=True)
class MinedCheck:
    """How a step was verified in the newest of the runs, in its words."""

    verifies: ActionClassId
    tool: str
    query: str
    said: str


@dataclass(frozen=True, slots=True)
class MinedStep:
    """A call that all the runs made at this place. `check`: None where no run verified it by itself."""

    tool: str
    action_class: ActionClassId
    input: Mapping[str, object]
    check: MinedCheck | None


@dataclass(frozen=True, slots=True)
class MinedWorkflow:
    """What the runs have in common.

    Attributes:
        intent: what the last call decides, by its verification.
        preconditions: classes that were verified before the first such call, in all of the runs.
        run_ids: the independent runs, the oldest first; evidence: their calls and verifications, in order.
    """

    intent: ActionClassId
    scope: Scope
    subjects: tuple[Subject, ...]
    preconditions: tuple[ActionClassId, ...]
    steps: tuple[MinedStep, ...]
    run_ids: tuple[RunId, ...]
    evidence: tuple[RecordId, ...]


@dataclass(frozen=True, slots=True)
class Mined:
    """What was found, and why runs do not count: reason -> how many."""

    found: tuple[MinedWorkflow, ...]
    left_out: dict[str, int]


def mine(
    runs: Iterable[Run],
    sort_of: Callable[[str, Mapping[str, object]], CallSort],
    shell_tools: Mapping[str, str],
    *,
    at_us: int,
) -> Mined:
    """The workflows that at least RUNS_MIN independent runs show, in order of intent and scope.

    Which runs count: success_of. They are alike where environment, tools, classes and the shapes of arguments are.
    """
    left_out: Counter[str] = Counter()
    groups: dict[tuple[object, ...], list[Success]] = {}
    for run in runs:
        read = success_of(run, sort_of, at_us)
        if isinstance(read, str):
            left_out[read] += 1
        else:
            groups.setdefault(_key(read, shell_tools), []).append(read)
    found: list[MinedWorkflow] = []
    for group in groups.values():
        independent = _independent(group)
        left_out["the same run again"] += len(group) - len(independent)
        if len(independent) < RUNS_MIN:
            left_out["only one such run"] += len(independent)
            continue
        mined = _in_all(independent[-RUNS_USED_MAX:], shell_tools)
        if mined is None:
            left_out["no template for its arguments"] += len(independent)
        else:
            found.append(mined)
    found.sort(key=lambda each: (each.intent, each.scope.key, each.run_ids))
    return Mined(tuple(found), {reason: count for reason, count in sorted(left_out.items()) if count})


def _key(success: Success, shell_tools: Mapping[str, str]) -> tuple[object, ...]:
    """What two runs must have in common: the environment, and at each place the tool, the classes, the shape."""
    calls = (
        (call.entry.tool, call.classes, shape_of(call.entry.tool, call.args, shell_tools)) for call in success.calls
    )
    return success.scope, success.subjects, tuple(calls)


def _independent(group: Sequence[Success]) -> list[Success]:
    """One run of each origin, in order of their beginning: copies, derivations and retries count once."""
    ordered = sorted(group, key=lambda each: (each.began_us, each.run.run_id))[-COMPARED_MAX:]
    kept: list[Success] = []
    seen: list[Success] = []
    for each in ordered:
        if not any(_is_again(each, other) for other in seen):
            kept.append(each)
        seen.append(each)
    return kept


def _is_again(one: Success, other: Success) -> bool:
    ids = [[call.entry.call_id for call in each.calls] for each in (one, other)]
    records = [{entry.record_id for entry in each.run.entries} for each in (one, other)]
    origins = [{origin for entry in each.run.entries for origin in entry.derived_from} for each in (one, other)]
    retried = [{entry.retry_of for entry in each.run.entries} for each in (one, other)]
    # Some formats number their calls, so the same ids alone are no sign.
    if ids[0] == ids[1] and all(ids[0]) and _arguments(one) == _arguments(other):
        return True
    if origins[0] & records[1] or origins[1] & records[0] or origins[0] & origins[1]:
        return True
    if other.run.run_id in retried[0] or one.run.run_id in retried[1]:
        return True
    is_close = abs(one.began_us - other.began_us) <= RETRY_SECONDS * US_A_SECOND
    return is_close and _arguments(one) == _arguments(other)


def _arguments(success: Success) -> bytes:
    return canonical_bytes([dict(call.args) for call in success.calls])


def _in_all(runs: Sequence[Success], shell_tools: Mapping[str, str]) -> MinedWorkflow | None:
    newest = runs[-1]
    tools = [call.entry.tool for call in newest.calls]
    inputs = generalised(tools, [[call.args for call in run.calls] for run in runs], shell_tools)
    if inputs is None:
        return None
    steps: list[MinedStep] = []
    for place, (call, template) in enumerate(zip(newest.calls, inputs, strict=True)):
        told = next((run.calls[place].check for run in reversed(runs) if run.calls[place].check is not None), None)
        check = None
        if told is not None and told.verifies is not None:
            check = MinedCheck(told.verifies, told.tool, told.said[1], told.said[0])
        steps.append(MinedStep(call.entry.tool, _class_of(call), template, check))
    first = [{entry.verifies for entry in run.before} for run in runs]
    wanted = sorted(name for name in set.intersection(*first) if name is not None)[:PRECONDITIONS_MAX]
    return MinedWorkflow(
        intent=_class_of(newest.calls[-1]),
        scope=newest.scope,
        subjects=newest.subjects,
        preconditions=tuple(wanted),
        steps=tuple(steps),
        run_ids=tuple(run.run.run_id for run in runs),
        evidence=tuple(each for run in runs for each in _evidence(run, wanted)),
    )


def _class_of(call: SuccessCall) -> ActionClassId:
    """Of what the call decides, what its verification was made for; the first where none says."""
    verifies = "" if call.check is None else call.check.verifies or ""
    return next((name for name in call.classes if covers(verifies, name)), call.classes[0])


def _evidence(run: Success, wanted: Sequence[ActionClassId]) -> list[RecordId]:
    found = [entry.record_id for entry in run.before if entry.verifies in wanted]
    for call in run.calls:
        found.append(call.entry.record_id)
        if call.check is not None:
            found.append(call.check.record_id)
    return found
