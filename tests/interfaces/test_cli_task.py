"""`heedful task` at the command line: for people, and as JSON."""

from __future__ import annotations

from command_line import CommandLine, bare_fixture, heedful_fixture  # noqa: F401  # pytest finds the fixtures here


def test_a_task_is_added_to_shown_and_ended(heedful: CommandLine) -> None:
    """Each part with its fate and the rule; what was not done is told; after that it has ended."""
    shown = heedful("remember", "server_version | 17.2", "--type", "tool_result", "--grade", "tool", "--json").json
    todo = heedful("task", "add", "release-7", "Ask the auditors.", "--json").json["claims"][0]["claim_id"]
    told = heedful("task", "add", "release-7", "Staging runs 17.", "--as", "fact", "-e", shown["record_id"])
    assert "fact of task release-7: claim" in told.out
    heedful("task", "add", "release-7", "Look at the logs.")
    assert heedful("task", "done", "release-7", todo).out == "done: Ask the auditors.\n"

    state = heedful("task", "show", "release-7")
    assert "[x] todo: Ask the auditors." in state.out
    assert "[ ] todo: Look at the logs." in state.out
    ended = heedful("task", "end", "release-7", "--reason", "released").out
    assert "promoted: fact: Staging runs 17. (a record shows it)" in ended
    assert "next: `heedful review approve" in ended
    assert "not done: Look at the logs." in ended
    found = heedful("task", "show", "release-7", "--json").json
    assert (found["ended"], [entry["status"] for entry in found["entries"]]) == (True, ["superseded"] * 3)
    assert heedful("task", "add", "release-7", "One more.").code == 5
    assert heedful("task", "show", "release-8").out.startswith("task release-8 has nothing that you may see, in ")


def test_a_summary_is_told_with_its_sources(heedful: CommandLine) -> None:
    """Without them the answer is no."""
    kept = heedful("remember", "The audit is on the ninth.", "--json").json["record_id"]

    assert heedful("remember", "In short: the ninth.", "--grade", "summary").code == 1
    assert heedful("remember", "In short: the ninth.", "--grade", "summary", "--derived-from", kept).code == 0
