"""`registry disable | enable | approve | pending | rollback | coverage`: what people do about bridges."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from heedful.bridges.check import Change
from heedful.interfaces.cli.door import JsonOption, ReasonOption, door_of
from heedful.interfaces.cli.output import say, write_json
from heedful.service.governing.approve_bridge import approve_bridge, pending_bridges
from heedful.service.governing.coverage import Coverage
from heedful.service.governing.coverage import coverage as covered
from heedful.service.governing.disable import disable_bridge, enable_bridge
from heedful.service.governing.propose_bridge import propose_bridge
from heedful.service.governing.roll_back import earlier_registry

BridgeArgument = Annotated[str, typer.Argument(metavar="BRIDGE", help="Its id.")]
SHORT_CHARACTERS = 12
IDS_SHOWN_MAX = 20


def register(group: typer.Typer) -> None:
    """The commands of this file, added to `registry`."""
    group.command("disable")(disable)
    group.command("enable")(enable)
    group.command("approve")(approve)
    group.command("pending")(pending)
    group.command("propose")(propose)
    group.command("rollback")(rollback)
    group.command("coverage")(coverage)


def disable(
    context: typer.Context,
    bridge: BridgeArgument,
    reason: ReasonOption = "disabled from the command line",
    quarantine: Annotated[
        bool, typer.Option("--quarantine", help="Also set apart every claim that it had brought to mind.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Switch a bridge off at once for every process; with --quarantine, set apart what it had brought to mind.

    Example: heedful registry disable deploy.freeze --reason "it reads the wrong calendar" --quarantine
    """
    with door_of(context).session() as (_, session):
        found = disable_bridge(session, bridge, reason, quarantine=quarantine)
    if as_json:
        write_json(found)
        return
    say(f"{bridge} is off{', and was before' if found.was_off else ' now'}", style="green")
    if quarantine:
        say(
            f"  {len(found.quarantined)} claims are quarantined; {found.left} others had ended or were set apart before"
        )
        for claim_id in found.quarantined[:IDS_SHOWN_MAX]:
            say(f"  claim {claim_id}")
        if len(found.quarantined) > IDS_SHOWN_MAX:
            say("  (and more)")
        say("next: `heedful review list`; run this again in a few seconds for packets that were under way")


def enable(
    context: typer.Context,
    bridge: BridgeArgument,
    reason: ReasonOption = "enabled from the command line",
    as_json: JsonOption = False,
) -> None:
    """Take a bridge's setting back: the registry's own mode holds again. Quarantined claims stay so.

    Example: heedful registry enable deploy.freeze --reason "the calendar is mended"
    """
    with door_of(context).session() as (_, session):
        had_setting = enable_bridge(session, bridge, reason)
    if as_json:
        write_json({"bridge_id": bridge, "had_setting": had_setting})
        return
    say(f"{bridge} is at its default again" if had_setting else f"{bridge} had no mode set", style="green")


def approve(
    context: typer.Context, bridge: BridgeArgument, reason: ReasonOption = "approved", as_json: JsonOption = False
) -> None:
    """Approve a bridge of the store's own, as it is written now; one of high risk takes two people.

    Example: heedful registry approve export.books-closing --reason "read section 2 of the handbook"
    """
    with door_of(context).session() as (_, session):
        found = approve_bridge(session, bridge, reason)
    if as_json:
        write_json(found)
        return
    say(f"{bridge} is approved as it is written now ({found.digest[:SHORT_CHARACTERS]})", style="green")
    if found.approvals_missing:
        say("  it stays in shadow: another person has to approve as well")
    if found.solo:
        say("  approved under the solo profile; the ledger says so")


def pending(context: typer.Context, as_json: JsonOption = False) -> None:
    """List the bridges that stay in shadow until people approve them.

    Example: heedful registry pending
    """
    with door_of(context).session() as (_, session):
        waiting = pending_bridges(session)
    if as_json:
        write_json({"pending": waiting})
        return
    for each in waiting:
        by = ", ".join(each.approved_by) or "nobody yet"
        say(f"{each.bridge_id} ({each.risk} risk, {each.digest[:SHORT_CHARACTERS]}): {each.needed} needed, by {by}")
    say(
        "next: `heedful registry show bridges ID`, then `heedful registry approve ID`"
        if waiting
        else "No bridge waits."
    )


