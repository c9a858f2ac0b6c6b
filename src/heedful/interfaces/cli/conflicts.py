"""`conflicts`, `promote`, `review answer`: who is believed, and on whose word."""

from __future__ import annotations

from typing import Annotated

import typer

from heedful.interfaces.cli.door import ClaimArgument, JsonOption, KnownAtOption, ReasonOption, door_of
from heedful.interfaces.cli.output import say, write_json
from heedful.kernel.times import format_time
from heedful.service.belief import conflicts as service
from heedful.service.belief.promote import promote as promote_verb


def register(app: typer.Typer) -> None:
    """The commands of this file, added to the app."""
    app.command("conflicts")(conflicts)
    app.command("promote")(promote)


def conflicts(
    context: typer.Context,
    only_open: Annotated[bool, typer.Option("--open", help="Only those that wait for an answer.")] = False,
    known_at: KnownAtOption = None,
    as_json: JsonOption = False,
) -> None:
    """List claims that contradict each other, the rule that decided, and what waits for a person.

    Example: heedful conflicts --open
    """
    with door_of(context).session() as (_, session):
        found = service.conflicts(session, only_open=only_open, known_at=known_at)
        if as_json:
            write_json(found)
            return
        if not found.conflicts:
            say("Nothing waits for an answer." if only_open else "Nothing contradicts anything.")
            return
        for each in found.conflicts:
            say_conflict(each)
        if found.cut:
            say("  (and more)")


def say_conflict(told: service.ToldConflict) -> None:
    """The conflict for a person, with both statements, and how it ended or is answered."""
    ended = "open" if told.resolution is None else told.resolution
    say(f"conflict {told.conflict_id}  {told.because}: {ended}", style="bold")
    for name, claim in (("a", told.a), ("b", told.b)):
        say(f"  {name}: {claim.statement} ({claim.value}; {claim.proposed_by}, {claim.tier.name}, {claim.status})")
    say(f"  {told.a.property} of {told.a.subject} in {told.a.scope}, found {format_time(told.detected_at_us)}")
    if told.resolved_at_us is not None:
        say(f"  ended {format_time(told.resolved_at_us)} by {told.resolved_by}: {told.reason}")
    if told.resolution is None:
        say(f"  {told.question}")
        say(f"  next: `heedful review answer {told.conflict_id} a|b|neither --reason ...`")


def promote(
    context: typer.Context,
    claim: ClaimArgument,
    tier: Annotated[str, typer.Argument(metavar="TIER", help="OPERATOR or SYSTEM; UNVERIFIED takes it back.")],
    reason: ReasonOption,
    as_json: JsonOption = False,
) -> None:
    """Give a claim an operator's or the system's authority, or take it back.

    Example: heedful promote 01981f6e-... OPERATOR --reason "agreed in the release meeting"
    """
    with door_of(context).session() as (_, session):
        done = promote_verb(session, claim, tier, reason=reason)
        if as_json:
            write_json(done)
        else:
            say(f"claim {done.claim_id} was {done.from_tier} and is {done.to_tier}", style="green")


def answer(
    context: typer.Context,
    conflict: Annotated[str, typer.Argument(metavar="CONFLICT", help="The id of a conflict that waits.")],
    choice: Annotated[str, typer.Argument(metavar="a|b|neither", help="Which claim is so.")],
    reason: ReasonOption,
    as_json: JsonOption = False,
) -> None:
    """Answer which of two claims is so: the one that stood (a), the one that came (b), or neither.

    Example: heedful review answer 01981f6e-... b --reason "I asked them"
    """
    with door_of(context).session() as (_, session):
        done = service.answer(session, conflict, choice, reason)
        if as_json:
            write_json(done)
            return
        say(
            f"conflict {done.conflict_id}: {done.resolution}; a is {done.a_status}, b is {done.b_status}", style="green"
        )
        for each in done.asks:
            say(f"  b contradicts another: `heedful review answer {each} ...`", style="yellow")
