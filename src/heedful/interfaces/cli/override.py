"""`correct`, `confirm`, `retract`, `pin`, `unpin`, `diagnose`: a person's word over what is held, and of ghosts."""

from __future__ import annotations

from typing import Annotated

import typer

from heedful.interfaces.cli.door import ClaimArgument, JsonOption, ReasonOption, ScopeOption, door_of, scope_or_default
from heedful.interfaces.cli.output import say, write_json
from heedful.interfaces.problems import EXIT_NO
from heedful.service.auditing.diagnose import diagnose as diagnose_verb
from heedful.service.belief import override as service
from heedful.service.belief.correct import Correction
from heedful.service.belief.correct import correct as correct_verb


def register(app: typer.Typer) -> None:
    """The commands of this file, added to the app."""
    app.command("correct")(correct)
    app.command("confirm")(confirm)
    app.command("retract")(retract)
    app.command("pin")(pin)
    app.command("unpin")(unpin)
    app.command("diagnose")(diagnose)


def correct(
    context: typer.Context,
    claim: ClaimArgument,
    reason: ReasonOption,
    value: Annotated[str | None, typer.Argument(help="The right value.")] = None,
    statement: Annotated[str | None, typer.Option(help="The right statement, one sentence.")] = None,
    since: Annotated[str | None, typer.Option(help="Put right from then on only: 2026-11-27.")] = None,
    until: Annotated[str | None, typer.Option(help="Put right until then only.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Say what is right instead: your words are kept, and the old claim ends at once, or for that stretch of time.

    Example: heedful correct 01981f6e-... Berlin --since 2026-09-01 --reason "I moved"
    """
    with door_of(context).session() as (_, session):
        _answer(
            correct_verb(session, claim, Correction(value, statement, since, until), reason=reason), as_json=as_json
        )


def confirm(context: typer.Context, claim: ClaimArgument, reason: ReasonOption, as_json: JsonOption = False) -> None:
    """Say that a claim about you, or about whom you speak for, is so.

    Example: heedful confirm 01981f6e-... --reason "yes, that is my address"
    """
    with door_of(context).session() as (_, session):
        _answer(service.confirm(session, claim, reason=reason), as_json=as_json, now="confirmed")


def retract(context: typer.Context, claim: ClaimArgument, reason: ReasonOption, as_json: JsonOption = False) -> None:
    """Take a claim back, as if it never held; what rests on it is looked at again.

    Example: heedful retract 01981f6e-... --reason "I never said that"
    """
    with door_of(context).session() as (_, session):
        _answer(service.retract(session, claim, reason=reason), as_json=as_json)


def pin(context: typer.Context, claim: ClaimArgument, reason: ReasonOption, as_json: JsonOption = False) -> None:
    """Keep a claim as it is: no collection archives it, and no conflict wears it down.

    Example: heedful pin 01981f6e-... --reason "checked with the landlord"
    """
    with door_of(context).session() as (_, session):
        _answer(service.pin(session, claim, reason=reason), as_json=as_json, now="pinned")


def unpin(context: typer.Context, claim: ClaimArgument, reason: ReasonOption, as_json: JsonOption = False) -> None:
    """Let a claim be weighed and collected like any other again.

    Example: heedful unpin 01981f6e-... --reason "no longer needed"
    """
    with door_of(context).session() as (_, session):
        _answer(service.unpin(session, claim, reason=reason), as_json=as_json, now="not pinned")


def diagnose(
    context: typer.Context,
    asked: Annotated[str, typer.Argument(metavar="PACKET|QUESTION", help="A packet's id, or a question.")],
    answer: Annotated[str, typer.Option(help="What was answered.")],
    current: Annotated[str | None, typer.Option(help="What really holds, where the store may not know.")] = None,
    scope: ScopeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Tell in which layer an old value arose that an answer states as current: stored, retrieved or used.

    Example: heedful diagnose 01981f6e-... --answer "You live in Shanghai."
    """
    with door_of(context).session() as (app, session):
        found = diagnose_verb(session, asked, answer=answer, current=current, scope=scope_or_default(app, scope))
    if as_json:
        write_json(found)
    elif not found.ghosts:
        say(f"packet {found.packet_id}: the answer states no old value that is known here", style="green")
    for ghost in () if as_json else found.ghosts:
        say(f"{ghost.layer}: {ghost.property} of {ghost.subject} is said to be {ghost.stated}", style="yellow")
        say(f"  in: {ghost.sentence}")
        say(f"  what holds: {'not known' if ghost.current is None else ghost.current}")
        say(f"  {ghost.because}")
        say(f"  claim {ghost.claim_id}; records {', '.join(ghost.evidence)}")
    if found.ghosts:
        raise typer.Exit(EXIT_NO)


def _answer(done: service.Overridden, *, as_json: bool, now: str | None = None) -> None:
    if as_json:
        write_json(done)
        return
    if not done.changed:
        say(f"claim {done.claim_id} was so already; nothing was written")
        return
    say(f"claim {done.claim_id} is {done.status}{'' if now is None else f', and {now}'}", style="green")
    if done.waits:
        say(f"  the correction {done.correction_id} waits for another person: `heedful review approve`", style="yellow")
    elif done.correction_id is not None:
        say(f"  claim {done.correction_id} stands, by record {done.record_id}")
    for claim_id in done.standing_again:
        say(f"  claim {claim_id} holds again", style="green")
    for claim_id in done.needs_review:
        say(f"  claim {claim_id} rested on it, and is to be looked at again: `heedful review show {claim_id}`")
