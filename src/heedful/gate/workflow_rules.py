"""The rule of workflows: a call that is a step waits for its preconditions, and for the step before it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from heedful.bridges.registry import Registry
from heedful.bridges.request import Classified
from heedful.bridges.workflows import named_subjects
from heedful.claims.projections.workflow import Workflow
from heedful.claims.projections.workflow_run import progress_of, steps_of_call
from heedful.gate.action import ActionRequest
from heedful.gate.finding import Finding, finding
from heedful.gate.preconditions import Proofs, standings_of
from heedful.gate.requirements import Matter, counting_approval
from heedful.gate.verdict import Missing
from heedful.kernel.ladder import Decision, Mode, lower
from heedful.kernel.times import format_time


@dataclass(frozen=True, slots=True)
class SteppedIn:
    """A workflow of the action's environment, and the place (from 0) of the step that the action is."""

    workflow: Workflow
    number: int


def stepped_in(action: ActionRequest, classified: Classified, registry: Registry) -> tuple[SteppedIn, ...]:
    """The workflows of which the action is a step, in its own environment and no other; expired ones too.

    Of a call that is several steps at once, the last decides; of steps that are the same call, the first.
    """
    found: list[SteppedIn] = []
    for workflow in registry.workflows.values():
        named = named_subjects(workflow.environment, classified, action.args)
        if not workflow.environment.holds_for(action.scope, named):
            continue
        numbers = steps_of_call(workflow, action.tool, action.args, registry.policy.shell_tools)
        first = [number for number in numbers if not _is_repeated(workflow, number)]
        if first:
            found.append(SteppedIn(workflow, max(first)))
    return tuple(found)


def _is_repeated(workflow: Workflow, number: int) -> bool:
    step = workflow.steps[number]
    return any((each.tool, each.input) == (step.tool, step.input) for each in workflow.steps[:number])


def workflow_steps(matter: Matter) -> Iterator[Finding]:
    """Reviews an execute that is a step whose preconditions or previous step are not proved; denies under `enforce`."""
    # Whoever may not act here is denied, and learns nothing of how it would be done.
    if not matter.is_execute or not matter.registry.workflows or not matter.permission.allowed:
        return
    for stepped in stepped_in(matter.action, matter.classified, matter.registry):
        workflow = stepped.workflow
        mode = lower(workflow.mode, _strictest(matter))
        if mode is Mode.OFF or matter.judged_at_us < workflow.reviewed_us:
            continue
        if workflow.is_current(matter.judged_at_us):
            yield from _judged(matter, stepped, mode)
        else:
            when = format_time(workflow.expires_us)
            reason = f"{workflow.id}, of which this is step {stepped.number + 1}, expired at {when}: review it anew."
            yield finding(f"workflow-expired:{workflow.id}", Decision.NOTICE, reason, mode=mode)


def _strictest(matter: Matter) -> Mode:
    # As the label of evidence is judged: by the strictest class; an action without a class in full.
    return max((matter.mode_of(each) for each in matter.classes), key=lambda each: each.rank, default=Mode.ENFORCE)


def _judged(matter: Matter, stepped: SteppedIn, mode: Mode) -> Iterator[Finding]:
    workflow = stepped.workflow
    rule = f"workflow-precondition:{workflow.id}"
    standings = standings_of(workflow, _proofs(matter))
    unproved = [each for each in standings if not each.is_proved]
    for standing in unproved:
        # An approval is there for the asking, so its absence is a review, never a denial that nobody could answer.
        may_deny = mode is Mode.ENFORCE and standing.precondition.proved_by != "approval"
        yield finding(
            rule,
            Decision.DENY if may_deny else Decision.REVIEW,
            f"{workflow.id} wants this first: {standing.precondition.text} {standing.because}",
            mode=mode,
            missing=standing.missing,
            claim_id=standing.claim_id,
            evidence=standing.evidence,
        )
    before = _before(matter, stepped)
    if before is not None:
        reason, missing = before
        decision = Decision.DENY if mode is Mode.ENFORCE else Decision.REVIEW
        yield finding(rule, decision, reason, mode=mode, missing=missing)
    elif not unproved:
        reason = (
            f"This is step {stepped.number + 1} of {len(workflow.steps)} of {workflow.id}, and what it wants is there."
        )
        yield finding(f"workflow-current:{workflow.id}", Decision.ALLOW, reason, mode=mode)


def _proofs(matter: Matter) -> Proofs:
    return Proofs(
        scope=matter.action.scope,
        verifications=matter.verifications,
        states=matter.states,
        is_cut=matter.is_states_cut or matter.is_proof_cut,
        approval=counting_approval(matter, 0),
        max_age_seconds=matter.registry.policy.verification_max_age_seconds,
        at_us=matter.judged_at_us,
        joins=matter.joins,
    )


def _before(matter: Matter, stepped: SteppedIn) -> tuple[str, Missing] | None:
    """What is wrong with the steps before this one, and what would prove them; None: all are verified."""
    workflow, number = stepped.workflow, stepped.number
    if number == 0:
        return None
    run = matter.run
    if run is None:
        reason = (
            f"This is step {number + 1} of {workflow.id}, and no run is named in which the steps before it were made."
        )
        return reason, Missing("verification", f"the run: steps 1 to {number} are looked for in it")
    if run.is_cut:
        reason = f"Run {run.run_id} has more records than are looked at, so its steps can't be told."
        return reason, Missing("verification", "a run of its own for this workflow")
    progress = progress_of(workflow, run, matter.registry.policy.shell_tools, at_us=matter.judged_at_us)
    current = progress.current
    if current is None or progress.done >= number:
        return None
    return told_standing(workflow, current.number, current.standing), Missing(
        "verification", wanted_of(workflow, current.number, run.run_id)
    )


_STANDINGS: Mapping[str, str] = {
    "to-do": "has not been called in this run",
    "to-verify": "has not been verified since its call",
    "failed": "failed, or its verification did",
}


def told_standing(workflow: Workflow, number: int, standing: str) -> str:
    """Where a step that is not done stands, one sentence."""
    return f"Step {number + 1} of {workflow.id} ({workflow.steps[number].tool}) {_STANDINGS[standing]}."


def wanted_of(workflow: Workflow, number: int, run_id: str) -> str:
    """What proves a step, for people: what to look at, what must be seen, and how to record it."""
    check = workflow.steps[number].check
    how = " with ".join(each for each in (check.query, check.tool) if each)
    where = workflow.environment
    return (
        f"step {number + 1} of {workflow.id} in run {run_id}, and after its call a verification of {check.verifies} "
        f"in {where} ({how}: {check.expected})"
    )
