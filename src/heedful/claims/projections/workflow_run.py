"""A run, read for its steps: which calls were made, what was verified after them, and so which step is next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from heedful.claims.projections.workflow import Environment, Step, Workflow
from heedful.claims.projections.workflow_templates import is_step
from heedful.kernel.dotted import covers
from heedful.kernel.ids import ActionClassId, RecordId, RunId
from heedful.kernel.scope import Scope
from heedful.observations.record import Subject

RUN_RECORDS_MAX = 2_000
"""Records of one run that are looked at; where there are more, nothing is said of its steps."""

Standing = Literal["to-do", "to-verify", "failed", "done"]
"""Of a step: not called yet; called and not verified since; called, and its result or verification failed; verified."""


@dataclass(frozen=True, slots=True)
class RunEntry:
    """What one record of a run says, as far as steps go by it.

    Attributes:
        sort: a `call` that was made, the `error` that came of one, a `check` that verifies, an `outcome` that somebody
            reported.
        sequence: the place in the run; None: only the ledger's order is known.
        position: in the ledger.
        tool, args: of a call; `args` is None where they can't be read.
        call_id: by which an error finds its call; None: it has none.
        verifies, passed: of a check.
        status: of an outcome.
        counts: of a check: False where an agent said so, whose word verifies nothing.
        by_agent: True: an agent's door told it, so its place in the run is that agent's word.
        said: of a check: its words, and the query that it names, for whoever learns from the run.
        derived_from: the records that this one was made from.
        retry_of: the run that this one says it tries again.
    """

    record_id: RecordId
    sort: Literal["call", "error", "check", "outcome"]
    sequence: int | None
    position: int
    occurred_at_us: int
    scope: Scope
    subjects: tuple[Subject, ...] = ()
    tool: str = ""
    args: Mapping[str, object] | None = None
    call_id: str | None = None
    verifies: ActionClassId | None = None
    passed: bool = False
    status: str = ""
    counts: bool = False
    by_agent: bool = False
    said: tuple[str, str] = ("", "")
    derived_from: tuple[RecordId, ...] = ()
    retry_of: str | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """A run as far as it was read. `is_cut`: it has more records than are looked at."""

    run_id: RunId
    entries: tuple[RunEntry, ...]
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class StepStanding:
    """Where one step stands in a run.

    Attributes:
        called: the record of its call that counts; None: there is none.
        verified: the record of the newest verification after that call, whether it passed or not; None: none.
    """

    number: int
    standing: Standing
    called: RecordId | None = None
    verified: RecordId | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is in a workflow.

    Attributes:
        steps: one for each step of the workflow, in order; after the first that is not done all are `to-do`.
        early: records of calls of a later step made before its turn; they count for nothing.
    """

    run_id: RunId
    steps: tuple[StepStanding, ...]
    early: tuple[RecordId, ...]

    @property
    def done(self) -> int:
        """How many steps, from the first on, are verified."""
        return next((number for number, each in enumerate(self.steps) if each.standing != "done"), len(self.steps))

    @property
    def current(self) -> StepStanding | None:
        """The first step that is not done; None: all are."""
        return next((each for each in self.steps if each.standing != "done"), None)


@dataclass(slots=True)
class _Walk:
    at: int = 0
    call: RunEntry | None = None
    check: RunEntry | None = None
    has_failed: bool = False
    finished: list[StepStanding] = field(default_factory=list)
    early: list[RecordId] = field(default_factory=list)

    @property
    def is_verified(self) -> bool:
        return self.check is not None and self.check.passed and not self.has_failed

    def standing(self) -> StepStanding:
        if self.call is None:
            return StepStanding(self.at, "to-do")
        failed = self.has_failed or (self.check is not None and not self.check.passed)
        word: Standing = "done" if self.is_verified else "failed" if failed else "to-verify"
        verified = None if self.check is None else self.check.record_id
        return StepStanding(self.at, word, self.call.record_id, verified)

    def begin(self, call: RunEntry) -> None:
        """A step is called, for the first time or again: what was verified before says nothing of it."""
        self.call, self.check, self.has_failed = call, None, False


