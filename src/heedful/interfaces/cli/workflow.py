"""`workflow list | show | next | mine`."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from heedful.claims.projections.workflow import Workflow
from heedful.interfaces.cli.door import JsonOption, ScopeOption, door_of, scope_or_default
from heedful.interfaces.cli.output import say, write_json
from heedful.interfaces.cli.review import say_proposal
from heedful.interfaces.problems import EXIT_NO
from heedful.kernel.times import format_time
from heedful.service.learning import workflow as service
from heedful.service.learning.mine_workflows import workflow_mine
from heedful.service.requests import memory_request

_group = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Read reviewed workflows: which is for a request, and which step a run is at. Nothing is run.",
)
RequestArgument = Annotated[str, typer.Argument(metavar="REQUEST", help="What is to be done, in words.")]
IntentOption = Annotated[str | None, typer.Option("--intent", help="The action class, if known.")]
SubjectsOption = Annotated[
    list[str] | None, typer.Option("--subject", help="type:id that the request is about, as often as needed.")
]
_SAID = {
    "step": "do now",
    "prove": "prove first",
    "verify": "verify now",
    "mend": "see to what failed",
    "finished": "finished: every step is verified",
    "nothing": "nothing to do",
}


def register(app: typer.Typer) -> None:
    """The commands of this file, added to the app."""
    app.add_typer(_group, name="workflow")


@_group.command("list")
def list_(
    context: typer.Context,
    request: RequestArgument = "",
    intent: IntentOption = None,
    subjects: SubjectsOption = None,
    scope: ScopeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Name the reviewed workflows for a request in its environment; exit 1 where there is none, with what is missing.

    Example: heedful workflow list "Ship the web server" --scope project:payments --scope environment:staging
    """
    with door_of(context).session() as (app, session):
        asked = memory_request(session, request, scope=scope_or_default(app, scope), action_class=intent)
        found = service.workflow_list(session, asked, service.subjects_of(subjects or ()))
    if as_json:
        write_json(found)
    else:
        for workflow in found.current:
            say(f"{workflow.id}: {workflow.description}", style="bold")
            say(f"  for {workflow.intent} in {workflow.environment}; {len(workflow.steps)} steps; {workflow.owner}")
        for workflow in found.expired:
            say(f"{workflow.id} expired at {format_time(workflow.expires_us)}: not to be followed", style="yellow")
        for missing in found.missing:
            say(f"missing: {missing}", style="yellow")
        if found.current:
            say("next: `heedful workflow show ID`, or `heedful workflow next --run RUN`")
    if not found.current:
        raise typer.Exit(EXIT_NO)


