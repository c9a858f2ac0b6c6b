"""`eval trajectories`: are the grounds found among an agent's events, and the false ones left?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from heedful.evaluation.plan import AS_OF, Plan
from heedful.evaluation.stores import evaluation_store
from heedful.evaluation.trajectories.cases import load_trajectories
from heedful.evaluation.trajectories.running import ARMS, BUDGET_TOKENS, GIVEN, run_trajectories
from heedful.evaluation.trajectories.scoring import TrajectoryReport, report_of
from heedful.interfaces.cli.door import JsonOption, door_of
from heedful.interfaces.cli.eval_tables import say_metrics
from heedful.interfaces.cli.output import say, write_json
from heedful.interfaces.cli.progress import counting
from heedful.kernel.errors import InvalidInputError
from heedful.kernel.times import format_time, parse_time
from heedful.settings import VERSION

PACKS = ("delivery",)
FAILURES_SHOWN = 40


def trajectories(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="Trajectories with a question each, one JSON object a line.")],
    arm: Annotated[list[str] | None, typer.Option("--arm", "-a", help="given, recognised, or all.")] = None,
    budget: Annotated[int, typer.Option(help="Tokens of a packet.")] = BUDGET_TOKENS,
    embedder: Annotated[str | None, typer.Option(help="ngrams or local; the setting's where none is given.")] = None,
    pack: Annotated[list[str] | None, typer.Option("--pack", help="A registry pack, as often as needed.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first cases.")] = None,
    seed: Annotated[int, typer.Option(help="Decides the resamples.")] = 0,
    rows: Annotated[Path | None, typer.Option("--rows", help="Write each answer to this JSONL file.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Tell each trajectory in the order of its arrival, ask its question, and count grounds, false ones and decisions.

    Example: heedful eval trajectories cases.jsonl
    Example: heedful eval trajectories cases.jsonl --arm all --embedder local --json
    """
    plan = Plan(
        arms=_arms(arm or [GIVEN]),
        packs=tuple(pack or PACKS),
        budget_tokens=budget,
        seed=seed,
        as_of_us=parse_time(AS_OF, field="as_of").at_us,
    )
    settings = door_of(context).settings
    if embedder is not None:
        settings = replace(settings, embedder=embedder)  # type: ignore[arg-type]
    dataset = load_trajectories(file, limit=limit)
    with (
        evaluation_store(settings, plan) as app,
        counting(f"{dataset.name}: asked", len(dataset.cases), shown=not as_json) as advance,
    ):
        configured = app.embedders.configured
        manifest: dict[str, object] = {
            "heedful": VERSION,
            "dataset": dataset.name,
            "dataset_sha256": dataset.sha256,
            "registry_revision": app.registry.revision,
            "packs": dict(sorted(app.registry.packs.items())),
            "router": None if app.router is None else app.router.model,
            "embedder": None if configured is None else configured.model,
            "arms": plan.arms,
            "budget_tokens": plan.budget_tokens,
            "seed": plan.seed,
            "as_of": format_time(plan.as_of_us),
        }
        found = tuple(run_trajectories(app, dataset.cases, plan, advance))
    if rows is not None:
        rows.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in found))
    report = report_of(found, manifest, seed=seed)
    if as_json:
        write_json(report)
    else:
        _say(report)


def _arms(names: list[str]) -> tuple[str, ...]:
    for name in names:
        if name not in (*ARMS, "all"):
            raise InvalidInputError(
                "arm_unknown",
                f"no arm {name[:40]!r}",
                next_step=f"arms are: all, {', '.join(ARMS)}",
                details={"field": "arm"},
            )
    return tuple(each for each in ARMS if each in names or "all" in names)


def _say(report: TrajectoryReport) -> None:
    manifest = report.manifest
    say(f"{manifest['dataset']}: {report.cases} trajectories, embedder {manifest['embedder'] or 'none'}")
    say_metrics("by arm, with 95 % intervals", report.arms)
    say_metrics("one answer to everything", report.baselines)
    for failure in report.failures[:FAILURES_SHOWN]:
        say(f"{failure.case} ({failure.group}): {', '.join(failure.failed)} failed", style="yellow")
        say(f"    asked as {failure.task_class}; marked {', '.join(failure.supported) or 'nothing'}")
        if failure.missed or failure.false_support:
            say(f"    missed {', '.join(failure.missed) or 'none'}; false {', '.join(failure.false_support) or 'none'}")
        said = f"{failure.sufficiency}: {', '.join(failure.reasons)}"
        say(f"    decided {failure.decision}, expected {' or '.join(failure.expected)} ({said})")
    if len(report.failures) > FAILURES_SHOWN:
        say(f"and {len(report.failures) - FAILURES_SHOWN} more; --json shows all", style="yellow")
