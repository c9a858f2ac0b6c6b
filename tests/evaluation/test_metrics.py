"""Metrics say what the rows say, with intervals that are known."""

from __future__ import annotations

from typing import Any

import pytest

from heedful.evaluation.metrics import baselines, bootstrap_mean, metrics_of, quantile, steps_from, wilson
from heedful.evaluation.report import failure_of
from heedful.evaluation.rows import ResultRow
from heedful.kernel.ladder import Decision


def row(**fields: Any) -> ResultRow:
    """A row of an indirect request that went well, with these fields instead."""
    shape: dict[str, Any] = {
        "suite": "paired",
        "case_id": "1",
        "arm": "bridge-first",
        "probe": "indirect",
        "setting": "",
        "language": "en",
        "domain": "release",
        "stored": True,
        "present": True,
        "activated": True,
        "alarmed": False,
        "others": 0,
        "bridge_valid": True,
        "decision": None,
        "expected": (),
        "tokens": 100,
        "latency_ms": 1.0,
        "kinds": (),
        "classes": (),
        "reason": "",
    }
    return ResultRow(**{**shape, **fields})


def test_wilson_gives_the_published_interval() -> None:
    """81 of 263 is Newcombe's example (1998): 0.2553 to 0.3662; nothing and all stay within 0 and 1."""
    found = wilson(81, 263)

    assert (found.value, found.low, found.high) == (0.308, 0.2553, 0.3662)
    assert wilson(0, 20).low == 0.0
    assert wilson(20, 20).high == 1.0


def test_a_quantile_is_a_value_of_the_sample_between_two_others() -> None:
    """Nearest rank: of 1 to 100 the 95th; its ranks are 95 - 4.27 and 95 + 4.27 and one."""
    found = quantile([float(each) for each in range(100, 0, -1)], 0.95)

    assert (found.value, found.low, found.high) == (95.0, 90.0, 100.0)
    assert quantile([7.0], 0.5).value == 7.0


def test_a_mean_has_the_same_interval_for_the_same_seed() -> None:
    """Another seed may give another; the value is the mean itself."""
    values = [float(each) for each in range(50)]

    assert bootstrap_mean(values, seed=1) == bootstrap_mean(values, seed=1)
    assert bootstrap_mean(values, seed=1) != bootstrap_mean(values, seed=2)
    found = bootstrap_mean(values, seed=1)
    assert found.value == 24.5
    assert found.low < 24.5 < found.high


def test_a_metric_that_no_row_speaks_of_is_left_out() -> None:
    """A share of nothing is no number."""
    metrics = metrics_of([row()], seed=0)

    assert "direct_recall" not in metrics
    assert "decision_exact" not in metrics
    assert metrics["indirect_activation"].value == 1.0
    assert (
        metrics_of([row(stored=None, bridge_valid=None)], seed=0)
        .keys()
        .isdisjoint({"stored", "other_activations_mean"})
    )


def test_negatives_are_counted_three_ways() -> None:
    """What a bridge brought, what it asked more than a notice for, and what was there at all."""
    metrics = metrics_of(
        [
            row(case_id="1", probe="topic_negative", alarmed=True),
            row(case_id="2", probe="topic_negative"),
            row(case_id="3", probe="topic_negative", activated=False),
            row(case_id="4", probe="topic_negative", activated=False, present=False),
        ],
        seed=0,
    )

    assert metrics["topic_negative_alarms"].value == 0.25
    assert metrics["topic_negative_activation"].value == 0.5
    assert metrics["topic_negative_presence"].value == 0.75


def test_decisions_agree_exactly_or_within_a_step() -> None:
    """An answer is an allow or a notice, and so one step from an ask."""
    rows = [
        row(case_id="1", decision="review", expected=("review",)),
        row(case_id="2", decision="ask", expected=("allow", "notice")),
        row(case_id="3", decision="allow", expected=("ask",)),
        row(case_id="4"),
    ]

    metrics = metrics_of(rows, seed=0)

    assert metrics["decision_exact"].value == 0.3333
    assert metrics["decision_within_one"].value == 0.6667
    always = baselines(rows)
    assert always["always-ask"]["decision_exact"].value == 0.3333
    assert always["always-ask"]["decision_within_one"].value == 1.0
    assert always["always-deny"]["decision_within_one"].value == 0.3333
    assert baselines([row()]) == {}


@pytest.mark.parametrize(
    ("answer", "expected", "steps"),
    [
        (Decision.DENY, (Decision.ALLOW,), 4),
        (Decision.ASK, (Decision.ALLOW, Decision.NOTICE), 1),
        (Decision.NOTICE, (Decision.NOTICE,), 0),
    ],
)
def test_steps_are_of_the_ladder(answer: Decision, expected: tuple[Decision, ...], steps: int) -> None:
    """To the nearest of those expected."""
    assert steps_from(answer, expected) == steps


@pytest.mark.parametrize(
    ("fields", "failed"),
    [
        (
            {"stored": False, "activated": False, "bridge_valid": False},
            ("state_stored", "state_activated", "bridge_valid"),
        ),
        ({"decision": "deny", "expected": ("ask",)}, ("decision_correct",)),
        ({"probe": "direct", "present": False}, ("direct_recall",)),
        ({"probe": "topic_negative"}, ("stays_silent",)),
        ({"probe": "after_update"}, ("stays_silent",)),
        ({"probe": "other_scope"}, ("other_scope_hidden",)),
    ],
)
def test_a_failure_names_the_verdict_that_failed(fields: dict[str, Any], failed: tuple[str, ...]) -> None:
    """Each question has its own way to go wrong."""
    failure = failure_of(row(**fields))

    assert failure is not None
    assert failure.failed == failed


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"probe": "direct"},
        {"probe": "topic_negative", "activated": False},
        {"probe": "other_scope", "present": False},
        {"arm": "bm25", "activated": False},
    ],
)
def test_control_what_went_well_is_no_failure(fields: dict[str, Any]) -> None:
    """Nor what an arm without bridges could not do."""
    assert failure_of(row(**fields)) is None
