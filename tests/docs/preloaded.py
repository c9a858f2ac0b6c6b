"""Runs `heedful` commands and Python examples, each in a process of its own that is forked from one that has loaded all.

Most of a short command's time is the loading of modules and weights. A forked process has them, and nothing else of
what ran before it: its folder, environment and streams are its own.

Started as a script it reads one command or example a line (JSON) and answers each with its exit code.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

LOADED_LATE = (
    "numpy",
    "rich.console",
    "rich.table",
    "jmespath",
    "tree_sitter",
    "tree_sitter_bash",
    "heedful.interfaces.python.memory",
    "heedful.policy.shell.run",
)
"""What the program loads only where a command needs it."""


class Preloaded:
    """A process that has loaded the program; it starts at the first command, and ends with this one."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def run(
        self, words: list[str], folder: Path, environment: dict[str, str], seconds_max: int
    ) -> subprocess.CompletedProcess[str]:
        """What the command left; one that took longer than `seconds_max` was killed.

        `python -c CODE` runs the code, where every warning is an error.
        """
        process = self._process = self._process or _started()
        assert process.stdin is not None
        assert process.stdout is not None
        streams = [folder / ".preloaded-out", folder / ".preloaded-err"]
        asked = {
            "words": words,
            "folder": str(folder),
            "environment": environment,
            "streams": [str(each) for each in streams],
            "seconds_max": seconds_max,
        }
        process.stdin.write(json.dumps(asked) + "\n")
        process.stdin.flush()
        code = int(process.stdout.readline())
        printed = [each.read_text("utf-8") for each in streams]
        for each in streams:
            each.unlink()
        return subprocess.CompletedProcess(words, code, *printed)


def _started() -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _command(asked: dict[str, Any]) -> None:
    """The command, in this process, which ends with it."""
    os.environ.clear()
    os.environ.update(asked["environment"])
    os.chdir(asked["folder"])
    for number, path in enumerate([os.devnull, *asked["streams"]]):
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC if number else os.O_RDONLY
        opened = os.open(path, flags, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    signal.alarm(asked["seconds_max"])
    match asked["words"]:
        case ["python", "-c", code]:
            sys.argv = ["-c"]
            # What is loaded already can't warn again; what the example does can.
            warnings.simplefilter("error")
            exec(compile(code, "<example>", "exec"), {"__name__": "__main__"})  # it is ours
        case words:
            sys.argv = words
            main()


def _serve() -> None:
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            # It ends as the program ends, with whatever is done at exit; an error is told as a program's is.
            _command(json.loads(line))
            sys.exit(0)
        _, status = os.waitpid(pid, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    from heedful.adapters.models.router import bundled_weights
    from heedful.interfaces.cli.commands import COMMANDS, commands_of
    from heedful.interfaces.cli.main import main

    for name in LOADED_LATE:
        importlib.import_module(name)
    for file, _ in COMMANDS.values():
        commands_of(file)
    bundled_weights()
    _serve()
