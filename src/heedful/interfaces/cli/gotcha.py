"""`gotcha mine`."""

from __future__ import annotations

import typer

from heedful.interfaces.cli.door import JsonOption, ScopeOption, door_of, scope_or_default
from heedful.interfaces.cli.output import say, write_json
from heedful.service.learning import gotchas as service

_group = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Failures that come again in one environment: proposed, and retired when the same thing works.",
)


def register(app: typer.Typer) -> None:
    """The commands of this file, added to the app."""
    app.add_typer(_group, name="gotcha")


@_group.callback()
def gotcha_callback() -> None:
    """Failures that come again in one environment: proposed, and retired when the same thing works."""


@_group.command("mine")
def mine(context: typer.Context, scope: ScopeOption = None, as_json: JsonOption = False) -> None:
    """Propose a gotcha for each failure that was seen again, and retire those that a later success refutes.

    Example: heedful gotcha mine --scope environment:staging
    """
    with door_of(context).session() as (app, session):
        mined = service.mine(session, scope=scope_or_default(app, scope))
    if as_json:
        write_json(mined)
        return
    say(f"Looked at {mined.looked_at} records{', the newest; there are more' if mined.is_cut else ''}.")
    for each in mined.proposed:
        state = "provisional: one run alone saw it" if each.provisional else "seen by independent runs"
        say(f"  claim {each.claim.claim_id} is proposed ({state})", style="green")
        say(f"    {each.claim.statement}")
        say(f"    rests on {', '.join(each.evidence)}")
        if each.replaces is not None:
            say(f"    in place of claim {each.replaces}")
    for note in mined.retired:
        say(f"  claim {note.claim_id} is superseded: the old experience no longer holds", style="green")
        say(f"    {note.statement}")
    for note in mined.to_retire:
        say(f"  claim {note.claim_id} waits for a person, who ends an approved gotcha by approving it")
        say(f"    {note.statement}")
    if not (mined.proposed or mined.retired or mined.to_retire):
        say("Nothing new.")
