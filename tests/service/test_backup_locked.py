"""Encrypted backups: nobody opens one without its secret, nor a tenant whose key was destroyed; no byte can be changed."""

from __future__ import annotations

import json
import shutil
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from backing import SECRET, Lived, home_fixture, opened
from worlds import code_of

from heedful import Memory
from heedful.adapters.backup.locking import ChunkCipher, Secret, new_lock, opened_lock, read_secret
from heedful.adapters.backup.reading import Pieces, open_backup
from heedful.adapters.keys import FileKeyRing
from heedful.bootstrap.backup import back_up
from heedful.kernel.errors import ConflictError, HeedfulError, InvalidInputError
from heedful.kernel.ids import TenantId
from heedful.ledger.backup import END_FORMAT, MAGIC, is_member_name

_SECRET = Secret("key file", SECRET)

__all__ = ("home_fixture",)


def test_it_comes_back_under_its_secret_alone(home: Lived, tmp_path: Path) -> None:
    """And shows nothing of what is in it; the control: the plain one does."""
    assert b"Zanzibar-Q" in home.plain.read_bytes()
    content = home.locked.read_bytes()
    assert not any(each in content for each in (b"Zanzibar-Q", b"SQLite format", "支付".encode(), b"policy.yaml"))
    wrong = tmp_path / "wrong.key"
    wrong.write_bytes(bytes(32))
    assert code_of(lambda: home.restore(tmp_path, home.locked)) == "backup_secret_needed"
    assert code_of(lambda: home.restore(tmp_path, home.locked, key_file=wrong)) == "backup_secret_wrong"
    assert code_of(lambda: home.restore(tmp_path, key_file=home.key_file)) == "backup_not_encrypted"
    came = home.restore(tmp_path, home.locked, key_file=home.key_file)
    assert [each.erasures for each in came.tenants] == [1, 0]


def test_whose_key_was_destroyed_is_read_by_nobody(home: Lived, tmp_path: Path) -> None:
    """The other tenant is; and on a machine without keys nobody is."""
    there = home.elsewhere(tmp_path)
    came = home.restore(tmp_path / "before", home.locked, key_file=home.key_file, settings=there)
    FileKeyRing(tmp_path / "keys" / came.store_id).destroy(TenantId(came.tenants[1].tenant_id))

    choices = {"key_file": home.key_file, "settings": there}
    assert code_of(lambda: home.restore(tmp_path, home.locked, **choices)) == "backup_tenant_locked"
    assert not (tmp_path / ".heedful").exists()
    left = home.restore(tmp_path, home.locked, skip_locked=True, **choices)
    assert ([each.tenant for each in left.tenants], left.left_out) == (["default"], ("支付",))
    with pytest.raises(HeedfulError, match="no tenant"):
        home.memory(tmp_path, "支付", there)


def test_a_tenant_that_was_erased_since_stays_erased(home: Lived, tmp_path: Path) -> None:
    """Left out of a plain backup by the register, and of one with all keys in it; its tombstone comes in its place."""
    shutil.copytree(home.folder / "store", tmp_path / "store")
    there = home.elsewhere(tmp_path)
    secret = Secret("passphrase", b"correct horse battery")
    with opened(there, tmp_path / "store") as app:
        back_up(app, app.session(), tmp_path / "all.backup", secret=secret, with_keys=True, scrypt_log2_n=4)
    with home.memory(tmp_path / "store", "支付", there) as memory:
        memory.forget(tenant="支付")
    with home.memory(tmp_path / "store", settings=there) as memory:
        told = memory.erasures(tmp_path / "since.json")
        assert (told.tenants, told.erased_tenants) == (1, 1)
    (tmp_path / "passphrase").write_bytes(secret.content)
    choices = {"register": [tmp_path / "since.json"], "settings": there}
    for name, more in (("plain", {}), ("all", {"passphrase_file": tmp_path / "passphrase"})):
        source = home.plain if name == "plain" else tmp_path / "all.backup"
        came = home.restore(tmp_path / name, source, **choices, **more)
        assert ([each.tenant for each in came.tenants], came.left_out) == (["default"], ("支付",))
        with pytest.raises(ConflictError, match="was erased"):
            home.memory(tmp_path / name, "支付", there)
        assert not any(b"the audit ends" in path.read_bytes() for path in (tmp_path / name).rglob("*.db*"))
    control = home.restore(tmp_path / "control", settings=there, register=[], without_register=True)
    assert [each.tenant for each in control.tenants] == ["default", "支付"]
    assert any(b"the audit ends" in path.read_bytes() for path in (tmp_path / "control").rglob("*.db*"))


