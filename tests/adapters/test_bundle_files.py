"""Bundle files: what a reading says of how far it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from heedful.adapters.bundle_files import FileBundleSource, FileBundleTarget

LINES = [b"%d %s\n" % (number, bytes(range(97, 123)) * 40) for number in range(5_000)]


@pytest.mark.parametrize("name", ["plain.jsonl", "packed.jsonl.gz"])
def test_done_bytes_goes_from_nothing_to_the_size(tmp_path: Path, name: str) -> None:
    """Of the file as it lies there, packed or not: never back, more than two answers, and each reading from the start."""
    size_bytes = FileBundleTarget(tmp_path / name).write(LINES)
    source = FileBundleSource(tmp_path / name)
    assert (source.size_bytes(), source.done_bytes()) == (size_bytes, 0)
    for _ in range(2):
        done: list[int] = []
        with source.lines() as lines:
            assert source.done_bytes() == 0
            read = []
            for line in lines:
                read.append(line)
                done.append(source.done_bytes())
        assert read == LINES
        assert done == sorted(done)
        assert 0 < done[0] <= done[-1] == size_bytes
        assert len(set(done)) > 2 or name.endswith(".gz")
        assert source.done_bytes() == size_bytes


def test_a_reading_that_was_left_in_between_counts_as_taken(tmp_path: Path) -> None:
    """Nothing more is read of it; the next begins at nothing."""
    FileBundleTarget(tmp_path / "some.jsonl").write(LINES)
    source = FileBundleSource(tmp_path / "some.jsonl")
    with source.lines() as lines:
        next(lines)
        assert 0 < source.done_bytes() < source.size_bytes()
    assert source.done_bytes() == source.size_bytes()
    with source.lines():
        assert source.done_bytes() == 0


def test_a_file_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    """Where its lines fail there is none, nor what was written of it; the control: the same without the failure."""

    def failing() -> object:
        yield from LINES[:2_000]
        raise ValueError("as ordered")

    with pytest.raises(ValueError, match="as ordered"):
        FileBundleTarget(tmp_path / "out").write(failing())  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []
    FileBundleTarget(tmp_path / "out").write(LINES[:2_000])
    assert (tmp_path / "out").read_bytes() == b"".join(LINES[:2_000])
