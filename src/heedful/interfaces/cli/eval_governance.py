"""`eval governance`: many share one memory; who is handed what they may know, and what was to be forgotten?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from heedful.evaluation.governance.episodes import load_governance
from heedful.evaluation.governance.running import ARMS, BUDGET_TOKENS, GOVERNED, run_governance
from heedful.evaluation.governance.scoring import GovernanceReport, report_of
from heedful.evaluation.plan import AS_OF, Plan
from heedful.evaluation.stores import evaluation_store
from heedful.interfaces.cli.door import JsonOption, door_of
from heedful.interfaces.cli.eval_tables import say_metrics
from heedful.interfaces.cli.output import say, write_json
from heedful.interfaces.cli.progress import counting
from heedful.kernel.errors import InvalidInputError
from heedful.kernel.times import format_time, parse_time
from heedful.settings import VERSION

FAILURES_SHOWN = 40


def governance(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(help="A folder with episodes.jsonl and checkpoints.jsonl.")],
    arm: Annotated[list[str] | None, typer.Option("--arm", "-a", help=f"{', '.join(ARMS)}, or all.")] = None,
    budget: Annotated[int, typer.Option(help="Tokens of all that one question is handed.")] = BUDGET_TOKENS,
    embedder: Annotated[str | None, typer.Option(help="ngrams or local; the setting's where none is given.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first episodes.")] = None,
    seed: Annotated[int, typer.Option(help="Decides the resamples.")] = 0,
    rows: Annotated[Path | None, typer.Option("--rows", help="Write each answer to this JSONL file.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Tell each episode turn by turn, forget what is asked to be forgotten, and ask as each asker, at their place.

    Example: heedful eval governance clinic/
    Example: heedful eval governance clinic/ --arm all --json
    """
    plan = Plan(
        arms=_arms(arm or [GOVERNED]),
        packs=(),
        budget_tokens=budget,
        seed=seed,
        as_of_us=parse_time(AS_OF, field="as_of").at_us,
    )
    settings = door_of(context).settings
    if embedder is not None:
        settings = replace(settings, embedder=embedder)  # type: ignore[arg-type]
    dataset = load_governance(folder, limit=limit)
    episodes = len(dataset.episodes) * len(plan.arms)
    with (
        evaluation_store(settings, plan) as app,
        counting(f"{dataset.name}: episodes", episodes, shown=not as_json) as advance,
    ):
        configured = app.embedders.configured
        manifest: dict[str, object] = {
            "heedful": VERSION,
            "dataset": dataset.name,
            "episodes_sha256": dataset.sha256[0],
            "checkpoints_sha256": dataset.sha256[1],
            "episodes": len(dataset.episodes),
            "embedder": None if configured is None else configured.model,
            "arms": plan.arms,
            "budget_tokens": plan.budget_tokens,
            "seed": plan.seed,
            "as_of": format_time(plan.as_of_us),
        }
        found = tuple(run_governance(app, dataset, plan, advance))
    if not found:
        raise InvalidInputError(
            "cases_none", f"{dataset.name} asks nothing of its episodes", next_step="give checkpoints of these episodes"
        )
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


def _say(report: GovernanceReport) -> None:
    manifest = report.manifest
    counts = ", ".join(f"{count} {name}" for name, count in report.counts.items() if count)
    say(f"{manifest['dataset']}: {report.cases} checkpoints of {manifest['episodes']} episodes: {counts}")
    say(f"embedder {manifest['embedder'] or 'none'}, budget {manifest['budget_tokens']} tokens")
    say_metrics("by arm, with 95 % intervals", report.arms)
    for failure in report.failures[:FAILURES_SHOWN]:
        what = f"{failure.missing} missing" if failure.failed == "utility" else f"{failure.leaked} leaked"
        say(f"{failure.case} ({failure.arm}, {failure.role}): {failure.failed} failed: {what}", style="yellow")
    if len(report.failures) > FAILURES_SHOWN:
        say(f"and {len(report.failures) - FAILURES_SHOWN} more; --json shows all", style="yellow")
