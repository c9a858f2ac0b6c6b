"""Tour: the whole path in one command, and honest where there is nothing to show."""

from __future__ import annotations

from pathlib import Path

from command_line import CommandLine, bare_fixture, transcript  # noqa: F401  # pytest finds the fixtures here

AS_SHIPPED = {"HEEDFUL_ROUTER": "bundled"}


def test_the_tour_shows_the_whole_path(bare: CommandLine) -> None:
    """The bridge without a shared word, three decisions, chains that hold, a copy that does not; nothing stays."""
    answer = bare.process("tour", env=AS_SHIPPED)
    told = answer.stdout.decode()

    assert (answer.returncode, answer.stderr) == (0, b"")
    assert "shares no word with the question; bridge deploy.freeze brought it" in told
    for decision in ("ALLOW (execute)", "REVIEW (review)", "DENY (deny)"):
        assert decision in told
    assert "byte for byte" in told
    assert "ledger: BROKEN at event" in told
    assert [each.name for each in bare.folder.iterdir()] == []


def test_the_tour_is_the_same_at_every_run(bare: CommandLine) -> None:
    """But for ids and digests, which are random; it runs in this process as well."""
    first, second = bare("tour", env=AS_SHIPPED), bare("tour", env=AS_SHIPPED)

    assert first.code == second.code == 0
    assert len(first.out.splitlines()) == len(second.out.splitlines())


def test_a_tour_of_a_transcript_without_commands_says_that_nothing_was_proposed(
    bare: CommandLine, tmp_path: Path
) -> None:
    """And it shows how one asks for it."""
    path = transcript(tmp_path / "t.jsonl", "the cache lies on Mondays", "so be it")
    answer = bare("tour", "--trace", str(path), "--question", "what of the cache?")

    assert answer.code == 0
    assert "Nothing was proposed:" in answer.out
    assert "remember: release.freeze:" in answer.out
    assert "the cache lies on Mondays" in answer.out
    assert "BROKEN" not in answer.out


def test_a_tour_of_a_transcript_with_a_command_proposes_it(bare: CommandLine, tmp_path: Path) -> None:
    """And says where a question finds nothing."""
    path = transcript(tmp_path / "t.jsonl", "remember: environment.gotcha: The cache lies.")
    answer = bare("tour", "--trace", str(path), "--question", "zebra")

    assert answer.code == 0
    assert "approved: environment.gotcha is active now" in answer.out
    assert "Nothing visible matches" in answer.out


def test_a_tour_of_a_file_that_is_none_is_an_error_like_any_other(bare: CommandLine) -> None:
    """With its exit code."""
    assert bare("tour", "--trace", "none.jsonl").code == 8
