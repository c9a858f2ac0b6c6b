"""`init` on a database: the first makes the store, others join it; interrupted or racing, one store comes of it."""

from __future__ import annotations

import json
import multiprocessing
import shutil
from collections.abc import Callable
from multiprocessing.queues import Queue
from pathlib import Path

import pytest

from heedful import Memory
from heedful.adapters.storage.postgres.store import PostgresStore
from heedful.bootstrap import App, init_store
from heedful.kernel.errors import HeedfulError
from heedful.kernel.ids import TenantId
from heedful.ports.store import Tenant
from heedful.settings import Settings

PROCESSES = 4
STORE_ID = "01981f6e-0000-7000-8000-000000000001"
_spawn = multiprocessing.get_context("spawn")


def _settings(folder: Path, database: str, *, tenant: str = "default", keys: Path | None = None) -> Settings:
    return Settings(
        database=database, keys_dir=str(keys or folder.parent / "keys"), principal="person:ana", tenant=tenant
    )


def _init(folder: Path, database: str, **more: object) -> App:
    folder.mkdir(exist_ok=True)
    settings = _settings(folder, database, **more)  # type: ignore[arg-type]
    return init_store(folder, settings, scope=("project:x",), packs=("delivery",))


def _code(call: Callable[[], object]) -> str:
    with pytest.raises(HeedfulError) as caught:
        call()
    assert caught.value.next_step
    return caught.value.code


def _open(folder: Path, database: str) -> Memory:
    return Memory.open(folder, settings=_settings(folder, database))


def _store_id(folder: Path) -> str:
    return str(json.loads((folder / ".heedful" / "store.json").read_text("utf-8"))["store_id"])


def test_a_second_folder_joins_the_store_that_is_there(tmp_path: Path, database: str) -> None:
    """It has the store's id and keys, a registry of its own, and sees what the first one kept; no tenant is made again."""
    one, two = tmp_path / "one", tmp_path / "two"
    with _init(one, database) as first:
        assert not first.is_joined
    with _open(one, database) as memory:
        kept = memory.remember("the cache lies" + "x" * 70_000)
    with _init(two, database) as second:
        assert second.is_joined
        assert [tenant.name for tenant in second.store.tenants()] == ["default"]
    assert _store_id(one) == _store_id(two)
    with _open(two, database) as memory:
        assert [item.item_id for item in memory.recall("cache").items] == [kept.record_id]
        assert memory.verify(views=True).holds
    for folder in (one, two):
        assert _code(lambda folder=folder: _init(folder, database)) == "store_exists"  # type: ignore[misc]


def test_a_registry_that_came_with_a_clone_is_kept_when_a_folder_joins(tmp_path: Path, database: str) -> None:
    """The workers of one project have one registry, from git."""
    one, two = tmp_path / "one", tmp_path / "two"
    _init(one, database).close()
    policy = one / ".heedful" / "registry" / "policy.yaml"
    policy.write_text(policy.read_text("utf-8") + "# reviewed\n", "utf-8")
    shutil.copytree(one / ".heedful" / "registry", two / ".heedful" / "registry")
    _init(two, database).close()
    assert (two / ".heedful" / "registry" / "policy.yaml").read_text("utf-8").endswith("# reviewed\n")


def test_a_folder_that_joins_needs_the_key_and_makes_no_other(tmp_path: Path, database: str) -> None:
    """`keys_missing` says where the key would lie, and leaves nothing; with a copy of the keys `init` goes through."""
    one, two, keys = tmp_path / "one", tmp_path / "two", tmp_path / "elsewhere"
    _init(one, database).close()
    assert _code(lambda: _init(two, database, keys=keys)) == "keys_missing"
    assert not list(two.iterdir())
    assert not keys.exists()
    shutil.copytree(tmp_path / "keys", keys)
    with _init(two, database, keys=keys) as app:
        assert app.is_joined


def test_a_folder_that_joins_under_a_new_name_adds_that_tenant(tmp_path: Path, database: str) -> None:
    """As `init --tenant` does in a folder that has the store."""
    _init(tmp_path / "one", database).close()
    with _init(tmp_path / "two", database, tenant="acme", keys=tmp_path / "other") as app:
        assert sorted(tenant.name for tenant in app.store.tenants()) == ["acme", "default"]
        assert app.session().store.tenant.name == "acme"


def _before_the_folder(folder: Path, database: str) -> None:
    store = PostgresStore.open(database)
    store.own(STORE_ID)
    store.close()
    folder.mkdir()


def _before_its_first_event(folder: Path, database: str) -> None:
    store = PostgresStore.open(database)
    store.own(STORE_ID)
    store.create_tenant(Tenant(TenantId("0190b3c4-0000-7000-8000-000000000001"), "default", 0))
    store.close()
    folder.mkdir()


@pytest.mark.parametrize("killed", [_before_the_folder, _before_its_first_event])
def test_init_again_finishes_what_was_interrupted(
    tmp_path: Path, database: str, killed: Callable[[Path, str], None]
) -> None:
    """Whatever it had done in the database; the store's id is the one that was claimed, and the third is refused."""
    folder = tmp_path / "one"
    killed(folder, database)
    _init(folder, database).close()
    assert _store_id(folder) == STORE_ID
    with _open(folder, database) as memory:
        assert memory.remember("All is well.").position > 0
        assert memory.verify(views=True).holds
    assert _code(lambda: _init(folder, database)) == "store_exists"


@pytest.mark.parametrize("apart", [False, True])
def test_of_several_processes_one_makes_the_store(tmp_path: Path, database: str, apart: bool) -> None:
    """In one folder the others get `store_exists`; in folders of their own they join it. One store, one tenant."""
    folders = [tmp_path / str(number if apart else 0) for number in range(PROCESSES)]
    reports: Queue[str] = _spawn.Queue()
    start = _spawn.Event()
    processes = [_spawn.Process(target=_make, args=(each, database, start, reports)) for each in folders]
    for process in processes:
        process.start()
    start.set()
    found = sorted(reports.get(timeout=120) for _ in processes)
    for process in processes:
        process.join(60)
    store_id = _store_id(folders[0])

    assert found == sorted([store_id] * PROCESSES if apart else [store_id, *["store_exists"] * (PROCESSES - 1)])
    for folder in set(folders):
        with _open(folder, database) as memory:
            memory.remember("x" * 70_000)
            assert memory.verify(views=True).holds
    with _open(folders[0], database) as memory:
        assert memory.status().counts["records"] == len(set(folders))


def _make(folder: Path, database: str, start: multiprocessing.synchronize.Event, reports: Queue[str]) -> None:
    start.wait(60)
    try:
        with _init(folder, database) as app:
            assert app.folder is not None
            reports.put(app.folder.store_id)
    except HeedfulError as error:
        reports.put(error.code)
