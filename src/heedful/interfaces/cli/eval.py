"""`eval paired`: the same cases through several arms, and what each handed out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from heedful.evaluation.datasets import load_cases, load_distractors
from heedful.evaluation.manifest import manifest_of
from heedful.evaluation.metrics import Metrics
from heedful.evaluation.plan import (
    AS_OF,
    BRIDGE_FIRST,
    BUDGET_TOGETHER_TOKENS,
    BUDGET_TOKENS,
    MEMORY_ARMS,
    PLACES_DEFAULT,
    SWEPT,
    Plan,
    arms_named,
    inject_of,
    review_named,
)
from heedful.evaluation.report import CURVE_METRICS, Report, report_of
from heedful.evaluation.rows import write_rows
from heedful.evaluation.runner import run_paired, told_count
from heedful.evaluation.stores import evaluation_store
from heedful.interfaces.cli.door import JsonOption, door_of
from heedful.interfaces.cli.eval_governance import governance
from heedful.interfaces.cli.eval_tables import number, say_metrics
from heedful.interfaces.cli.eval_trajectories import trajectories
from heedful.interfaces.cli.output import say, table, write_json
from heedful.interfaces.cli.progress import counting
from heedful.kernel.times import parse_time
from heedful.settings import Settings

FAILURES_SHOWN = 40
PACKS = ("everyday", "delivery")
SPLIT_METRICS = (
    "stored",
    "direct_recall",
    "indirect_activation",
    "topic_negative_activation",
    "lexical_negative_activation",
    "after_update_activation",
    "decision_exact",
)
"""What is shown of each language and domain; --json has the rest, with intervals."""

_group = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Measure what comes to mind: cases through Heedful and through simpler memories, in a store thrown away.",
)


def register(app: typer.Typer) -> None:
    """The commands of this file, added to the app."""
    app.add_typer(_group, name="eval")
    _group.command("trajectories")(trajectories)
    _group.command("governance")(governance)


@_group.command("paired")
def paired(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="Paired cases, one JSON object a line.")],
    distractors: Annotated[
        list[Path] | None, typer.Option("--distractors", "-d", help="Utterances to put memories among, one a line.")
    ] = None,
    arm: Annotated[list[str] | None, typer.Option("--arm", "-a", help="An arm, as often as needed, or `all`.")] = None,
    k: Annotated[list[int] | None, typer.Option("--k", "-k", help="Texts that the arms of vectors hand out.")] = None,
    together: Annotated[bool, typer.Option("--together", help="All memories of the file in one memory.")] = False,
    review: Annotated[str, typer.Option(help="unreviewed, or approved: a person approves what is proposed.")] = (
        "unreviewed"
    ),
    inject: Annotated[str | None, typer.Option(help="9/47: the memory ends round 9 of 47.")] = None,
    budget: Annotated[int | None, typer.Option(help="Tokens of a packet; 600, and 800 together.")] = None,
    embedder: Annotated[str | None, typer.Option(help="ngrams or local; the setting's where none is given.")] = None,
    pack: Annotated[list[str] | None, typer.Option("--pack", help="A registry pack, as often as needed.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first cases.")] = None,
    seed: Annotated[int, typer.Option(help="Decides where memories stand, and resamples.")] = 0,
    as_of: Annotated[str, typer.Option("--as-of", help="When everything is asked.")] = AS_OF,
    sweep: Annotated[bool, typer.Option("--sweep", help="Try other thresholds of urgency as well.")] = False,
    rows: Annotated[Path | None, typer.Option("--rows", help="Write each answer to this JSONL file.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Tell each memory among distractors, ask directly, from the side and beside the point, and count what comes.

    Example: heedful eval paired cases.jsonl --distractors chatter.txt
    Example: heedful eval paired cases.jsonl -d chatter.txt --arm all --together --json
    """
    places = tuple(k or PLACES_DEFAULT)
    # A sweep goes through the thresholds of that arm.
    arms = [*(arm or [BRIDGE_FIRST]), *([BRIDGE_FIRST] if sweep else [])]
    plan = Plan(
        arms=arms_named(arms, places),
        places=places,
        packs=tuple(pack or PACKS),
        together=together,
        review=review_named(review),
        inject=None if inject is None else inject_of(inject),
        budget_tokens=(BUDGET_TOGETHER_TOKENS if together else BUDGET_TOKENS) if budget is None else budget,
        seed=seed,
        as_of_us=parse_time(as_of, field="as_of").at_us,
        swept=SWEPT if sweep else (),
    )
    settings = _settings(door_of(context).settings, embedder)
    dataset, chatter = load_cases(file, limit=limit), load_distractors(distractors or [])
    with (
        evaluation_store(settings, plan) as app,
        counting(f"{dataset.name}: told", told_count(dataset, chatter, plan), shown=not as_json) as advance,
    ):
        manifest = manifest_of(app, dataset, chatter, plan)
        found = tuple(run_paired(app, dataset, chatter, plan, advance))
    if rows is not None:
        write_rows(found, rows)
    report = report_of(found, manifest)
    if as_json:
        write_json(report)
    else:
        _say_report(report)


def _settings(settings: Settings, embedder: str | None) -> Settings:
    return settings if embedder is None else replace(settings, embedder=embedder)  # type: ignore[arg-type]


def _say_report(report: Report) -> None:
    manifest = report.manifest
    say(
        f"{manifest.dataset}: {report.cases} cases among {manifest.distractors} distractors, {manifest.review}, "
        f"{'together' if manifest.together else 'each in a memory of its own'}"
    )
    say(
        f"embedder {manifest.embedder or 'none'}, router {manifest.router or 'none'}, "
        f"budget {manifest.budget_tokens} tokens, urgency {manifest.urgency_min:g}"
    )
    say_metrics("by arm, with 95 % intervals", report.arms)
    for name, values in report.splits.items():
        rows = [(value, arm, metrics) for value, arms in values.items() for arm, metrics in arms.items()]
        shown = [(value, arm, *_few_cells(metrics)) for value, arm, metrics in rows if arm in MEMORY_ARMS]
        if len(values) > 1 and shown:
            table(f"by {name}", (name, "arm", *SPLIT_METRICS), shown)
    if report.baselines:
        say_metrics("one answer to everything", report.baselines)
    if report.curve:
        cells = [(f"{point.urgency_min:g}", *_few_cells(point.metrics, CURVE_METRICS)) for point in report.curve]
        table("by threshold of urgency", ("urgency_min", *CURVE_METRICS), cells)
    for failure in report.failures[:FAILURES_SHOWN]:
        say(f"{failure.case} {failure.probe}: {', '.join(failure.failed)} failed: {failure.reason}", style="yellow")
        say(f"    told as {_listed(failure.kinds)}; asked for {_listed(failure.classes)}")
    if len(report.failures) > FAILURES_SHOWN:
        say(f"and {len(report.failures) - FAILURES_SHOWN} more; --json shows all", style="yellow")


def _few_cells(metrics: Metrics, names: Sequence[str] = SPLIT_METRICS) -> list[str]:
    """The values of these metrics, without their intervals."""
    return [number(name, metrics[name].value) if name in metrics else "" for name in names]


def _listed(words: Iterable[str]) -> str:
    return "; ".join(words) or "nothing"
