"""`causes`."""

from __future__ import annotations

from typing import Annotated

import typer

from heedful.claims.projections.causality import Edge
from heedful.interfaces.cli.door import JsonOption, ScopeOption, door_of, scope_or_default
from heedful.interfaces.cli.output import say, write_json
from heedful.interfaces.cli.review import excerpt
from heedful.kernel.times import format_time
from heedful.service.recalling import causes as service


def register(app: typer.Typer) -> None:
    """The command of this file, added to the app."""
    app.command("causes")(causes)


def causes(
    context: typer.Context,
    item_id: Annotated[str | None, typer.Argument(metavar="RECORD", help="The id of a record.")] = None,
    subject: Annotated[
        str | None, typer.Option("--subject", help="type/id, in place of a record: the last one on it.")
    ] = None,
    at: Annotated[str | None, typer.Option("--at", help="With --subject: at or before this time, ISO 8601.")] = None,
    scope: ScopeOption = None,
    as_json: JsonOption = False,
) -> None:
    """What led to a record and what it led to, by links that are written down; guesses are called hypotheses.

    Example: heedful causes 01981f6e-...
    """
    with door_of(context).session() as (app, session):
        found = service.causes(session, item_id, subject=subject, at=at, scope=scope_or_default(app, scope))
    if as_json:
        write_json(found)
        return
    for stored in found.records:
        record = stored.record
        mark = "*" if found.start is not None and record.record_id == found.start.record.record_id else " "
        say(f"{mark} {format_time(record.occurred.at_us)}  {record.type}  {record.record_id}", style="bold")
        say(f"    {excerpt(stored).splitlines()[0] if excerpt(stored) else ''}")
    for title, edges in (("led to it", found.before), ("it led to", found.after), ("beside it", found.hypotheses)):
        for edge in edges:
            _say_edge(title, edge)
    for sentence in found.missing:
        say(f"missing: {sentence}")
    if found.is_cut:
        say("  (there is more than was looked at or followed)")


def _say_edge(title: str, edge: Edge) -> None:
    say(f"{title}: {edge.sort} ({edge.link}): {edge.because}")
    say(f"    {edge.cause_id} -> {edge.effect_id}")
