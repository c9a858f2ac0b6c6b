"""The command as a process: which store it finds, and what it does to a terminal, a pipe and an odd locale."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
import unicodedata
from pathlib import Path

import pytest
from command_line import SECONDS_MAX, CommandLine, bare_fixture, heedful_fixture, transcript  # noqa: F401  # pytest finds the fixtures here

HOSTILE = "red \x1b[31m, c1 \x9b31m, bidi \u202e\u2066, bell \a, back \b, ret \rX, tag \U000e0041, :bomb: 冻结"
PLAIN = "C", "POSIX"

# The number of the system call `read`, on x86-64 and on arm64.
READ_CALLS = frozenset({"0", "63"})


def is_raw(text: str) -> list[str]:
    """Characters that control a terminal or turn its text around."""
    return [
        character for character in text if character not in "\n\t" and unicodedata.category(character) in ("Cc", "Cf")
    ]


def test_python_m_heedful_is_heedful(bare: CommandLine) -> None:
    """The module and the script answer alike."""
    script = Path(sys.executable).parent / "heedful"
    by_script = subprocess.run([script, "--version"], capture_output=True, check=True, timeout=SECONDS_MAX)

    assert bare.process("--version").stdout == by_script.stdout


def test_the_store_is_found_upward_by_option_and_by_environment(heedful: CommandLine, tmp_path: Path) -> None:
    """The option before the environment, the environment before the folder; the store folder itself will do."""
    deep = heedful.folder / "a" / "b"
    deep.mkdir(parents=True)
    other = tmp_path / "other"
    other.mkdir()
    heedful("init", str(other), "--scope", "project:other")

    def scope(*args: str, where: Path, named: Path | None = None) -> list[str]:
        env = {} if named is None else {"HEEDFUL_STORE": str(named)}
        answer = heedful(*args, "status", "--json", where=where, env=env)
        assert answer.code == 0, answer
        found: list[str] = answer.json["default_scope"]
        return found

    assert scope(where=deep) == ["project:payments"]
    assert scope("--store", str(other), where=deep) == ["project:other"]
    assert scope(where=deep, named=other / ".heedful") == ["project:other"]
    assert scope("--store", str(heedful.folder), where=other, named=other) == ["project:payments"]
    assert heedful("status", where=tmp_path).code == 4
    assert heedful("--store", str(tmp_path), "status").code == 4, "a named store is never another one"


def test_a_process_answers_errors_as_json(heedful: CommandLine) -> None:
    """The whole of standard output is one document, and the exit code is the category's."""
    answer = heedful.process("why", "nothing", "--json")

    assert (answer.returncode, answer.stderr) == (4, b"")
    assert json.loads(answer.stdout)["error"]["code"] == "item_not_found"


@pytest.mark.parametrize(
    "args",
    [
        ("recall", "red frozen"),
        ("recall", "red frozen", "--prompt"),
        ("review", "list"),
        ("status",),
        ("show",),
        ("why",),
    ],
    ids=" ".join,
)
def test_hostile_text_never_reaches_the_terminal_raw(
    heedful: CommandLine, tmp_path: Path, args: tuple[str, ...]
) -> None:
    """Escapes, C1 controls and bidirectional marks are shown, in words and in JSON, whoever wrote them."""
    heedful("import", str(transcript(tmp_path / "t.jsonl", HOSTILE)))
    kept = heedful("remember", HOSTILE + " frozen", "-k", "release.freeze", "--json").json
    item = kept["claims"][0]["claim_id"]
    given = {"show": ("review", "show", item), "why": ("why", item)}.get(args[0], args)
    words, programs = heedful.process(*given).stdout.decode(), heedful.process(*given, "--json").stdout.decode()

    assert is_raw(words) == []
    assert is_raw(programs) == []
    if args[0] != "status":
        assert ":bomb:" in words
        assert "冻结" in words
        assert "\\u202e" in programs or "u202e" in programs


def test_the_control_raw_text_is_noticed() -> None:
    """The check itself sees what it looks for."""
    assert len(is_raw(HOSTILE)) == 8


