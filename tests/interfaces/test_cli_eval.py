"""`eval paired`: files and options in, one object or tables out; the folder's own store is never touched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import CommandLine, bare_fixture, heedful_fixture  # noqa: F401  # pytest finds the fixtures here

CASE = {
    "id": "freeze",
    "memory": "remember: release.freeze: Nothing leaves the house until the quarter is closed.",
    "direct_query": "What must wait until the quarter is closed?",
    "indirect_query": "Please deploy the invoice page to production.",
    "expected_decision": "answer-with-notice",
}
PHRASES_ALONE = {"HEEDFUL_ROUTER": "none"}


def written(folder: Path) -> None:
    """Two cases, one of them Chinese, and two distractors."""
    chinese = {
        **CASE,
        "id": "冻结",
        "memory": "remember: release.freeze: 季度结束前不发布。",
        "direct_query": "季度结束前?",
    }
    lines = [json.dumps(case, ensure_ascii=False) for case in (CASE, chinese)]
    (folder / "cases.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (folder / "chatter.txt").write_text("The soup was salty.\n今天下雨。\n", encoding="utf-8")


def test_json_is_one_object_with_value_and_interval_of_each_metric(bare: CommandLine) -> None:
    """And the rows go to a file of their own."""
    written(bare.folder)

    answer = bare(
        *("eval", "paired", "cases.jsonl", "-d", "chatter.txt", "--pack", "delivery"),
        *("--arm", "bm25", "--arm", "bridge-first", "--rows", "rows.jsonl", "--json"),
        env=PHRASES_ALONE,
    )

    assert answer.code == 0, answer.out
    assert (answer.json["suite"], answer.json["cases"]) == ("paired", 2)
    assert set(answer.json["arms"]) == {"bm25", "bridge-first"}
    activated = answer.json["arms"]["bridge-first"]["indirect_activation"]
    assert activated["value"] == 1.0
    assert 0.0 < activated["low"] < activated["high"] == 1.0
    assert set(answer.json["splits"]["language"]) == {"en", "zh"}
    assert answer.json["failures"] == []
    assert len((bare.folder / "rows.jsonl").read_text("utf-8").splitlines()) == 8
    assert not (bare.folder / ".heedful").exists()


def test_people_are_shown_tables_a_curve_and_what_failed(bare: CommandLine) -> None:
    """With the reason, below the tables; a sweep goes through the arm that has thresholds, whichever were named."""
    written(bare.folder)
    (bare.folder / "cases.jsonl").write_text(json.dumps({**CASE, "memory": "Soup needs salt."}), encoding="utf-8")

    answer = bare(
        "eval",
        "paired",
        "cases.jsonl",
        "--pack",
        "delivery",
        "--arm",
        "oracle",
        "--sweep",
        "--together",
        env=PHRASES_ALONE,
    )

    assert answer.code == 0, answer.err
    assert "1 cases among 0 distractors, unreviewed, together" in answer.out
    assert "budget 800 tokens" in answer.out
    for title in ("by arm", "one answer to everything", "by threshold of urgency"):
        assert title in answer.out
    assert (
        "freeze indirect: state_stored, state_activated, bridge_valid, decision_correct failed: no claim" in answer.out
    )


@pytest.mark.parametrize(
    ("options", "code", "exit_code"),
    [
        (["gone.jsonl"], "cases_unreadable", 8),
        (["chatter.txt"], "case_malformed", 2),
        (["cases.jsonl", "--arm", "magic"], "arm_unknown", 2),
        (["cases.jsonl", "--k", "0"], "places_malformed", 2),
        (["cases.jsonl", "--inject", "47/9"], "inject_malformed", 2),
        (["cases.jsonl", "--review", "perhaps"], "choice_unknown", 2),
        (["cases.jsonl", "--embedder", "magic"], "setting_malformed", 2),
        (["cases.jsonl", "--embedder", "none", "--arm", "vectors"], "arm_needs_embedder", 6),
        (["cases.jsonl", "--pack", "magic"], "pack_unknown", 2),
        (["cases.jsonl", "--budget", "0"], "budget_malformed", 2),
        (["cases.jsonl", "--as-of", "soon"], "time_malformed", 2),
    ],
)
def test_what_is_not_in_order_is_an_error_with_its_code(
    bare: CommandLine, options: list[str], code: str, exit_code: int
) -> None:
    """A run that could not be made is never a run in which nothing came to mind."""
    written(bare.folder)
    packs = [] if "--pack" in options else ["--pack", "delivery"]

    answer = bare("eval", "paired", *options, *packs, "--json")

    assert (answer.code, answer.json["error"]["code"]) == (exit_code, code)
