"""`import` and `recall`."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Annotated

import typer

from heedful.claims.extract import parse_value
from heedful.evidence.packet import Packet
from heedful.evidence.render import render_json, render_prompt, render_text
from heedful.interfaces.cli.door import (
    AsOfOption,
    JsonOption,
    KnownAtOption,
    ScopeOption,
    door_of,
    pairs,
    scope_or_default,
)
from heedful.interfaces.cli.output import say, table, write_json
from heedful.interfaces.cli.progress import counting
from heedful.kernel.errors import InvalidInputError
from heedful.service.keeping.import_ import ImportReport, import_trace
from heedful.service.recalling.recall import recall as recall_verb
from heedful.service.requests import memory_request

PROBLEMS_SHOWN = 10
CLAIMS_SHOWN = 30


def register(app: typer.Typer) -> None:
    """The commands of this file, added to the app."""
    app.command("import")(import_)
    app.command("recall")(recall)


def import_(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="A transcript, such as ~/.claude/projects/*/SESSION.jsonl.")],
    scope: ScopeOption = None,
    again: Annotated[bool, typer.Option("--again", help="Also what was erased of it: for owners.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Import an agent's transcript: every row becomes evidence, is merged, or is named as a problem.

    The format is told from the file: Claude Code, Codex, OpenAI logs, plain JSONL and more (docs/importers.md).
    Importing again adds nothing, and goes on where an import was stopped.
    Example: heedful import session.jsonl --scope project:payments
    """
    with door_of(context).session() as (app, session):
        importer, source = app.trace(file)
        with counting(f"importing {source.name}", 2 * source.size_bytes(), shown=not as_json) as advance:
            report = import_trace(
                session, importer, source, scope=scope_or_default(app, scope), progress=advance, again=again
            )
    if as_json:
        write_json(report)
    else:
        say_import(report)


def say_import(report: ImportReport) -> None:
    """The report, for people."""
    say(f"{report.importer} transcript {report.source_name}:", style="bold")
    say(
        f"  {report.admitted} records kept, {report.pending} pending, {report.refused} refused, "
        f"{report.duplicates} known before"
    )
    if report.erased_before:
        say(f"  {report.erased_before} of the refused were erased here before; --again keeps them", style="yellow")
    table("", ("what was in it", "count"), [(kind, str(count)) for kind, count in sorted(report.counts.items())])
    if report.redactions:
        secrets = "1 secret was" if report.redactions == 1 else f"{report.redactions} secrets were"
        say(f"  {secrets} cut out before anything was written", style="yellow")
    for claim in report.claims[:CLAIMS_SHOWN]:
        say(f"  proposed: {claim.kind}: {claim.statement}  ({claim.status}, {claim.claim_id})")
    if len(report.claims) > CLAIMS_SHOWN:
        say(
            f"  and {len(report.claims) - CLAIMS_SHOWN} more claims; --json shows all, "
            "`heedful review list` those that wait"
        )
    if not report.claims:
        say("  no claim was proposed: the transcript has no new `remember:` line in the user's own words")
    for problem in report.problems[:PROBLEMS_SHOWN]:
        say(f"  line {problem.line_number}: {problem.message} [{problem.code}]", style="yellow")
    if len(report.problems) > PROBLEMS_SHOWN:
        say(f"  and {len(report.problems) - PROBLEMS_SHOWN} more problems; --json shows all", style="yellow")


def recall(
    context: typer.Context,
    question: Annotated[str, typer.Argument(help="The request that the agent is about to answer.")],
    scope: ScopeOption = None,
    tool: Annotated[str | None, typer.Option(help="The tool that it is about to call, if any.")] = None,
    args: Annotated[str, typer.Option(help="That tool's arguments, a JSON object.")] = "{}",
    action_class: Annotated[str | None, typer.Option("--action-class", help="What it decides, if known.")] = None,
    task_class: Annotated[
        str, typer.Option("--task-class", help="auto, general, state, causal, workflow, gotcha or premise.")
    ] = "auto",
    impact: Annotated[str, typer.Option(help="read, propose or execute.")] = "read",
    record_type: Annotated[list[str] | None, typer.Option("--type", help="Only records of this type.")] = None,
    attribute: Annotated[list[str] | None, typer.Option("--attribute", help="name=value: only such records.")] = None,
    as_of: AsOfOption = None,
    known_at: KnownAtOption = None,
    budget: Annotated[int | None, typer.Option(help="Tokens of the prompt rendering, estimated.")] = None,
    scorer: Annotated[str | None, typer.Option(help="linear or tiered: what orders the retrieved items.")] = None,
    prompt: Annotated[bool, typer.Option("--prompt", help="Print what goes into the model's prompt.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show what must be in mind for a request: decision states first, then what retrieval finds.

    Example: heedful recall "Can you ship the new invoice page today?"
    Example: heedful recall "deploy" --tool Bash --args '{"command": "kubectl apply -f prod/"}' --json
    """
    with door_of(context).session() as (app, session):
        packet = recall_verb(
            session,
            memory_request(
                session,
                question,
                scope=scope_or_default(app, scope),
                tool=tool,
                args=json_object(args, field="args"),
                action_class=action_class,
                task_class=task_class,
                impact=impact,
                record_types=tuple(record_type or ()),
                attributes={name: parse_value(text) for name, text in pairs(attribute, field="attribute").items()},
                as_of=as_of,
                known_at=known_at,
                budget_tokens=budget,
                scorer=scorer,
            ),
        )
    if as_json:
        write_json(render_json(packet))
    elif prompt:
        say(render_prompt(packet))
    else:
        say_packet(packet)


def say_packet(packet: Packet) -> None:
    """The packet, for people."""
    for line in render_text(packet):
        say(line)


def json_object(text: str, *, field: str) -> dict[str, object]:
    """The JSON object that the text holds, read strictly: no NaN, no infinity, no key twice.

    Raises:
        InvalidInputError: `json_malformed`.
    """

    def finite(number: str) -> float:
        if not math.isfinite(float(number)):
            raise ValueError(number)
        return float(number)

    def once(members: list[tuple[str, object]]) -> dict[str, object]:
        # Of a key that is there twice, one reader takes the first and another the last.
        if len(dict(members)) < len(members):
            raise ValueError(members)
        return dict(members)

    try:
        value = json.loads(text, parse_constant=finite, parse_float=finite, object_pairs_hook=once)
        if not isinstance(value, dict):
            raise TypeError
    except (ValueError, TypeError, RecursionError) as error:
        raise InvalidInputError(
            "json_malformed",
            f"{field} is not a JSON object: {text[:60]!r}",
            next_step="""write it like '{"command": "ls"}'""",
            details={"field": field},
        ) from error
    return value
