"""`heedful state` at the command line: for people, and as JSON."""

from __future__ import annotations

from command_line import CommandLine, bare_fixture, heedful_fixture  # noqa: F401  # pytest finds the fixtures here

SHOWN = ("--type", "tool_result", "--attribute", "tool=Bash", "--attribute", "command=terraform plan")


def test_a_state_is_told_with_its_history_and_what_is_not_known_is_said(heedful: CommandLine) -> None:
    """Before anything was observed, after it, and after it changed without a cause."""
    unknown = heedful("state", "terraform:.")
    assert unknown.code == 0
    assert "no state is known of terraform:." in unknown.out
    assert "next: observe it" in unknown.out
    assert "the drift of terraform:." in heedful("state", "terraform:.", "--property", "drift").out
    heedful("remember", "No changes. Your infrastructure matches the configuration.", *SHOWN)
    kept = heedful("remember", "Plan: 1 to add, 0 to change, 0 to destroy.", *SHOWN, "--json").json
    text = heedful("state", "terraform:.", "--history").out
    assert "plan: changes-pending" in text
    assert "changed from in-sync, unexplained" in text
    assert "nobody has approved it" in text
    found = heedful("state", "terraform:.", "--property", "plan", "--json").json
    (state,) = found["states"]
    assert (state["value"], state["assurance"], state["evidence"]) == (
        "changes-pending",
        "reported",
        [kept["record_id"]],
    )
    assert state["changed"]["unexplained"] is True
    assert "not known" in heedful("state", "terraform:.", "--as-of", "2020-01-01").out
    assert heedful("state", "terraform:.", "--as-of", "soon").code == 2
