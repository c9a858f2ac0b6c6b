"""The shell reading over generated texts."""

from __future__ import annotations

import subprocess
import sys

from hypothesis import given, settings
from hypothesis import strategies as st

from heedful.policy.shell import parse_argv, parse_shell

PARTS = st.sampled_from(
    [
        *("ls", "rm", "kubectl", "sudo", "-", "--", "-c", "bash", "eval", "xargs", "find", "-exec", "env", "trap"),
        *("'", '"', "`", "$(", "${", "$X", ")", "(", "{", "}", "|", "||", "&&", "&", ";", "\n", "\\", "\\\n", " "),
        *("<<EOF", "\nEOF\n", "<<<", ">", "2>&1", "<(", "$((", "))", "((", "[[", "]]", "if", "then", "fi", "do"),
        *("done", "case", "esac", "in", "for", "X=1", "f()", "#", "*", "é", "测", "\u200b", "\x00", "\r", "\ud800"),
    ]
)


@given(st.text() | st.lists(PARTS, max_size=60).map("".join) | st.lists(PARTS, max_size=40).map(" ".join))
@settings(max_examples=400, deadline=None)
def test_no_text_makes_the_reading_fail(text: str) -> None:
    """Whatever the text: a value, the same each time, and every command has words."""
    parsed = parse_shell(text)
    assert parsed == parse_shell(text)
    assert all(command.words for command in parsed.commands)


@given(st.lists(st.text(max_size=20), max_size=8))
def test_no_list_of_words_makes_the_reading_fail(words: list[str]) -> None:
    """The same for a command given as words."""
    assert parse_argv(words) == parse_argv(words)


@given(st.lists(st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=12), min_size=1))
def test_single_quotes_keep_every_word(words: list[str]) -> None:
    """What stands in single quotes comes out as it went in."""
    quoted = " ".join("'" + word.replace("'", "'\\''") + "'" for word in ["run", *words])
    parsed = parse_shell(quoted)
    assert [command.words for command in parsed.commands] == [("run", *words)]
    assert parsed.commands[0].literal
    assert not parsed.problems


@given(st.sampled_from(["; ", " && ", " || ", " | ", "\n", " & "]), st.lists(PARTS, max_size=12).map(" ".join))
def test_a_command_before_anything_is_never_lost(joint: str, rest: str) -> None:
    """`rm x` in front is found as a command or as a guess, or the reading says that it has a problem and still
    guesses it: no tail hides it."""
    parsed = parse_shell("rm x" + joint + rest)
    found = {command.words[:2] for command in parsed.commands} | {guess[:2] for guess in parsed.guesses}
    assert ("rm", "x") in found


def test_the_parser_is_loaded_only_where_a_shell_is_matched() -> None:
    """Importing the tools' matching, and matching a tool that is no shell, does not load the grammar."""
    code = (
        "import sys, heedful.policy.tools, heedful.policy.shell\n"
        "assert not [name for name in sys.modules if name.startswith('tree_sitter')]\n"
        "heedful.policy.shell.parse_shell('ls')\n"
        "assert 'tree_sitter_bash' in sys.modules\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
