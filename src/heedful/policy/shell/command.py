"""What a shell command was read as, and how much of one is read."""

from __future__ import annotations

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
