"""`drill`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heedful.bootstrap.proofs import require_absent, write_proof_file
from heedful.bootstrap.residue import residue_of
from heedful.interfaces.cli.door import JsonOption, ScopeOption, door_of, scope_or_default
from heedful.interfaces.cli.output import say, write_json
from heedful.interfaces.problems import EXIT_NO
from heedful.service.drilling import drill as drilling
from heedful.service.drilling.report import DrillReport, encode

_STYLES = {"held": "green", "failed": "bold red", "control-failed": "bold red", "not-reached": "yellow"}


def register(app: typer.Typer) -> None:
    """The command of this file, added to the app."""
    app.command("drill")(drill)


def drill(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="DRILL", help="erasure or revocation.")],
    scope: ScopeOption = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="The file for the report; one that is there is never touched.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Try out on this very store that what is forgotten or revoked is gone, with canaries; the report is signed.

    Exit 1 where a check failed, or its control.
    Example: heedful drill erasure --out drill.json
    """
    if out is not None:
        require_absent(out)  # before a drill that takes minutes
    with door_of(context).session() as (app, session):
        made = drilling.drill(session, name, scope=scope_or_default(app, scope), residue=residue_of(app.folder))
    if out is not None:
        write_proof_file(out, encode(made))
    if as_json:
        write_json(made)
    else:
        _say(made, out)
    if not made.holds:
        raise typer.Exit(EXIT_NO)


def _say(made: DrillReport, out: Path | None) -> None:
    say(f"drill {made.drill} {made.drill_id} in {', '.join(made.scope)}", style="bold")
    for each in made.checks:
        told = f" ({each.detail})" if each.detail else ""
        say(f"  {each.outcome}: {each.name}: {each.says}{told}", style=_STYLES[each.outcome])
    for took in made.took:
        say(f"  {took.name}: {took.milliseconds:.1f} ms")
    if made.cleaned_up:
        say(f"  {made.cleaned_up} records of an earlier drill, which was interrupted, are erased")
    say(f"  signed with key {made.key_id}")
    if out is not None:
        say(f"  in {out}")
    say("it holds" if made.holds else "IT DOES NOT HOLD", style="bold green" if made.holds else "bold red")
