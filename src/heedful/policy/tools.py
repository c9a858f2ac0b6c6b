"""What a tool call decides and how much it changes, by the policy's patterns. A caller can never lower anything."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from heedful.kernel.canonical import canonical_bytes
from heedful.kernel.errors import InvalidInputError
from heedful.kernel.ladder import Impact
from heedful.policy.command_patterns import (
    CommandForms,
    CommandGlob,
    compile_command,
    forms_of,
    is_possible_match,
    is_sure_match,
)
from heedful.policy.globs import Glob, glob
from heedful.policy.model import Policy, ToolPattern
from heedful.policy.shell import parse_argv, parse_shell
from heedful.policy.shell.command import ShellCommand

SEARCHED_CHARACTERS_MAX = 8_192
"""A longer argument is not searched: the pattern is taken to match, and the call is not known. An expression with one
`.*` takes time by the square of the text, so this bounds what a call can cost."""

COMPILED_POLICIES_MAX = 8
TOOLS_KEPT_MAX = 256
"""Policies, and names of tools in them, whose compiled patterns are kept."""

INERT_COMMANDS = (
    ": *",
    "true *",
    "false *",
    "cd *",
    "pwd *",
    "exit *",
    "return *",
    "break *",
    "continue *",
    "wait *",
    "test *",
    "[ *",
    "[[ *",
    "export *",
    "local *",
    "readonly *",
    "declare *",
    "typeset *",
    "set -e",
    "set -u",
    "set -x",
    "set -ex",
    "set -eu",
    "set -eux",
    "set -o pipefail",
    "set -eo pipefail",
    "set -euo pipefail",
    "set -euxo pipefail",
)
"""Words of the shell itself that change nothing outside it; known without a pattern. An assignment that could change
what a later program does makes its command not literal, so `export PATH=...` is not among what these let through."""


@dataclass(frozen=True, slots=True)
class ToolMatch:
    """What a tool call is.

    Attributes:
        action_classes: (class id, which pattern told it), by class id; also those found in a part of a call that as a
            whole is not known.
        impact: of the most impactful pattern; `execute` where anything is not known.
        known: False: some part matches no pattern, so the call as a whole is unclassified.
    """

    action_classes: tuple[tuple[str, str], ...]
    impact: Impact
    known: bool


@dataclass(frozen=True, slots=True)
class _Compiled:
    """A tool pattern, ready to match."""

    pattern: ToolPattern
    tool: Glob
    arguments: tuple[tuple[str, re.Pattern[str]], ...]
    command: CommandGlob


@dataclass(frozen=True, slots=True)
class _ForTool:
    """The patterns that one tool's calls may match.

    Attributes:
        whole: those without a command.
        by_program: those with one, by the program that they name; under None those whose program has a star.
        shell_arguments: the arguments that hold shell commands; none: it is no shell tool.
    """

    whole: tuple[_Compiled, ...]
    by_program: Mapping[str | None, tuple[_Compiled, ...]]
    shell_arguments: tuple[str, ...]


class _Identity:
    """A policy as a key, by identity: to hash and compare all of its patterns would cost more than the matching."""

    __slots__ = ("policy",)

    def __init__(self, policy: Policy) -> None:
        self.policy = policy

    def __hash__(self) -> int:
        return id(self.policy)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identity) and other.policy is self.policy


class _Call:
    """One call, and what the patterns have said of it so far; that only rises."""

    def __init__(self, args: Mapping[str, object]) -> None:
        self.args = args
        self.texts: dict[str, str | None] = {}
        self.classes: dict[str, str] = {}
        self.impact = Impact.READ
        self.is_known = True

    def add(self, compiled: _Compiled) -> bool:
        """Adds what a pattern says, where its arguments are found; False where they are not."""
        if compiled.arguments and not self._has(compiled.arguments):
            return False
        pattern = compiled.pattern
        if pattern.impact is not self.impact and pattern.impact.at_least(self.impact):
            self.impact = pattern.impact
        if pattern.action_class is not None and pattern.action_class not in self.classes:
            command = "" if pattern.command is None else f", command `{pattern.command}`"
            self.classes[pattern.action_class] = f"tool `{pattern.tool}`{command}"
        return True

    def doubt(self) -> None:
        self.is_known = False

    def result(self) -> ToolMatch:
        impact = self.impact if self.is_known else Impact.EXECUTE
        return ToolMatch(tuple(sorted(self.classes.items())), impact, self.is_known)

    def _has(self, arguments: Sequence[tuple[str, re.Pattern[str]]]) -> bool:
        is_searched = True
        for name, expression in arguments:
            if name not in self.args:
                return False
            text = self._text(name)
            if text is None or len(text) > SEARCHED_CHARACTERS_MAX:
                is_searched = False
            elif expression.search(text) is None:
                return False
        if not is_searched:
            self.doubt()
        return True

    def _text(self, name: str) -> str | None:
        """The text that is searched; None where the value has none (it is no JSON value, or too deep)."""
        value = self.args[name]
        if isinstance(value, str):
            return value
        if name not in self.texts:
            try:
                self.texts[name] = canonical_bytes(value).decode()
            except (ValueError, TypeError, RecursionError):
                self.texts[name] = None
        return self.texts[name]


def match_tool_call(tool: str, args: Mapping[str, object], policy: Policy) -> ToolMatch:
    """What a call is by every pattern that matches it: all their classes, the highest of their impacts.

    Tool names are compared by a glob (`*` alone is special, case counts). A pattern's arguments are regular
    expressions searched in the argument's text, or in its canonical JSON where it is no text; all must be found. For a
    shell tool, every simple command in its text must match a pattern with a `command` (command_patterns.py says how);
    one that does not, or that the shell may still change, makes the whole call unclassified with impact `execute`, and
    what the other commands decide is still reported. A redirection into a file makes the impact `execute`. Patterns
    without a `command` on a shell tool only add to that.

    Raises:
        InvalidInputError: `tool_pattern_malformed` where a regular expression of the policy is none.
    """
    patterns = _for_tool(_Identity(policy), tool)
    call = _Call(args)
    is_matched = False
    for one in patterns.whole:
        is_matched = call.add(one) or is_matched
    for argument in patterns.shell_arguments:
        _match_shell(args.get(argument), patterns, call)
    if not is_matched and not patterns.shell_arguments:
        call.doubt()
    return call.result()


def _match_shell(value: object, patterns: _ForTool, call: _Call) -> None:
    parsed = _parse(value)
    if parsed is None or not parsed.commands or parsed.problems:
        call.doubt()
    if parsed is None:
        return
    for command in parsed.commands:
        is_known = _match_command(forms_of(command.words), patterns, call, is_sure=True)
        if not command.literal or not is_known:
            call.doubt()
    for words in parsed.guesses:
        _match_command(forms_of(words), patterns, call, is_sure=False)
    if parsed.writes:
        call.impact = Impact.EXECUTE


def _parse(value: object) -> ShellCommand | None:
    if isinstance(value, str):
        return parse_shell(value)
    if isinstance(value, list | tuple) and value and all(isinstance(word, str) for word in value):
        return parse_argv([word for word in value if isinstance(word, str)])
    return None


def _match_command(forms: CommandForms, patterns: _ForTool, call: _Call, *, is_sure: bool) -> bool:
    """True where a pattern stands for the command itself; adds every pattern that may."""
    is_known = False
    for program in (forms.program, None):
        for one in patterns.by_program.get(program, ()):
            if not one.command.required <= forms.word_set:
                continue
            if is_sure_match(one.command, forms):
                # A pattern for every program tells something about a command, and no command by itself.
                is_known = (call.add(one) and program is not None) or is_known
            elif is_possible_match(one.command, forms):
                call.add(one)
    if is_sure and not is_known:
        return any(is_sure_match(pattern, forms) for pattern in _inert_by_program().get(forms.program, ()))
    return is_known


@lru_cache(maxsize=TOOLS_KEPT_MAX)
def _for_tool(policy: _Identity, tool: str) -> _ForTool:
    whole: list[_Compiled] = []
    by_program: dict[str | None, tuple[_Compiled, ...]] = {}
    for one in _compiled(policy):
        if not one.tool.matches(tool):
            continue
        if one.pattern.command is None:
            whole.append(one)
        else:
            by_program[one.command.program] = (*by_program.get(one.command.program, ()), one)
    shell = tuple(argument for name, argument in policy.policy.shell_tools.items() if glob(name).matches(tool))
    return _ForTool(tuple(whole), by_program, shell)


@lru_cache(maxsize=COMPILED_POLICIES_MAX)
def _compiled(policy: _Identity) -> tuple[_Compiled, ...]:
    return tuple(_compile(pattern) for pattern in policy.policy.tools)


def _compile(pattern: ToolPattern) -> _Compiled:
    try:
        arguments = tuple((name, re.compile(expression)) for name, expression in pattern.arguments)
    except re.error as error:
        raise InvalidInputError(
            "tool_pattern_malformed",
            f"a pattern for tool {pattern.tool[:80]!r} has an argument whose regular expression is none: {error}",
            next_step="mend the expression in the policy file",
            details={"field": "tools.arguments"},
        ) from error
    return _Compiled(pattern, glob(pattern.tool), arguments, compile_command(pattern.command or ""))


@lru_cache(maxsize=1)
def _inert_by_program() -> Mapping[str, tuple[CommandGlob, ...]]:
    found: dict[str, tuple[CommandGlob, ...]] = {}
    for text in INERT_COMMANDS:
        pattern = compile_command(text)
        assert pattern.program is not None
        found[pattern.program] = (*found.get(pattern.program, ()), pattern)
    return found
