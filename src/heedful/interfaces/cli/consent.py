"""`consent`: withdrawn, given again, listed."""

from __future__ import annotations

from typing import Annotated

import typer

from heedful.interfaces.cli.door import JsonOption, door_of
from heedful.interfaces.cli.output import say, write_json
from heedful.service.erasure import consent as consenting
from heedful.service.erasure.select import selection_of

PrincipalOption = Annotated[str | None, typer.Option("--principal", help="Whatever they brought: person:ana.")]
SubjectOption = Annotated[str | None, typer.Option("--subject", help="Whatever is about them: user:ana.")]

consent_app = typer.Typer(help="Use nothing of somebody's any more, until they say otherwise.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """The commands of this file, added to the app."""
    consent_app.command("withdraw")(consent_withdraw)
    consent_app.command("give")(consent_give)
    consent_app.command("list")(consent_list)
    app.add_typer(consent_app, name="consent")


def consent_withdraw(
    context: typer.Context,
    principal: PrincipalOption = None,
    subject: SubjectOption = None,
    as_json: JsonOption = False,
) -> None:
    """Use nothing any more that somebody brought, or that is about somebody; nothing is erased.

    Example: heedful consent withdraw --subject user:ana
    """
    selection = selection_of(subject=subject, principal=principal)
    with door_of(context).session() as (_, session):
        done = consenting.withdraw_consent(session, selection)
    _say_change(done, "is withdrawn", as_json=as_json)


def consent_give(
    context: typer.Context,
    principal: PrincipalOption = None,
    subject: SubjectOption = None,
    as_json: JsonOption = False,
) -> None:
    """Give a consent again: what only its withdrawal kept away is used again.

    Example: heedful consent give --subject user:ana
    """
    selection = selection_of(subject=subject, principal=principal)
    with door_of(context).session() as (_, session):
        done = consenting.give_consent(session, selection)
    _say_change(done, "is given again", as_json=as_json)


def consent_list(context: typer.Context, as_json: JsonOption = False) -> None:
    """List the consents that are withdrawn.

    Example: heedful consent list
    """
    with door_of(context).session() as (_, session):
        found = consenting.consents(session)
    if as_json:
        write_json(found)
        return
    for each in found:
        say(f"{each.by} {each.name}: withdrawn by {each.withdrawn_by} at {each.withdrawn_at}")
    if not found:
        say("no consent is withdrawn, as far as you may see")


def _say_change(change: consenting.ConsentChange, what: str, *, as_json: bool) -> None:
    if as_json:
        write_json(change)
        return
    say(f"consent of {change.consent.by} {change.consent.name} {what}", style="green")
    if change.records is not None:
        say(f"  {change.records} records, {change.claims} claims")
