"""What was cut, edited, mixed or made too long is refused with a code and its line, and nothing of it is kept."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from ledger_moves import bring, key_in, memory, place
from worlds import DEPLOY, QUESTION, world

from heedful.adapters.bundle_files import FileBundleSource
from heedful.bootstrap import App
from heedful.kernel.errors import HeedfulError, InvalidInputError
from heedful.ledger.bundle import read_bundle

Lines = list[bytes]
REFUSED = {"bundle_damaged", "bundle_malformed"}


def small(folder: Path, words: str) -> Lines:
    """The lines of a small ledger with a content, a claim, a verdict and a packet."""
    folder.mkdir(parents=True)
    with world(folder, inline_bytes_max=64) as house:
        house.ana.remember(f"{words} in a content that lies in the blob store, for it is over the limit of this test")
        house.freeze(words)
        house.agent.recall(QUESTION, impact="execute")
        house.agent.recall(words, impact="execute")
        house.agent.judge("Bash", DEPLOY)
        house.ana.export_ledger(folder / "out.jsonl")
    return (folder / "out.jsonl").read_bytes().splitlines(keepends=True)


@pytest.fixture(scope="module", name="folder")
def folder_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where two small stores lie."""
    return tmp_path_factory.mktemp("small")


@pytest.fixture(scope="module", name="lines")
def lines_fixture(folder: Path) -> Lines:
    """One of them, undamaged."""
    return small(folder / "one", "Nothing ships before the audit ends. 审计")


@pytest.fixture(scope="module", name="others")
def others_fixture(folder: Path) -> Lines:
    """The other."""
    return small(folder / "two", "Everything ships on Monday.")


@pytest.fixture(scope="module", name="empty")
def empty_fixture(folder: Path, lines: Lines) -> Iterator[App]:
    """A store that nothing comes to, with the key of the first."""
    (folder / "here" / "keys").mkdir(parents=True)
    key = key_in(folder / "one", folder / "one" / "out.jsonl")
    (folder / "here" / "keys" / key.name).write_bytes(key.read_bytes())
    with place(folder / "here") as app:
        yield app


def refused(app: App, folder: Path, damaged: bytes, codes: set[str] = REFUSED) -> HeedfulError:
    """The error of the import, which left nothing."""
    file = folder / "damaged.jsonl"
    file.write_bytes(damaged)
    with pytest.raises(HeedfulError) as raised:
        bring(app, file)
    assert raised.value.code in codes, raised.value.message
    assert app.store.tenants() == ()
    return raised.value


def matching(lines: Lines) -> bytes:
    """The lines with a trailer whose digest fits them: whoever damages a file on purpose can do that."""
    trailer = json.loads(lines[-1])
    trailer["sha256"] = hashlib.sha256(b"".join(lines[:-1])).hexdigest()
    return b"".join(lines[:-1]) + json.dumps(trailer, separators=(",", ":")).encode() + b"\n"


def test_control_the_undamaged_file_comes(folder: Path, lines: Lines, tmp_path: Path) -> None:
    """So each refusal below is of the damage. Every kind of line is in it."""
    assert {json.loads(line)["line"] for line in lines} == {"header", "blob", "event", "trailer"}
    assert b"".join(lines) == matching(lines)
    file = tmp_path / "whole.jsonl"
    file.write_bytes(matching(lines))
    with place(tmp_path) as app:
        bring(app, file, keys_of=folder / "one")
        assert memory(app).verify(views=True).holds


