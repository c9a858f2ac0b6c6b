"""`state`: what something is now, or was; and `scopes`."""

from __future__ import annotations

from typing import Annotated

import typer

from heedful.claims.projections.projector import text_of
from heedful.interfaces.cli.door import AsOfOption, JsonOption, KnownAtOption, door_of
from heedful.interfaces.cli.output import say, table, write_json
from heedful.service.recalling.scopes import scopes as list_scopes
from heedful.service.recalling.state import State, States, Step
from heedful.service.recalling.state import state as state_verb


def register(app: typer.Typer) -> None:
    """The command of this file, added to the app."""
    app.command("state")(state)
    app.command("scopes")(scopes)


def scopes(
    context: typer.Context,
    scope: Annotated[
        list[str] | None, typer.Option("--scope", "-s", help="Those alone that have this element, as often as needed.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the scopes in which there is a record that you may see.

    Example: heedful scopes --scope org:acme
    """
    with door_of(context).session() as (_app, session):
        found = list_scopes(session, tuple(scope or ()))
    if as_json:
        write_json(found)
        return
    for elements in found.scopes:
        say(", ".join(elements) or "(the whole tenant)")
    if found.is_cut:
        say("and more: name an element with --scope", style="yellow")
    if not found.scopes:
        say("no scope holds a record that you may see")


def state(
    context: typer.Context,
    subject: Annotated[str, typer.Argument(help="What it is about: deployment:shop/web, pull-request:7.")],
    property_name: Annotated[str | None, typer.Option("--property", help="What of it; all of it by default.")] = None,
    as_of: AsOfOption = None,
    known_at: KnownAtOption = None,
    history: Annotated[bool, typer.Option("--history", help="Every state that is known, oldest first.")] = False,
    scope: Annotated[
        list[str] | None, typer.Option("--scope", "-s", help="What applies there; all that you may see by default.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """What something is now, or was: value, how surely, since when, by what evidence, and what changed it.

    Example: heedful state deployment:shop/web
    Example: heedful state deployment:shop/web --property rollout --history
    """
    with door_of(context).session() as (_app, session):
        found = state_verb(
            session,
            subject,
            property_name,
            as_of=as_of,
            known_at=known_at,
            history=history,
            scope=tuple(scope or ()),
        )
    if as_json:
        write_json(found)
    else:
        _say(found, property_name)


def _say(found: States, property_name: str | None) -> None:
    if not found.states:
        what = found.subject if property_name is None else f"the {property_name} of {found.subject}"
        say(f"no state is known of {what}", style="yellow")
        say(f"  next: {found.next_step}")
    for each in found.states:
        _say_state(each)
    if found.is_cut:
        say("there is more than was looked at", style="yellow")


def _say_state(each: State) -> None:
    where = f"  ({each.scope})"
    if each.known and each.value is not None:
        say(f"{each.property}: {text_of(each.value)}{where}", style="bold")
        reviewed = "approved by a person" if each.reviewed else "nobody has approved it"
        until = f", to be taken to hold until {each.until}" if each.until else ""
        say(f"  {each.assurance}, {reviewed}; since {each.since}{until}")
        if each.last is not None:
            say(f"  last seen at {each.last.observed_at}, known since {each.last.known_from}")
        say(f"  evidence: {', '.join(each.evidence)}")
    else:
        say(f"{each.property}: not known{where}", style="yellow")
        say(f"  {each.reason}")
        if each.last is not None:
            say(f"  then it was {text_of(each.last.value)} ({each.last.assurance}, record {each.last.evidence[-1]})")
    if each.changed is not None and each.changed.changed_from is not None:
        say(f"  {_change(each.changed)}", style="yellow" if each.changed.unexplained else "")
    for step in each.inferred:
        say(f"  an agent has said since: {text_of(step.value)} (record {step.evidence[-1]})", style="yellow")
    if each.next_step:
        say(f"  next: {each.next_step}")
    if each.history:
        rows = [_row(step) for step in each.history]
        table("", ("since", "until", "value", "how known", "what changed it"), rows)


def _change(step: Step) -> str:
    before = "" if step.changed_from is None else f"from {text_of(step.changed_from)}"
    if step.changed_by is not None:
        return f"changed {before} by record {step.changed_by}"
    return f"changed {before}, unexplained: no action or verification that is known did that"


def _row(step: Step) -> tuple[str, str, str, str, str]:
    changed = ""
    if step.changed_from is not None:
        changed = "unexplained" if step.changed_by is None else f"record {step.changed_by}"
    return step.since, step.until or "", text_of(step.value), step.assurance.value, changed
