"""`forget`, `receipt` and `hold`."""

from __future__ import annotations

from typing import Annotated

import typer

from heedful.interfaces.cli.door import JsonOption, door_of
from heedful.interfaces.cli.output import say, write_json
from heedful.service.erasure import forget as forgetting
from heedful.service.erasure import hold as holding
from heedful.service.erasure import receipt as receipts
from heedful.service.erasure.select import Selection, selection_of

RecordOption = Annotated[list[str] | None, typer.Option("--record", help="A record's id; may be given several times.")]
SubjectOption = Annotated[str | None, typer.Option("--subject", help="What it is about: user:ana.")]
ScopeOption = Annotated[
    list[str] | None, typer.Option("--scope", help="Everything whose scope has this element, with all that are given.")
]
PrincipalOption = Annotated[str | None, typer.Option("--principal", help="Who brought it: person:ana.")]
TenantOption = Annotated[bool, typer.Option("--tenant", help="Everything of this tenant.")]
BecauseOption = Annotated[str, typer.Option("--because", help="request, consent, retention, mistake or legal.")]

hold_app = typer.Typer(help="Keep what must be kept, whoever would have it erased.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """The commands of this file, added to the app."""
    app.command("forget")(forget)
    app.command("receipt")(receipt)
    hold_app.command("place")(hold_place)
    hold_app.command("release")(hold_release)
    hold_app.command("list")(hold_list)
    app.add_typer(hold_app, name="hold")


def forget(
    context: typer.Context,
    record: RecordOption = None,
    subject: SubjectOption = None,
    scope: ScopeOption = None,
    principal: PrincipalOption = None,
    tenant: TenantOption = False,
    because: BecauseOption = "request",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Change nothing: list what would go, and why.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Erase what is selected, with all that was made of it; the answer is a receipt, which holds no content.

    Example: heedful forget --subject user:ana --dry-run
    """
    selection = selection_of(record, subject, scope, principal, tenant=tenant)
    with door_of(context).session() as (_, session):
        if dry_run:
            _say_plan(forgetting.plan(session, selection), as_json=as_json)
            return
        done = forgetting.forget(session, selection, because=because)
    if as_json:
        write_json(done)
        return
    _say_receipt(done)
    say("  next: `heedful maintain --job erase` takes it out of indexes, packets and files")


def receipt(
    context: typer.Context,
    erasure: Annotated[str | None, typer.Argument(help="An erasure's id; left out: all are listed.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Show how far an erasure came, or every erasure.

    Example: heedful receipt 01981f6e-...
    """
    with door_of(context).session() as (_, session):
        found = receipts.receipts(session) if erasure is None else (receipts.receipt(session, erasure),)
    if as_json:
        write_json(found if erasure is None else found[0])
        return
    for each in found:
        _say_receipt(each)
    if not found:
        say("nothing was erased here, as far as you may see")


def hold_place(
    context: typer.Context,
    record: RecordOption = None,
    subject: SubjectOption = None,
    scope: ScopeOption = None,
    principal: PrincipalOption = None,
    tenant: TenantOption = False,
    because: BecauseOption = "legal",
    as_json: JsonOption = False,
) -> None:
    """Keep what is selected from now on: erasing hides it, and waits until the hold is released.

    Example: heedful hold place --subject user:ana
    """
    selection: Selection = selection_of(record, subject, scope, principal, tenant=tenant)
    with door_of(context).session() as (_, session):
        placed = holding.place_hold(session, selection, because=because)
    if as_json:
        write_json(placed)
        return
    say(f"hold {placed.hold_id} is in force", style="green")


def hold_release(
    context: typer.Context,
    hold: Annotated[str, typer.Argument(help="A hold's id.")],
    because: BecauseOption = "legal",
    as_json: JsonOption = False,
) -> None:
    """Release a hold; erasures that waited for it go on.

    Example: heedful hold release 01981f6e-...
    """
    with door_of(context).session() as (_, session):
        released = holding.release_hold(session, hold, because=because)
    if as_json:
        write_json(released)
        return
    say(f"hold {released.hold_id} is released; `heedful maintain --job erase` goes on with what waited", style="green")


def hold_list(context: typer.Context, as_json: JsonOption = False) -> None:
    """List the holds in force.

    Example: heedful hold list
    """
    with door_of(context).session() as (_, session):
        found = holding.holds(session)
    if as_json:
        write_json(found)
        return
    for each in found:
        say(f"hold {each.hold_id}  by {each.by} {' '.join(each.names)}, {each.because}, {each.placed_by}")
    if not found:
        say("no hold is in force")


def _say_plan(plan: forgetting.ForgetPlan, *, as_json: bool) -> None:
    if as_json:
        write_json(plan)
        return
    for each in plan.items:
        say(f"{each.item} {each.item_id}: {each.reason}")
    counts = ("records", "claims", "conflicts", "proposals", "merges")
    say(", ".join(f"{getattr(plan, each)} {each}" for each in counts) + " would go")
    if plan.withheld:
        say(f"  and {plan.withheld} that you may not see")
    if plan.held:
        say(f"  {plan.held} records are held: they would be hidden, and kept")


def _say_receipt(receipt: receipts.Receipt) -> None:
    say(f"erasure {receipt.erasure_id}: {receipt.stage}", style="green")
    if receipt.records is not None:
        say(f"  {receipt.records} records, {receipt.claims} claims and {receipt.others} other items are gone")
    for each in receipt.reached:
        say(f"  {each.stage} at {each.at}, ledger event {each.event_digest}")
    if receipt.waits_for_hold:
        say("  some of it is hidden and kept, as it is held", style="yellow")
    for sentence in receipt.could_not:
        say(f"  not done: {sentence}", style="yellow")
    if receipt.backups_expire_at is not None:
        say(f"  backups from before are to be gone by {receipt.backups_expire_at}")