def test_with_its_keys_it_comes_back_on_a_new_machine(home: Lived, tmp_path: Path) -> None:
    """By a passphrase; and another key that is there already is never replaced."""
    secret = Secret("passphrase", "正しい馬 🐴 電池".encode())
    with opened(home.settings, home.folder / "store") as app:
        made = back_up(app, app.session(), tmp_path / "all.backup", secret=secret, with_keys=True, scrypt_log2_n=4)
    assert (made.with_keys, made.secret) == (True, "passphrase")
    (tmp_path / "passphrase").write_bytes(secret.content + b"\n")
    there = home.keyless(tmp_path)
    choices = {"passphrase_file": tmp_path / "passphrase", "settings": there, "register": [], "without_register": True}
    came = home.restore(tmp_path, Path(made.file), **choices)
    assert (came.is_known, came.keys) == (False, "here")
    with home.memory(tmp_path, settings=there) as memory:
        assert memory.remember("The zanzibar replica is gone.").outcome == "admitted"
        assert memory.verify().holds
    key = next((tmp_path / "other-keys").rglob("*.key"))
    key.write_bytes(bytes(32))
    assert code_of(lambda: home.restore(tmp_path / "again", Path(made.file), **choices)) == "key_taken"
    plain = home.restore(
        tmp_path / "keyless", register=[], without_register=True, settings=home.keyless(tmp_path / "x")
    )
    assert (plain.keys, plain.is_known) == ("missing", False)


def test_a_secret_is_long_enough_and_there(tmp_path: Path) -> None:
    """And there is one of them; a line end is none of a passphrase."""
    file = tmp_path / "secret"
    file.write_bytes(b"short\n")
    assert code_of(lambda: read_secret(file, None)) == "backup_secret_unfit"
    assert code_of(lambda: read_secret(None, file)) == "backup_secret_unfit"
    assert code_of(lambda: read_secret(file, file)) == "backup_secret_unfit"
    assert code_of(lambda: read_secret(tmp_path, None)) == "backup_secret_unavailable"
    file.write_bytes(b"correct horse battery\r\n")
    assert read_secret(file, None) == Secret("passphrase", b"correct horse battery")
    lock, key = new_lock(Secret("passphrase", b"correct horse battery"), log2_n=4)
    assert opened_lock(lock, read_secret(file, None)) == key
    assert code_of(lambda: opened_lock(lock, Secret("passphrase", b"correct horse batterz"))) == "backup_secret_wrong"


def test_a_chunk_opens_at_its_own_place_alone() -> None:
    """Not elsewhere, in another part, as the last one, or in another backup."""
    cipher = ChunkCipher(SECRET, 1, b"header")
    sealed = cipher.seal(3, b"content", is_last=False)
    assert cipher.open(3, sealed, is_last=False) == b"content"
    assert cipher.open(2, sealed, is_last=False) is None
    assert cipher.open(3, sealed, is_last=True) is None
    assert cipher.open(3, sealed[:-1], is_last=False) is None
    assert ChunkCipher(SECRET, 2, b"header").open(3, sealed, is_last=False) is None
    assert ChunkCipher(SECRET, 1, b"other").open(3, sealed, is_last=False) is None


def _flip(at: int) -> Callable[[bytearray], None]:
    def change(content: bytearray) -> None:
        content[at if at >= 0 else len(content) + at] ^= 1

    return change


def _cut(content: bytearray) -> None:
    del content[-100:]


