"""`why` and `verify`."""

from __future__ import annotations

from typing import Annotated

import msgspec
import typer

from heedful.evidence.render import packet_from_json
from heedful.interfaces.cli.door import JsonOption, door_of
from heedful.interfaces.cli.memory import say_packet
from heedful.interfaces.cli.output import say, write_json
from heedful.interfaces.cli.progress import counting
from heedful.interfaces.cli.review import say_action, say_claim, say_record
from heedful.interfaces.problems import EXIT_NO
from heedful.ledger.verify import Verification
from heedful.ports.store import Chain, StoredRecord
from heedful.service import audit as service
from heedful.service.why import why as explain


def register(app: typer.Typer) -> None:
    """The commands of this file, added to the app."""
    app.command("why")(why)
    app.command("verify")(verify)


def why(
    context: typer.Context,
    item_id: Annotated[str, typer.Argument(metavar="ID", help="Of a claim, record, packet or verdict.")],
    as_json: JsonOption = False,
) -> None:
    """Explain why something is known or was answered, from the ledger.

    Example: heedful why 01981f6e-...
    """
    with door_of(context).session() as (_, session):
        found = explain(session, item_id)
        if as_json:
            write_json(found)
            return
        if found.item == "packet":
            say_packet(packet_from_json(found.found))
        elif found.item == "verdict":
            say_action(found.found)
        if found.item == "record":
            say_record(msgspec.convert(found.found, StoredRecord))
        for claim in found.claims:
            say_claim(claim)
        if found.item == "claim":
            say(f"claim {item_id}: {found.found['statement']}", style="bold")
        for stored in found.records:
            say_record(stored)
        for step in found.steps:
            place = f"#{step.position}  " if step.position else ""
            say(f"  {step.at}  {place}{step.type}  {step.actor}  {step.text}")
        if found.history_cut:
            say("  (the history is longer than was walked)")


def verify(
    context: typer.Context,
    views: Annotated[
        bool, typer.Option("--views", help="Also refold the ledger and compare with the live views.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Check the hash chains; exit 1 and name the first broken event where one does not hold.

    Example: heedful verify --views
    """
    with door_of(context).session() as (_, session):
        with session.store.read() as reading:
            total = reading.head(Chain.LEDGER).position
        with counting("verifying", total, shown=not as_json) as advance:
            audit = service.verify(session, views=views, progress=advance)
        if as_json:
            write_json({"holds": audit.holds, "audit": audit})
        else:
            _say_chain("ledger", audit.ledger)
            _say_chain("access chain", audit.access)
            if audit.blob_record_id is not None:
                say(f"blob store: content of record {audit.blob_record_id} is {audit.blobs.upper()}", style="bold red")
            if audit.views != "unchecked":
                say(f"views: {audit.views} to what a refold of the ledger gives")
            if audit.views == "different":
                say("  next: `heedful rebuild` makes them anew")
    if not audit.holds:
        raise typer.Exit(EXIT_NO)


def _say_chain(name: str, verification: Verification) -> None:
    if verification.broken is None:
        say(f"{name}: {verification.event_count} events hold, head {verification.head.digest[:16]}", style="green")
        return
    broken = verification.broken
    say(f"{name}: BROKEN at event {broken.position}: {broken.breach}", style="bold red")
