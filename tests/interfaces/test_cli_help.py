"""Help: every command says what it does and shows an example; nothing is there that does nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from heedful.interfaces.cli.main import app
from heedful.settings import VERSION


def walk(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command below this one that is no group, with its path."""
    subcommands = getattr(command, "commands", None)
    if subcommands is None:
        yield path, command
        return
    for name, each in subcommands.items():
        yield from walk(each, (*path, name))


COMMANDS = dict(walk(typer.main.get_command(app)))


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_has_an_example_and_says_what_each_option_is(path: tuple[str, ...]) -> None:
    """The example begins with the command as one types it, and every parameter has help."""
    shown = CliRunner().invoke(app, [*path, "--help"])
    examples = [line.strip() for line in shown.output.splitlines() if line.strip().startswith("Example:")]

    assert shown.exit_code == 0
    assert examples
    assert any(f"heedful {' '.join(path)}" in example or f" {path[-1]} " in example for example in examples)
    unexplained = [
        parameter.name
        for parameter in COMMANDS[path].params
        if not getattr(parameter, "help", None) and parameter.name != "help"
    ]
    assert unexplained == []


def test_every_command_that_answers_can_answer_in_json() -> None:
    """All but the tour, which is for people alone, and `verifier`, whose answer is a script."""
    without = {path for path, command in COMMANDS.items() if not any("--json" in each.opts for each in command.params)}

    assert without == {("tour",), ("verifier",)}


def test_the_bare_command_shows_its_help_and_version_the_version() -> None:
    """A newcomer is told where to begin."""
    assert "heedful tour" in CliRunner().invoke(app, []).output
    assert CliRunner().invoke(app, ["--version"]).output == f"heedful {VERSION}\n"
    for group in ("review", "registry"):
        assert "Usage:" in CliRunner().invoke(app, [group]).output
