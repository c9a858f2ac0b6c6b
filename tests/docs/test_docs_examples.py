"""Every example in the documentation runs."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import docs_rules as rules
import pytest
from preloaded import Preloaded

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
EXAMPLE_SECONDS_MAX = 120
LOGIN = "ana"
"""Whose examples the pages show: `person:ana`."""

PAGES = sorted([*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")])
FENCES = {path: rules.fences(path.read_text("utf-8")) for path in PAGES}
PYTHON = [
    pytest.param(fence, id=f"{path.relative_to(ROOT)}:{number}")
    for path, fences in FENCES.items()
    for number, fence in enumerate(fences)
    if fence.language == "python"
]
CONSOLE = [
    pytest.param(fences, id=str(path.relative_to(ROOT)))
    for path, fences in FENCES.items()
    if any(fence.language == "console" for fence in fences)
]


_SHELL = re.compile(r"[|><;&$`*?~]")
_preloaded = Preloaded()
"""Started at the first command; it goes with this process."""


def run(command: list[str], folder: Path, database: str | None = None) -> subprocess.CompletedProcess[str]:
    """The command, in the folder, with a home of its own and none of this process's settings; at most its database."""
    return subprocess.run(
        command,
        cwd=folder,
        env=environment_in(folder, database),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=EXAMPLE_SECONDS_MAX,
    )


def run_line(line: str, folder: Path, database: str | None = None) -> subprocess.CompletedProcess[str]:
    """The same for a line that begins with `heedful`; a shell runs what only a shell understands."""
    words = shlex.split(line)
    if any(_SHELL.search(word) for word in shlex.split(line, posix=False) if word[0] not in "'\""):
        return run(["sh", "-c", line], folder, database)
    return _preloaded.run(words, folder, environment_in(folder, database), EXAMPLE_SECONDS_MAX)


def environment_in(folder: Path, database: str | None) -> dict[str, str]:
    """The environment of an example."""
    home = folder / "home"
    home.mkdir(exist_ok=True)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("HEEDFUL_", "XDG_"))}
    environment |= {
        "HOME": str(home),
        "LOGNAME": LOGIN,
        "COLUMNS": "120",
        "PATH": f"{BIN}{os.pathsep}{environment.get('PATH', '')}",
        "NO_COLOR": "1",
    }
    if database is not None:
        environment["HEEDFUL_DATABASE"] = database
    return environment


def on_database(fence: rules.Fence) -> bool:
    """True for a block that is marked `database`: it runs in a folder of its own, with an empty database."""
    return "database" in fence.words.split()


def run_page(fences: list[rules.Fence], folder: Path, database: str | None = None) -> list[str]:
    """What went otherwise than the page says: its `file=NAME` blocks are written, its console lines run, in order."""
    found = []
    ids: dict[str, str] = {}
    apart = folder / "with-database"
    apart.mkdir()
    for fence in fences:
        place, dsn = (apart, database) if on_database(fence) else (folder, None)
        for word in fence.words.split():
            if word.startswith("file="):
                target = place / word.removeprefix("file=")
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(fence.body, encoding="utf-8")
        if fence.language == "console":
            for command in rules.console_commands(fence.body):
                line = rules.with_ids(command.line, ids)
                done = run_line(line, place, dsn)
                printed = done.stdout + done.stderr
                if done.returncode != command.exit_code:
                    found.append(f"{line}\nexit {done.returncode}, not {command.exit_code}\n{printed}")
                elif missing := rules.lines_not_printed(command.shown, printed, ids):
                    found.append("\n".join([line, "did not print:", *missing, "but:", printed]))
    return found


def database_for(fences: list[rules.Fence], request: pytest.FixtureRequest) -> str | None:
    """The DSN of an empty database, where one of the blocks wants one."""
    return str(request.getfixturevalue("database")) if any(map(on_database, fences)) else None


