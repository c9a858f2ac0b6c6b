"""Finding a trace's format, and reading a file as a stream of lines."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
from transcripts import LinesSource, agent, as_lines, text, user

from heedful.integrations.importers.claude_code.importer import ClaudeCodeImporter
from heedful.integrations.importers.detect import FIRST_LINES_MAX, FileTraceSource, detect, first_lines
from heedful.integrations.importers.json_rows import LINE_BYTES_MAX
from heedful.kernel.errors import UnavailableError, UnsupportedError
from heedful.ports.importer import ImportProblem

ROWS = as_lines([user("u1", None, 1, "hello"), agent("a1", "u1", 2, text("hi"))])


@pytest.mark.parametrize(
    "lines",
    [
        ROWS,
        (b"", b"\xff broken", *ROWS[:1]),
        (b'{"type":"summary","summary":"x","leafUuid":"u"}',),
        (b'{"type":"file-history-snapshot","messageId":"m","snapshot":{}}',),
        (b'{"type":"queue-operation","operation":"enqueue","sessionId":"s"}',),
    ],
)
def test_a_claude_code_session_is_recognised(lines: tuple[bytes, ...]) -> None:
    """One row of it is enough."""
    assert detect(LinesSource(lines), [ClaudeCodeImporter()]).name == "claude-code"


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{",
        b"[]",
        b'{"type":"session_meta","timestamp":"2026-01-02T03:04:05Z","payload":{"id":"x"}}',
        b'{"type":"user","message":{"role":"user","content":"hi"}}',
        b'{"kind":"MessageEvent","id":"x","source":"user"}',
        b'{"type":["user"],"uuid":"u","sessionId":"s","parentUuid":null}',
    ],
)
def test_any_other_trace_is_refused_naming_the_formats_that_are_known(line: bytes) -> None:
    """Codex, OpenHands, plain JSON and nothing at all are not Claude Code."""
    with pytest.raises(UnsupportedError, match="claude-code") as caught:
        detect(LinesSource((line,)), [ClaudeCodeImporter()])
    assert caught.value.code == "trace_format_unknown"
    with pytest.raises(UnsupportedError, match="none"):
        detect(LinesSource((line,)), [])


def test_a_file_gives_its_lines_without_their_ends(tmp_path: Path) -> None:
    """Unix and Windows ends, an empty line, and a last line that has none."""
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"one\ntwo\r\n\nlast")
    source = FileTraceSource(path)
    assert list(source.lines()) == list(source.lines()) == [b"one", b"two", b"", b"last"]
    assert (source.name, source.size_bytes()) == ("s.jsonl", 14)
    assert first_lines(source) == (b"one", b"two", b"", b"last")


def test_no_more_than_the_first_lines_are_looked_at(tmp_path: Path) -> None:
    """A recogniser never sees a whole file."""
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"x\n" * (FIRST_LINES_MAX + 1))
    assert len(first_lines(FileTraceSource(path))) == FIRST_LINES_MAX


def test_a_session_that_still_grows_reads_alike_twice(tmp_path: Path) -> None:
    """What is written after the source was made is left for the next import."""
    path = tmp_path / "s.jsonl"
    path.write_bytes(ROWS[0] + b"\n" + ROWS[1][:30])
    source = FileTraceSource(path)
    with path.open("ab") as file:
        file.write(ROWS[1][30:] + b"\n")
    found = list(ClaudeCodeImporter().read(source))
    assert [type(one).__name__ for one in found] == ["ImportedItem", "ImportProblem"]
    assert len(list(ClaudeCodeImporter().read(FileTraceSource(path)))) == 2


@pytest.mark.parametrize("over", [1, 2, 3, 5_000_000])
def test_a_line_over_the_limit_never_reaches_memory_whole(tmp_path: Path, over: int) -> None:
    """It is cut, told as a problem, and the next line is read."""
    path = tmp_path / "s.jsonl"
    with path.open("wb") as file:
        file.truncate(LINE_BYTES_MAX + over)
        file.seek(0, 2)
        file.write(b"\n" + ROWS[0] + b"\n")
    tracemalloc.start()
    found = list(ClaudeCodeImporter().read(FileTraceSource(path)))
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert isinstance(found[0], ImportProblem)
    assert (found[0].line_number, found[0].code) == (1, "line_too_long")
    assert found[1].line_number == 2
    assert peak_bytes < 4 * LINE_BYTES_MAX


def test_a_line_of_exactly_the_limit_is_read(tmp_path: Path) -> None:
    """The control of the test above, with a Windows line end on top."""
    path = tmp_path / "s.jsonl"
    path.write_bytes(ROWS[0].ljust(LINE_BYTES_MAX) + b"\r\n" + ROWS[1])
    assert [len(line) for line in FileTraceSource(path).lines()] == [LINE_BYTES_MAX, len(ROWS[1])]
    assert len(list(ClaudeCodeImporter().read(FileTraceSource(path)))) == 2


def test_a_file_that_is_not_there_is_told_from_an_empty_one(tmp_path: Path) -> None:
    """A missing file, or a folder, is a failure; an empty file is a trace without lines."""
    for path in (tmp_path / "missing.jsonl", tmp_path):
        with pytest.raises(UnavailableError) as caught:
            FileTraceSource(path)
        assert caught.value.code == "trace_unreadable"
        assert ("since it is a folder" in caught.value.message) is path.is_dir()
    with pytest.raises(UnavailableError, match=r"the trace '\.' can't be read"):
        FileTraceSource(Path())
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    source = FileTraceSource(empty)
    assert list(source.lines()) == []
    empty.unlink()
    gone = tmp_path / "gone.jsonl"
    gone.write_bytes(b"x")
    source = FileTraceSource(gone)
    gone.unlink()
    with pytest.raises(UnavailableError):
        list(source.lines())
