"""What the benchmarks print: percentiles, figures, and when a run fails."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest
from bench_modules import report, single_writes

RUN = argparse.Namespace(ci=False, json=True)
RUN_IN_CI = argparse.Namespace(ci=True, json=True)


def a_report(*figures: report.Figure) -> report.Report:
    return report.Report("a title", {"cpu": "a model"}, figures=list(figures), command="python it.py")


def test_a_percentile_is_one_of_the_values_at_its_rank() -> None:
    """Nearest rank: of 1 to 200, p50 is 100 and p99 is 198; of one value it is that."""
    values = [float(number) for number in range(200, 0, -1)]
    assert [report.percentile(values, percent) for percent in (0, 50, 95, 99, 100)] == [1, 100, 190, 198, 200]
    assert report.percentile([3.0], 50) == 3.0


def test_a_percentile_of_nothing_is_an_error() -> None:
    """A benchmark that measured nothing must not print a number."""
    with pytest.raises(ValueError, match="nothing"):
        report.percentile([], 50)


@pytest.mark.parametrize(
    ("relation", "value", "target_holds", "floor_holds"),
    [(">=", 5.0, True, True), (">=", 4.9, False, True), (">=", 0.4, False, False)],
)
def test_a_figure_has_a_target_and_a_floor(relation: str, value: float, target_holds: bool, floor_holds: bool) -> None:
    """The target decides a run, the floor a run in CI."""
    figure = report.Figure("speed", value, "1/s", ">=", 5.0, 0.5)
    assert (figure.holds(ci=False), figure.holds(ci=True)) == (target_holds, floor_holds)


def test_an_upper_bound_is_held_from_below() -> None:
    """Where less is better, more fails."""
    assert report.Figure("p50", 2.0, "ms", "<=", 2.0, 20.0).holds(ci=False)
    assert not report.Figure("p50", 2.1, "ms", "<=", 2.0, 20.0).holds(ci=False)
    assert report.Figure("p50", 2.1, "ms", "<=", 2.0, 20.0).holds(ci=True)


@pytest.mark.parametrize("ci", [False, True])
def test_an_exact_figure_fails_on_either_side(ci: bool) -> None:
    """One lost write fails a run with or without --ci; so does one write too many."""
    assert report.exact("lost", 0).holds(ci=ci)
    assert not report.exact("lost", 1).holds(ci=ci)
    assert not report.exact("kept", 9, 10).holds(ci=ci)
    assert not report.exact("kept", 11, 10).holds(ci=ci)


def test_a_missed_target_fails_the_run_and_a_kept_floor_passes_ci(capsys: pytest.CaptureFixture[str]) -> None:
    """The exit code is what `make bench` and CI go by; the JSON names both verdicts."""
    missed = a_report(report.Figure("speed", 1.0, "1/s", ">=", 5.0, 0.5))
    assert missed.finish(RUN) == report.MISSED
    printed = json.loads(capsys.readouterr().out)
    assert printed["command"] == "python it.py"
    assert printed["machine"] == {"cpu": "a model"}
    assert (printed["figures"][0]["target_holds"], printed["figures"][0]["floor_holds"]) == (False, True)
    assert missed.finish(RUN_IN_CI) == 0
    assert a_report(report.exact("lost", 1)).finish(RUN_IN_CI) == report.MISSED


def test_the_text_says_pass_and_fail(capsys: pytest.CaptureFixture[str]) -> None:
    """One line for each figure, with its target."""
    a_report(report.exact("lost", 1), report.exact("half", 0)).finish(argparse.Namespace(ci=False, json=False))
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert "PASS: half: 0 (target == 0)" in lines
    assert "FAIL: lost: 1 (target == 0, and beyond the floor 0)" in lines


def test_the_machine_names_its_parts(tmp_path: Path) -> None:
    """A number without its machine says nothing."""
    named = report.machine(tmp_path)
    assert {"cpu", "cores", "python", "sqlite", "file system"} <= set(named)
    assert all(value != "" for value in named.values())


def test_sides_take_turns_and_the_order_turns_around() -> None:
    """Whatever else the machine does meets both sides alike; warm-up writes are not counted."""
    called: list[tuple[str, int]] = []

    def run(name: str, count: int) -> list[float]:
        called.append((name, count))
        return [0.001] * count

    sides = single_writes.take_turns(["a", "b"], run, blocks=3, each=7)
    assert called == [
        ("a", single_writes.WARM_WRITES),
        ("b", single_writes.WARM_WRITES),
        *[(name, 7) for name in ("a", "b", "b", "a", "a", "b")],
    ]
    assert [len(side.latencies) for side in sides.values()] == [21, 21]


def test_the_bare_side_writes_a_row_a_commit_in_full_mode(tmp_path: Path) -> None:
    """The comparison promises what we promise: WAL, synchronous=FULL (2), each row committed."""
    with single_writes.Bare(tmp_path / "bare.db") as bare, single_writes.Bare(tmp_path / "bare.db") as reader:
        single_writes.with_threads({"bare": bare.write}, 1, 1)
        assert reader.count() == bare.count() == single_writes.WARM_WRITES + single_writes.BLOCK_WRITES
        assert [bare._run(f"PRAGMA {name}").get for name in ("journal_mode", "synchronous")] == ["wal", 2]
