"""Cases of the tests' own, and runs of them on a real store with the delivery pack, by phrases alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from heedful.evaluation.datasets import load_cases, load_distractors
from heedful.evaluation.manifest import manifest_of
from heedful.evaluation.plan import BRIDGE_FIRST, Plan
from heedful.evaluation.report import Report, report_of
from heedful.evaluation.rows import Probe, ResultRow
from heedful.evaluation.runner import run_paired
from heedful.evaluation.stores import evaluation_store
from heedful.kernel.times import parse_time
from heedful.settings import Settings

AS_OF_US = parse_time("2026-11-28T09:00:00Z", field="as_of").at_us
SETTINGS = Settings(router="none")
CHATTER = ("The soup was too salty.", "I walked along the river.", "今天下了一场雨。", "Her bicycle is green.")

FREEZE: Mapping[str, Any] = {
    "id": "freeze",
    "about": "release",
    "memory": "remember: release.freeze: Nothing leaves the house until the quarter is closed.",
    "direct_query": "What must wait until the quarter is closed?",
    "indirect_query": "Please deploy the invoice page to production.",
    "topic_negative": "What does a green bicycle cost?",
    "lexical_negative": "Which quarter of the moon is it?",
    "update": "The quarter is closed.",
}


def freeze(**fields: object) -> dict[str, Any]:
    """The case above, with these fields instead; None takes one out."""
    return {name: value for name, value in {**FREEZE, **fields}.items() if value is not None}


def told(sentence: str, **pairs: str) -> str:
    """A memory that is told as a freeze, with these keys."""
    return " ".join([f"remember: release.freeze: {sentence}", *(f"{name}={value}" for name, value in pairs.items())])


def plan(**fields: Any) -> Plan:
    """A plan of the bridge-first arm with the delivery pack, with these fields instead."""
    return Plan(**{"arms": (BRIDGE_FIRST,), "packs": ("delivery",), "as_of_us": AS_OF_US, **fields})


def written(folder: Path, *cases: Mapping[str, Any]) -> Path:
    """A file of these cases."""
    path = folder / "cases.jsonl"
    path.write_text("".join(json.dumps(case, ensure_ascii=False) + "\n" for case in cases), encoding="utf-8")
    return path


def run(
    folder: Path, *cases: Mapping[str, Any], settings: Settings = SETTINGS, **fields: Any
) -> tuple[tuple[ResultRow, ...], Report]:
    """The rows and the report of these cases among CHATTER."""
    chatter = folder / "chatter.txt"
    chatter.write_text("\n".join(CHATTER), encoding="utf-8")
    dataset, distractors = load_cases(written(folder, *cases)), load_distractors([chatter])
    chosen = plan(**fields)
    with evaluation_store(settings, chosen) as app:
        rows = tuple(run_paired(app, dataset, distractors, chosen, lambda _told: None))
        return rows, report_of(rows, manifest_of(app, dataset, distractors, chosen))


def row_of(rows: tuple[ResultRow, ...], probe: Probe, *, case: str = "freeze", arm: str = BRIDGE_FIRST) -> ResultRow:
    """The one row of that question."""
    (found,) = [each for each in rows if (each.case_id, each.arm, each.probe, each.setting) == (case, arm, probe, "")]
    return found
