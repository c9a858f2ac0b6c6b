"""Words of the shell itself that run code or set variables, whatever they look like."""

from __future__ import annotations

import pytest

from heedful.policy.shell import parse_shell
from heedful.policy.shell.command import ShellCommand


def doubtful(parsed: ShellCommand) -> list[str]:
    """The commands that are not literal."""
    return [" ".join(command.words) for command in parsed.commands if not command.literal]


SETTERS = [
    "printf -v 'a[$(rm x)]' x",
    "printf -v PATH /tmp/evil",
    "printf -vPATH /tmp/evil",
    "builtin printf '-v' PATH /tmp/evil",
    "wait -p 'a[$(rm x)]'",
    "wait -n -p PATH",
    "wait -np PATH",
    "read PATH < x",
    "mapfile -t PATH < x",
    "readarray PATH",
    "getopts a PATH",
    "let 'a[$(rm x)]=1'",
    "(( a[$(rm x)] = 1 ))",
    "(( PATH = 1 ))",
    "unset 'a[$(rm x)]'",
    "declare 'a[$(rm x)]=1'",
    "declare a[b]=1",
    "local 'a[$(rm x)]'",
    "export 'a[$(rm x)]=1'",
    "test -v 'a[$(rm x)]'",
    "test -v 'a[b]'",
    "[ -v 'a[b]' ]",
    "[[ -v a[b] ]]",
    "[[ -v 'a[$(rm x)]' ]]",
    "[[ -f x && -v a[b] ]]",
    "exit 'a[$(rm x)]'",
    "return 'a[$(rm x)]'",
    "break 'a[`rm x`]'",
    "hash -p /tmp/evil ls",
    "enable -f /tmp/evil.so ls",
]


@pytest.mark.parametrize("text", SETTERS)
def test_words_of_the_shell_that_run_code_or_set_variables_are_not_literal(text: str) -> None:
    """They change what every later command is, or run what stands in a subscript; so they prove nothing."""
    parsed = parse_shell(text)
    assert doubtful(parsed) or parsed.problems


@pytest.mark.parametrize(
    "text",
    [
        "printf '%s' ok",
        "printf -- '-v %s' x",
        "printf '%s' -v",
        "wait",
        "wait -n",
        "test -v HOME",
        "[[ -v HOME ]]",
        "exit 1",
    ],
)
def test_the_same_words_used_plainly_stay_literal(text: str) -> None:
    """The control: to print, wait, look whether a variable is there and end is no doubt."""
    parsed = parse_shell(text)
    assert not doubtful(parsed)
    assert not parsed.problems
