"""The command line, called in this process as `heedful` calls it, or as a process of its own."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from heedful.interfaces.cli.main import main

SECONDS_MAX = 60.0
FREEZE = "Nothing leaves the house until the quarter is closed."
DEPLOY = '{"command": "kubectl --context production apply -f web.yaml"}'
QUESTION = "Can the corrected invoices go live this afternoon?"


@dataclass(frozen=True)
class Answer:
    """What a call left: its exit code and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as one JSON document."""
        return json.loads(self.out)


@dataclass(frozen=True)
class CommandLine:
    """Calls in one folder with one environment, which has nothing of the machine's own settings."""

    folder: Path
    environment: Mapping[str, str]

    def __call__(
        self, *args: str, stdin: bytes = b"", where: Path | None = None, env: Mapping[str, str] | None = None
    ) -> Answer:
        """The answer of `heedful ARGS` in this process."""
        out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
        before = Path.cwd()
        os.chdir(where or self.folder)
        try:
            with (
                mock.patch.object(sys, "argv", ["heedful", *args]),
                mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), "utf-8")),
                mock.patch.dict(os.environ, {**self.environment, **(env or {})}, clear=True),
                redirect_stdout(out),
                redirect_stderr(err),
            ):
                code = _exit_code()
        finally:
            os.chdir(before)
        return Answer(code, _text(out), _text(err))

    def process(
        self, *args: str | bytes, stdin: bytes = b"", env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """The same as a process of its own, with bytes as they are."""
        return subprocess.run(
            [sys.executable, "-m", "heedful", *args],
            cwd=self.folder,
            env={**self.environment, **(env or {})},
            input=stdin,
            capture_output=True,
            timeout=SECONDS_MAX,
            check=False,
        )

    def shell(self, line: str) -> subprocess.CompletedProcess[bytes]:
        """A shell line in which `heedful` is this one; a pipe fails where any part of it does."""
        return subprocess.run(
            ["bash", "-c", f'set -o pipefail; heedful() {{ "{sys.executable}" -m heedful "$@"; }}; {line}'],
            cwd=self.folder,
            env=dict(self.environment),
            capture_output=True,
            timeout=SECONDS_MAX,
            check=False,
        )


def _exit_code() -> int:
    try:
        main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    return 0


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode()


def command_line(folder: Path) -> CommandLine:
    """Calls in `folder` as person:ana, with keys beside it."""
    folder.mkdir(exist_ok=True)
    return CommandLine(
        folder,
        {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "HEEDFUL_KEYS_DIR": str(folder.parent / "keys"),
            "HEEDFUL_PRINCIPAL": "person:ana",
            # What a classifier hears in the words of these tests is not what they are about; test_cli_told is.
            "HEEDFUL_ROUTER": "none",
            "LC_ALL": "C.UTF-8",
        },
    )


def transcript(path: Path, *messages: str) -> Path:
    """A recorded run in which a user says these messages, one after the other."""
    rows = [
        {
            "type": "user",
            "uuid": f"u-{number}",
            "parentUuid": f"u-{number - 1}" if number else None,
            "timestamp": f"2026-11-20T10:00:{number:02d}.000Z",
            "sessionId": "5d0e4a3c-1b2f-4c6d-8e7f-90a1b2c3d4e5",
            "isSidechain": False,
            "message": {"role": "user", "content": words},
        }
        for number, words in enumerate(messages)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


@pytest.fixture(name="bare")
def bare_fixture(tmp_path: Path) -> CommandLine:
    """The command line in an empty folder. Test modules import it, and pytest finds it there."""
    return command_line(tmp_path / "home")


@pytest.fixture(name="heedful")
def heedful_fixture(bare: CommandLine) -> CommandLine:
    """The command line in a folder with a store of person:ana."""
    assert bare("init", ".", "--scope", "project:payments").code == 0
    return bare
