"""What the walk over a shell command has found so far, and a crude second reading where the first has problems."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from heedful.policy.shell.command import (
    COMMAND_CHARACTERS_MAX,
    COMMANDS_MAX,
    GUESSES_MAX,
    HEREDOCS_MAX,
    PIPES_MAX,
    ShellCommand,
    SimpleCommand,
)
from heedful.policy.shell.words import Word

if TYPE_CHECKING:
    from tree_sitter import Node

CRUDE_CHARACTERS_MAX = 262_144
CRUDE_WORDS_MAX = 32
"""Bounds of the crude reading."""

_SEPARATOR = re.compile(r"\$\(|[;&|\n\r(){}<>`]")
_NOT_READ = str.maketrans("", "", "'\"\\")
_KEYWORDS = frozenset({"if", "then", "else", "elif", "do", "while", "until", "!", "time", "in", "sudo", "exec", "eval"})


class Found:
    """What was found so far; `result` makes it unchanging."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.commands: list[SimpleCommand] = []
        self.guesses: dict[tuple[str, ...], None] = {}
        self.writes: list[str] = []
        self.problems: set[str] = set()

    def command(self, words: Sequence[Word], *, literal: bool) -> None:
        """Adds a command, or a problem where there are too many."""
        if len(self.commands) >= COMMANDS_MAX:
            self.problems.add("too-many-commands")
            return
        literal = literal and all(word.literal for word in words)
        self.commands.append(SimpleCommand(tuple(word.text for word in words), literal))

    def guess(self, words: Sequence[str]) -> None:
        """Adds words that may be a command, or a problem where there are too many."""
        if len(self.guesses) >= GUESSES_MAX:
            self.problems.add("too-many-commands")
        else:
            self.guesses[tuple(words)] = None

    def doubt_from(self, at: int) -> None:
        """Takes back that the commands from place `at` are literal."""
        self.commands[at:] = [SimpleCommand(command.words, literal=False) for command in self.commands[at:]]

    def result(self) -> ShellCommand:
        """All of it, unchanging."""
        return ShellCommand(tuple(self.commands), tuple(self.guesses), tuple(self.writes), tuple(sorted(self.problems)))


@dataclass(slots=True)
class Parts:
    """A simple command's parts, from wherever the parser hung them.

    Attributes:
        depth: of the nodes below it.
        nested: nodes to walk after it has run: arguments with substitutions, pipelines behind a here-document.
        stdin: what it is given to read, where the text says so.
        literal: False: an assignment before it may change what it does.
    """

    depth: int
    words: list[Word] = field(default_factory=list)
    nested: list[Node] = field(default_factory=list)
    stdin: Word | None = None
    literal: bool = True


def problem_before_parsing(text: str) -> str | None:
    """Why a text is not parsed at all; None where it may be.

    Bash takes a carriage return and other control characters for parts of words, the parser for blanks.
    """
    if len(text) > COMMAND_CHARACTERS_MAX:
        return "too-long"
    if text.count("|") > PIPES_MAX or text.count("<<") > HEREDOCS_MAX:
        return "too-many-commands"
    if any((character < " " and character not in "\t\n") or character == "\x7f" for character in text):
        return "control-character"
    return None


def crude_commands(text: str) -> Iterator[tuple[str, ...]]:
    """What may be commands in a text that was not understood: cut at every operator, quotes and backslashes dropped."""
    for part in _SEPARATOR.split(text[:CRUDE_CHARACTERS_MAX]):
        words = part.translate(_NOT_READ).split(maxsplit=CRUDE_WORDS_MAX)[:CRUDE_WORDS_MAX]
        while words and (words[0] in _KEYWORDS or "=" in words[0]):
            del words[0]
        if words:
            yield tuple(words)
