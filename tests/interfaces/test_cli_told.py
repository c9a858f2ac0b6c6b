"""What a message tells: unasked, by the classifier that is shipped, and not where it is off; and how much of it is shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import CommandLine, bare_fixture, heedful_fixture, transcript  # noqa: F401  # pytest finds the fixtures here

AS_SHIPPED = {"HEEDFUL_ROUTER": "bundled"}
FREEZE = "The code freeze starts tonight, so no deploys to production until the audit is over."


def test_a_message_tells_a_decision_state_that_waits_for_review(heedful: CommandLine) -> None:
    """It is proposed and listed for review; it becomes nothing more by itself."""
    kept = heedful("remember", FREEZE, "--json", env=AS_SHIPPED).json
    assert ("release.freeze", "evidence-verified") in [(claim["kind"], claim["status"]) for claim in kept["claims"]]
    assert "release.freeze" in heedful("review", "list").out
    assert heedful("verify", "--views").code == 0


def test_without_a_classifier_nothing_is_told_unasked(heedful: CommandLine) -> None:
    """The control of the one above: the same words."""
    assert heedful("remember", FREEZE, "--json", env={"HEEDFUL_ROUTER": "none"}).json["claims"] == []


def test_small_talk_tells_nothing(heedful: CommandLine) -> None:
    """As shipped."""
    assert heedful("remember", "Good morning, how are you?", "--json", env=AS_SHIPPED).json["claims"] == []


@pytest.mark.parametrize("word", ["best", "NONE", "bundled,none"])
def test_a_router_that_is_none_of_the_choices_is_refused(heedful: CommandLine, word: str) -> None:
    """With the setting's name and its choices."""
    answer = heedful("status", env={"HEEDFUL_ROUTER": word})
    assert answer.code == 2
    assert "HEEDFUL_ROUTER" in answer.err
    assert "bundled, none" in answer.err


def test_import_names_so_many_claims_and_counts_the_rest(heedful: CommandLine, tmp_path: Path) -> None:
    """A long transcript does not fill the terminal; JSON has them all."""
    path = transcript(tmp_path / "t.jsonl", *(f"remember: note number {n} is kept" for n in range(33)))
    told = heedful("import", str(path)).out

    assert told.count("  proposed: ") == 30
    assert "and 3 more claims; --json shows all" in told
