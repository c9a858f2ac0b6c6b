"""Conflicts from the command line: for people, for programs, and the exit codes."""

from __future__ import annotations

from typing import Any

from command_line import CommandLine, bare_fixture, heedful_fixture  # noqa: F401  # pytest finds the fixtures here


def says(heedful: CommandLine, value: str) -> Any:
    return heedful(
        "remember", f"Reports are in {value}.", "-k", "report.language", "--value", value, "--subject", "user:ana",
        "--consent", "explicit", "--json",
    ).json  # fmt: skip


def test_a_question_is_listed_answered_once_and_gone(heedful: CommandLine) -> None:
    """A pinned claim gives way by the answer alone."""
    assert heedful("conflicts").out.strip() == "Nothing contradicts anything."
    held = says(heedful, "Chinese")["claims"][0]["claim_id"]
    assert heedful("pin", held, "--reason", "sure").code == 0
    waits = says(heedful, "English")
    assert waits["claims"][0]["status"] == "policy-reviewed"
    assert "heedful conflicts" in waits["problems"][0]

    (asked,) = heedful("conflicts", "--open", "--json").json["conflicts"]
    assert (asked["because"], asked["resolution"], asked["a"]["value"]) == ("pinned", None, "Chinese")
    for listed in (heedful("conflicts").out, heedful("review", "list").out):
        assert "a: Reports are in Chinese." in listed
        assert f"heedful review answer {asked['conflict_id']}" in listed

    assert heedful("review", "answer", asked["conflict_id"], "c", "--reason", "x").code == 2
    answered = heedful("review", "answer", asked["conflict_id"], "b", "--reason", "they changed")
    assert (answered.code, "b is active" in answered.out) == (0, True)
    assert heedful("review", "answer", asked["conflict_id"], "b", "--reason", "again").code == 5
    assert heedful("conflicts", "--open").out.strip() == "Nothing waits for an answer."
    assert ": they changed\n" in heedful("conflicts").out
    assert "ask without --as-of" in heedful("why", held, "--as-of", "2020-01-01").err


def test_a_claim_is_promoted_and_the_authority_is_taken_back(heedful: CommandLine) -> None:
    """By its owner, where one person runs the store."""
    held = says(heedful, "Chinese")["claims"][0]["claim_id"]

    assert "was UNVERIFIED and is OPERATOR" in heedful("promote", held, "OPERATOR", "--reason", "agreed").out
    assert heedful("promote", held, "OPERATOR", "--reason", "agreed").code == 5
    assert heedful("promote", held, "CORROBORATED", "--reason", "x").code == 2
    assert heedful("promote", held, "UNVERIFIED", "--reason", "over", "--json").json["from_tier"] == "OPERATOR"
