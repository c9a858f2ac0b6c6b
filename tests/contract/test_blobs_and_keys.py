"""Blobs, key rings and file names: whole or not there, apart by tenant, agreed upon by all processes."""

import multiprocessing
import os
import stat
from collections.abc import Iterator
from multiprocessing.queues import Queue
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.adapters.blobs.folder import FolderBlobs, MemoryBlobs
from heedful.adapters.file_names import file_name
from heedful.adapters.keys import FileKeyRing, MemoryKeyRing, read_key
from heedful.adapters.storage.postgres.blobs import PostgresBlobs
from heedful.adapters.storage.postgres.store import PostgresStore
from heedful.kernel.errors import ConflictError, NotFoundError, UnavailableError
from heedful.kernel.ids import TenantId
from heedful.ports.blobs import BlobStore
from heedful.ports.keys import KeyRing
from heedful.ports.store import Tenant
from heedful.testing.builders import NOON_US

ANA, BEN = TenantId("ana"), TenantId("Ana")
_spawn = multiprocessing.get_context("spawn")


@pytest.fixture(params=["memory", "folder", "postgres"])
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[BlobStore]:
    if request.param != "postgres":
        yield MemoryBlobs() if request.param == "memory" else FolderBlobs(tmp_path / "blobs")
        return
    store = PostgresStore.open(request.getfixturevalue("database"))
    for tenant_id in (ANA, BEN):
        store.create_tenant(Tenant(tenant_id, tenant_id, NOON_US))
    yield PostgresBlobs(store)
    store.close()


@pytest.fixture(params=["memory", "folder"])
def keys(request: pytest.FixtureRequest, tmp_path: Path) -> KeyRing:
    return MemoryKeyRing() if request.param == "memory" else FileKeyRing(tmp_path / "keys")


@pytest.mark.parametrize("content", [b"", b"\x00\xff" * 50_000, "过敏 🥜".encode()])
def test_a_blob_comes_back_as_it_went_in(blobs: BlobStore, content: bytes) -> None:
    """Any bytes."""
    blobs.put(ANA, "a" * 64, content)
    assert blobs.get(ANA, "a" * 64) == content


def test_putting_a_name_again_changes_nothing(tmp_path: Path) -> None:
    """The file that is there stays, the very same."""
    blobs = FolderBlobs(tmp_path)
    blobs.put(ANA, "name", b"first")
    (file,) = (path for path in tmp_path.rglob("*") if path.is_file())
    before = file.stat()
    blobs.put(ANA, "name", b"first")
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@pytest.mark.parametrize("damage", [b"", b"firsT", b"first and more"])
def test_a_damaged_blob_is_mended_when_its_content_is_put_again(tmp_path: Path, damage: bytes) -> None:
    """Never acknowledged on the strength of a name alone; no part is left."""
    blobs = FolderBlobs(tmp_path)
    blobs.put(ANA, "name", b"first")
    (file,) = (path for path in tmp_path.rglob("*") if path.is_file())
    file.write_bytes(damage)
    assert blobs.get(ANA, "name") == damage, "the control: the damage is there"
    blobs.put(ANA, "name", b"first")
    assert blobs.get(ANA, "name") == b"first"
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["name"]


@pytest.mark.parametrize("name", ["other", "../ana/na/name", "NAME", "", "\ud800"])
def test_a_blob_of_another_name_or_tenant_is_not_found(blobs: BlobStore, name: str) -> None:
    """`blob_not_found`, also for names that look like paths."""
    blobs.put(ANA, "name", b"x")
    for tenant_id, asked in ((ANA, name), (BEN, "name")):
        with pytest.raises(NotFoundError) as caught:
            blobs.get(tenant_id, asked)
        assert caught.value.code == "blob_not_found"


def test_a_blob_folder_that_cannot_be_used_is_unavailable(tmp_path: Path) -> None:
    """`blob_store_unavailable`, and the message shows no path."""
    (tmp_path / "blobs").write_text("a file in its place")
    broken = FolderBlobs(tmp_path / "blobs")
    for call in (lambda: broken.put(ANA, "n", b""), lambda: broken.get(ANA, "n")):
        with pytest.raises(UnavailableError) as caught:
            call()
        assert caught.value.code == "blob_store_unavailable"
        assert str(tmp_path) not in str(caught.value.to_dict())


def test_what_lies_for_a_whole_tenant_goes_and_nothing_comes_after_it(tmp_path: Path) -> None:
    """`tenant_erased`, also for who has put something there before; another tenant's is as it was; again: nothing."""
    folder = FolderBlobs(tmp_path / "blobs")
    for blobs in (MemoryBlobs(), folder):
        other = FolderBlobs(tmp_path / "blobs") if blobs is folder else blobs
        for each in (blobs, other):
            each.put(ANA, "ab-name", b"planted words")
        blobs.put(BEN, "ab-name", b"Ben's")
        for _ in range(2):
            blobs.delete_tenant(ANA)
            with pytest.raises(NotFoundError):
                other.get(ANA, "ab-name")
            with pytest.raises(ConflictError) as caught:
                other.put(ANA, "ab-name", b"planted words")
            assert caught.value.code == "tenant_erased"
        assert other.get(BEN, "ab-name") == b"Ben's"
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert sorted(path.read_bytes() for path in files) == [b"", b"Ben's"]


def test_a_part_of_a_blob_is_never_left(tmp_path: Path) -> None:
    """Nothing but whole files lies in the folder."""
    blobs = FolderBlobs(tmp_path)
    for _ in range(3):
        blobs.put(ANA, "name", b"x")
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["name"]