@_group.command("show")
def show(
    context: typer.Context,
    workflow: Annotated[str, typer.Argument(metavar="ID", help="Its id.")],
    subjects: SubjectsOption = None,
    scope: ScopeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a workflow of this environment, whole.

    Example: heedful workflow show web.staging --scope project:payments --scope environment:staging
    """
    with door_of(context).session() as (app, session):
        asked = memory_request(session, "", scope=scope_or_default(app, scope))
        found = service.workflow_show(session, workflow, asked, service.subjects_of(subjects or ()))
        is_current = found.is_current(session.clock.now_us())
    if as_json:
        write_json({"workflow": found, "is_current": is_current})
        return
    _say_workflow(found)
    if not is_current:
        say("It is not current: not to be followed.", style="yellow")


@_group.command("next")
def next_(
    context: typer.Context,
    run: Annotated[str, typer.Option("--run", help="The run, by the id that its records have.")],
    request: RequestArgument = "",
    workflow: Annotated[str | None, typer.Option("--workflow", metavar="ID", help="Where several would do.")] = None,
    intent: IntentOption = None,
    subjects: SubjectsOption = None,
    scope: ScopeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Tell the step that a run is to do now, from its records; exit 1 where something is missing first.

    Example: heedful workflow next --run build-41 --workflow web.staging
    """
    with door_of(context).session() as (app, session):
        asked = memory_request(session, request, scope=scope_or_default(app, scope), action_class=intent)
        given = service.subjects_of(subjects or ())
        found = service.workflow_next(session, run, asked, workflow=workflow, subjects=given)
    if as_json:
        write_json(found)
    else:
        _say_next(found)
    if found.missing:
        raise typer.Exit(EXIT_NO)


@_group.command("mine")
def mine(context: typer.Context, scope: ScopeOption = None, as_json: JsonOption = False) -> None:
    """Propose workflows from runs that went well in the same way; they wait in `review list`, none is in force.

    Example: heedful workflow mine --scope project:payments --scope environment:staging
    """
    with door_of(context).session() as (app, session):
        report = workflow_mine(session, scope=scope_or_default(app, scope))
    if as_json:
        write_json(report)
        return
    for proposal in report.proposed:
        say_proposal(proposal)
    for proposal in report.known:
        say(f"known before: proposal {proposal['proposal_id']} ({proposal['intent']}) is {proposal['status']}")
    say(f"{report.runs} runs looked at; {len(report.proposed)} workflows proposed")
    for reason, count in report.left_out.items():
        say(f"  {count} left out: {reason}")
    if report.is_cut:
        say("  there are more records than are looked at: older runs may be missing", style="yellow")
    if report.proposed:
        say("next: `heedful review approve ID` prints its YAML, or `reject`; nothing is in force by it")


def _say_next(found: service.NextStep) -> None:
    name = "" if found.workflow is None else f" {found.workflow.id},"
    say(f"run {found.run_id}:{name} {_SAID[found.todo]}", style="green" if not found.missing else "yellow")
    if found.workflow is not None and found.step is not None:
        _say_step(found.workflow, found.step)
    for standing in found.preconditions:
        asked = standing.precondition.proved_by == "approval"
        mark = "asked at the gate" if asked else "proved" if standing.is_proved else "not proved"
        say(f"  before any step: {standing.precondition.text} ({mark}: {standing.because})")
    for missing in found.missing:
        say(f"  missing: {missing}", style="yellow")
    for record_id in () if found.progress is None else found.progress.early:
        say(f"  record {record_id} is a step made before its turn: it counts for nothing", style="yellow")
    if found.todo == "mend" and found.workflow is not None:
        for each in found.workflow.exceptions:
            say(f"  where {each.when} {each.response}")
    if found.todo == "step":
        say("  next: fill in what stands in {{ }}, and judge the call with --run before it is made")
    if found.todo in ("verify", "mend") and found.workflow is not None and found.step is not None:
        verifies = found.workflow.steps[found.step - 1].check.verifies
        say(
            f"  then: heedful remember ... --type verification --run {found.run_id} --attribute verifies={verifies} ..."
        )


def _say_step(workflow: Workflow, number: int) -> None:
    step = workflow.steps[number - 1]
    say(f"  step {number} of {len(workflow.steps)}: {step.tool} {json.dumps(step.input, ensure_ascii=False)}")
    say(f"    should: {step.expected_effect}")
    how = " with ".join(each for each in (step.check.query, step.check.tool) if each)
    say(f"    verified by: {how}: {step.check.expected} (verifies={step.check.verifies})")


def _say_workflow(workflow: Workflow) -> None:
    say(f"{workflow.id}: {workflow.description}", style="bold")
    say(f"  for {workflow.intent} in {workflow.environment}; mode {workflow.mode}")
    dates = f"reviewed {format_time(workflow.reviewed_us)}, expires {format_time(workflow.expires_us)}"
    say(f"  {dates}; {workflow.owner}, {workflow.authority}")
    for precondition in workflow.preconditions:
        say(f"  first: {precondition.text} (by {precondition.proved_by})")
    for number in range(1, len(workflow.steps) + 1):
        _say_step(workflow, number)
    for each in workflow.exceptions:
        say(f"  where {each.when} {each.response}")
