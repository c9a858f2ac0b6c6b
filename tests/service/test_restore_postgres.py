"""Backup and restore across engines: a store on PostgreSQL comes back in a folder, and one in a folder in a database."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from backing import SCOPE, Lived, home_fixture
from worlds import code_of

from heedful import Memory

__all__ = ("home_fixture",)


def test_a_store_goes_to_a_database_and_back(home: Lived, tmp_path: Path, database: str) -> None:
    """With what was erased erased in both, the same chains, and another store's database left alone."""
    there = replace(home.elsewhere(tmp_path), database=database)
    came = home.restore(tmp_path / "shared", settings=there)
    assert [(each.tenant, each.erasures) for each in came.tenants] == [("default", 1), ("支付", 0)]
    with home.memory(tmp_path / "shared", settings=there) as memory:
        assert memory.show(home.kept)[0] is not None
        assert code_of(lambda: memory.show(home.gone)) == "item_not_found"
        audit = memory.verify(views=True)
        assert (audit.holds, audit.blobs, audit.views) == (True, "intact", "equal")
        late = memory.remember("The zanzibar replica moved.", scope=SCOPE).record_id
        made = memory.backup(tmp_path / "shared.backup", key_file=home.key_file)
    assert code_of(lambda: home.restore(tmp_path / "again", settings=there)) == "database_in_use"

    alone = replace(there, database=None)
    choices = {"register": [], "without_register": True, "key_file": home.key_file, "settings": alone}
    back = home.restore(tmp_path / "alone", tmp_path / "shared.backup", **choices)
    assert [each.ledger for each in back.tenants] == [each.ledger for each in made.tenants]
    with Memory.open(tmp_path / "alone", settings=alone) as memory:
        assert memory.show(late)[0] is not None
        audit = memory.verify(views=True)
        assert (audit.holds, audit.blobs, audit.views) == (True, "intact", "equal")
