"""Workflows, read: which one is for a request, and which step of it a run is at. Nothing here makes a call."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from heedful.bridges.request import Classified
from heedful.bridges.workflows import for_intent, named_subjects, names_another
from heedful.claims.merge import joins_of
from heedful.claims.projections.workflow import Workflow
from heedful.claims.projections.workflow_run import Progress, Run, progress_of
from heedful.gate.preconditions import PreconditionStanding, Proofs, classes_wanted, standings_of
from heedful.gate.workflow_rules import told_standing, wanted_of
from heedful.kernel.errors import InvalidInputError, NotFoundError
from heedful.kernel.ids import ActionClassId
from heedful.kernel.scope import Scope
from heedful.kernel.times import format_time
from heedful.observations.names import shown
from heedful.observations.record import Subject
from heedful.ports.store import Reading, Visible
from heedful.recall.request import MemoryRequest
from heedful.service.bearing import bearing_on
from heedful.service.learning.read_run import StepGrounds, grounds_of_steps
from heedful.service.requests import classify_for, run_name
from heedful.service.session import Session
from heedful.service.sight import scope_granted, visible_for_request

Todo = Literal["step", "prove", "verify", "mend", "finished", "nothing"]
"""What is to be done now: make the call of a step; prove a precondition first; verify the step that was called; see to
one that failed; nothing more, all is verified; nothing, for want of a workflow."""


@dataclass(frozen=True, slots=True)
class WorkflowsFound:
    """What there is for a request.

    Attributes:
        action_classes: what the request decides; empty: nothing was asked, or nothing was recognised.
        current: the reviewed workflows, in order of id.
        expired: those that would be, had they not expired; not to be followed.
        missing: what would have to be there; empty where `current` has some.
    """

    action_classes: tuple[ActionClassId, ...]
    current: tuple[Workflow, ...]
    expired: tuple[Workflow, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NextStep:
    """What a run is to do now, as one sentence of advice: the gate judges the call all the same.

    Attributes:
        step: the number of the step that it is about, from 1; None where it is about none.
        missing: what has to be there first, one sentence each.
        preconditions: all of the workflow's; those that take an approval are asked for at the gate.
    """

    run_id: str
    todo: Todo
    workflow: Workflow | None
    step: int | None
    missing: tuple[str, ...]
    preconditions: tuple[PreconditionStanding, ...]
    progress: Progress | None


def subjects_of(texts: Sequence[str]) -> tuple[Subject, ...]:
    """The subjects of these `type:id` texts.

    Raises:
        InvalidInputError: `subject_malformed`.
    """
    found: list[Subject] = []
    for text in texts:
        kind, separator, name = text.partition(":")
        if not (separator and kind.strip() and name.strip()):
            raise InvalidInputError(
                "subject_malformed",
                f"the subject {shown(text, 80)!r} is not of the form type:id",
                next_step="write it like cluster:eu-1",
                details={"field": "subjects"},
            )
        found.append(Subject(kind, name))
    return tuple(found)


def workflow_list(session: Session, request: MemoryRequest, subjects: Sequence[Subject] = ()) -> WorkflowsFound:
    """The workflows of the request's environment, for its intent where it has one; else what is missing.

    Raises:
        ForbiddenError: `principal_may_not`.
        InvalidInputError: `scope_empty`, `action_class_unknown`.
    """
    session.require("recall")
    visible_for_request(session, request.scope)
    features = request.features
    classified = classify_for(session, features, request.scope)
    is_asked = bool(features.text or features.action_class or features.tool)
    at_home = workflows_of_environment(session, request.scope, classified, subjects)
    classes = tuple(match.action_class for match in classified.classes) if is_asked else ()
    found = for_intent(at_home, classes, features.text) if is_asked else at_home
    at_us = session.clock.now_us()
    current = tuple(each for each in found if each.is_current(at_us))
    expired = tuple(each for each in found if at_us >= each.expires_us)
    if current:
        return WorkflowsFound(classes, current, expired, ())
    missing = [f"a review of {each.id}: it expired at {format_time(each.expires_us)}" for each in expired]
    if is_asked and not classes and not expired:
        missing.append(
            "an intent: no action class is recognised in the request; use other words, or name it as `intent`"
        )
    elif not expired:
        about = f" for {', '.join(classes)}" if classes else ""
        missing.append(f"a reviewed workflow{about} in {request.scope}: none of this environment is in the registry")
    return WorkflowsFound(classes, (), expired, tuple(missing))


def workflow_show(
    session: Session, workflow: str, request: MemoryRequest, subjects: Sequence[Subject] = ()
) -> Workflow:
    """The workflow, where it is of the request's environment, expired or not.

    Raises:
        ForbiddenError: `principal_may_not`.
        InvalidInputError: `scope_empty`.
        NotFoundError: `workflow_not_found`, also for one of another environment.
    """
    session.require("recall")
    visible_for_request(session, request.scope)
    classified = classify_for(session, request.features, request.scope)
    for each in workflows_of_environment(session, request.scope, classified, subjects):
        if each.id == workflow:
            return each
    raise NotFoundError(
        "workflow_not_found",
        f"no workflow {shown(workflow, 80)!r} is in the registry for {request.scope}",
        next_step="`heedful workflow list` names those of an environment; --scope and --subject say which that is",
        details={"workflow": shown(workflow, 80)},
    )


def workflow_next(
    session: Session,
    run: str,
    request: MemoryRequest,
    *,
    workflow: str | None = None,
    subjects: Sequence[Subject] = (),
) -> NextStep:
    """The step that the run is to do now, from the ledger's records of it that one may see.

    Raises:
        ForbiddenError: `principal_may_not`.
        InvalidInputError: `scope_empty`, `action_class_unknown`, `name_malformed`.
        NotFoundError: `workflow_not_found` for one that is named.
    """
    run_id = run_name(run)
    visible = visible_for_request(session, request.scope)
    if workflow is None:
        found = workflow_list(session, request, subjects)
        chosen, missing = found.current, found.missing
    else:
        named = workflow_show(session, workflow, request, subjects)
        chosen, missing = (named,), ()
        if not named.is_current(session.clock.now_us()):
            chosen = ()
            missing = (f"a review of {named.id}: it is current until {format_time(named.expires_us)}",)
    with session.store.read() as reading:
        at_us = session.clock.now_us()
        grounds = grounds_of_steps(session, reading, visible, chosen, run_id, at_us=at_us)
        run_read = grounds.run or Run(run_id, ())
        if len(chosen) > 1:
            begun = [each for each in chosen if _progress(session, each, run_read, at_us).steps[0].called is not None]
            names = ", ".join(each.id for each in chosen)
            missing = (f"which workflow: {names} are for this; name one",)
            chosen = tuple(begun) if len(begun) == 1 else ()
        if not chosen:
            return NextStep(run_id, "nothing", None, None, missing, (), None)
        proofs = _proofs(session, reading, visible, request.scope, chosen[0], grounds)
    return _next(session, chosen[0], run_read, proofs)


def workflows_of_environment(
    session: Session, scope: Scope, classified: Classified, subjects: Collection[Subject]
) -> tuple[Workflow, ...]:
    """The workflows of this environment, in order of id, of those that the principal may read."""
    found: list[Workflow] = []
    for workflow in session.registry.workflows.values():
        environment = workflow.environment
        named = named_subjects(environment, classified, {}, subjects)
        is_here = environment.holds_for(scope, named) and not names_another(environment, classified, subjects)
        if is_here and (environment.scope.is_empty or scope_granted(session, environment.scope)):
            found.append(workflow)
    return tuple(found)


def _progress(session: Session, workflow: Workflow, run: Run, at_us: int) -> Progress:
    return progress_of(workflow, run, session.registry.policy.shell_tools, at_us=at_us)


def _proofs(  # noqa: PLR0917  # what a precondition may be proved by
    session: Session, reading: Reading, visible: Visible, scope: Scope, workflow: Workflow, grounds: StepGrounds
) -> Proofs:
    bearing = bearing_on(session, reading, visible, classes_wanted(workflow.preconditions), None)
    return Proofs(
        scope=scope,
        verifications=bearing.verifications,
        states=grounds.states,
        is_cut=bearing.is_cut or grounds.is_states_cut,
        approval=None,
        max_age_seconds=session.registry.policy.verification_max_age_seconds,
        at_us=session.clock.now_us(),
        joins=joins_of(grounds.merges),
    )


def _next(session: Session, workflow: Workflow, run: Run, proofs: Proofs) -> NextStep:
    standings = standings_of(workflow, proofs)
    if run.is_cut:
        missing = ("a run of its own: this one has more records than are looked at",)
        return NextStep(run.run_id, "nothing", workflow, None, missing, standings, None)
    progress = _progress(session, workflow, run, proofs.at_us)
    current = progress.current
    if current is None:
        return NextStep(run.run_id, "finished", workflow, None, (), standings, progress)
    number = current.number
    wanted = (f"{told_standing(workflow, number, current.standing)} {wanted_of(workflow, number, run.run_id)}",)
    if current.standing == "to-verify":
        return NextStep(run.run_id, "verify", workflow, number + 1, wanted, standings, progress)
    if current.standing == "failed":
        return NextStep(run.run_id, "mend", workflow, number + 1, wanted, standings, progress)
    unproved = tuple(
        f"{each.missing.detail}. {each.because}"
        for each in standings
        # An approval is of one call, so it is asked for where that call is judged.
        if each.missing is not None and each.precondition.proved_by != "approval"
    )
    todo: Todo = "prove" if unproved else "step"
    return NextStep(run.run_id, todo, workflow, number + 1, unproved, standings, progress)
