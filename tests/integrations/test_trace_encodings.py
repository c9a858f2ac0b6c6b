"""Traces in UTF-16 and UTF-32, as PowerShell and spreadsheets write them: read by their mark, or told plainly."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest
from transcripts import agent, as_lines, text, user

from heedful import Memory
from heedful.integrations.importers.claude_code.importer import ClaudeCodeImporter
from heedful.integrations.importers.detect import FileTraceSource, detect, first_lines
from heedful.integrations.importers.encoded import likely_encoding
from heedful.integrations.importers.json_rows import LINE_BYTES_MAX
from heedful.kernel.errors import UnsupportedError
from heedful.settings import Settings

SAID = "支付服务已冻结。 مرحبا 🚀 \u2028 é"
LINES = as_lines([user("u1", None, 1, SAID), agent("a1", "u1", 2, text("好的"))])
TEXT = b"\r\n".join(LINES).decode("utf-8") + "\r\n"
ENCODINGS = {
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
}


def written(folder: Path, encoding: str, said: str = TEXT, *, mark: bool = True) -> Path:
    path = folder / "session.jsonl"
    path.write_bytes(ENCODINGS[encoding] * mark + said.encode(encoding, "surrogatepass"))
    return path


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_trace_with_a_mark_is_read_as_the_same_in_utf8(tmp_path: Path, encoding: str) -> None:
    """Line for line, and as the same records: importing both adds nothing."""
    plain = tmp_path / "plain.jsonl"
    plain.write_bytes(TEXT.encode())
    path = written(tmp_path, encoding)
    assert list(FileTraceSource(path).lines()) == list(FileTraceSource(plain).lines()) == list(LINES)
    given = Settings(keys_dir=str(tmp_path / "keys"), principal="person:ana", router="none")
    with Memory.init(tmp_path / "store", scope=["project:payments"], settings=given) as memory:
        first, again = memory.import_trace(path), memory.import_trace(plain)
    assert (first.importer, first.admitted, first.problems) == ("claude-code", 2, ())
    assert (again.admitted, again.duplicates) == (0, 2)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_without_a_mark_it_is_told_what_to_convert(tmp_path: Path, encoding: str) -> None:
    """The encoding is named, as iconv calls it."""
    path = written(tmp_path, encoding, mark=False)
    with pytest.raises(UnsupportedError) as caught:
        detect(FileTraceSource(path), [ClaudeCodeImporter()])
    assert caught.value.code == "trace_encoding_unknown"
    name = encoding.upper().replace("-LE", "LE").replace("-BE", "BE")
    assert caught.value.details == {"encoding": name}
    assert f"iconv -f {name} -t UTF-8" in (caught.value.next_step or "")


@pytest.mark.parametrize(
    "start", [b"", b"{", b"{\0", b'{"a":1}', b"\0\0\0\0\0\0\0\0", b"SQLite format 3\0", b"\x00{\x00"]
)
def test_control_other_beginnings_name_no_encoding(start: bytes) -> None:
    """ASCII, nothing, NULs alone, a database, and too little to tell."""
    assert likely_encoding(start) is None


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_what_is_damaged_spoils_no_other_line(tmp_path: Path, encoding: str) -> None:
    """Half of a pair is kept as its escape; a character cut in two at the end is U+FFFD."""
    path = written(tmp_path, encoding, '{"a":"x\ud83dy"}\n{"b":1}\n')
    path.write_bytes(path.read_bytes() + b"\x01")
    assert list(FileTraceSource(path).lines()) == [b'{"a":"x\\ud83dy"}', b'{"b":1}', "\ufffd".encode()]


def test_a_long_line_is_cut_and_what_grows_meanwhile_is_not_read(tmp_path: Path) -> None:
    """As in UTF-8: one byte above the limit, and no more than was there."""
    path = written(tmp_path, "utf-16-le", "x" * (LINE_BYTES_MAX + 9) + "\n支\n")
    source = FileTraceSource(path)
    with path.open("ab") as file:
        file.write("later\n".encode("utf-16-le"))
    lines = list(source.lines())
    assert [len(each) for each in lines] == [LINE_BYTES_MAX + 1, 3]
    assert first_lines(source) == tuple(lines)