def _absurd_header(content: bytearray) -> None:
    content[len(MAGIC) : len(MAGIC) + 4] = struct.pack(">I", 0xFFFFFFFF)


def _absurd_manifest(content: bytearray) -> None:
    content[-END_FORMAT.size : -END_FORMAT.size + 16] = struct.pack(">QQ", 1 << 63, 1 << 40)


def _empty(content: bytearray) -> None:
    content.clear()


CHANGES = {
    "its first byte": _flip(0),
    "its header": _flip(60),
    "a database": _flip(400_000),
    "the manifest": _flip(-END_FORMAT.size - 50),
    "its end": _flip(-1),
    "its length": _cut,
    "an absurd header": _absurd_header,
    "an absurd manifest": _absurd_manifest,
    "everything": _empty,
}


@pytest.mark.parametrize("which", ["plain", "locked"])
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_changed_file_is_no_backup(
    home: Lived, tmp_path: Path, which: str, change: Callable[[bytearray], None]
) -> None:
    """And nothing is left where it was to be restored to."""
    content = bytearray((home.folder / f"{which}.backup").read_bytes())
    change(content)
    file = tmp_path / "changed.backup"
    file.write_bytes(content)
    secret = {"key_file": home.key_file} if which == "locked" else {}
    code = code_of(lambda: home.restore(tmp_path / "to", file, **secret))
    assert code in ("backup_malformed", "backup_secret_wrong", "backup_newer")
    assert not (tmp_path / "to").exists() or not list((tmp_path / "to").iterdir())


@pytest.mark.parametrize(
    "name",
    [
        "../x",
        "registry/../../x.yaml",
        "registry//etc/x.yaml",
        "registry/.x.yaml",
        "registry/a\x00.yaml",
        "keys/../a.key",
        "keys/x.backup.key",
        "tenant/00/database",
        "tenant/1/database",
        "tenant/-1/blobs",
        "tenant/0/shell",
        "store.json",
    ],
)
def test_no_part_has_the_name_of_a_path(name: str) -> None:
    """Whatever a file says; the control: parts that backups have."""
    assert not is_member_name(name, 1)
    for known in ("registry/policy.yaml", "registry/方針.yaml", "keys/signing/1.json", "tenant/0/database"):
        assert is_member_name(known, 1)


def test_a_content_under_the_name_of_a_path_is_refused(home: Lived) -> None:
    """In a part of contents, which has names of its own."""
    from heedful.adapters.backup.content import write_blobs  # noqa: PLC0415

    for name in (b"../../x", b"/etc/x", b"a/b"):
        with pytest.raises(InvalidInputError):
            write_blobs([struct.pack(">HQ", len(name), 1) + name + b"x"], home.folder / "nowhere")
    with pytest.raises(InvalidInputError):
        write_blobs([struct.pack(">HQ", 2, 1 << 40) + b"ab"], home.folder / "nowhere")
    assert not (home.folder / "nowhere").exists()


def test_a_backup_that_somebody_else_signed_is_not_the_stores(home: Lived, tmp_path: Path) -> None:
    """Though it says so, and holds in itself; where no key of the store is here its signer is told."""
    shutil.copytree(home.folder / "store", tmp_path / "store")
    shutil.copytree(home.folder / "keys", tmp_path / "keys", ignore=shutil.ignore_patterns("signing", "pins"))
    with Memory.open(tmp_path / "store", settings=replace(home.settings, keys_dir=str(tmp_path / "keys"))) as forger:
        forger.backup(tmp_path / "forged.backup")
    choices = {"register": [], "without_register": True}
    assert code_of(lambda: home.restore(tmp_path, tmp_path / "forged.backup", **choices)) == "backup_foreign"
    came = home.restore(tmp_path, tmp_path / "forged.backup", settings=home.keyless(tmp_path), **choices)
    with open_backup(tmp_path / "forged.backup", None) as reader:
        assert json.loads(reader.signed.text)["with_keys"] is False
        assert came.signed_by == reader.signed.key_id
    assert Pieces([b"ab", b"c"]).exactly(3) == b"abc"
