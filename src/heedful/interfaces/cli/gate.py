"""`judge`, `permit redeem` and `outcome`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from heedful.gate.explain import explain_verdict
from heedful.gate.permit import TOKEN_CHARACTERS_MAX, Redeemed
from heedful.gate.verdict import Verdict
from heedful.interfaces.cli.door import JsonOption, RunOption, ScopeOption, door_of, scope_or_default
from heedful.interfaces.cli.memory import json_object
from heedful.interfaces.cli.output import say, write_json
from heedful.interfaces.problems import EXIT_NO
from heedful.kernel.ladder import Decision
from heedful.service.acting.judge import judge as judge_verb
from heedful.service.acting.outcome import report_outcome
from heedful.service.acting.redeem import redeem as redeem_verb
from heedful.service.requests import action_request

STYLES = {
    Decision.ALLOW: "green",
    Decision.NOTICE: "green",
    Decision.ASK: "yellow",
    Decision.REVIEW: "yellow",
    Decision.DENY: "bold red",
}


_group = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Use the permit that `judge` gave for an execute: the part of whoever runs the tool.",
)


def register(app: typer.Typer) -> None:
    """The commands of this file, added to the app."""
    app.command("judge")(judge)
    app.add_typer(_group, name="permit")
    app.command("outcome")(outcome)


def judge(
    context: typer.Context,
    tool: Annotated[str, typer.Argument(help="The tool that an agent wants to call, such as Bash.")],
    args: Annotated[str, typer.Option(help="Its arguments, a JSON object.")] = "{}",
    text: Annotated[str, typer.Option(help="What the agent says that it is about; never lowers anything.")] = "",
    scope: ScopeOption = None,
    run: RunOption = None,
    packet: Annotated[str | None, typer.Option(help="The packet that it had; gives citations, nothing else.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Judge a tool call before it is made: exit 0 to execute, 1 where a person must look, or it is denied.

    Example: heedful judge Bash --args '{"command": "kubectl apply -f prod/"}'
    """
    with door_of(context).session() as (app, session):
        request = action_request(
            session, tool, scope=scope_or_default(app, scope), args=json_object(args, field="args"), text=text, run=run
        )
        verdict = judge_verb(session, request, packet_id=packet)
    if as_json:
        write_json(verdict)
    else:
        say_verdict(verdict)
    if verdict.execution != "execute":
        raise typer.Exit(EXIT_NO)


def say_verdict(verdict: Verdict) -> None:
    """The verdict with its reasons, for people."""
    say(
        f"{verdict.decision.upper()} ({verdict.execution})  verdict {verdict.verdict_id}",
        style=STYLES[verdict.decision],
    )
    for line in explain_verdict(verdict):
        say(f"  {line}")
    if verdict.permit is not None:
        say(f"  With --json it has a permit, good once until {verdict.permit.expires_at}: `heedful permit redeem`.")


@_group.command("redeem")
def redeem(
    context: typer.Context,
    token: Annotated[str, typer.Argument(help="The permit's token, or - to read it from standard input.")],
    tool: Annotated[str, typer.Option(help="The tool that is about to be called.")],
    args: Annotated[str, typer.Option(help="Its arguments, a JSON object.")] = "{}",
    scope: ScopeOption = None,
    run: RunOption = None,
    as_json: JsonOption = False,
) -> None:
    """Use a permit for exactly the call that was judged, once: exit 0 to make the call now, 1 not to.

    Example: heedful permit redeem - --tool Bash --args '{"command": "kubectl apply -f prod/"}' < token
    """
    given = _given(token)
    with door_of(context).session() as (app, session):
        request = action_request(
            session, tool, scope=scope_or_default(app, scope), args=json_object(args, field="args"), run=run
        )
        answer = redeem_verb(session, given, request)
    if as_json:
        write_json(answer)
    elif isinstance(answer, Redeemed):
        say(f"redeemed: permit {answer.permit_id} of verdict {answer.verdict_id}", style="green")
    else:
        say(f"refused: {answer.reason}", style="bold red")
        for change in answer.changes:
            say(f"  {change}")
        say(f"  next: {answer.next_step}")
    if not isinstance(answer, Redeemed):
        raise typer.Exit(EXIT_NO)


def _given(text: str) -> str:
    """The argument, or what standard input holds; one that is too long stays so, and is refused."""
    if text != "-":
        return text
    given = b"" if sys.stdin is None else sys.stdin.buffer.read(TOKEN_CHARACTERS_MAX + 2)
    return given.decode(errors="replace").strip()


def outcome(
    context: typer.Context,
    verdict_id: Annotated[str, typer.Argument(metavar="VERDICT", help="The verdict that the action had.")],
    status: Annotated[str, typer.Option(help="succeeded, failed, partial, rolled-back or not-done.")],
    text: Annotated[str, typer.Option(help="What happened.")] = "",
    as_json: JsonOption = False,
) -> None:
    """Report what came of an action that was judged; it becomes a record.

    Example: heedful outcome 01981f6e-... --status succeeded --text "12 pods ready"
    """
    with door_of(context).session() as (_, session):
        reported = report_outcome(session, verdict_id, status=status, text=text)
    if as_json:
        write_json(reported)
        return
    place = f" (#{reported.position})" if reported.position else ""
    say(f"kept as record {reported.record_id}{place}", style="green")
