"""Merging subjects from the command line: for people, for programs, and the exit codes."""

from __future__ import annotations

from command_line import CommandLine, bare_fixture, heedful_fixture  # noqa: F401  # pytest finds the fixtures here


def test_two_spellings_are_asked_about_merged_and_taken_apart(heedful: CommandLine) -> None:
    """What contradicts is asked about; the question is gone with the merge."""
    for subject, value in (("user:Ana", "Chinese"), ("person:ana", "English")):
        told = ("-k", "report.language", "--value", value, "--subject", subject, "--consent", "explicit")
        assert heedful("remember", f"Reports are in {value}.", *told).code == 0
    assert "subjects person:ana and user:Ana have one name: are they one?" in heedful("review", "list").out

    done = heedful("merge", "person:ana", "user:Ana", "--reason", "one Ana", "--json").json
    assert (done["merge"]["standing"], len(done["asks"])) == ("joined", 1)
    assert "person:ana and user:Ana are one" in heedful("merges", "--joined").out
    merge_id = done["merge"]["merge_id"]
    undone = heedful("unmerge", merge_id, "--reason", "mother and daughter").out
    assert "are two again" in undone
    assert f"question {done['asks'][0]} is closed: both claims stand" in undone
    assert heedful("unmerge", merge_id, "--reason", "x").code == 5
    assert heedful("merges", "--joined", "--json").json == {"merges": []}
