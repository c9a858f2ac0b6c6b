"""`remember`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from heedful.claims.extract import parse_value
from heedful.interfaces.cli.batch import remember_file, say_batch
from heedful.interfaces.cli.door import JsonOption, RunOption, ScopeOption, door_of, pairs, scope_or_default
from heedful.interfaces.cli.output import say, write_json
from heedful.interfaces.problems import EXIT_NO
from heedful.service.keeping.remember import Remembered
from heedful.service.keeping.remember import remember as remember_verb
from heedful.service.keeping.statements import RememberTexts


def register(app: typer.Typer) -> None:
    """The command of this file, added to the app."""
    app.command("remember")(remember)


KindOption = Annotated[
    str | None, typer.Option("--kind", "-k", help="Propose a claim of this kind, such as release.freeze.")
]
BeforeOption = Annotated[
    list[str] | None, typer.Option("--applies-to", "-a", help="Action class that must see it beforehand.")
]
ReferenceOption = Annotated[
    str | None, typer.Option("--source-ref", help="Its own name; saying the same again keeps it once.")
]
GradeOption = Annotated[
    str | None, typer.Option(help="On whose word it stands: user, tool, document, summary; by default yours.")
]
BatchOption = Annotated[
    str | None, typer.Option("--batch", help="Keep each line of this JSONL file (--batch notes.jsonl), or of `-`.")
]
AgainOption = Annotated[bool, typer.Option("--again", help="Also where what came from this source was erased.")]
OriginOption = Annotated[
    list[str] | None, typer.Option("--derived-from", help="A record that it was made from; a summary names all.")
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
    applies_to: BeforeOption = None,
    not_for: Annotated[list[str] | None, typer.Option("--not-for", help="Action class that must not see it.")] = None,
    since: Annotated[str | None, typer.Option(help="Holds from then on: 2026-11-27.")] = None,
    until: Annotated[str | None, typer.Option(help="Holds until then: 2026-12-07T00:00:00Z.")] = None,
    rests_on: RestsOnOption = None,
    scope: ScopeOption = None,
    record_type: Annotated[str, typer.Option("--type", help="What kind of evidence it is.")] = "human_note",
    source_ref: ReferenceOption = None,
    attribute: Annotated[list[str] | None, typer.Option("--attribute", help="name=value, to filter by.")] = None,
    classification: Annotated[str, typer.Option(help="normal, sensitive or restricted.")] = "normal",
    consent: Annotated[str, typer.Option(help="implicit, explicit or denied.")] = "implicit",
    run_id: RunOption = None,
    grade: GradeOption = None,
    derived_from: OriginOption = None,
    again: AgainOption = False,
    batch: BatchOption = None,
    as_json: JsonOption = False,
) -> None:
    """Keep a record; with --kind, also propose a claim that rests on it.

    Example: heedful remember "Releases are frozen until the quarter closes." -k release.freeze --until 2026-12-07
    """
    if batch is not None or text is None:
        return _remember_batch(context, batch, scope, as_json=as_json)
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
                grade=grade,
                derived_from=derived_from or (),
                again=again,
            ),
        )
    return _answer_remembered(remembered, as_json=as_json)


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
