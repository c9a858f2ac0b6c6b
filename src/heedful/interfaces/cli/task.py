"""`task add`, `task done`, `task show` and `task end`."""

from __future__ import annotations

from typing import Annotated

import typer

from heedful.claims.claim import LIVE
from heedful.claims.extract import parse_value
from heedful.interfaces.cli.door import JsonOption, ScopeOption, door_of, scope_or_default
from heedful.interfaces.cli.output import say, write_json
from heedful.service.tasks import task as service
from heedful.service.tasks.task_end import TaskEnded
from heedful.service.tasks.task_end import end as end_verb
from heedful.service.tasks.task_parts import TaskEntry

_group = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="The working state of a task: in mind within it alone; dropped, kept or promoted by rule at its end.",
)


def register(app: typer.Typer) -> None:
    """The commands of this file, added to the app."""
    app.add_typer(_group, name="task")


@_group.callback()
def task_callback() -> None:
    """The working state of a task: in mind within it alone; dropped, kept or promoted by rule at its end."""


TaskArgument = Annotated[str, typer.Argument(help="The task's name; its scope has `task:NAME` besides --scope.")]


@_group.command("add")
def add(
    context: typer.Context,
    task: TaskArgument,
    text: Annotated[str, typer.Argument(help="What is planned, to do, required, or was found out.")],
    part: Annotated[str, typer.Option("--as", help="plan, todo, constraint or fact.")] = "todo",
    kind: Annotated[str | None, typer.Option("--kind", "-k", help="Of a fact: its kind.")] = None,
    subject: Annotated[str | None, typer.Option(help="Of a fact: whom or what it is about.")] = None,
    property_name: Annotated[str | None, typer.Option("--property", help="Of a fact: what of it.")] = None,
    value: Annotated[str | None, typer.Option(help="Of a fact: the value.")] = None,
    since: Annotated[str | None, typer.Option(help="Of a fact: it holds from then on.")] = None,
    until: Annotated[str | None, typer.Option(help="Of a fact: it holds until then.")] = None,
    evidence: Annotated[
        list[str] | None, typer.Option("--evidence", "-e", help="Of a fact: a record that shows it.")
    ] = None,
    scope: ScopeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add to a task's plan, to-do list, constraints or facts.

    Example: heedful task add release-7 "Run the migration on staging first."
    Example: heedful task add release-7 "Staging runs PostgreSQL 17." --as fact --evidence RECORD
    """
    fact = service.FactTexts(
        kind=kind,
        subject=subject,
        property_name=property_name,
        value=None if value is None else parse_value(value),
        since=since,
        until=until,
        evidence=tuple(evidence or ()),
    )
    with door_of(context).session() as (app, session):
        kept = service.add(session, task, text, part=part, scope=scope_or_default(app, scope), fact=fact)
    if as_json:
        write_json(kept)
        return
    for claim in kept.claims:
        say(f"{part} of task {task}: claim {claim.claim_id} is {claim.status}", style="green")
    for problem in kept.problems:
        say(f"  {problem}", style="yellow")


@_group.command("done")
def done(
    context: typer.Context,
    task: TaskArgument,
    claim: Annotated[str, typer.Argument(help="The to-do that is done.")],
    scope: ScopeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say that a to-do is done.

    Example: heedful task done release-7 01a2290c-ee04-7ba3-9051-fa77dda92d1f
    """
    with door_of(context).session() as (app, session):
        entry = service.done(session, task, claim, scope=scope_or_default(app, scope))
    if as_json:
        write_json(entry)
        return
    say(f"done: {entry.statement}", style="green")


@_group.command("show")
def show(context: typer.Context, task: TaskArgument, scope: ScopeOption = None, as_json: JsonOption = False) -> None:
    """Show a task's plan, to-do list, constraints and facts.

    Example: heedful task show release-7
    """
    with door_of(context).session() as (app, session):
        state = service.show(session, task, scope=scope_or_default(app, scope))
    if as_json:
        write_json(state)
        return
    stands = "has ended" if state.ended else "goes on" if state.entries else "has nothing that you may see"
    say(f"task {task} {stands}, in {state.scope}")
    for entry in state.entries:
        say(f"  {_mark(entry)} {entry.part}: {entry.statement}")
        say(f"    claim {entry.claim_id} is {entry.status}, by {'a person' if entry.by_person else 'an agent'}")
    if state.is_cut:
        say("  and there are more", style="yellow")


@_group.command("end")
def end(
    context: typer.Context,
    task: TaskArgument,
    reason: Annotated[str, typer.Option("--reason", "-r", help="Why it ends.")] = "finished",
    scope: ScopeOption = None,
    as_json: JsonOption = False,
) -> None:
    """End a task: each part is dropped, kept or promoted by rule, and what was not done is told.

    Example: heedful task end release-7 --reason "released"
    """
    with door_of(context).session() as (app, session):
        ended = end_verb(session, task, reason, scope=scope_or_default(app, scope))
    if as_json:
        write_json(ended)
    else:
        _say_ended(ended)


def _say_ended(ended: TaskEnded) -> None:
    say(f"task {ended.task} has ended", style="green")
    for entry in ended.entries:
        say(f"  {entry.fate}: {entry.part}: {entry.statement} ({entry.because})")
        if entry.promoted_as is not None:
            say(f"    next: `heedful review approve {entry.promoted_as}`")
    for statement in ended.undone:
        say(f"  not done: {statement}", style="yellow")
    if ended.is_cut:
        say("  there is more: end it again", style="yellow")


def _mark(entry: TaskEntry) -> str:
    if entry.done:
        return "[x]"
    return "[ ]" if entry.status in LIVE else "[-]"
