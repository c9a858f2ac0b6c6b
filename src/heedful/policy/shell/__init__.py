"""A shell command, parsed whole: every simple command that would or might run, and what it writes.

The grammar is bash's. What is not understood is a problem, and a call with a problem proves nothing: the reading may
miss what a command means, but it must not take an unknown command for a known one.
"""

from __future__ import annotations

from collections.abc import Sequence

from heedful.policy.shell.command import ShellCommand


def parse_shell(command: str) -> ShellCommand:
    """Every simple command in a text for bash, through lists, pipes, substitutions, functions, loops and wrappers.

    Never raises, whatever the text.
    """
    from heedful.policy.shell.walk import read_text  # noqa: PLC0415 - the parser loads only where a shell is matched

    return read_text(command)


def parse_argv(words: Sequence[str]) -> ShellCommand:
    """The same for a command that is given as a list of words, which no shell splits or expands."""
    from heedful.policy.shell.walk import read_words  # noqa: PLC0415 - the parser loads only where a shell is matched

    return read_words(words)
