"""Which projectors read a call's output: the quick look before the shell's parser leaves none of them out."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.bridges.projecting import Projectors
from heedful.claims.projections import calls
from heedful.claims.projections.calls import Call, ProjectorIndex

TEXT = {
    "description": "Whether a lamp is lit.",
    "kind": "state.lamp",
    "pattern": r"^(?P<name>\w+) is (?P<state>\w+)",
    "subject": "lamp:{name}",
    "property": "light",
    "value": "{state}",
    "pack": "local",
}
TOOLS = {
    "git": ["git status *", "git push *"],
    "test": ["pytest *", "python -m pytest *"],
    "curl": ["curl */api/v2/*", 'curl *"quoted"*'],
    "any": ["* --dry-run *"],
}
WORDS = [
    "git",
    "status",
    "push",
    "pytest",
    "python",
    "-m",
    "curl",
    "http://x/api/v2/y",
    "--dry-run",
    "-C",
    "/tmp",
    "quoted",
]
WORDS += [
    "/usr/bin/git",
    "g''it",
    'st"at"us',
    "gi\\\nt",
    "py\\test",
    "$X",
    "X=git",
    "bash -c 'git status'",
    "eval git\\ status",
]
WORDS += [
    "echo git status | sh",
    "<<E\ngit status\nE\n",
    "sudo",
    "env A=1",
    "$(git status)",
    "#",
    "'\"quoted\"'",
    "time",
    "Git",
]
BETWEEN = [" ", "\n", "; ", " && ", " | ", "\t", "", " \\\n "]


@pytest.fixture(scope="module")
def index() -> ProjectorIndex:
    """Of projectors of several programs, one of them of any program."""
    return Projectors({key: {**TEXT, "tools": tools} for key, tools in TOOLS.items()}).index


def found(index: ProjectorIndex, command: str | tuple[str, ...]) -> list[Any]:
    """The projectors of this command, and by what."""
    return [
        (each.projector.id, each.commands, each.is_literal)
        for each in index.matching(Call("Bash", command), "tool_result")
    ]


def unseen(index: ProjectorIndex) -> ProjectorIndex:
    """The same index, which parses every command."""
    everything = ProjectorIndex(each for patterns in index._by_program.values() for _, each in patterns)
    everything._by_tool, everything._by_program, everything.order = index._by_tool, index._by_program, index.order
    everything._pieces = {"": [()]}
    return everything


@given(parts=st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(BETWEEN)), max_size=7))
def test_a_command_that_is_not_parsed_is_one_that_nothing_would_read(
    index: ProjectorIndex, parts: list[tuple[str, str]]
) -> None:
    """Quotes, backslashes, lines that go on, texts within texts: whatever they make of it, the same is found."""
    command = "".join(word + between for word, between in parts)
    assert found(index, command) == found(unseen(index), command)
    words = tuple(word for word, _ in parts)
    assert found(index, words) == found(unseen(index), words)


def test_a_command_of_other_programs_is_not_parsed(index: ProjectorIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control parses: its words are there."""
    parsed: list[object] = []
    monkeypatch.setattr(calls, "_told", parsed.append)
    only_git = Projectors({"git": {**TEXT, "tools": TOOLS["git"]}}).index
    assert found(only_git, "ls -l; grep stat log; git log") == []
    assert parsed == []
    assert found(only_git, "ls -l; git log status") == []
    assert parsed == ["ls -l; git log status"]
    assert found(index, "bash -c \"gi\"'t status'") == []
    assert len(parsed) == 2


def test_a_variable_may_be_any_word(index: ProjectorIndex) -> None:
    """What it holds stands elsewhere in the text, in pieces perhaps, so such a text is parsed."""
    assert [each[0] for each in found(index, "A=gi; ${A}t status")] == [
        each[0] for each in found(unseen(index), "A=gi; ${A}t status")
    ]
    assert index._may_match("A=x; $A")
