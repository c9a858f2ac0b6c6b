"""Report: rows -> one JSON object, or the tables of it: metrics by arm, splits, constant answers, failures, a curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from heedful.evaluation.manifest import Manifest
from heedful.evaluation.metrics import Metrics, baselines, is_exact, metrics_of, split
from heedful.evaluation.plan import BRIDGE_FIRST
from heedful.evaluation.rows import ResultRow

CURVE_METRICS = (
    "indirect_activation",
    "topic_negative_activation",
    "topic_negative_alarms",
    "lexical_negative_activation",
    "lexical_negative_alarms",
    "packet_tokens_mean",
    "packet_tokens_p95",
)
"""What a sweep shows of each threshold."""
_NEGATIVES = ("topic_negative", "lexical_negative", "after_update")


@dataclass(frozen=True, slots=True)
class Failure:
    """A question that went otherwise than it should, in the arm whose affair bridges are.

    Attributes:
        failed: of `state_stored`, `state_activated`, `bridge_valid`, `decision_correct` for an indirect request;
            `direct_recall` for a direct one; `stays_silent` where something came to mind that should not;
            `other_scope_hidden` where another scope saw it.
        kinds, classes, reason: see ResultRow.
    """

    case: str
    arm: str
    probe: str
    failed: tuple[str, ...]
    kinds: tuple[str, ...]
    classes: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """What the bridge-first arm does at one threshold of urgency: CURVE_METRICS."""

    urgency_min: float
    metrics: Metrics


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that a run says.

    Attributes:
        arms: arm -> its metrics.
        splits: `language` or `domain` -> its value -> arm -> metrics.
        baselines: see metrics.baselines.
        curve: empty where no threshold was swept.
    """

    suite: str
    cases: int
    arms: dict[str, Metrics]
    splits: dict[str, dict[str, dict[str, Metrics]]]
    baselines: dict[str, Metrics]
    curve: tuple[CurvePoint, ...]
    failures: tuple[Failure, ...]
    manifest: Manifest


def report_of(rows: Sequence[ResultRow], manifest: Manifest) -> Report:
    """The report of these rows."""
    plain = [row for row in rows if not row.setting]

    def by_arm(some: Sequence[ResultRow]) -> dict[str, Metrics]:
        of_arm = split(some, lambda row: row.arm)
        return {arm: metrics_of(of_arm[arm], seed=manifest.seed) for arm in manifest.arms if arm in of_arm}

    return Report(
        suite=plain[0].suite,
        cases=len({row.case_id for row in plain}),
        arms=by_arm(plain),
        splits={
            "language": {name: by_arm(some) for name, some in split(plain, lambda row: row.language).items()},
            "domain": {name: by_arm(some) for name, some in split(plain, lambda row: row.domain).items()},
        },
        baselines=baselines(plain),
        curve=_curve([row for row in rows if row.setting], seed=manifest.seed),
        failures=tuple(failure for row in plain if (failure := failure_of(row)) is not None),
        manifest=manifest,
    )


def failure_of(row: ResultRow) -> Failure | None:
    """What this row shows to have failed; None: nothing, or it is of an arm without bridges."""
    if row.arm != BRIDGE_FIRST:
        return None
    failed: list[str] = []
    if row.probe == "indirect":
        verdicts = (
            ("state_stored", row.stored),
            ("state_activated", row.activated),
            ("bridge_valid", row.bridge_valid),
            ("decision_correct", is_exact(row)),
        )
        failed = [name for name, holds in verdicts if holds is False]
    elif row.probe == "direct":
        failed = [] if row.present else ["direct_recall"]
    elif row.probe == "other_scope":
        failed = ["other_scope_hidden"] if row.present else []
    elif row.probe in _NEGATIVES:
        failed = ["stays_silent"] if row.activated else []
    if not failed:
        return None
    reason = row.reason
    if "decision_correct" in failed:
        reason += f"; decided {row.decision}, expected {' or '.join(row.expected)}"
    return Failure(row.case_id, row.arm, row.probe, tuple(failed), row.kinds, row.classes, reason)


def _curve(rows: Sequence[ResultRow], *, seed: int) -> tuple[CurvePoint, ...]:
    by_setting: dict[float, list[ResultRow]] = {}
    for row in rows:
        by_setting.setdefault(float(row.setting.partition("=")[2]), []).append(row)
    points = []
    for urgency_min in sorted(by_setting):
        metrics = metrics_of(by_setting[urgency_min], seed=seed)
        points.append(CurvePoint(urgency_min, {name: metrics[name] for name in CURVE_METRICS if name in metrics}))
    return tuple(points)
