"""`maintain`, `archive`, `provenance` and `scorecard` at the command line: for people, and as JSON."""

from __future__ import annotations

import time

import pytest
from command_line import CommandLine, bare_fixture, heedful_fixture  # noqa: F401  # pytest finds the fixtures here

from heedful.interfaces.cli.upkeep import INTERVAL_SECONDS


def test_watching_looks_now_and_then_and_stops_when_told(heedful: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look that ran something says so; one at which nothing was due says nothing."""
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)

    first = heedful("maintain", "--watch", "--rounds", "3")

    assert first.code == 0
    assert [line.partition(":")[0] for line in first.out.splitlines()].count("collect") == 1
    assert waits == [INTERVAL_SECONDS, INTERVAL_SECONDS]
    assert heedful("maintain", "--watch", "--rounds", "1", "--interval", "7").out == ""
    assert {run["outcome"] for run in heedful("maintain", "--json").json["runs"]} == {"not-due"}
    assert heedful("maintain", "--interval", "0").code == 2


def test_a_claim_goes_into_the_archive_and_comes_back(heedful: CommandLine) -> None:
    """With a reason, without which nothing is done; the list tells it."""
    kept = heedful("remember", "Tea at four", "--kind", "note", "--consent", "explicit", "--json").json
    claim_id = kept["claims"][0]["claim_id"]
    if kept["claims"][0]["status"] != "active":
        heedful("review", "approve", claim_id)
    assert heedful("archive", claim_id).code == 2
    assert heedful("archive", claim_id, "--reason", "茶 is over").code == 0
    assert "茶 is over" in heedful("review", "list", "--archived").out
    assert heedful("archive", claim_id, "--reason", "again").code == 5
    assert heedful("unarchive", claim_id, "--reason", "it is not", "--json").json["status"] == "active"
    assert "The archive is empty" in heedful("review", "list", "--archived").out


def test_provenance_and_scorecard_are_told(heedful: CommandLine) -> None:
    """In lines and as JSON; a list that is not in order is refused with the number of its line."""
    heedful("remember", "3 rows", "--kind", "note", "--type", "tool_result", "--attribute", "tool=query")
    told = heedful("provenance").out
    assert "tool:query: 1 claims" in told
    (row,) = heedful("provenance", "--json").json["rows"]
    assert f"claim {row['claim_id']}  tool:query  {row['source_id']}  tier 1  {row['wrote_at']}" in told
    assert "No claim came from there" in heedful("provenance", "--source", "doc").out
    (heedful.folder / "must.jsonl").write_text('{"question": "rows?", "expects": "3 rows"}\nno\n', "utf-8")
    refused = heedful("scorecard", "--must", "must.jsonl")
    assert (refused.code, "question 2" in refused.err) == (2, True)
    heedful("remember", "Lunch is at noon")
    (heedful.folder / "must.jsonl").write_text('{"question": "When is lunch?", "expects": "at noon"}\n', "utf-8")
    card = heedful("scorecard", "--must", "must.jsonl", "--json").json
    assert (card["memory_recall_reliability"], card["written"]) == (1.0, 1)
    assert "memory_phantoms_per_1k_writes 0" in heedful("scorecard", "--metrics").out
    assert heedful("scorecard", "--must", "nowhere.jsonl").code == 8
