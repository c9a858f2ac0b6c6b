"""`provenance`: what everybody wrote, for people who audit."""

from __future__ import annotations

from typing import Annotated

import typer

from heedful.interfaces.cli.door import JsonOption, door_of
from heedful.interfaces.cli.output import say, table, write_json
from heedful.service.provenance import ProvenanceFound
from heedful.service.provenance import provenance as provenance_of


def register(app: typer.Typer) -> None:
    """The commands of this file, added to the app."""
    app.command("provenance")(provenance)


def provenance(
    context: typer.Context,
    claim: Annotated[str | None, typer.Option("--claim", help="Of this claim alone.")] = None,
    source: Annotated[
        str | None, typer.Option("--source", help="user, tool, doc or inference; or one, such as tool:Bash.")
    ] = None,
    known_at: Annotated[str | None, typer.Option("--known-at", help="As far as was known then.")] = None,
    after: Annotated[str | None, typer.Option("--after", help="Go on behind this claim.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Tell what claims came from: people's words, tools' outputs, documents, or somebody's inference. For auditors.

    Example: heedful provenance --source tool
    """
    with door_of(context).session() as (_, session):
        found = provenance_of(session, claim=claim, source=source, known_at=known_at, after=after)
    if as_json:
        write_json(found)
        return
    _say(found)


def _say(found: ProvenanceFound) -> None:
    if not found.rows:
        say("No claim came from there.")
        return
    for source_type, claims in found.claims_by_source.items():
        say(f"{source_type}: {claims} claims", style="bold")
    columns = ("claim", "source", "source id", "tier", "wrote at")
    rows = [(row.claim_id, row.source_type, row.source_id, str(row.tier_at_write), row.wrote_at) for row in found.rows]
    table("", columns, rows)
    if found.next_after is not None:
        say(f"  (and more: --after {found.next_after})")
