"""`forget`, `receipt` and `hold`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heedful.bootstrap.proofs import write_proof_file
from heedful.bootstrap.receipts import all_receipts, one_receipt, signed_bytes
from heedful.interfaces.cli.door import JsonOption, door_of
from heedful.interfaces.cli.output import say, write_json
from heedful.interfaces.problems import EXIT_NO
from heedful.service.erasure import forget as forgetting
from heedful.service.erasure import hold as holding
from heedful.service.erasure import receipt as receipts
from heedful.service.erasure.select import Selection, require_confirmed, selection_of
from heedful.service.erasure.tenant import TenantKept, TenantPlan, forget_tenant, plan_tenant

RecordOption = Annotated[list[str] | None, typer.Option("--record", help="A record's id; may be given several times.")]
SubjectOption = Annotated[str | None, typer.Option("--subject", help="What it is about: user:ana.")]
ScopeOption = Annotated[
    list[str] | None, typer.Option("--scope", help="Everything whose scope has this element, with all that are given.")
]
PrincipalOption = Annotated[str | None, typer.Option("--principal", help="Who brought it: person:ana.")]
NamedTenantOption = Annotated[
    str | None,
    typer.Option("--tenant", metavar="NAME", help="A whole tenant, with its keys; --confirm names it again."),
]
ConfirmOption = Annotated[
    str | None, typer.Option("--confirm", metavar="NAME", help="The tenant's name once more: nothing brings it back.")
]
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
    tenant: NamedTenantOption = None,
    confirm: ConfirmOption = None,
    because: BecauseOption = "request",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Change nothing: list what would go, and why.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Erase what is selected, with all that was made of it; the answer is a receipt, which holds no content.

    Example: heedful forget --subject user:ana --dry-run
    Example: heedful forget --tenant acme --confirm acme
    """
    selection = selection_of(record, subject, scope, principal, tenant=tenant is not None)
    if tenant is not None:
        _forget_tenant(context, tenant, confirm, because, dry_run=dry_run, as_json=as_json)
        return
    with door_of(context).session(erases=not dry_run) as (_, session):
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
    out: Annotated[
        Path | None, typer.Option("--out", help="The file to make: signed, for whoever has the store's public keys.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show how far an erasure came, or every erasure, of erased tenants too; with --out, as a signed file.

    Example: heedful receipt 01981f6e-... --out receipt.json
    """
    with door_of(context).app() as app:
        eraser = app.eraser()
        one = None if erasure is None else one_receipt(eraser, app.session, erasure)
        found = all_receipts(eraser, app.session) if one is None else (one,)
        if out is not None:
            write_proof_file(out, signed_bytes(eraser, found))
    if as_json:
        write_json(found if erasure is None else found[0])
        return
    for each in found:
        _say_receipt(each)
    if out is not None:
        say(f"  signed, in {out}")
    if not found:
        say("nothing was erased here, as far as you may see")


def _forget_tenant(
    context: typer.Context, name: str, confirm: str | None, because: str, *, dry_run: bool, as_json: bool
) -> None:
    with door_of(context).app() as app:
        if dry_run:
            found = plan_tenant(app.eraser(), name)
        else:
            require_confirmed(name, confirm)
            done = forget_tenant(app.eraser(), name, because=because)
    if as_json:
        write_json(found if dry_run else done)
    elif dry_run:
        _say_tenant(found)
    elif isinstance(done, TenantKept):
        say(f"NOT ERASED, and nothing was changed: {done.because}", style="bold red")
        say(f"  next: {done.next_step}")
    else:
        _say_receipt(done)
    if not dry_run and isinstance(done, TenantKept):
        raise typer.Exit(EXIT_NO)


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


def _say_tenant(plan: TenantPlan) -> None:
    say(f"the whole tenant {plan.tenant_id} would go, with its keys; nothing brings it back")
    for name, count in (plan.counts or {}).items():
        say(f"  {count} {name}")
    if plan.held:
        say("  a hold keeps something of it: it would be refused", style="yellow")


def _say_receipt(receipt: receipts.Receipt) -> None:
    say(f"erasure {receipt.erasure_id}: {receipt.stage}", style="green")
    if receipt.records is not None:
        say(f"  {receipt.records} records, {receipt.claims} claims and {receipt.others} other items are gone")
    for each in receipt.reached:
        say(f"  {each.stage} at {each.at}" + (f", ledger event {each.event_digest}" if each.event_digest else ""))
    if receipt.waits_for_hold:
        say("  some of it is hidden and kept, as it is held", style="yellow")
    for sentence in receipt.could_not:
        say(f"  not done: {sentence}", style="yellow")
    if receipt.backups_expire_at is not None:
        say(f"  backups from before are to be gone by {receipt.backups_expire_at}")