def test_a_file_that_was_cut_anywhere_is_refused(folder: Path, lines: Lines, empty: App) -> None:
    """After each line, in the middle of each, and before its line end."""
    before = 0
    for number, line in enumerate(lines, 1):
        for cut in {before, before + len(line) // 2, before + len(line) - 1}:
            error = refused(empty, folder, b"".join(lines)[:cut])
            if before:
                assert error.details["line"] == number
        before += len(line)


@pytest.mark.parametrize("with_trailer", [False, True])
def test_a_line_left_out_repeated_or_moved_is_refused(
    folder: Path, lines: Lines, empty: App, with_trailer: bool
) -> None:
    """Each line; also where the trailer was made to fit."""
    seal: Callable[[Lines], bytes] = matching if with_trailer else b"".join
    for place_ in range(len(lines) - 1):
        refused(empty, folder, seal(lines[:place_] + lines[place_ + 1 :]))
        refused(empty, folder, seal(lines[: place_ + 1] + lines[place_:]))
        if place_ + 2 < len(lines):
            swapped = [*lines[:place_], lines[place_ + 1], lines[place_], *lines[place_ + 2 :]]
            refused(empty, folder, seal(swapped))


def test_a_byte_changed_in_any_line_is_refused(folder: Path, lines: Lines, empty: App) -> None:
    """Several places of each line."""
    for number, line in enumerate(lines):
        for place_ in range(3, len(line), max(1, len(line) // 7)):
            changed = line[:place_] + bytes([line[place_] ^ 1]) + line[place_ + 1 :]
            refused(
                empty, folder, b"".join([*lines[:number], changed, *lines[number + 1 :]]), {*REFUSED, "bundle_newer"}
            )


def test_an_event_edited_by_hand_is_refused_though_the_trailer_fits(folder: Path, lines: Lines, empty: App) -> None:
    """Every field of every event, its envelope, its payload; and what a blob or the header says of the chains."""
    for number, line in enumerate(lines[:-1]):
        row = json.loads(line)
        for path in _fields(row):
            if row["line"] == "header" and path[0] in ("name", "created_at_us", "registry_revision"):
                continue  # for people, and outside of the chain: docs/move.md says so
            edited = json.loads(line)
            _change(edited, path)
            changed = json.dumps(edited, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
            codes = {*REFUSED, "bundle_newer"}
            refused(empty, folder, matching([*lines[:number], changed, *lines[number + 1 :]]), codes)


def _fields(row: dict[str, object]) -> Iterator[tuple[str, ...]]:
    for name, value in row.items():
        yield from ((name, *rest) for rest in _fields(value)) if isinstance(value, dict) else [(name,)]


def _change(row: dict[str, object], path: tuple[str, ...]) -> None:
    name, *rest = path
    value = row[name]
    if rest:
        assert isinstance(value, dict)
        _change(value, tuple(rest))
    elif isinstance(value, int):
        row[name] = value + 1
    elif isinstance(value, str):
        row[name] = ("B" if value[:1] == "A" else "A") + value[1:]
    else:
        row[name] = "x"


def test_lines_of_two_ledgers_do_not_mix(folder: Path, lines: Lines, others: Lines, empty: App) -> None:
    """Each line of the one in the place of the other's, and one after the other."""
    for number in range(min(len(lines), len(others)) - 1):
        refused(empty, folder, matching([*lines[:number], others[number], *lines[number + 1 :]]))
    refused(empty, folder, b"".join(lines + others))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"{}\n",
        b"not json\n",
        b"\x00" * 100,
        b"[" * 100_000,
        b'{"line":"header"}\n',
        b"\xff\xfe\n",
        b"SQLite",
    ],
)
def test_what_is_no_ledger_file_is_refused(folder: Path, empty: App, content: bytes) -> None:
    """Anything at all."""
    refused(empty, folder, content)


def test_spelling_a_line_otherwise_is_refused(folder: Path, lines: Lines, empty: App) -> None:
    """Spaces, a repeated or an unknown key: nothing can hide in a line that says the same."""
    for number, line in enumerate(lines[:-1]):
        for changed in (
            line.replace(b":", b": ", 1),
            line[:-2] + b',"more":1}\n',
            line.replace(b'{"line"', b'{"line":"x","line"', 1),
            b" " + line,
            line[:-1] + b" \n",
            line[:-1] + b"\r\n",
        ):
            refused(empty, folder, matching([*lines[:number], changed, *lines[number + 1 :]]))


def test_a_packed_file_that_was_damaged_is_refused(folder: Path, lines: Lines, empty: App) -> None:
    """Cut anywhere, or a byte of it changed."""
    packed = gzip.compress(b"".join(lines), mtime=0)
    for cut in range(3, len(packed), len(packed) // 23):
        refused(empty, folder, packed[:cut])
    for place_ in range(12, len(packed), len(packed) // 23):
        refused(empty, folder, packed[:place_] + bytes([packed[place_] ^ 0x55]) + packed[place_ + 1 :])


def test_a_line_that_is_too_long_never_reaches_memory(folder: Path, lines: Lines, empty: App, tmp_path: Path) -> None:
    """`bundle_line_too_long`, with its line and the limit; one byte shorter is read."""
    file = tmp_path / "long.jsonl"
    file.write_bytes(b"".join(lines))
    longest = max(map(len, lines))
    with FileBundleSource(file, line_bytes_max=longest).lines() as read:
        assert list(read) == lines
    with FileBundleSource(file, line_bytes_max=longest - 1).lines() as read, pytest.raises(InvalidInputError) as raised:
        list(read_bundle(read))
    assert raised.value.code == "bundle_line_too_long"
    assert raised.value.details["limit"] == longest - 1
    sparse = tmp_path / "sparse.jsonl"
    with sparse.open("wb") as written:
        written.write(lines[0])
        written.truncate(200_000_000)
    with pytest.raises(InvalidInputError) as raised:
        bring(empty, sparse)
    assert (raised.value.code, raised.value.details["line"]) == ("bundle_line_too_long", 2)


def test_a_file_of_a_newer_release_is_told_from_a_damaged_one(folder: Path, lines: Lines, empty: App) -> None:
    """`bundle_newer`, whatever else is in its header."""
    newer = lines[0].replace(b'"format":1', b'"format":2').replace(b'"name"', b'"names"')
    refused(empty, folder, newer + b"".join(lines[1:]), {"bundle_newer"})


@pytest.mark.parametrize("what", ["folder", "missing"])
def test_what_can_not_be_read_is_unavailable(empty: App, tmp_path: Path, what: str) -> None:
    """`bundle_unavailable`."""
    path = tmp_path if what == "folder" else tmp_path / "missing"
    with pytest.raises(HeedfulError) as raised:
        bring(empty, path)
    assert raised.value.code == "bundle_unavailable"
