"""Scoring: rows of trajectories -> metrics with 95 % intervals, and what went wrong in each case."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from heedful.evaluation.metrics import Interval95, Metrics, bootstrap_mean, quantile, steps_from, wilson
from heedful.evaluation.trajectories.running import TrajectoryRow
from heedful.kernel.ladder import Decision

ANSWERS = ("allow", "notice")
"""Decisions by which a question is answered."""


@dataclass(frozen=True, slots=True)
class TrajectoryFailure:
    """A case that went otherwise than it should, with its chain: request, structures, evidence, decision.

    Attributes:
        failed: of `decision`, `evidence_recall`, `forbidden_as_support`, `isolation`.
        missed: grounds that the packet does not mark; `false_support`: what it marks that must not be.
    """

    case: str
    arm: str
    group: str
    failed: tuple[str, ...]
    task_class: str
    supported: tuple[str, ...]
    missed: tuple[str, ...]
    false_support: tuple[str, ...]
    decision: str
    expected: tuple[str, ...]
    sufficiency: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TrajectoryReport:
    """Everything that a run says; `splits` are by group and by language.

    Attributes:
        baselines: `always-allow` and the like -> how well one decision for every case agrees.
    """

    suite: str
    cases: int
    arms: dict[str, Metrics]
    splits: dict[str, dict[str, dict[str, Metrics]]]
    baselines: dict[str, Metrics]
    failures: tuple[TrajectoryFailure, ...]
    manifest: Mapping[str, object]


def report_of(rows: Sequence[TrajectoryRow], manifest: Mapping[str, object], *, seed: int) -> TrajectoryReport:
    """The report of these rows, arms in the order of their first row."""

    def by_arm(some: Sequence[TrajectoryRow]) -> dict[str, Metrics]:
        arms = dict.fromkeys(row.arm for row in rows)
        found = {arm: [row for row in some if row.arm == arm] for arm in arms}
        return {arm: metrics_of(of_arm, seed=seed) for arm, of_arm in found.items() if of_arm}

    def by(value_of: Callable[[TrajectoryRow], str]) -> dict[str, dict[str, Metrics]]:
        values = sorted({value_of(row) for row in rows})
        return {value: by_arm([row for row in rows if value_of(row) == value]) for value in values}

    return TrajectoryReport(
        suite=rows[0].suite,
        cases=len({row.case_id for row in rows}),
        arms=by_arm(rows),
        splits={"group": by(lambda row: row.group), "language": by(lambda row: row.language)},
        baselines=_baselines(rows),
        failures=tuple(filter(None, map(_failure, rows))),
        manifest=manifest,
    )


def metrics_of(rows: Sequence[TrajectoryRow], *, seed: int) -> Metrics:
    """The metrics of one arm's rows, in a fixed order; one that no row speaks of is left out.

    `stale_rejection`: of the cases with events that a later one replaced, in how many none of those is grounds.
    `transition_consistency`: of the questions of state, in how many the newest true state is grounds and none that
    must not be. `precondition_recall`: recall of grounds for workflows and premises. `other_exact`: exact among the
    cases that are not to be answered; `other_answered`: how many of them are answered all the same.
    """
    found: dict[str, Interval95] = {
        "decision_exact": _share(rows, lambda row: row.decision in row.expected),
        "decision_within_one": _share(rows, lambda row: steps_from(Decision(row.decision), _ladder(row)) <= 1),
    }
    others = [row for row in rows if not set(row.expected) & set(ANSWERS)]
    if others:
        found["other_exact"] = _share(others, lambda row: row.decision in row.expected)
        found["other_answered"] = _share(others, lambda row: row.decision in ANSWERS)
    found["evidence_recall"] = bootstrap_mean([_recall(row) for row in rows], seed=seed)
    found["evidence_precision"] = bootstrap_mean([_precision(row) for row in rows], seed=seed)
    found["forbidden_as_support"] = _share(rows, lambda row: bool(_false(row)))
    stale = [row for row in rows if row.stale]
    if stale:
        found["stale_rejection"] = _share(stale, lambda row: not set(row.stale) & set(row.supported))
    found["isolation_leaks"] = _share(rows, lambda row: bool(row.leaked))
    states = [row for row in rows if row.task_class == "state"]
    if states:
        found["transition_consistency"] = _share(states, lambda row: not _false(row) and _recall(row) > 0.0)
    steps = [row for row in rows if row.task_class in ("workflow", "premise")]
    if steps:
        found["precondition_recall"] = bootstrap_mean([_recall(row) for row in steps], seed=seed)
    found["class_recognised"] = _share(rows, lambda row: row.recognised == row.task_class)
    found["packet_tokens_mean"] = bootstrap_mean([float(row.tokens) for row in rows], seed=seed)
    found["packet_tokens_p95"] = quantile([float(row.tokens) for row in rows], 0.95)
    found["latency_ms_p50"] = quantile([row.latency_ms for row in rows], 0.5)
    found["latency_ms_p95"] = quantile([row.latency_ms for row in rows], 0.95)
    return found


def _baselines(rows: Sequence[TrajectoryRow]) -> dict[str, Metrics]:
    one_arm = list({row.case_id: row for row in rows}.values())
    return {
        f"always-{answer}": {
            "decision_exact": _share(one_arm, lambda row, answer=answer: answer.value in row.expected),  # type: ignore[misc]
            "decision_within_one": _share(
                one_arm,
                lambda row, answer=answer: steps_from(answer, _ladder(row)) <= 1,  # type: ignore[misc]
            ),
        }
        for answer in Decision
    }


def _failure(row: TrajectoryRow) -> TrajectoryFailure | None:
    missed = tuple(each for each in row.support if each not in row.supported)
    failed = (
        ("decision", row.decision not in row.expected),
        ("evidence_recall", bool(missed)),
        ("forbidden_as_support", bool(_false(row))),
        ("isolation", bool(row.leaked)),
    )
    if not any(is_so for _, is_so in failed):
        return None
    return TrajectoryFailure(
        case=row.case_id,
        arm=row.arm,
        group=row.group,
        failed=tuple(name for name, is_so in failed if is_so),
        task_class=row.recognised,
        supported=row.supported,
        missed=missed,
        false_support=_false(row),
        decision=row.decision,
        expected=row.expected,
        sufficiency=row.sufficiency,
        reasons=row.reasons,
    )


def _share(rows: Sequence[TrajectoryRow], is_so: Callable[[TrajectoryRow], bool]) -> Interval95:
    return wilson(sum(map(is_so, rows)), len(rows))


def _recall(row: TrajectoryRow) -> float:
    return len(set(row.support) & set(row.supported)) / max(1, len(row.support))


def _precision(row: TrajectoryRow) -> float:
    return len(set(row.support) & set(row.supported)) / max(1, len(row.supported))


def _false(row: TrajectoryRow) -> tuple[str, ...]:
    return tuple(each for each in row.supported if each in row.forbidden)


def _ladder(row: TrajectoryRow) -> tuple[Decision, ...]:
    return tuple(map(Decision, row.expected))
