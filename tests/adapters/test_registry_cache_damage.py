"""Nothing that lies in the cache changes what the registry says: damaged, forged, another's, half written, or none."""

from __future__ import annotations

import fcntl
import multiprocessing
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from kept_registries import DOCUMENTS, OTHER, compiled, forged, put, whole

from heedful.adapters.registry_cache import _PART, CACHE_FILE, cached_registry
from heedful.adapters.registry_files import registry_of

PROCESSES = 4


def _cut(at: float) -> Callable[[bytes], bytes]:
    return lambda content: content[: int(len(content) * at)]


def _flipped(at: float) -> Callable[[bytes], bytes]:
    def flip(content: bytes) -> bytes:
        place = int((len(content) - 1) * at)
        return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]

    return flip


DAMAGES: tuple[Callable[[bytes], bytes], ...] = (
    *(_cut(at) for at in (0, 0.01, 0.5, 0.9, 0.9999)),
    *(_flipped(at) for at in (0, 0.02, 0.1, 0.5, 0.9, 1)),
    lambda content: content + b" ",
    lambda content: b"\0" * len(content),
    lambda content: content.partition(b"\n")[2],
    lambda _: b"x" * 100_000,
    # Key and digest are right, and yet it is none: a writer's fault must not keep a store shut.
    lambda _: forged(DOCUMENTS, b""),
    lambda _: forged(DOCUMENTS, b"{}\n[]"),
    lambda _: forged(DOCUMENTS, b"[]\n[[{},{}],[{},{}],[{},{}],[{},{}]]"),
    lambda _: forged(DOCUMENTS, b"{}\n[[{},{}],[{},{}],[{},{}],[{},{}]]"),
    lambda _: forged(DOCUMENTS, b'{"packs": 1}\n[[{},{}],[{},{}],[{},{}],[{},{}]]'),
    lambda _: forged(DOCUMENTS, b"\xff\n\xff"),
)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_cache_is_parsed_anew_and_mended(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    """The forged content would come back if it were whole: so each damage was noticed."""
    sound = forged(DOCUMENTS, compiled(DOCUMENTS))
    file = put(tmp_path, damage(forged(DOCUMENTS, compiled(OTHER))))
    assert whole(cached_registry(DOCUMENTS, tmp_path)) == whole(registry_of(DOCUMENTS))
    assert file.read_bytes() == sound


def test_what_another_could_have_written_is_not_read(tmp_path: Path) -> None:
    """A file that others may write, a link, a pipe: who may not write the registry must not decide what it says."""
    file = put(tmp_path / "cache", forged(DOCUMENTS, compiled(OTHER)))
    assert cached_registry(DOCUMENTS, tmp_path / "cache") == registry_of(OTHER), "the control"
    file.chmod(0o660)
    assert cached_registry(DOCUMENTS, tmp_path / "cache") == registry_of(DOCUMENTS)
    target = put(tmp_path / "elsewhere", forged(DOCUMENTS, compiled(OTHER)))
    file.unlink()
    file.symlink_to(target)
    assert cached_registry(DOCUMENTS, tmp_path / "cache") == registry_of(DOCUMENTS)
    assert target.read_bytes() == forged(DOCUMENTS, compiled(OTHER)), "nor is anything written through it"
    file.unlink()
    os.mkfifo(file)
    assert cached_registry(DOCUMENTS, tmp_path / "cache") == registry_of(DOCUMENTS)


def _file_for_folder(folder: Path) -> None:
    folder.touch()


def _folder_for_part(folder: Path) -> None:
    (folder / _PART).mkdir(parents=True)


def _folder_for_file(folder: Path) -> None:
    (folder / CACHE_FILE).mkdir(parents=True)


def _no_parent(folder: Path) -> None:
    folder.parent.rmdir()


@pytest.mark.parametrize("spoil", [_file_for_folder, _folder_for_part, _folder_for_file, _no_parent])
def test_where_nothing_can_be_kept_the_registry_is_parsed(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    """As in a store's folder that may only be read: no error, and nothing is left behind."""
    folder = tmp_path / "store" / "cache"
    folder.parent.mkdir()
    spoil(folder)
    before = sorted(tmp_path.rglob("*"))
    for _ in range(2):
        assert cached_registry(DOCUMENTS, folder) == registry_of(DOCUMENTS)
    assert sorted(tmp_path.rglob("*")) == before


def test_while_another_writes_nothing_is_written_and_a_killed_ones_half_is_replaced(tmp_path: Path) -> None:
    """The lock goes with its process; what that left under the other name is never read."""
    (tmp_path / _PART).write_bytes(forged(DOCUMENTS, compiled(OTHER))[:200])
    held = os.open(tmp_path, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert cached_registry(DOCUMENTS, tmp_path) == registry_of(DOCUMENTS)
        assert [each.name for each in tmp_path.iterdir()] == [_PART]
    finally:
        os.close(held)
    assert cached_registry(DOCUMENTS, tmp_path) == registry_of(DOCUMENTS)
    assert [each.name for each in tmp_path.iterdir()] == [CACHE_FILE]
    assert (tmp_path / CACHE_FILE).read_bytes() == forged(DOCUMENTS, compiled(DOCUMENTS))


def _revision(folder: str) -> str:
    return str(cached_registry(DOCUMENTS, Path(folder)).revision)


def test_several_processes_open_at_once(tmp_path: Path) -> None:
    """Each has the registry, and one whole file is there afterwards."""
    with multiprocessing.get_context("spawn").Pool(PROCESSES) as pool:
        found = pool.map(_revision, [str(tmp_path)] * PROCESSES * 2)
    assert set(found) == {registry_of(DOCUMENTS).revision}
    assert [each.name for each in tmp_path.iterdir()] == [CACHE_FILE]
    assert (tmp_path / CACHE_FILE).read_bytes() == forged(DOCUMENTS, compiled(DOCUMENTS))
