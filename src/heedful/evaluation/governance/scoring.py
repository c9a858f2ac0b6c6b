"""Scoring: rows of governance -> metrics with 95 % intervals, counts by class, and what went wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from heedful.evaluation.governance.running import GovernanceRow
from heedful.evaluation.metrics import Interval95, Metrics, bootstrap_mean, quantile, wilson

CLASSES = ("utility", "access", "forgetting", "other")


@dataclass(frozen=True, slots=True)
class GovernanceFailure:
    """A checkpoint that went otherwise than it should.

    Attributes:
        failed: `utility` (not all that an answer is to say is there), `access` or `forgetting` (something leaked).
        missing: how many patterns are not there; leaked: how many are that must not be.
    """

    case: str
    episode: str
    arm: str
    failed: str
    role: str
    attack: str
    missing: int
    leaked: int
    granted: int


@dataclass(frozen=True, slots=True)
class GovernanceReport:
    """Everything that a run says; `splits` are by domain, language, role, attack, and type of question.

    Attributes:
        cases: how many checkpoints. counts: class -> how many of them.
    """

    suite: str
    cases: int
    counts: dict[str, int]
    arms: dict[str, Metrics]
    splits: dict[str, dict[str, dict[str, Metrics]]]
    failures: tuple[GovernanceFailure, ...]
    manifest: Mapping[str, object]


def report_of(rows: Sequence[GovernanceRow], manifest: Mapping[str, object], *, seed: int) -> GovernanceReport:
    """The report of these rows, arms in the order of their first row."""
    arms = tuple(dict.fromkeys(row.arm for row in rows))

    def by_arm(some: Sequence[GovernanceRow]) -> dict[str, Metrics]:
        of_arms = {arm: [row for row in some if row.arm == arm] for arm in arms}
        return {arm: metrics_of(found, seed=seed) for arm, found in of_arms.items() if found}

    def by(value_of: Callable[[GovernanceRow], str]) -> dict[str, dict[str, Metrics]]:
        values = sorted({value_of(row) for row in rows})
        return {value or "none": by_arm([row for row in rows if value_of(row) == value]) for value in values}

    of_one_arm = [row for row in rows if row.arm == arms[0]] if arms else []
    return GovernanceReport(
        suite=rows[0].suite,
        cases=len(of_one_arm),
        counts={each: sum(row.asked_class == each for row in of_one_arm) for each in CLASSES},
        arms=by_arm(rows),
        splits={
            "domain": by(lambda row: row.domain),
            "language": by(lambda row: row.language),
            "role": by(lambda row: row.role),
            "attack": by(lambda row: row.attack),
            "query_type": by(lambda row: row.query_type),
        },
        failures=tuple(filter(None, map(_failure, rows))),
        manifest=manifest,
    )


def metrics_of(rows: Sequence[GovernanceRow], *, seed: int) -> Metrics:
    """The metrics of one arm's rows, in a fixed order; one that no row speaks of is left out."""
    found: dict[str, Interval95] = {}
    utility = [row for row in rows if row.asked_class == "utility" and row.includes]
    if utility:
        found["utility_recall"] = bootstrap_mean([row.included / row.includes for row in utility], seed=seed)
        found["utility_all"] = wilson(sum(row.included == row.includes for row in utility), len(utility))
        found["utility_any"] = wilson(sum(row.included > 0 for row in utility), len(utility))
    for name, asked_class in (("access_violations", "access"), ("forgetting_failures", "forgetting")):
        asked = [row for row in rows if row.asked_class == asked_class and row.leaks]
        if asked:
            found[name] = wilson(sum(row.leaked > 0 for row in asked), len(asked))
    found["packet_tokens_mean"] = bootstrap_mean([float(row.tokens) for row in rows], seed=seed)
    found["packet_tokens_p95"] = quantile([float(row.tokens) for row in rows], 0.95)
    found["latency_ms_p50"] = quantile([row.latency_ms for row in rows], 0.5)
    found["latency_ms_p95"] = quantile([row.latency_ms for row in rows], 0.95)
    return found


def _failure(row: GovernanceRow) -> GovernanceFailure | None:
    missing = row.includes - row.included if row.asked_class == "utility" else 0
    leaked = row.leaked if row.asked_class in ("access", "forgetting") else 0
    if not missing and not leaked:
        return None
    return GovernanceFailure(
        row.case_id, row.episode_id, row.arm, row.asked_class, row.role, row.attack, missing, leaked, row.granted
    )
