"""`workflow` from the command line: for programs, for people, and its exit codes."""

from __future__ import annotations

import json

from command_line import CommandLine, bare_fixture, heedful_fixture  # noqa: F401  # pytest finds the fixtures here

WORKFLOW = """\
action_classes:
  web: {description: The web server., on_no_bridge: retrieve, mode: enforce}
tools:
  web.push: {tool: Ship, class: web, impact: execute}
workflows:
  web.new:
    description: A new web server.
    intent: {class: web}
    environment: {scope: ["environment:staging"]}
    preconditions: [{text: The owner knows., proof: {approval: true}}]
    steps:
      - tool: Ship
        input: {image: "web:{{tag}}"}
        expected_effect: It is there.
        verification: {query: look, expected: it is there}
    exceptions: [{when: It is not there., response: Tell the owner.}]
    owner: web team
    reviewed_at: "2026-01-01"
    expires_at: "2099-01-01"
    authority: maintainer-approved
"""
HERE = ("-s", "project:payments", "-s", "environment:staging")


def with_workflow(heedful: CommandLine, text: str = WORKFLOW) -> CommandLine:
    """The store, with this document in its registry."""
    (heedful.folder / ".heedful" / "registry" / "web.yaml").write_text(text, "utf-8")
    return heedful


def called(heedful: CommandLine, run: str, tag: str, *, passed: str = "true") -> None:
    """A run: one call and what was seen after it."""
    call = json.dumps({"name": "Ship", "input": {"image": f"web:{tag}"}})
    kept = heedful("remember", call, "--type", "tool_call", "--run", run, "--attribute", "tool=Ship", *HERE)
    assert kept.code == 0
    verified = ("--attribute", "verifies=web", "--attribute", f"passed={passed}")
    assert heedful("remember", "looked", "--type", "verification", "--run", run, *verified, *HERE).code == 0


def test_a_workflow_is_listed_and_shown_in_its_environment(heedful: CommandLine) -> None:
    """With exit code 1 and 4 elsewhere; one that has expired is told as such."""
    with_workflow(heedful)
    assert heedful("workflow", "list", *HERE, "--json").json["current"][0]["id"] == "web.new"
    assert "web.new: A new web server." in heedful("workflow", "list", "--intent", "web", *HERE).out
    elsewhere = heedful("workflow", "list", "--intent", "web")
    assert (elsewhere.code, "missing:" in elsewhere.out) == (1, True)
    shown = heedful("workflow", "show", "web.new", *HERE)
    assert "first: The owner knows. (by approval)" in shown.out
    assert "where It is not there. Tell the owner." in shown.out
    assert heedful("workflow", "show", "web.new", *HERE, "--json").json["is_current"] is True
    assert heedful("workflow", "show", "web.new").code == 4
    assert heedful("workflow", "list", *HERE, "--subject", "x").code == 2
    assert "web.new" in heedful("registry", "show", "workflows").out
    with_workflow(heedful, WORKFLOW.replace("2099", "2027").replace("2027-01-01", "2026-01-02"))
    expired = heedful("workflow", "list", *HERE)
    assert (expired.code, "not to be followed" in expired.out) == (1, True)
    assert "not current" in heedful("workflow", "show", "web.new", *HERE).out


def test_next_says_what_to_do_and_what_failed(heedful: CommandLine) -> None:
    """Exit code 1 where something is missing first."""
    with_workflow(heedful)
    first = heedful("workflow", "next", "--run", "r1", *HERE)
    assert (first.code, "asked at the gate" in first.out, "do now" in first.out) == (0, True, True)
    called(heedful, "r1", "1.0", passed="false")
    failed = heedful("workflow", "next", "--run", "r1", *HERE)
    assert (failed.code, "see to what failed" in failed.out) == (1, True)
    assert "where It is not there. Tell the owner." in failed.out
    called(heedful, "r1", "1.0")
    done = heedful("workflow", "next", "--run", "r1", "--workflow", "web.new", *HERE, "--json").json
    assert (done["todo"], done["step"], done["missing"]) == ("finished", None, [])
    assert heedful("judge", "Ship", "--args", '{"image": "web:1.0"}', "--run", "r1", *HERE).code == 1


def test_mine_proposes_and_review_approves(heedful: CommandLine) -> None:
    """The document goes to the registry's files; until then nothing is there."""
    with_workflow(heedful)
    called(heedful, "r1", "1.0")
    assert "0 workflows proposed" in heedful("workflow", "mine", *HERE).out
    called(heedful, "r2", "1.1")
    report = heedful("workflow", "mine", *HERE, "--json").json
    (told,) = report["proposed"]
    assert (told["status"], told["runs"]) == ("waiting", ["r1", "r2"])
    assert "known before" in heedful("workflow", "mine", *HERE).out
    assert "a workflow for web in environment:staging" in heedful("review", "list").out
    assert told["evidence"][0] in heedful("review", "show", told["proposal_id"]).out
    approved = heedful("review", "approve", told["proposal_id"], "--json").json
    assert approved["document"].startswith("workflows:\n  web.proposed-")
