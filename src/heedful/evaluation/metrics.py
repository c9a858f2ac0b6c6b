"""Metrics: rows -> values with 95 % intervals, and nothing that a row does not say."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from heedful.evaluation.rows import ResultRow
from heedful.kernel.ladder import Decision

Z_95 = 1.959963984540054
"""The normal distribution's two-sided 95 % point."""
RESAMPLES = 1_000
"""Of a bootstrap; its interval is of percentiles (Efron, 1979)."""
DECIMALS = 4
ALWAYS = tuple(Decision)


@dataclass(frozen=True, slots=True)
class Interval95:
    """A value with its 95 % interval."""

    value: float
    low: float
    high: float


Metrics = Mapping[str, Interval95]


def metrics_of(rows: Sequence[ResultRow], *, seed: int) -> Metrics:
    """The metrics of one arm's rows, in a fixed order; one that no row speaks of is left out."""
    found: dict[str, Interval95] = {}
    for name, probe, counted in _SHARES:
        said = [value for row in rows if row.probe == probe and (value := counted(row)) is not None]
        if said:
            found[name] = wilson(sum(said), len(said))
    asked = [row for row in rows if row.probe == "indirect"]
    if asked:
        tokens = [float(row.tokens) for row in asked]
        if any(row.bridge_valid is not None for row in asked):
            found["other_activations_mean"] = bootstrap_mean([float(row.others) for row in asked], seed=seed)
        latencies = [row.latency_ms for row in asked]
        found["packet_tokens_mean"] = bootstrap_mean(tokens, seed=seed)
        found["packet_tokens_p95"] = quantile(tokens, 0.95)
        found["latency_ms_p50"] = quantile(latencies, 0.5)
        found["latency_ms_p95"] = quantile(latencies, 0.95)
    return found


def split(rows: Iterable[ResultRow], by: Callable[[ResultRow], str]) -> dict[str, list[ResultRow]]:
    """The rows by what `by` says of each, in order of that."""
    found: dict[str, list[ResultRow]] = {}
    for row in rows:
        found.setdefault(by(row), []).append(row)
    return {name: found[name] for name in sorted(found)}


def baselines(rows: Iterable[ResultRow]) -> dict[str, Metrics]:
    """`always-deny` and the like -> how well one answer to everything agrees; empty where no case expects any."""
    expected = {row.case_id: _decisions(row.expected) for row in rows if row.probe == "indirect" and row.expected}
    if not expected:
        return {}
    return {
        f"always-{answer}": {
            "decision_exact": wilson(sum(answer in each for each in expected.values()), len(expected)),
            "decision_within_one": wilson(
                sum(steps_from(answer, each) <= 1 for each in expected.values()), len(expected)
            ),
        }
        for answer in ALWAYS
    }


def is_exact(row: ResultRow) -> bool | None:
    """True where the decision is one of those expected; None where none is, or none was made."""
    return None if not row.expected or row.decision is None else row.decision in row.expected


def is_within_one(row: ResultRow) -> bool | None:
    """True where the decision is at most a step of the ladder from one of those expected; None as `is_exact`."""
    if not row.expected or row.decision is None:
        return None
    return steps_from(Decision(row.decision), _decisions(row.expected)) <= 1


def steps_from(answer: Decision, expected: Sequence[Decision]) -> int:
    """How many steps of the ladder lie between the answer and the nearest of those expected."""
    return min(abs(answer.rank - each.rank) for each in expected)


def wilson(successes: int, count: int) -> Interval95:
    """The share of successes with Wilson's score interval (1927), which stays within 0 and 1; `count` is above 0."""
    share = successes / count
    spread = Z_95 * Z_95 / count
    centre = (share + spread / 2) / (1 + spread)
    half = Z_95 / (1 + spread) * math.sqrt(share * (1 - share) / count + spread / (4 * count))
    return _rounded(share, min(share, max(0.0, centre - half)), max(share, min(1.0, centre + half)))


def bootstrap_mean(values: Sequence[float], *, seed: int) -> Interval95:
    """The mean, with the percentiles of the means of RESAMPLES resamples that the seed decides."""
    chance = random.Random(seed)  # noqa: S311  (a sample, and no secret)
    means = sorted(sum(chance.choices(values, k=len(values))) / len(values) for _ in range(RESAMPLES))
    cut = RESAMPLES // 40
    return _rounded(sum(values) / len(values), means[cut], means[-1 - cut])


def quantile(values: Sequence[float], share: float) -> Interval95:
    """The value that this share lies at or below (nearest rank), between two values of the sample by their ranks.

    The ranks are those of the normal approximation to the binomial: n q -+ z sqrt(n q (1 - q)).
    """
    ordered = sorted(values)
    count = len(ordered)
    half = Z_95 * math.sqrt(count * share * (1 - share))
    ranks = (math.ceil(count * share), math.floor(count * share - half), math.ceil(count * share + half) + 1)
    value, low, high = (ordered[min(max(rank, 1), count) - 1] for rank in ranks)
    return _rounded(value, low, high)


def _decisions(names: Sequence[str]) -> tuple[Decision, ...]:
    return tuple(map(Decision, names))


def _rounded(value: float, low: float, high: float) -> Interval95:
    return Interval95(round(value, DECIMALS), round(low, DECIMALS), round(high, DECIMALS))


_SHARES: tuple[tuple[str, str, Callable[[ResultRow], bool | None]], ...] = (
    ("stored", "indirect", lambda row: row.stored),
    ("direct_recall", "direct", lambda row: row.present),
    ("indirect_activation", "indirect", lambda row: row.activated),
    ("indirect_presence", "indirect", lambda row: row.present),
    ("topic_negative_activation", "topic_negative", lambda row: row.activated),
    ("topic_negative_alarms", "topic_negative", lambda row: row.alarmed),
    ("topic_negative_presence", "topic_negative", lambda row: row.present),
    ("lexical_negative_activation", "lexical_negative", lambda row: row.activated),
    ("lexical_negative_alarms", "lexical_negative", lambda row: row.alarmed),
    ("lexical_negative_presence", "lexical_negative", lambda row: row.present),
    ("other_scope_visible", "other_scope", lambda row: row.present),
    ("after_update_activation", "after_update", lambda row: row.activated),
    ("after_update_presence", "after_update", lambda row: row.present),
    ("decision_exact", "indirect", is_exact),
    ("decision_within_one", "indirect", is_within_one),
)
"""Name, which question's rows, and what is counted; a row that says None is no part of it."""
