"""`eval trajectories`: events told as they arrived, a question each; what is found, what leaks, what is decided."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from heedful.evaluation.plan import AS_OF, Plan
from heedful.evaluation.stores import evaluation_store
from heedful.evaluation.trajectories.cases import load_trajectories
from heedful.evaluation.trajectories.running import ARMS, TrajectoryRow, run_trajectories
from heedful.evaluation.trajectories.scoring import report_of
from heedful.kernel.errors import InvalidInputError
from heedful.kernel.times import parse_time
from heedful.settings import Settings


def event(name: str, kind: str, payload: object, **fields: object) -> dict[str, object]:
    base = {
        "id": name,
        "run_id": "r1",
        "tenant": "acme",
        "scope": "project:pool",
        "sequence": int(name[1:]),
        "occurred_at": f"2026-11-20T10:{int(name[1:]):02}:00Z",
        "kind": kind,
        "subject": [{"type": "service", "id": "pool"}],
        "payload": payload,
    }
    return {**base, **fields}


CASE: dict[str, Any] = {
    "id": "pool",
    "group": "state-update",
    "lang": "en",
    "question": "How many workers does the pool have now?",
    "task_class": "state",
    "as_of": "2026-11-29T08:00:00Z",
    "tenant": "acme",
    "scope": "project:pool",
    "action_impact": "read",
    "events": [
        event("e1", "tool-result", {"pool": "main", "workers": 4}),
        event("e2", "tool-call", "poolctl set workers=9"),
        event("e3", "tool-result", {"pool": "main", "workers": 9}),
        event("e4", "verification", {"pool": "main", "workers": 9, "status": "ok"}),
        event("e5", "human-note", "The other project's pool has 40 workers now.", scope="project:other"),
        event("e6", "human-note", "The pool has 50 workers now.", tenant="rival"),
        event("e7", "observation", "cron cleanup done", subject=[{"type": "job", "id": "cron"}]),
    ],
    "expected": {"answer": "9", "evidence_ids": ["e3", "e4"]},
    "forbidden_evidence_ids": ["e1", "e5", "e6"],
    "expected_decision": "answer",
}


def written(folder: Path, *cases: dict[str, Any]) -> Path:
    path = folder / "cases.jsonl"
    path.write_text("\n".join(json.dumps(each, ensure_ascii=False) for each in cases), encoding="utf-8")
    return path


def rows_of(path: Path) -> list[TrajectoryRow]:
    plan = Plan(arms=ARMS, packs=("delivery",), budget_tokens=3_200, as_of_us=parse_time(AS_OF, field="as_of").at_us)
    with evaluation_store(Settings(router="none"), plan) as app:
        return list(run_trajectories(app, load_trajectories(path).cases, plan, lambda _done: None))


def test_the_newest_value_and_its_verification_are_grounds_and_nobody_elses_events_are_seen(tmp_path: Path) -> None:
    """What another scope or tenant has matches the question better, and is not even shown."""
    given, recognised = rows_of(written(tmp_path, CASE))
    assert (given.recognised, recognised.recognised) == ("state", "state")
    assert set(given.supported) == {"e3", "e4"}
    assert "e1" not in given.supported
    assert given.leaked == ()
    assert {"e5", "e6"}.isdisjoint(given.shown)
    assert given.decision == "allow"


def test_arrival_is_no_order_of_things(tmp_path: Path) -> None:
    """The same events in another order give the same grounds."""
    turned = {**CASE, "events": CASE["events"][::-1]}
    assert rows_of(written(tmp_path, turned))[0].supported == rows_of(written(tmp_path, CASE))[0].supported


def test_what_happens_after_the_instant_that_is_asked_for_does_not_count(tmp_path: Path) -> None:
    """Asked before the change, the old value is the grounds."""
    before = {**CASE, "as_of": "2026-11-20T10:01:30Z", "expected": {"evidence_ids": ["e1"]}}
    (row, _) = rows_of(written(tmp_path, before))
    assert row.supported == ("e1",)


def test_the_report_counts_grounds_false_ones_and_decisions(tmp_path: Path) -> None:
    """By arm, with what one answer to everything would reach; what went wrong is listed with its chain."""
    rows = rows_of(written(tmp_path, CASE))
    report = report_of(rows, {}, seed=0)
    values = {name: each.value for name, each in report.arms["given"].items()}
    assert values["evidence_recall"] == values["evidence_precision"] == values["decision_exact"] == 1.0
    assert values["forbidden_as_support"] == values["isolation_leaks"] == 0.0
    assert values["stale_rejection"] == values["transition_consistency"] == 1.0
    assert report.baselines["always-deny"]["decision_exact"].value == 0.0
    assert report.failures == ()


def test_false_grounds_a_leak_and_a_wrong_decision_are_failures() -> None:
    """The control of the one above, from a row that has all of it."""
    row = TrajectoryRow(
        suite="trajectories",
        case_id="x",
        arm="given",
        group="isolation",
        language="en",
        task_class="state",
        recognised="state",
        support=("a", "b"),
        forbidden=("c",),
        supported=("a", "c"),
        shown=("a", "c", "d"),
        leaked=("d",),
        stale=("c",),
        decision="allow",
        expected=("deny",),
        sufficiency="sufficient",
        reasons=("grounds-found",),
        tokens=10,
        latency_ms=1.0,
    )
    report = report_of([row], {}, seed=0)
    values = {name: each.value for name, each in report.arms["given"].items()}
    assert values["evidence_recall"] == values["evidence_precision"] == 0.5
    assert values["forbidden_as_support"] == values["isolation_leaks"] == values["other_answered"] == 1.0
    assert values["stale_rejection"] == values["decision_exact"] == values["transition_consistency"] == 0.0
    (failure,) = report.failures
    assert failure.failed == ("decision", "evidence_recall", "forbidden_as_support", "isolation")
    assert (failure.missed, failure.false_support) == (("b",), ("c",))


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"events": []}, "events"),
        ({"events": [{**CASE["events"][0], "kind": "rumour"}]}, "events[0].kind"),
        ({"events": [{**CASE["events"][0], "sequence": -1}]}, "events[0].sequence"),
        ({"events": [{**CASE["events"][0], "occurred_at": "yesterday"}]}, "events[0].occurred_at"),
        ({"events": [{**CASE["events"][0], "subject": ["pool"]}]}, "events[0].subject"),
        ({"expected": {"evidence_ids": "e1"}}, "expected.evidence_ids"),
        ({"expected_decision": "perhaps"}, "expected_decision"),
        ({"action_impact": "destroy"}, "action_impact"),
        ({"as_of": 7}, "as_of"),
        ({"question": ""}, "question"),
    ],
)
def test_a_malformed_case_is_named_by_its_line_and_field(tmp_path: Path, change: dict[str, Any], field: str) -> None:
    """Nothing is run of a file that has one."""
    path = written(tmp_path, CASE, {**CASE, "id": "second", **change})
    with pytest.raises(InvalidInputError) as caught:
        load_trajectories(path)
    assert caught.value.code == "case_malformed"
    assert (caught.value.details["line_number"], caught.value.details["field"]) == (2, field)


def test_a_file_without_cases_is_refused(tmp_path: Path) -> None:
    """And one with an id twice."""
    path = tmp_path / "none.jsonl"
    path.write_text("\n")
    with pytest.raises(InvalidInputError, match="no case"):
        load_trajectories(path)
    with pytest.raises(InvalidInputError, match="above"):
        load_trajectories(written(tmp_path, CASE, CASE))