def progress_of(workflow: Workflow, run: Run, shell_tools: Mapping[str, str], *, at_us: int) -> Progress:
    """How far the run is: a step is done where a verification that counts passed after its call, before the next's.

    Only records that are surely of the workflow's environment count. The newest verification after the call decides;
    a call that is made again has to be verified again; one of a later step, made before its turn, counts for nothing.
    Of a run that was cut nothing is to be said: whoever asks looks at `is_cut` first.
    """
    walk = _Walk()
    for entry in in_order(here(workflow.environment, run.entries)):
        if entry.sort == "call":
            _call(walk, workflow.steps, entry, shell_tools)
        elif walk.call is not None and entry.sort == "error":
            walk.has_failed = walk.has_failed or is_error_of(entry, walk.call)
        elif walk.call is not None and entry.sort == "check":
            step = workflow.steps[walk.at]
            if _verifies(entry, walk.call, step, at_us):
                walk.check = entry
    last = walk.standing()
    later = (StepStanding(number, "to-do") for number in range(walk.at + 1, len(workflow.steps)))
    return Progress(run.run_id, (*walk.finished, last, *later), tuple(walk.early))


def here(environment: Environment, entries: Iterable[RunEntry]) -> list[RunEntry]:
    """Those that are surely of this environment; an error is of its call's, wherever it was kept.

    A call names subjects by its arguments too.
    """
    return [each for each in entries if each.sort == "error" or _is_here(environment, each)]


def in_order(entries: Iterable[RunEntry]) -> list[RunEntry]:
    """By their places in the run, whatever the clock says.

    One without a place is put by the ledger's order where that is sure not to verify too much: a call after all that
    was there before it, anything else before all that came after it.
    """
    listed = list(entries)
    placed = sorted((each for each in listed if each.sequence is not None), key=_place)
    # Even keys are the gaps between the placed ones; of two in one gap the ledger's order is sure.
    found: list[tuple[tuple[int, int], RunEntry]] = [((2 * at + 1, 0), each) for at, each in enumerate(placed)]
    for each in listed:
        if each.sequence is None:
            before = [at + 1 for at, other in enumerate(placed) if other.position < each.position]
            after = [at for at, other in enumerate(placed) if other.position > each.position]
            gap = max(before, default=0) if each.sort == "call" else min(after, default=len(placed))
            found.append(((2 * gap, each.position), each))
    return [each for _, each in sorted(found, key=lambda pair: pair[0])]


def is_error_of(error: RunEntry, call: RunEntry) -> bool:
    """True where the error is of this call: it has the call's id, or was made from its record."""
    has_id = error.call_id is not None and error.call_id == call.call_id
    return has_id or call.record_id in error.derived_from


def is_step_call(step: Step, tool: str, args: Mapping[str, object] | None, shell_tools: Mapping[str, str]) -> bool:
    """True where such a call is this step; one whose arguments can't be read is none."""
    if tool != step.tool or args is None:
        return False
    shell = [shell_tools[tool]] if tool in shell_tools else []
    return is_step(step.input, args, shell)


def steps_of_call(
    workflow: Workflow, tool: str, args: Mapping[str, object], shell_tools: Mapping[str, str]
) -> tuple[int, ...]:
    """The places (from 0) of the steps that this call is, in order; empty: it is none."""
    return tuple(number for number, step in enumerate(workflow.steps) if is_step_call(step, tool, args, shell_tools))


def _is_here(environment: Environment, entry: RunEntry) -> bool:
    named = environment.named_in(entry.args) if entry.args is not None else frozenset()
    return environment.has_record(entry.scope, (*entry.subjects, *named))


def _place(entry: RunEntry) -> tuple[int, int]:
    return entry.sequence or 0, entry.position


def _call(walk: _Walk, steps: Sequence[Step], entry: RunEntry, shell_tools: Mapping[str, str]) -> None:
    def is_one(number: int) -> bool:
        return number < len(steps) and is_step_call(steps[number], entry.tool, entry.args, shell_tools)

    if walk.is_verified and is_one(walk.at + 1):
        walk.finished.append(walk.standing())
        walk.at += 1
        walk.begin(entry)
    elif is_one(walk.at):
        walk.begin(entry)
    elif any(is_one(number) for number in range(walk.at + 1, len(steps))):
        walk.early.append(entry.record_id)


def _verifies(check: RunEntry, call: RunEntry, step: Step, at_us: int) -> bool:
    return (
        check.counts
        and check.verifies is not None
        and covers(check.verifies, step.check.verifies)
        and check.occurred_at_us <= at_us
        # An agent may say of its own call that it came first; the ledger knows when it was told.
        and (not call.by_agent or call.position < check.position)
    )
