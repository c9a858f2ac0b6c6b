"""Backup and restore: what came out is what went in, and what was erased since is erased before anybody is served."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from backing import LONG, Lived, home_fixture, opened
from worlds import code_of

from heedful import Memory
from heedful.adapters.signing import FileSigning
from heedful.adapters.system import SystemClock
from heedful.bootstrap.opening import keys_folder
from heedful.kernel.errors import ConflictError, NotFoundError
from heedful.ledger.erasure_register import Register, encode_register
from heedful.ledger.signed import SignedText

__all__ = ("home_fixture",)


def test_all_tenants_come_back_as_they_were_but_for_what_was_erased(home: Lived, tmp_path: Path) -> None:
    """In the same order, with the same heads; the control: without the register it is there again, and that is said."""
    there = home.elsewhere(tmp_path)
    came = home.restore(tmp_path, settings=there)

    assert [(each.tenant, each.erasures) for each in came.tenants] == [("default", 1), ("支付", 0)]
    assert (came.register, came.is_known, came.keys, came.left_out) == ("given", True, "here", ())
    with home.memory(tmp_path, settings=there) as memory:
        assert memory.show(home.kept)[0] is not None
        for gone in (home.gone, home.claim, home.late):
            with pytest.raises(NotFoundError):
                memory.show(gone)
        assert memory.recall("zanzibar replica", scope=["user:ana"]).items[0].text[:20] == LONG[:20]
        audit = memory.verify(views=True)
        assert (audit.holds, audit.blobs, audit.views, audit.checkpoints) == (True, "intact", "equal", 1)
        assert memory.receipt(home.erasure_id).stage != "logical", "what shows it is gone too"
        again = memory.remember("It is Zanzibar-Q, I said", source_ref="chat:7")
        assert again.outcome == "refused", "an importer that runs again does not bring it back"
    assert b"Zanzibar-Q" not in b"".join(path.read_bytes() for path in tmp_path.rglob("*.db"))
    with home.memory(tmp_path, "支付", there) as memory:
        assert memory.verify(views=True).holds

    control = home.restore(tmp_path / "control", register=[], without_register=True)
    assert (control.register, control.tenants[0].erasures) == ("none", 0)
    with home.memory(tmp_path / "control") as memory:
        assert memory.show(home.gone)[0] is not None


def test_nothing_is_restored_while_nobody_says_what_was_erased_since(home: Lived, tmp_path: Path) -> None:
    """Nor by a register that is older than the backup, of another store, or changed."""
    assert code_of(lambda: home.restore(tmp_path, register=[])) == "restore_register_needed"
    changed = tmp_path / "changed.json"
    changed.write_text(home.register.read_text("utf-8").replace(home.gone, home.kept), "utf-8")
    assert code_of(lambda: home.restore(tmp_path, register=[changed])) == "register_unsigned"
    changed.write_bytes(home.register.read_bytes()[:-9])
    assert code_of(lambda: home.restore(tmp_path, register=[changed])) == "register_malformed"
    with home.memory() as memory:
        memory.backup(tmp_path / "newer.backup")
    assert code_of(lambda: home.restore(tmp_path, tmp_path / "newer.backup")) == "register_older"
    assert not (tmp_path / ".heedful").exists()
    came = home.restore(tmp_path, register=[], since=home.folder / "store")
    assert came.tenants[0].erasures == 1, "the store itself knows"


def test_a_register_is_believed_where_the_stores_key_signed_it_and_tells_of_all(home: Lived, tmp_path: Path) -> None:
    """Where no key of the store is here, the one that signed the backup; the control: the real one is taken."""
    signed = msgspec.json.decode(home.register.read_bytes(), type=SignedText)
    register, told = msgspec.json.decode(signed.text, type=Register), tmp_path / "told.json"

    def tell(text: str, keys: Path) -> None:
        signing = FileSigning(keys, SystemClock())
        signing.prepare()
        by = signing.sign("receipt", text.encode())
        told.write_bytes(msgspec.json.encode(SignedText(text, by.key_id, by.signature, signing.public_keys())))

    there = home.keyless(tmp_path)
    tell(signed.text, tmp_path / "another")
    assert code_of(lambda: home.restore(tmp_path / "to", register=[told])) == "register_unsigned"
    assert code_of(lambda: home.restore(tmp_path / "to", register=[told], settings=there)) == "register_unsigned"
    fewer = msgspec.structs.replace(register, tenants=register.tenants[:1])
    tell(encode_register(fewer), keys_folder(register.store_id, home.settings))
    assert code_of(lambda: home.restore(tmp_path / "to", register=[told])) == "restore_register_needed"
    assert not (tmp_path / "to").exists()
    assert home.restore(tmp_path / "to", register=[told, home.register]).tenants[0].erasures == 1


def test_a_store_that_is_there_is_put_aside_only_where_that_is_asked_for(home: Lived, tmp_path: Path) -> None:
    """And what was erased in it stays erased: it is the register then."""
    home.restore(tmp_path)
    assert code_of(lambda: home.restore(tmp_path)) == "restore_taken"
    with home.memory(tmp_path) as memory:
        memory.forget(record=home.kept)
    came = home.restore(tmp_path, register=[], replace=True, since=home.folder / "store")
    assert came.tenants[0].erasures == 2, "both are asked"
    assert came.replaced is not None
    assert (Path(came.replaced) / "store.json").exists()
    (tmp_path / "other" / ".heedful" / "registry").mkdir(parents=True)
    assert code_of(lambda: home.restore(tmp_path / "other")) == "restore_taken"


def test_a_backup_is_held_against_checkpoints_that_were_pinned(home: Lived, tmp_path: Path) -> None:
    """Older is told with how many events are missing, another history as such; the control: an older checkpoint fits."""
    with pytest.raises(ConflictError, match=r"tenant 'default' is [0-9]+ events behind") as raised:
        home.restore(tmp_path, checkpoint=[home.checkpoint("after")])
    assert raised.value.code == "restore_stale"
    came = home.restore(tmp_path / "stale", checkpoint=[home.checkpoint("after")], stale_ok=True)
    assert {each.standing for each in came.tenants[0].standing if each.chain == "ledger"} == {"behind"}

    fits = home.restore(tmp_path / "fits", checkpoint=[home.checkpoint("before")])
    assert fits.tenants[0].standing[0].standing == "ahead"
    with home.memory(tmp_path / "fits", settings=home.keyless(tmp_path)) as memory:
        memory.checkpoint(tmp_path / "forked.json")
    with home.memory() as memory:
        memory.backup(tmp_path / "newer.backup")
    beside = {"checkpoint": [tmp_path / "forked.json"], "register": [], "without_register": True, "stale_ok": True}
    assert code_of(lambda: home.restore(tmp_path, tmp_path / "newer.backup", **beside)) == "restore_other"
    other = home.restore(tmp_path / "other", tmp_path / "newer.backup", other_ok=True, **beside)
    assert other.tenants[0].standing[0].standing == "other"
    with Memory.init(tmp_path, scope=["user:bob"], settings=home.settings) as memory:
        memory.checkpoint(tmp_path / "foreign.json")
    assert code_of(lambda: home.restore(tmp_path / "x", checkpoint=[tmp_path / "foreign.json"])) == "checkpoint_foreign"


def test_what_was_acknowledged_before_it_began_is_in_it_while_others_write(home: Lived, tmp_path: Path) -> None:
    """And what is in it holds, whoever wrote meanwhile."""
    folder = tmp_path / "busy"
    folder.mkdir()
    acknowledged: list[str] = []
    with Memory.init(folder, scope=["user:ana"], settings=home.settings) as memory:
        stop = threading.Event()

        def write() -> None:
            number = 0
            while not stop.is_set():
                acknowledged.append(memory.remember(f"Invoice {number} is rounded per line.").record_id)
                number += 1

        writer = threading.Thread(target=write)
        writer.start()
        try:
            while len(acknowledged) < 20:
                stop.wait(0.001)
            before = list(acknowledged)
            memory.backup(tmp_path / "busy.backup")
        finally:
            stop.set()
            writer.join()
    home.restore(tmp_path / "out", tmp_path / "busy.backup", register=[], without_register=True)
    with home.memory(tmp_path / "out") as memory:
        assert all(memory.show(each)[0] is not None for each in before)
        assert memory.verify(views=True).views == "equal"


def test_backups_past_their_time_are_deleted_and_told(home: Lived, tmp_path: Path) -> None:
    """By the lower of what they say and the setting; other files, and other stores' backups, stay."""
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    with home.memory() as memory:
        made = memory.backup(shelf)
        (shelf / "notes.txt").write_text("mine")
        assert [each.is_expired for each in memory.backups(shelf, prune=True)] == [False]
    short = replace(home.settings, backup_keep_days=1e-9)
    with Memory.init(tmp_path, scope=["user:bob"], settings=short) as other:
        assert other.backups(shelf, prune=True) == ()
    with opened(short, home.folder / "store") as app:
        (told,) = Memory(app, app.session()).backups(shelf, prune=True)
    assert (told.file, told.is_deleted) == (made.file, True)
    assert [each.name for each in shelf.iterdir()] == ["notes.txt"]


def test_who_may_not_see_everything_backs_nothing_up(home: Lived, tmp_path: Path) -> None:
    """Nor an agent, whoever's; nor lists what is there."""
    with home.memory() as memory:
        for other in (memory.acting_as("agent:bot"), memory.acting_as(memory._session.principal, channel="agent")):
            assert code_of(lambda other=other: other.backup(tmp_path)) == "principal_may_not"  # type: ignore[misc]
            assert code_of(lambda other=other: other.backups(tmp_path)) == "principal_may_not"  # type: ignore[misc]
            assert code_of(lambda other=other: other.erasures()) == "principal_may_not"  # type: ignore[misc]
        assert code_of(lambda: memory.backup(tmp_path, with_keys=True)) == "backup_keys_in_clear"
    assert not list(tmp_path.iterdir())