@pytest.mark.parametrize("more", ["", "--json", "--prompt"])
@pytest.mark.parametrize("reader", ["head -1", "true"])
def test_a_reader_that_goes_away_is_no_failure_of_ours(heedful: CommandLine, more: str, reader: str) -> None:
    """No trace, whether it read one line or none."""
    for number in range(3):
        heedful("remember", f"the cache lies {number} " + "and so do its logs " * 3_000)
    answer = heedful.shell(f"heedful recall 'cache lies' --budget 60000 {more} | {reader}")

    assert answer.stderr == b""
    assert answer.returncode in (0, 141)


@pytest.mark.parametrize(
    "args",
    [("remember", "kept"), ("remember", "kept", "--json"), ("status",), ("judge", "Bash"), ("--help",)],
    ids=" ".join,
)
def test_a_pipe_that_is_closed_is_no_answer_of_no(heedful: CommandLine, args: tuple[str, ...]) -> None:
    """It has a code of its own, that of SIGPIPE, and no trace; what was asked for is done."""
    reading, writing = os.pipe()
    os.close(reading)
    answer = _writing_to(heedful, writing, *args)

    assert (answer.returncode, answer.stderr) == (141, b"")
    if args[0] == "remember":
        assert heedful("recall", "kept", "--json").json["items"]


@pytest.mark.parametrize("args", [("remember", "kept"), ("remember", "kept", "--json"), ("--version",)], ids=" ".join)
def test_an_answer_that_cannot_be_written_has_a_code_of_its_own(heedful: CommandLine, args: tuple[str, ...]) -> None:
    """A full disk behind standard output is told by 74 and no trace; what was asked for is done."""
    answer = _writing_to(heedful, os.open("/dev/full", os.O_WRONLY), *args)

    assert (answer.returncode, answer.stderr) == (74, b"")
    if args[0] == "remember":
        assert heedful("recall", "kept", "--json").json["items"]


def test_an_error_keeps_its_code_where_it_cannot_be_shown(heedful: CommandLine) -> None:
    """In JSON on a standard output that is full, and in words on a standard error that is."""
    assert _writing_to(heedful, os.open("/dev/full", os.O_WRONLY), "why", "nothing", "--json").returncode == 4
    assert heedful.shell("heedful why nothing 2>/dev/full").returncode == 4
    assert heedful.shell("heedful recall 2>/dev/full").returncode == 2


def _writing_to(heedful: CommandLine, descriptor: int, *args: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            [sys.executable, "-m", "heedful", *args],
            cwd=heedful.folder,
            env=dict(heedful.environment),
            stdin=subprocess.DEVNULL,
            stdout=descriptor,
            stderr=subprocess.PIPE,
            timeout=SECONDS_MAX,
            check=False,
        )
    finally:
        os.close(descriptor)


