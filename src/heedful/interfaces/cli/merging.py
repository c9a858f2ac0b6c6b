"""`merge`, `unmerge`, `merges`: which subjects are one."""

from __future__ import annotations

from typing import Annotated

import typer

from heedful.claims.merge import Merge, MergeStanding
from heedful.interfaces.cli.door import JsonOption, KnownAtOption, ReasonOption, ScopeOption, door_of, scope_or_default
from heedful.interfaces.cli.output import say, write_json
from heedful.kernel.times import format_time
from heedful.service.merging import merge as service
from heedful.service.merging.namesakes import Namesakes

_WORDS = {MergeStanding.JOINED: "are one", MergeStanding.UNDONE: "are two again", MergeStanding.APART: "are two"}


def register(app: typer.Typer) -> None:
    """The commands of this file, added to the app."""
    app.command("merge")(merge)
    app.command("unmerge")(unmerge)
    app.command("merges")(merges)


def merge(
    context: typer.Context,
    subject: Annotated[str, typer.Argument(help="A subject, such as user:bob.")],
    other: Annotated[str, typer.Argument(help="Another one that is the same.")],
    reason: ReasonOption,
    scope: ScopeOption = None,
    apart: Annotated[bool, typer.Option("--apart", help="They are two: do not ask again.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Say that two subjects are one: what is known of one is found for the other. `unmerge` takes it back.

    Example: heedful merge user:bob person:robert --scope project:payments --reason "Bob is Robert, he told me"
    """
    with door_of(context).session() as (app, session):
        place = scope_or_default(app, scope)
        done = service.merge(session, subject, other, scope=place, reason=reason, apart=apart)
        _answer(done, as_json=as_json)


def unmerge(
    context: typer.Context,
    merge: Annotated[str, typer.Argument(metavar="MERGE", help="The id of a merge that stands.")],
    reason: ReasonOption,
    as_json: JsonOption = False,
) -> None:
    """Take a merge back: its subjects are two again, as if they never had been one.

    Example: heedful unmerge 01981f6e-... --reason "they are father and son"
    """
    with door_of(context).session() as (_, session):
        _answer(service.unmerge(session, merge, reason=reason), as_json=as_json)


def merges(
    context: typer.Context,
    only_joined: Annotated[bool, typer.Option("--joined", help="Only what holds now.")] = False,
    known_at: KnownAtOption = None,
    as_json: JsonOption = False,
) -> None:
    """List which subjects were said to be one, or two; by whom and why.

    Example: heedful merges --joined
    """
    with door_of(context).session() as (_, session):
        found = service.merges(session, only_joined=only_joined, known_at=known_at)
        if as_json:
            write_json({"merges": found})
            return
        if not found:
            say("Nothing was said to be one.")
        for each in found:
            _say_merge(each)


def say_namesakes(pair: Namesakes) -> None:
    """The question for a person, with the commands that answer it."""
    say(f"subjects {pair.subject} and {pair.other} have one name: are they one?", style="bold")
    where, other = pair.scopes
    say(f"  known in {where}" if where == other else f"  known in {where}, and in {other}")
    say(f"  next: `heedful merge '{pair.subject}' '{pair.other}' --scope ... --reason ...`, or with `--apart`")


def _answer(done: service.Merged, *, as_json: bool) -> None:
    if as_json:
        write_json(done)
        return
    _say_merge(done.merge)
    if not done.changed:
        say("  that was said already")
    for each in done.asks:
        say(f"  they contradict each other: `heedful review answer {each} a|b|neither --reason ...`", style="yellow")
    for each in done.closed:
        say(f"  question {each} is closed: both claims stand")
    for claim_id in done.given_back:
        say(f"  claim {claim_id} is believed as it was")


def _say_merge(told: Merge) -> None:
    say(f"merge {told.merge_id}  {told.subject} and {told.other} {_WORDS[told.standing]}", style="bold")
    say(f"  in {told.scope}, by {told.merged_by} {format_time(told.merged_at_us)}: {told.reason}")
    if told.undone_at_us is not None:
        say(f"  undone by {told.undone_by} {format_time(told.undone_at_us)}: {told.undone_reason}")