def propose(
    context: typer.Context,
    claim: Annotated[str, typer.Option("--claim", metavar="ID", help="Its kind and statement go to the model.")],
    as_json: JsonOption = False,
) -> None:
    """Ask the configured model for which action classes a claim matters; its answer waits for review.

    Example: heedful registry propose --claim 01981f6e-...
    """
    with door_of(context).session() as (app, session):
        found = propose_bridge(session, app.proposer, claim)
    if as_json:
        write_json(found)
        return
    if found.proposal_id is None:
        say(f"{found.model} names no class of this registry for claim {claim}: nothing waits.")
        return
    say(
        f"proposal {found.proposal_id} by {found.model} (prompt {found.prompt_digest[:SHORT_CHARACTERS]})", style="bold"
    )
    for each in found.classes:
        say(f"  {each.action_class}: {each.reason}")
    say("next: `heedful review approve ID` prints its YAML, or `reject`; nothing is in force by it")


def rollback(
    context: typer.Context,
    revision: Annotated[str, typer.Argument(metavar="REVISION", help="Or its beginning; `registry diff` names some.")],
    to: Annotated[
        Path | None, typer.Option("--to", metavar="FOLDER", help="Write its documents to this empty folder.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show what going back to an earlier registry changes, and write its documents for git. The one in use stays.

    Example: heedful registry rollback 3f2a91c0 --to restored/
    """
    with door_of(context).app() as app:
        earlier = earlier_registry(app.session(adopts=False), revision)
        written = None if to is None else app.registry_folder(earlier.body_json, earlier.packs, to)
    if as_json:
        write_json({"earlier": earlier, "written": written})
        return
    say(f"from {earlier.in_use[:SHORT_CHARACTERS]} back to {earlier.revision[:SHORT_CHARACTERS]}:")
    say_changes(earlier.changes)
    if written is None:
        say("next: `--to FOLDER` writes its documents; nothing was changed")
        return
    say(f"{to}: {', '.join(written.files)}", style="green")
    if written.left:
        say("  with the packs of this release it is not quite the same; what differs:", style="yellow")
        say_changes(written.left)
    say("next: compare with .heedful/registry, have it reviewed, and commit it there; nothing was changed yet")


def coverage(context: typer.Context, as_json: JsonOption = False) -> None:
    """Report what the bridges leave open, what they brought to mind, and how often people found that relevant.

    Example: heedful registry coverage --json
    """
    with door_of(context).session() as (_, session):
        found = covered(session)
    if as_json:
        write_json(found)
        return
    _say_gaps(found)
    for use in found.bridges:
        marks = f"{use.relevant} of {use.marked} marked relevant" if use.marked else "nothing marked"
        gone = "" if use.in_registry else " (not in the registry now)"
        say(f"bridge {use.bridge_id}{gone}: {use.activations} activations, {marks}")


def _say_gaps(found: Coverage) -> None:
    gaps = found.gaps
    cells = [f"{cell.kind} before {cell.action_class} ({cell.severity})" for cell in gaps.cells_without_bridge]
    rows: list[tuple[str, Sequence[str]]] = [
        ("kinds without bridge", gaps.kinds_without_bridge),
        ("kinds without consequences", gaps.kinds_without_consequences),
        ("kinds without phrases", gaps.kinds_without_phrases),
        ("classes that no bridge starts from", gaps.classes_without_bridge),
        ("consequences without bridge", cells),
        ("classes never hit", found.classes_never_hit),
        ("bridges never hit", found.bridges_never_hit),
        ("bridges only ever wrong", found.bridges_only_wrong),
    ]
    say(f"registry {found.revision[:SHORT_CHARACTERS]}, {found.packets} packets:")
    for name, listed in rows:
        more = f" and {len(listed) - IDS_SHOWN_MAX} more" if len(listed) > IDS_SHOWN_MAX else ""
        say(f"  {name}: {len(listed)}" + (f": {', '.join(listed[:IDS_SHOWN_MAX])}{more}" if listed else ""))


def say_changes(changes: tuple[Change, ...]) -> None:
    """The changes, for people."""
    for change in changes:
        fields = f": {', '.join(change.fields)}" if change.fields else ""
        say(f"  {change.change} {change.section} {change.entry}{fields}")
    if not changes:
        say("  no change")
