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
from heedful.interfaces.cli.door import JsonOption, ScopeOption, door_of, pairs, scope_or_default
from heedful.interfaces.cli.output import say, table, write_json
from heedful.interfaces.cli.progress import counting
from heedful.kernel.errors import InvalidInputError
from heedful.service.import_ import ImportReport, import_trace
from heedful.service.recall import recall as recall_verb
from heedful.service.requests import memory_request

PROBLEMS_SHOWN = 10
CLAIMS_SHOWN = 30


def register(app: typer.Typer) -> None:
    """The commands of this file, added to the app."""
    app.command("import")(import_)
    app.command("recall")(recall)


<<<<<<< Updated upstream
=======
KindOption = Annotated[
    str | None, typer.Option("--kind", "-k", help="Propose a claim of this kind, such as release.freeze.")
]
AppliesToOption = Annotated[
    list[str] | None, typer.Option("--applies-to", "-a", help="Action class that must see it beforehand.")
]
RestsOnOption = Annotated[
    list[str] | None, typer.Option("--rests-on", help="A claim that it is so only as long as that is.")
]


def remember(
    context: typer.Context,
    text: Annotated[str | None, typer.Argument(help="What to keep; `-` reads standard input.")] = None,
    kind: KindOption = None,
    subject: Annotated[str | None, typer.Option(help="Whom or what the claim is about.")] = None,
    property_name: Annotated[str | None, typer.Option("--property", help="What of it; the kind by default.")] = None,
    value: Annotated[str | None, typer.Option(help="The value; true by default.")] = None,
    form: Annotated[str | None, typer.Option(help="fact, state, preference, plan, constraint, ...")] = None,
    applies_to: AppliesToOption = None,
    not_for: Annotated[list[str] | None, typer.Option("--not-for", help="Action class that must not see it.")] = None,
    since: Annotated[str | None, typer.Option(help="Holds from then on: 2026-11-27.")] = None,
    until: Annotated[str | None, typer.Option(help="Holds until then: 2026-12-07T00:00:00Z.")] = None,
    rests_on: RestsOnOption = None,
    scope: ScopeOption = None,
    record_type: Annotated[str, typer.Option("--type", help="What kind of evidence it is.")] = "human_note",
    source_ref: Annotated[
        str | None, typer.Option("--source-ref", help="Its own name; saying the same again keeps it once.")
    ] = None,
    attribute: Annotated[list[str] | None, typer.Option("--attribute", help="name=value, to filter by.")] = None,
    classification: Annotated[str, typer.Option(help="normal, sensitive or restricted.")] = "normal",
    consent: Annotated[str, typer.Option(help="implicit, explicit or denied.")] = "implicit",
    run_id: RunOption = None,
    batch: Annotated[str | None, typer.Option("--batch", help="Keep each line of this JSONL file, or of `-`.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Keep a record; with --kind, also propose a claim that rests on it.

    Example: heedful remember "Releases are frozen until the quarter closes." -k release.freeze --until 2026-12-07
    Example: heedful remember - --type document < notes.txt
    Example: heedful remember --batch notes.jsonl
    Example: heedful remember --batch - < notes.jsonl
    """
    if batch is not None or text is None:
        _remember_batch(context, batch, scope, as_json=as_json)
        return
    with door_of(context).session() as (app, session):
        remembered = remember_verb(
            session,
            sys.stdin.buffer.read() if text == "-" else text,
            scope=scope_or_default(app, scope),
            texts=RememberTexts(
                kind=kind,
                subject=subject,
                property_name=property_name,
                value=value,
                form=form,
                applies_to=applies_to or None,
                not_for=not_for or None,
                since=since,
                until=until,
                rests_on=rests_on or (),
                record_type=record_type,
                source_ref=source_ref,
                attributes={name: parse_value(text) for name, text in pairs(attribute, field="attribute").items()},
                classification=classification,
                consent=consent,
                run_id=run_id,
            ),
        )
    _answer_remembered(remembered, as_json=as_json)


def _answer_remembered(remembered: Remembered, *, as_json: bool) -> None:
    if as_json:
        write_json(remembered)
    else:
        _say_remembered(remembered)
    if remembered.outcome == "refused":
        raise typer.Exit(EXIT_NO)


def _remember_batch(context: typer.Context, file: str | None, scope: list[str] | None, *, as_json: bool) -> None:
    sources = {
        name: context.get_parameter_source(name) for name in context.params.keys() - {"batch", "scope", "as_json"}
    }
    if file is None or any(source is not None and source.name == "COMMANDLINE" for source in sources.values()):
        raise typer.BadParameter(
            "give a text, or --batch FILE and besides it --scope and --json alone: each line says the rest itself"
        )
    with door_of(context).session() as (app, session):
        report = remember_file(app, session, file, scope_or_default(app, scope), shown=not as_json)
    if as_json:
        write_json(report)
    else:
        say_batch(report)
    if report.refused or report.not_in_order:
        raise typer.Exit(EXIT_NO)


def _say_remembered(remembered: Remembered) -> None:
    style = {"admitted": "green", "pending": "yellow", "refused": "red"}[remembered.outcome]
    again = " (it was kept before)" if remembered.duplicate else ""
    say(f"{remembered.outcome}{again}: record {remembered.record_id}", style=style)
    if remembered.reasons:
        say(f"  because: {', '.join(remembered.reasons)}")
    for redaction in remembered.redactions:
        say(f"  cut out a secret ({redaction.detector}) before it was written", style="yellow")
    for claim in remembered.claims:
        say(f"  claim {claim.claim_id} ({claim.kind}) is {claim.status}")
        if claim.status != "active":
            say(f"    next: `heedful review approve {claim.claim_id}`")
    for claim in remembered.ended:
        say(f"  ended: claim {claim.claim_id} ({claim.kind}), by what this says", style="yellow")
    if remembered.ended:
        say(f"    if that is wrong: `heedful review reject {remembered.record_id}`")
    for problem in remembered.problems:
        say(f"  {problem}", style="yellow")


>>>>>>> Stashed changes
def import_(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="A transcript, such as ~/.claude/projects/*/SESSION.jsonl.")],
    scope: ScopeOption = None,
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
            report = import_trace(session, importer, source, scope=scope_or_default(app, scope), progress=advance)
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
    as_of: Annotated[str | None, typer.Option("--as-of", help="When it held: 2026-11-29T14:05:00Z.")] = None,
    known_at: Annotated[str | None, typer.Option("--known-at", help="As far as was known then; slower.")] = None,
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
