"""A shell command, parsed whole: every simple command that would or might run, and what it writes.

The grammar is bash's. What is not understood is a problem, and a call with a problem proves nothing: the reading may
miss what a command means, but it must not take an unknown command for a known one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

COMMAND_CHARACTERS_MAX = 16_384
"""A longer command is not parsed."""

COMMANDS_MAX = 256
"""Simple commands in one call, inner ones included."""

GUESSES_MAX = 1_024
"""Guesses in one call."""

NESTED_TEXTS_MAX = 5
"""How deep texts that are commands (`bash -c`, `eval`, here-documents) and wrappers are followed."""

TREE_DEPTH_MAX = 100
"""How deep the syntax tree is followed."""

PIPES_MAX = 512
HEREDOCS_MAX = 32
"""The parser's time grows with the square of these two."""


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """One command that would or might run.

    Attributes:
        words: without quotes and wrappers (`sudo`, `timeout 5`); never none.
        literal: True: the shell runs exactly these words. False: it may run others (an expansion, an assignment that
            may change what the program does, words that a wrapper adds).
    """

    words: tuple[str, ...]
    literal: bool


@dataclass(frozen=True, slots=True)
class ShellCommand:
    """A whole command text.

    Attributes:
        commands: in the order of the text.
        guesses: words that may run inside a command (`ssh host kubectl delete ...`), a wrapped command as written, and
            where there are problems a crude reading of the text. They may raise what is thought of a call, never lower.
        writes: targets of redirections that write; `/dev/null` and its like are not among them.
        problems: what was not understood: `syntax-error`, `too-long`, `too-deep`, `too-many-commands`, `not-text`,
            `control-character`, `here-document`, `joined-line`, `unread-text`. Not empty: the reading may be wrong.
    """

    commands: tuple[SimpleCommand, ...]
    guesses: tuple[tuple[str, ...], ...]
    writes: tuple[str, ...]
    problems: tuple[str, ...]


def parse_shell(command: str) -> ShellCommand:
    """Every simple command in a text for bash, through lists, pipes, substitutions, functions, loops and wrappers.

    Never raises, whatever the text.
    """
    from heedful.policy.shell_walk import read_text  # noqa: PLC0415 - the parser loads only where a shell is matched

    return read_text(command)


def parse_argv(words: Sequence[str]) -> ShellCommand:
    """The same for a command that is given as a list of words, which no shell splits or expands."""
    from heedful.policy.shell_walk import read_words  # noqa: PLC0415 - the parser loads only where a shell is matched

    return read_words(words)
