"""Nothing is left of what was forgotten, whatever class of data and door; and the scan finds what is there."""

from __future__ import annotations

import os
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench_modules import report, residue, residue_scan

WORD = "qwertyuiopasdfghjklzxcvb"


@pytest.fixture(autouse=True)
def own_temporary_folder() -> Iterator[None]:
    """The benchmark has one of its own, so that it can be scanned."""
    before, tempdir = os.environ.get("SQLITE_TMPDIR"), tempfile.tempdir
    yield
    tempfile.tempdir = tempdir
    os.environ.pop("SQLITE_TMPDIR", None)
    if before is not None:
        os.environ["SQLITE_TMPDIR"] = before


def test_four_words_of_each_class_are_gone_from_every_file(tmp_path: Path) -> None:
    """One through each door; each class was in the files when it was planted, which is the control."""
    told = report.Report("residue", {})
    residue.measure(told, tmp_path, "sqlite", 4, quiet=True)
    assert len(told.rows) > 16
    assert [each for each in told.figures if not each.holds(ci=True)] == [], told.notes


@pytest.mark.parametrize("form", sorted(residue_scan.examples()))
def test_each_form_of_a_word_is_found(form: str, tmp_path: Path) -> None:
    """Behind other bytes, over the end of a piece, and in the name of a file; the control: another word is not."""
    (tmp_path / "file").write_bytes(os.urandom(41) + residue_scan.examples()[form] + b".")
    assert residue_scan.Scanner({"a": [WORD]}, with_pglz=True).folder(tmp_path).total() > 0
    assert residue_scan.Scanner({"a": [WORD[::-1]]}, with_pglz=True).folder(tmp_path).total() == 0


def test_pieces_of_twelve_bytes_are_found_wherever_they_begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Eleven are not; neither is anything counted twice where a chunk ends."""
    scanner = residue_scan.Scanner({"a": [WORD]}, with_pglz=False)
    for start in range(len(WORD) - 11):
        assert scanner.content(b"--" + WORD[start : start + 12].encode() + b"--", "x").total() == 1
    assert scanner.content(b"--" + WORD[3:14].encode() + b"--", "x").total() == 0
    monkeypatch.setattr(residue_scan, "CHUNK_BYTES", 256)
    (tmp_path / "file").write_bytes(b"." * 250 + WORD[:12].encode() + b"." * 300)
    assert scanner.folder(tmp_path).total() == 1
    (tmp_path / f"{WORD}.txt").write_bytes(zlib.compress(b"nothing"))
    assert scanner.folder(tmp_path).total() == 1 + len(WORD) - 11
