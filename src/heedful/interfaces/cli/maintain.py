"""`rebuild` and `reindex`."""

from __future__ import annotations

import typer

from heedful.interfaces.cli.door import JsonOption, door_of
from heedful.interfaces.cli.output import say, write_json
from heedful.interfaces.cli.progress import counting
from heedful.service import rebuild as rebuilding
from heedful.service import reindex as reindexing


def register(app: typer.Typer) -> None:
    """The commands of this file, added to the app."""
    app.command("rebuild")(rebuild)
    app.command("reindex")(reindex)


def rebuild(context: typer.Context, as_json: JsonOption = False) -> None:
    """Make everything but the ledger anew from the ledger; one that was stopped goes on. Nobody is answered meanwhile.

    Example: heedful rebuild
    """
    # Adopting the registry would be a write, which the tenant refuses while its views are not whole.
    with door_of(context).app() as app:
        session = app.session(adopts=False)
        with counting("rebuilding", rebuilding.total(session), shown=not as_json) as advance:
            rebuilt = rebuilding.rebuild(session, progress=advance)
        makes_vectors = session.embedder is not None
    if as_json:
        write_json(rebuilt)
        return
    started = "" if rebuilt.resumed_from is None else f", from event {rebuilt.resumed_from} on"
    say(f"Rebuilt: all {rebuilt.ledger_position} events of the ledger are folded{started}", style="green")
    if makes_vectors and rebuilt.vector_model is None:
        say("  next: `heedful reindex` makes the vectors anew")


def reindex(context: typer.Context, as_json: JsonOption = False) -> None:
    """Make the vectors that are missing under the configured embedder, then answer by them; others answer till then.

    Example: heedful reindex --json
    """
    with (
        door_of(context).session() as (_, session),
        counting("embedding", reindexing.total(session), shown=not as_json) as advance,
    ):
        reindexed = reindexing.reindex(session, progress=advance)
    if as_json:
        write_json(reindexed)
        return
    say(f"Reindexed: {reindexed.embedded} vectors of {reindexed.model} were made, and it answers", style="green")
    if reindexed.dropped:
        say(f"  {reindexed.dropped} vectors of other models were dropped")
