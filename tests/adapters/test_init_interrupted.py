"""`init` that was killed half-way is finished by the next one, and of several at once one makes the store."""

import json
import multiprocessing
import os
import shutil
from collections.abc import Callable
from multiprocessing.queues import Queue
from pathlib import Path

import apsw
import pytest

from heedful import Memory
from heedful.adapters.storage.sqlite.store import SqliteStore
from heedful.bootstrap import App, init_store, open_store
from heedful.kernel.errors import HeedfulError
from heedful.kernel.ids import TenantId
from heedful.ports.store import Tenant
from heedful.settings import Settings

PROCESSES = 4
_spawn = multiprocessing.get_context("spawn")


def _settings(folder: Path, *, tenant: str = "default") -> Settings:
    return Settings(keys_dir=str(folder / "keys"), principal="person:ana", tenant=tenant)


def _init(folder: Path, *, tenant: str = "default") -> App:
    return init_store(folder, _settings(folder, tenant=tenant), scope=("project:x",), packs=("delivery",))


def _code(call: Callable[[], object]) -> str:
    with pytest.raises(HeedfulError) as caught:
        call()
    assert caught.value.next_step
    return caught.value.code


def _open(folder: Path) -> Memory:
    return Memory.open(folder, settings=_settings(folder))


def _before_any_tenant(store: Path) -> None:
    shutil.rmtree(store / "tenants")
    (store / "control.db").unlink()


def _before_its_list_had_it(store: Path) -> None:
    connection = apsw.Connection(str(store / "control.db"))
    connection.execute("DELETE FROM tenants")
    connection.close()


def _before_its_first_event(store: Path) -> None:
    shutil.rmtree(store / "tenants")
    (store / "control.db").unlink()
    opened = SqliteStore.open(store)
    opened.create_tenant(Tenant(TenantId("0190b3c4-0000-7000-8000-000000000001"), "default", 0))
    opened.close()


def _before_store_json(store: Path) -> None:
    _before_any_tenant(store)
    (store / "store.json").rename(store / "store.json.new")
    (store / "registry" / "policy.yaml").rename(store / "registry" / "policy.yaml.new")
    (store / "registry" / "policy.yaml.new").write_text("policy: {sol")


@pytest.mark.parametrize(
    ("killed", "code"),
    [
        (_before_store_json, "store_not_found"),
        (_before_any_tenant, "tenant_not_found"),
        (_before_its_list_had_it, "tenant_not_found"),
        (_before_its_first_event, "store_unavailable"),
    ],
)
def test_init_again_finishes_what_was_interrupted(tmp_path: Path, killed: Callable[[Path], None], code: str) -> None:
    """Before, every command tells that the store is not whole; afterwards it is, and the third `init` is refused."""
    _init(tmp_path).close()
    killed(tmp_path / ".heedful")
    for _ in range(2):
        assert _code(lambda: _open(tmp_path)) == code

    _init(tmp_path).close()

    with _open(tmp_path) as memory:
        assert memory.verify(views=True).holds
        assert memory.remember("All is well.").position > 0
    assert _code(lambda: _init(tmp_path)) == "store_exists"


def test_a_whole_store_is_not_touched_by_init(tmp_path: Path) -> None:
    """The control: `store_exists`, and what was kept is there."""
    _init(tmp_path).close()
    with _open(tmp_path) as memory:
        memory.remember("Nothing ships before the audit ends.")
    marker = (tmp_path / ".heedful" / "store.json").read_bytes()

    assert _code(lambda: _init(tmp_path)) == "store_exists"

    assert (tmp_path / ".heedful" / "store.json").read_bytes() == marker
    with _open(tmp_path) as memory:
        assert memory.status().counts["records"] == 1


@pytest.mark.parametrize("damage", ["deleted", "emptied"])
def test_init_makes_no_lost_database_anew(tmp_path: Path, damage: str) -> None:
    """What was lost is restored from a backup, or stays lost: an empty memory would say that nothing is known."""
    _init(tmp_path).close()
    with _open(tmp_path) as memory:
        memory.remember("Nothing ships before the audit ends.")
    (database,) = (tmp_path / ".heedful" / "tenants").glob("*.db")
    backup = database.read_bytes()
    if damage == "deleted":
        database.unlink()
    else:
        database.write_bytes(b"")

    assert _code(lambda: _open(tmp_path)) == "store_unavailable"
    assert _code(lambda: _init(tmp_path)) == "store_unavailable"

    database.write_bytes(backup)
    with _open(tmp_path) as memory:
        assert memory.verify(views=True).holds


def test_init_founds_no_ledger_that_was_emptied(tmp_path: Path) -> None:
    """`store_unavailable` when it is used, `store_corrupt` when it would be begun anew: views are left of it."""
    _init(tmp_path).close()
    with _open(tmp_path) as memory:
        memory.remember("Nothing ships before the audit ends.")
    (database,) = (tmp_path / ".heedful" / "tenants").glob("*.db")
    connection = apsw.Connection(str(database))
    connection.execute("DELETE FROM ledger_events; UPDATE state SET ledger_position = 0, ledger_digest = zeroblob(32)")
    connection.close()

    assert _code(lambda: _open(tmp_path)) == "store_unavailable"
    assert _code(lambda: _init(tmp_path)) == "store_corrupt"


def test_what_the_error_names_makes_the_tenant(tmp_path: Path) -> None:
    """`heedful --tenant NAME init` is in the next step of `tenant_not_found`, also for the default tenant."""
    _init(tmp_path, tenant="acme").close()
    with open_store(_settings(tmp_path), start=tmp_path) as app, pytest.raises(HeedfulError) as caught:
        app.session()
    assert caught.value.code == "tenant_not_found"
    assert "`heedful --tenant NAME init`" in caught.value.next_step

    with _init(tmp_path) as app:
        assert [tenant.name for tenant in app.store.tenants()] == ["acme", "default"]
    assert _code(lambda: _init(tmp_path, tenant="other")) == "store_exists"


def test_of_several_processes_one_makes_the_store(tmp_path: Path) -> None:
    """The others get `store_exists`; one store id, one tenant, one folder of keys."""
    reports: Queue[str] = _spawn.Queue()
    start = _spawn.Event()
    processes = [_spawn.Process(target=_make, args=(tmp_path, start, reports)) for _ in range(PROCESSES)]
    for process in processes:
        process.start()
    start.set()
    found = sorted(reports.get(timeout=60) for _ in processes)
    for process in processes:
        process.join(60)
    store_id = json.loads((tmp_path / ".heedful" / "store.json").read_text())["store_id"]

    assert found == sorted([*["store_exists"] * (PROCESSES - 1), store_id])
    with _open(tmp_path) as memory:
        memory.remember("x" * 70_000)
        assert memory.verify(views=True).holds
    assert os.listdir(tmp_path / "keys") == [store_id]  # noqa: PTH208  # names alone are asked for


def _make(folder: Path, start: "multiprocessing.synchronize.Event", reports: "Queue[str]") -> None:
    start.wait(30)
    try:
        with _init(folder) as app:
            assert app.folder is not None
            reports.put(app.folder.store_id)
    except HeedfulError as error:
        reports.put(error.code)