@pytest.mark.parametrize("fence", PYTHON)
def test_the_python_example_runs(fence: rules.Fence, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Each by itself, in an empty folder."""
    environment = environment_in(tmp_path, database_for([fence], request))
    done = _preloaded.run(["python", "-c", fence.body], tmp_path, environment, EXAMPLE_SECONDS_MAX)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("fences", CONSOLE)
def test_the_console_lines_of_a_page_run_in_order(
    fences: list[rules.Fence], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Each `$ heedful` line ends with 0, or with what `# exit N` at its end says, and prints what is shown below it."""
    assert run_page(fences, tmp_path, database_for(fences, request)) == []


def test_control_an_example_that_fails_is_found(tmp_path: Path) -> None:
    """Exit codes are compared both ways, and a file of the page is there for its lines."""
    page = "```yaml file=a/b.yaml\nx: 1\n```\n```console\n$ heedful no-such-command\nnever run\n```\n"
    assert len(run_page(rules.fences(page), tmp_path)) == 1
    assert (tmp_path / "a" / "b.yaml").read_text("utf-8") == "x: 1\n"
    second = tmp_path / "second"
    second.mkdir()
    assert len(run_page(rules.fences("```console\n$ heedful --help  # exit 7\n```\n"), second)) == 1
    assert run([sys.executable, "-c", "raise SystemExit(3)"], tmp_path).returncode == 3


@pytest.mark.parametrize("code", ["assert not 1", "import warnings\nwarnings.warn('old')", "raise SystemExit(3)"])
def test_control_a_python_example_that_fails_is_found(code: str, tmp_path: Path) -> None:
    """By its exit code, with its traceback; and what it sets is not there for the next."""
    failed = _preloaded.run(["python", "-c", f"kept = 1\n{code}"], tmp_path, environment_in(tmp_path, None), 60)
    assert failed.returncode in (1, 3)
    assert "Traceback" in failed.stderr or failed.returncode == 3
    after = "import os\nassert 'kept' not in globals() and __name__ == '__main__'"
    assert _preloaded.run(["python", "-c", after], tmp_path, environment_in(tmp_path, None), 60).returncode == 0


def test_control_only_a_block_that_is_marked_has_a_database(tmp_path: Path, database: str) -> None:
    """In a folder of its own: the same commands on SQLite, on one page, meet another store."""
    page = '```console{words}\n$ heedful init . --json\n "engine": "{engine}",\n```\n'
    right = page.format(words="", engine="sqlite") + page.format(words=" database", engine="postgresql")
    assert run_page(rules.fences(right), tmp_path, database) == []
    wrong = tmp_path / "wrong"
    wrong.mkdir()
    assert len(run_page(rules.fences(page.format(words="", engine="postgresql")), wrong, database)) == 1


def test_control_lines_are_joined_and_exit_codes_read() -> None:
    """What a command shows goes with it; other commands are left alone."""
    body = "$ heedful recall \\\n>   --json 'x'\n{}\n…\n$ ls\nfile\n$ heedful verify # exit 3\n"
    assert rules.console_commands(body) == [
        rules.Command("heedful recall --json 'x'", 0, ["{}"]),
        rules.Command("heedful verify", 3, []),
    ]


def test_control_a_line_that_is_not_printed_is_found() -> None:
    """Ids, times and positions may differ, order and words may not; an id of the page is learnt once, and kept."""
    page_id, other_id = "01981f6e-0000-7000-8000-000000000001", "01a2290c-ee04-7ba3-9051-fa77dda92d1f"
    ids: dict[str, str] = {}
    printed = f"kept {other_id} (#7)\nat 2026-11-29T20:44:02.948650Z\nthe end of it\n"
    shown = [f"kept {page_id} (#1)", "at 2026-01-01T00:00:00Z", "the … it"]
    assert rules.lines_not_printed(shown, printed, ids) == []
    assert ids == {page_id: other_id}
    assert rules.with_ids(f"show {page_id}", ids) == f"show {other_id}"
    assert rules.lines_not_printed([f"kept {page_id} (#1)"], f"kept {page_id} (#7)", ids) != []
    assert rules.lines_not_printed(["the end of it", "at 2026-01-01T00:00:00Z"], printed, ids) != []
    assert rules.lines_not_printed(["the beginning"], printed, ids) == ["the beginning"]


def test_control_a_page_that_shows_what_is_not_printed_fails(tmp_path: Path) -> None:
    """The check of what is shown is part of running a page."""
    page = "```console\n$ heedful --version\nno version at all\n```\n"
    assert len(run_page(rules.fences(page), tmp_path)) == 1
