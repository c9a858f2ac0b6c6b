"""What people do about bridges from the command line: for programs, for people, and its exit codes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from command_line import DEPLOY, FREEZE, QUESTION, CommandLine, bare_fixture, heedful_fixture  # noqa: F401  # pytest finds the fixtures here

BRIDGE = "deploy.freeze"
OWN = f"bridges: {{{BRIDGE}: {{override: true, owner: payments team}}}}\n"


@pytest.fixture(name="frozen")
def frozen_fixture(heedful: CommandLine) -> tuple[CommandLine, str]:
    """A store with an active freeze, and the freeze's id; requests are told by phrases alone."""
    heedful = replace(heedful, environment={**heedful.environment, "HEEDFUL_ROUTER": "none"})
    kept = heedful("remember", FREEZE, "-k", "release.freeze", "--until", "2099-01-01", "--json").json
    claim_id = str(kept["claims"][0]["claim_id"])
    assert heedful("review", "approve", claim_id).code == 0
    return heedful, claim_id


def packet_of(heedful: CommandLine) -> Any:
    """A packet that the bridge brought the freeze into."""
    packet = heedful("recall", QUESTION, "--json").json
    assert packet["items"][0]["bridges"]
    return packet


def test_why_tells_what_keeps_a_claim_from_mind(frozen: tuple[CommandLine, str]) -> None:
    """Over a question or a tool call; for one that brings it, that it comes."""
    heedful, claim_id = frozen
    assert "It comes to mind" in heedful("why", claim_id, "--request", QUESTION).out
    called = heedful("why", claim_id, "--tool", "Bash", "--args", DEPLOY, "--json").json
    assert (called["outcome"], called["reasons"]) == ("in-mind", [])

    silent = heedful("why", claim_id, "--request", "Purple.", "--json").json
    assert (silent["outcome"], silent["reasons"][0]["obstacle"]) == ("silent", "class-not-recognised")
    told = heedful("why", claim_id, "--request", QUESTION, "--as-of", "2099-06-01").out
    assert "does not come to mind" in told
    assert "expired: it held until 2099-01-01" in told
    elsewhere = heedful("why", claim_id, "--request", QUESTION, "-s", "project:other", "--json").json
    assert elsewhere["reasons"][0]["obstacle"] == "other-scope"
    assert heedful("why", "nothing", "--request", QUESTION).code == 4
    assert heedful("why", claim_id, "--tool", "Bash", "--args", "no json").code == 2


def test_disable_and_enable_a_bridge(frozen: tuple[CommandLine, str]) -> None:
    """With what it had brought; the claim is there to be looked at, and to be approved again."""
    heedful, claim_id = frozen
    packet_of(heedful)
    done = heedful("registry", "disable", BRIDGE, "--quarantine", "--reason", "wrong", "--json").json
    assert (done["quarantined"], done["was_off"]) == ([claim_id], False)
    told = heedful("registry", "disable", BRIDGE, "--quarantine").out
    assert "and was before" in told
    assert "1 others had ended" in told
    assert f"claim {claim_id}  quarantined" in heedful("review", "list").out
    assert "at its default again" in heedful("registry", "enable", BRIDGE).out
    assert heedful("registry", "enable", BRIDGE, "--json").json == {"bridge_id": BRIDGE, "had_setting": False}
    assert heedful("registry", "disable", "no.such").code == 4
    assert heedful("--as", "agent:pip", "registry", "disable", BRIDGE).code == 3


def test_mark_and_coverage(frozen: tuple[CommandLine, str]) -> None:
    """A mark counts in the report, for programs and for people."""
    heedful, _ = frozen
    packet_id = packet_of(heedful)["packet_id"]
    told = heedful("review", "mark", packet_id, "1", "--irrelevant", "--reason", "another team's").out
    assert "is marked irrelevant" in told
    assert BRIDGE in told
    report = heedful("registry", "coverage", "--json").json
    assert BRIDGE in report["bridges_only_wrong"]
    marked = heedful("review", "mark", packet_id, "1", "--relevant", "--json").json
    assert marked["relevant"] is True
    assert f"bridge {BRIDGE}: 1 activations, 1 of 1 marked relevant" in heedful("registry", "coverage").out
    assert heedful("review", "mark", packet_id, "1").code == 2
    assert (
        heedful("review", "mark", packet_id, "99", "--relevant", "--json").json["error"]["code"] == "citation_unknown"
    )
    assert heedful("--as", "agent:pip", "review", "mark", packet_id, "1", "--relevant").code == 3


def test_pending_and_approve(heedful: CommandLine) -> None:
    """A bridge of one's own waits, and no longer."""
    assert heedful("registry", "pending").out.strip() == "No bridge waits."
    assert heedful("registry", "approve", BRIDGE).code == 5
    (heedful.folder / ".heedful" / "registry" / "ours.yaml").write_text(OWN, "utf-8")
    assert f"{BRIDGE} (high risk" in heedful("registry", "pending").out
    (waiting,) = heedful("registry", "pending", "--json").json["pending"]
    told = heedful("registry", "approve", BRIDGE, "--reason", "read it").out
    assert waiting["digest"][:12] in told
    assert "solo profile" in told
    assert heedful("registry", "pending", "--json").json == {"pending": []}


def test_rollback_writes_a_folder_that_is_the_earlier_registry(heedful: CommandLine) -> None:
    """What changes, what was written, and that a second time nothing is replaced."""
    older = heedful("status", "--json").json["status"]["registry_revision"]
    (heedful.folder / ".heedful" / "registry" / "ours.yaml").write_text(OWN, "utf-8")
    assert f"changed bridges {BRIDGE}" in heedful("registry", "rollback", older[:10]).out
    done = heedful("registry", "rollback", older, "--to", "restored", "--json").json
    assert (done["written"]["revision"], done["written"]["left"]) == (older, [])
    assert sorted(path.name for path in (heedful.folder / "restored").iterdir()) == sorted(done["written"]["files"])
    assert heedful("registry", "check", "restored").code == 0
    again = heedful("registry", "rollback", older, "--to", "restored", "--json")
    assert (again.code, again.json["error"]["code"]) == (5, "registry_folder_taken")
    assert heedful("registry", "rollback", "0000").code == 4
    assert "restored" not in heedful("registry", "rollback", older).out
    assert "nothing was changed yet" in heedful("registry", "rollback", older, "--to", "other").out
