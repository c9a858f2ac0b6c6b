"""`maintain`, `archive` and `unarchive`."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from heedful.interfaces.cli.door import ClaimArgument, Door, JsonOption, ReasonOption, door_of
from heedful.interfaces.cli.output import say, show_error, write_json
from heedful.interfaces.cli.progress import counting
from heedful.interfaces.problems import EXIT_NO
from heedful.kernel.errors import BusyError
from heedful.service import maintain as maintaining
from heedful.service.belief import archive as archiving

INTERVAL_SECONDS = 60
INTERVAL_SECONDS_MAX = 86_400


def register(app: typer.Typer) -> None:
    """The commands of this file, added to the app."""
    app.command("maintain")(maintain)
    app.command("archive")(archive)
    app.command("unarchive")(unarchive)


def maintain(
    context: typer.Context,
    job: Annotated[
        str | None,
        typer.Option(
            "--job",
            help="This one alone, due or not: expire, retain, consolidate, collect, recheck, erase or checkpoint.",
        ),
    ] = None,
    report: Annotated[
        str | None, typer.Option("--report", help="Run nothing: show what the last run of this job moved and why.")
    ] = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Go on for ever, looking at what is due now and then.")
    ] = False,
    interval: Annotated[
        int,
        typer.Option("--interval", min=1, max=INTERVAL_SECONDS_MAX, help="With --watch: seconds between two looks."),
    ] = INTERVAL_SECONDS,
    rounds: Annotated[
        int | None, typer.Option("--rounds", min=1, help="With --watch: stop after so many looks.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Do the background work that is due, one worker at a time; what was stopped goes on. Exit 1 where all is not well.

    Example: heedful maintain --watch --interval 300
    """
    door = door_of(context)
    if report is not None:
        with door.session() as (_, session):
            found = maintaining.report_of(session, report)
        if as_json:
            write_json(found)
            return
        _say_report(found)
        return
    done, holds = 0, True
    while True:
        try:
            holds = _round(door, job, quiet=watch, as_json=as_json) and holds
        except BusyError as error:
            if not watch:
                raise
            show_error(error, as_json=as_json)
        done += 1
        if not watch or done == rounds:
            break
        time.sleep(interval)
    if not holds:
        raise typer.Exit(EXIT_NO)


def archive(context: typer.Context, claim_id: ClaimArgument, reason: ReasonOption, as_json: JsonOption = False) -> None:
    """Put a claim aside: it stays in the ledger and comes to mind no more.

    Example: heedful archive 01981f6e-... --reason "nobody works on that any more"
    """
    with door_of(context).session() as (_, session):
        _answer(archiving.archive(session, claim_id, reason), as_json=as_json)


def unarchive(
    context: typer.Context, claim_id: ClaimArgument, reason: ReasonOption, as_json: JsonOption = False
) -> None:
    """Take a claim out of the archive: it stands where it stood.

    Example: heedful unarchive 01981f6e-... --reason "it is needed after all"
    """
    with door_of(context).session() as (_, session):
        _answer(archiving.unarchive(session, claim_id, reason), as_json=as_json)


def _round(door: Door, job: str | None, *, quiet: bool, as_json: bool) -> bool:
    """One look at what is due: False where something was found amiss; `quiet`: nothing is said where nothing ran."""
    with door.session() as (_, session), counting("looking at claims", 0, shown=not as_json) as advance:
        maintained = maintaining.maintain(session, job, progress=advance)
    if quiet and not any(run.report for run in maintained.runs):
        return True
    if as_json:
        write_json(maintained)
    for run in () if as_json else maintained.runs:
        if run.report is not None:
            _say_report(run.report)
        elif run.outcome == "held":
            say(f"{run.job}: {run.held_by} runs it, until {run.held_until} at least")
        else:
            say(f"{run.job}: not due")
    return not any(run.report.found for run in maintained.runs if run.report is not None)


def _say_report(report: maintaining.JobReport) -> None:
    looked = "" if report.looked_at is None else f" of {report.looked_at} that it looked at"
    ended = f"done at {report.finished_at}" if report.finished_at else "not finished"
    if report.job in ("recheck", "checkpoint"):
        done = f"{len(report.found)} found amiss{looked}"
    elif report.job == "erase":
        done = "`heedful receipt` tells how far each erasure came"
    else:
        done = f"{report.moved} claims moved{looked}"
    say(f"{report.job}: {ended}; {done}", style="bold")
    for found in report.found:
        say(f"  {found}", style="bold red")
    if report.resumed:
        say(f"  it was stopped on the way and gone on with, {report.resumed} times")
    if report.left:
        say(f"  {report.left} claims stay, since too much rests on each: `heedful why` tells what")
    for move in report.moves:
        say(f"  claim {move.claim_id}  {move.from_status} -> {move.to_status}: {move.reason}")
        say(f"    {move.statement}")
        for claim_id in move.resting:
            say(f"    claim {claim_id} rests on it")
    if len(report.moves) < report.moved:
        say("  (and more)")


def _answer(archived: archiving.Archived, *, as_json: bool) -> None:
    if as_json:
        write_json(archived)
        return
    say(f"claim {archived.claim_id} is {archived.status}", style="green")
    for claim_id in archived.resting:
        say(f"  claim {claim_id} rests on it")
    for conflict_id in archived.conflicts:
        say(f"  conflict {conflict_id} waits for an answer")
