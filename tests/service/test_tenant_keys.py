"""A tenant's key is made once, with the tenant: one that is gone, or another, is an error and never made anew."""

from __future__ import annotations

from pathlib import Path

import pytest
from worlds import World, code_of, world

from heedful.adapters.keys import FileKeyRing
from heedful.kernel.ids import PrincipalId
from heedful.ledger.events import TenantCreated
from heedful.ports.store import Chain, StoredRecord, Writing
from heedful.service.append import append_events


def _key_file(folder: Path) -> Path:
    (path,) = (folder / "keys").glob("*.key")
    return path


def test_the_key_is_there_as_soon_as_the_tenant_is(tmp_path: Path) -> None:
    """Before anything is remembered: whoever backs the folder up then has it."""
    with world(tmp_path):
        assert len(_key_file(tmp_path).read_bytes()) == 32


def test_a_key_that_is_gone_is_not_made_anew(tmp_path: Path) -> None:
    """`keys_missing` for what needs it; what does not is still read, and with its backup everything holds again."""
    with world(tmp_path, inline_bytes_max=40) as house:
        large = house.ana.remember("more than forty bytes of it, so that it lies in the blob store")
        house.ana.remember("the cache lies")
    path = _key_file(tmp_path)
    key = path.read_bytes()
    path.unlink()
    with world(tmp_path, inline_bytes_max=40) as house:
        assert house.ana.recall("cache").items
        stored, _ = house.ana.show(large.record_id)
        assert isinstance(stored, StoredRecord)
        for call in (
            lambda: house.ana.remember("more"),
            house.ana.verify,
            lambda: house.ana._session.text_of(stored.record),
        ):
            assert code_of(call) == "keys_missing"
        assert house.ana.status().counts["records"] == 2
    assert not path.exists()
    path.write_bytes(key)
    with world(tmp_path, inline_bytes_max=40) as house:
        assert house.ana.remember("more").position > 0
        assert house.ana.verify(views=True).holds


def test_another_key_is_told_from_the_one_it_was_founded_with(tmp_path: Path) -> None:
    """`keys_mismatch`: under it every large content would look damaged, and every new one could not be found again."""
    with world(tmp_path):
        pass
    path = _key_file(tmp_path)
    key = path.read_bytes()
    path.write_bytes(bytes(range(32)))
    with world(tmp_path) as house:
        assert code_of(lambda: house.ana.remember("more")) == "keys_mismatch"
        assert house.ana.recall("more").items == ()
    path.write_bytes(key)
    with world(tmp_path) as house:
        assert house.ana.remember("more").position > 0


def _of_an_earlier_release(folder: Path, *, with_a_record: bool) -> World:
    """A world whose tenant's first event tells nothing of a key, as version 1 is read, and whose key is gone."""
    made = World(folder)
    (tenant,) = made.app.store.tenants()
    store = made.app.store.tenant_store(tenant.tenant_id)

    def begin_anew(writing: Writing) -> None:
        append_events(
            writing,
            [TenantCreated("acme", PrincipalId("person:ana"), None)],
            tenant_id=acme.tenant_id,
            clock=made.clock,
            entropy=made.app.entropy,
            text_of=lambda record: record.content,
        )

    acme = type(tenant)(type(tenant.tenant_id)("0190b3c4-0000-7000-8000-000000000001"), "acme", 0)
    made.app.store.create_tenant(acme)
    made.app.store.tenant_store(acme.tenant_id).write(begin_anew)
    if with_a_record:
        made.memory("person:ana", tenant="acme").remember("kept before keys were checked")
        Path(made.app.keys.place(acme.tenant_id)).unlink()
        made.app.keys = FileKeyRing(folder / "keys")
        made.app._founded_keys.clear()
    assert store.tenant.name == "default"
    return made


def test_a_tenant_of_an_earlier_release_gets_its_key_with_its_first_record(tmp_path: Path) -> None:
    """As it was then. Once it has a record it had a key, and one that is gone is an error for it too."""
    house = _of_an_earlier_release(tmp_path / "a", with_a_record=False)
    assert house.memory("person:ana", tenant="acme").remember("the first").position > 0
    assert house.memory("person:ana", tenant="acme").verify(views=True).holds
    house.close()
    house = _of_an_earlier_release(tmp_path / "b", with_a_record=True)
    assert code_of(lambda: house.memory("person:ana", tenant="acme").remember("more")) == "keys_missing"
    house.close()


@pytest.mark.parametrize("changed", ["payload", "salt"])
def test_a_first_event_that_was_changed_is_for_verify_to_find(tmp_path: Path, changed: str) -> None:
    """The store opens, so that it can be verified: what the event says of the key is not believed."""
    with world(tmp_path):
        pass
    (path,) = (tmp_path / "tenants").glob("*.db")
    from heedful.adapters.storage.sqlite.connection import Session  # noqa: PLC0415

    session = Session(str(path), lock_wait_seconds=1.0)
    value = "CAST(payload || ' ' AS BLOB)" if changed == "payload" else "zeroblob(32)"
    session.cursor.execute(f"UPDATE ledger_events SET {changed} = {value} WHERE position = 1")
    session.close()
    with world(tmp_path) as house:
        audit = house.ana.verify()
        assert audit.ledger.broken is not None
        assert audit.ledger.broken.position == 1
        assert house.events(Chain.ACCESS) == []