def test_ctrl_c_ends_a_command_without_a_trace(heedful: CommandLine) -> None:
    """130, while it waits for its text."""
    child = subprocess.Popen(
        [sys.executable, "-m", "heedful", "remember", "-"],
        cwd=heedful.folder,
        env=dict(heedful.environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    deadline = time.monotonic() + SECONDS_MAX
    while not _waits_for_input(child.pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=SECONDS_MAX)

    assert (child.returncode, out, err) == (130, b"", b"")


def _waits_for_input(pid: int) -> bool:
    """True where the process is in a read of its standard input."""
    try:
        called, first, *_others = Path(f"/proc/{pid}/syscall").read_text().split()
    except (OSError, ValueError):
        return False
    return called in READ_CALLS and first == "0x0"


@pytest.mark.parametrize("args", [("status",), ("init",), ("--store", "x", "status")], ids=" ".join)
def test_a_current_folder_that_is_gone_has_no_store(bare: CommandLine, args: tuple[str, ...]) -> None:
    """A sentence and its code, no trace."""
    (bare.folder / "gone").mkdir()
    answer = bare.shell(f"cd gone && rmdir ../gone && heedful {' '.join(args)}")

    assert answer.returncode == 4, answer
    assert b"[store_not_found]" in answer.stderr
    assert b"Traceback" not in answer.stderr


@pytest.mark.parametrize("args", [("recall", "--no\u202esuch"), ("no\x1b[31m\u202esuch",)], ids=ascii)
def test_usage_errors_show_what_was_typed_without_its_controls(heedful: CommandLine, args: tuple[str, ...]) -> None:
    """Escapes and bidirectional marks of an argument reach no terminal."""
    answer = heedful.process(*args)

    assert answer.returncode == 2
    assert is_raw(answer.stderr.decode()) == []
    assert "202e" in answer.stderr.decode()


def test_an_error_shows_no_secret_that_was_typed(heedful: CommandLine) -> None:
    """Not in words and not in JSON, also where the error was made in a place that knows nothing of secrets."""
    secret = "ghp_Zx9Qw8Er7Ty6Ui5Op4As3Df2Gh1JkLmNbVc0"
    for args in (("why", secret), ("remember", "x", "-k", secret), ("recall", "x", "--as-of", secret)):
        words, programs = heedful(*args), heedful(*args, "--json")
        assert secret not in words.out + words.err + programs.out + programs.err, args
        assert words.code == programs.code != 0


@pytest.mark.parametrize(
    "locale",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "POSIX"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "latin-1"},
    ],
    ids=str,
)
def test_an_odd_locale_loses_no_answer(heedful: CommandLine, locale: dict[str, str]) -> None:
    """What the terminal can't show is escaped; JSON is UTF-8 whatever the locale says."""
    heedful("remember", "the cache lies: 冻结 é")
    words = heedful.process("recall", "cache", env=locale)
    programs = heedful.process("recall", "cache", "--json", env=locale)

    assert (words.returncode, words.stderr) == (0, b"")
    assert b"the cache lies" in words.stdout
    assert json.loads(programs.stdout.decode("utf-8"))["items"][0]["text"] == "the cache lies: 冻结 é"


def test_bytes_that_are_no_text_on_the_command_line_are_refused(heedful: CommandLine) -> None:
    """In a process, where they come from."""
    answer = heedful.process("remember", b"bad \xff", "--json")

    assert (answer.returncode, answer.stderr) == (2, b"")
    assert json.loads(answer.stdout)["error"]["code"] == "text_lone_surrogate"


def on_a_terminal(heedful: CommandLine, *args: str, **changes: str) -> str:
    """What a person would see."""
    leader, follower = pty.openpty()
    environment = {**heedful.environment, "TERM": "xterm-256color", "COLUMNS": "80", **changes}
    command = [sys.executable, "-m", "heedful", *args]
    child = subprocess.Popen(command, cwd=heedful.folder, env=environment, stdout=follower, stderr=follower)
    os.close(follower)
    seen = b""
    try:
        while chunk := os.read(leader, 65_536):
            seen += chunk
    except OSError:  # Linux says so where the other end is closed
        pass
    os.close(leader)
    child.wait(SECONDS_MAX)
    return seen.decode()


def test_colour_is_for_terminals_that_want_it(heedful: CommandLine) -> None:
    """Green on a terminal; none with NO_COLOR, and none in a pipe."""
    args = ("remember", "the cache lies")

    assert "\x1b[32m" in on_a_terminal(heedful, *args)
    assert "\x1b[3" not in on_a_terminal(heedful, *args, NO_COLOR="1")
    assert b"\x1b" not in heedful.process(*args).stdout


def test_ids_stand_whole_on_a_narrow_terminal(heedful: CommandLine) -> None:
    """They are there to be copied."""
    kept = heedful("remember", "frozen", "-k", "release.freeze", "--json").json

    assert kept["claims"][0]["claim_id"] in on_a_terminal(heedful, "review", "list", COLUMNS="60", NO_COLOR="1")


def test_an_import_shows_its_progress_on_a_terminal_alone(heedful: CommandLine, tmp_path: Path) -> None:
    """On standard error, gone at the end; JSON and pipes have none."""
    path = transcript(tmp_path / "t.jsonl", *(f"message {number}" for number in range(50)))
    seen = on_a_terminal(heedful, "import", str(path))

    assert "importing t.jsonl" in seen
    assert "50 records kept" in seen
    assert heedful.process("import", str(path)).stderr == b""