def test_a_tenants_key_stays_and_is_its_own(keys: KeyRing) -> None:
    """32 bytes, the same at every call, another for another tenant."""
    key = keys.tenant_key(ANA)
    assert len(key) == 32
    assert keys.tenant_key(ANA) == key
    assert keys.tenant_key(BEN) != key


def test_a_key_is_known_once_it_was_made(keys: KeyRing) -> None:
    """Asking whether there is one makes none; where it lies names no other tenant's place."""
    assert keys.known_key(ANA) is None
    assert keys.known_key(ANA) is None
    key = keys.tenant_key(ANA)
    assert keys.known_key(ANA) == key
    assert keys.known_key(BEN) is None
    assert keys.place(ANA) != keys.place(BEN)


def test_a_key_from_elsewhere_is_kept_and_replaces_none(keys: KeyRing) -> None:
    """`key_taken` where the tenant has another; keeping the same again changes nothing."""
    brought = bytes(range(32))
    keys.keep_key(ANA, brought)
    keys.keep_key(ANA, brought)
    assert keys.known_key(ANA) == keys.tenant_key(ANA) == brought
    own = keys.tenant_key(BEN)
    with pytest.raises(ConflictError) as caught:
        keys.keep_key(BEN, brought)
    assert caught.value.code == "key_taken"
    assert keys.tenant_key(BEN) == own


def test_what_a_killed_process_left_of_a_blob_goes_with_it(tmp_path: Path) -> None:
    """It lies beside it, whole or in part. The control: what somebody else is writing just now stays."""
    blobs = FolderBlobs(tmp_path)
    blobs.put(ANA, "blob-1", b"quayside lanterns")
    folder = next(tmp_path.rglob("blob-1")).parent
    for name in ("left", "now"):
        (folder / f".part-{name}").write_bytes(b"quayside lan")
    os.utime(folder / ".part-left", (0, 0))
    blobs.delete(ANA, "blob-1")
    assert [each.name for each in folder.iterdir()] == [".part-now"]


def test_keys_that_are_destroyed_are_gone_and_nobody_elses(keys: KeyRing, tmp_path: Path) -> None:
    """A tenant's backup key is another than its key; both go, from the ring and from the disk; again: nothing."""
    destroyed = [keys.tenant_key(ANA), keys.backup_key(ANA)]
    kept = keys.tenant_key(BEN), keys.backup_key(BEN)
    assert len({*destroyed, *kept}) == 4
    assert keys.backup_key(ANA) == keys.known_backup_key(ANA) == destroyed[1]
    for _ in range(2):
        keys.destroy(ANA)
        assert (keys.known_key(ANA), keys.known_backup_key(ANA)) == (None, None)
    assert (keys.tenant_key(BEN), keys.known_backup_key(BEN)) == kept
    assert keys.tenant_key(ANA) != destroyed[0]
    left = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert not any(key in left for key in destroyed)


def test_a_key_that_is_read_from_a_file_is_whole(tmp_path: Path) -> None:
    """`keys_unavailable` for what is no file, missing, too short or too long."""
    key = FileKeyRing(tmp_path).tenant_key(ANA)
    assert read_key(Path(FileKeyRing(tmp_path).place(ANA))) == key
    (tmp_path / "short").write_bytes(key[:-1])
    (tmp_path / "long").write_bytes(key + b"x")
    for name in ("short", "long", "missing", "."):
        with pytest.raises(UnavailableError) as caught:
            read_key(tmp_path / name)
        assert caught.value.code == "keys_unavailable"


def test_a_key_outlives_its_ring_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    """Mode 0600, in a folder of 0700."""
    key = FileKeyRing(tmp_path / "keys").tenant_key(ANA)
    assert FileKeyRing(tmp_path / "keys").tenant_key(ANA) == key
    file = next((tmp_path / "keys").iterdir())
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_processes_that_race_for_a_key_agree(tmp_path: Path) -> None:
    """One key, whoever made it."""
    answers: Queue[bytes] = _spawn.Queue()
    processes = [_spawn.Process(target=_ask, args=(tmp_path / "keys", answers)) for _ in range(4)]
    for process in processes:
        process.start()
    found = {answers.get(timeout=60) for _ in processes}
    for process in processes:
        process.join(60)
    assert found == {FileKeyRing(tmp_path / "keys").tenant_key(ANA)}


@pytest.mark.parametrize("damage", ["short", "folder"])
def test_a_key_that_cannot_be_read_is_unavailable(tmp_path: Path, damage: str) -> None:
    """`keys_unavailable`; a new key is never made in its place."""
    FileKeyRing(tmp_path / "keys").tenant_key(ANA)
    file = next((tmp_path / "keys").iterdir())
    if damage == "short":
        file.write_bytes(b"short")
    else:
        file.unlink()
        file.mkdir()
    with pytest.raises(UnavailableError) as caught:
        FileKeyRing(tmp_path / "keys").tenant_key(ANA)
    assert caught.value.code == "keys_unavailable"
    assert str(tmp_path) not in str(caught.value.to_dict())


@given(st.lists(st.text(st.characters()) | st.sampled_from(["a", "A", "=61", "é", "é", "..", "a/b"]), unique=True))
def test_two_names_never_share_a_file(names: list[str]) -> None:
    """Also where the file system folds case; and a file name is short and has no folder in it."""
    files = [file_name(name) for name in names]
    assert len({file.lower() for file in files}) == len(names)
    assert all(file.isascii() and len(file) <= 130 and not set(file) & {"/", "\\", ".", ":"} for file in files)


def _ask(folder: Path, answers: "Queue[bytes]") -> None:
    answers.put(FileKeyRing(folder).tenant_key(ANA))
