"""A folder with a store in it, and the command line there."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import CommandLine, command_line


@pytest.fixture
def bare(tmp_path: Path) -> CommandLine:
    """The command line in an empty folder."""
    return command_line(tmp_path / "home")


@pytest.fixture
def heedful(bare: CommandLine) -> CommandLine:
    """The command line in a folder with a store of person:ana."""
    assert bare("init", ".", "--scope", "project:payments").code == 0
    return bare
