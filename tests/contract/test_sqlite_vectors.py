"""What SQLite keeps of vectors in memory: bounded, never of another moment, and never numpy where none is asked for."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

import pytest

from heedful.adapters.storage.sqlite import matrices
from heedful.adapters.storage.sqlite import nearest as module
from heedful.adapters.storage.sqlite.matrices import KEPT, Matrices, Shelf
from heedful.adapters.storage.sqlite.store import SqliteStore
from heedful.ports.store import TenantStore, Writing
from heedful.testing.builders import build_search_row, build_tenant, scope_of
from heedful.testing.factory import add_tenant, one_tenant
from heedful.testing.store_contract.vector_steps import (
    EAST,
    WEST,
    nearest,
    nearest_now,
    pairs,
    put_rows,
    put_vectors,
    walk,
)
from heedful.testing.stores import SqliteFiles


def _filled(tenant_store: TenantStore) -> TenantStore:
    tenant_store.write(partial(put_rows, rows=[build_search_row(1), build_search_row(2)]))
    tenant_store.write(partial(put_vectors, vectors={1: EAST, 2: WEST}))
    return tenant_store


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    """Each test begins with nothing in memory."""
    KEPT.start_over()


def test_a_search_keeps_what_it_read_and_takes_it_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second search reads no vector; after a change the third reads again (the control)."""
    with one_tenant(SqliteFiles(tmp_path)) as tenant_store:
        _filled(tenant_store)
        loads = _count_loads(monkeypatch)
        for _ in range(2):
            assert pairs(nearest_now(tenant_store, EAST)) == [(1, 1.0), (2, -1.0)]
        assert len(loads) == 1
        tenant_store.write(partial(put_vectors, vectors={1: WEST}))
        assert pairs(nearest_now(tenant_store, EAST)) == [(2, -1.0), (1, -1.0)]
        assert len(loads) == 2


def test_a_change_elsewhere_leaves_what_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other scopes and records without vectors make nobody read again."""
    with one_tenant(SqliteFiles(tmp_path)) as tenant_store:
        _filled(tenant_store)
        nearest_now(tenant_store, EAST)
        loads = _count_loads(monkeypatch)
        tenant_store.write(
            partial(put_rows, rows=[build_search_row(3, scope=scope_of("user:ben")), build_search_row(4)])
        )
        tenant_store.write(partial(put_vectors, vectors={3: EAST}))
        assert pairs(nearest_now(tenant_store, EAST)) == [(1, 1.0), (2, -1.0)]
        assert loads == []


def test_another_store_of_the_same_file_is_noticed(tmp_path: Path) -> None:
    """As another process would be: what it committed is read, and what was kept is not used."""
    with one_tenant(SqliteFiles(tmp_path)) as tenant_store:
        _filled(tenant_store)
        nearest_now(tenant_store, EAST)
        other = SqliteStore.open(tmp_path)
        other.tenant_store(build_tenant().tenant_id).write(partial(put_vectors, vectors={2: EAST}))
        other.close()
        assert pairs(nearest_now(tenant_store, EAST)) == [(2, 1.0), (1, 1.0)]


def test_numbers_of_changes_never_come_again(tmp_path: Path) -> None:
    """Dropped, cleared and rolled back: what was kept before is never taken for what came after."""
    with one_tenant(SqliteFiles(tmp_path)) as tenant_store:
        _filled(tenant_store)
        assert pairs(nearest_now(tenant_store, EAST)) == [(1, 1.0), (2, -1.0)]
        tenant_store.write(lambda writing: writing.drop_vectors("ngrams-1/4", limit=9))
        tenant_store.write(partial(put_vectors, vectors={1: WEST, 2: WEST}))
        assert pairs(nearest_now(tenant_store, EAST)) == [(2, -1.0), (1, -1.0)]
        tenant_store.write(lambda writing: writing.clear_views())
        tenant_store.write(partial(put_rows, rows=[build_search_row(1)]))
        tenant_store.write(partial(put_vectors, vectors={1: EAST}))
        assert pairs(nearest_now(tenant_store, EAST)) == [(1, 1.0)]

        def fails(writing: Writing) -> None:
            put_vectors(writing, {1: WEST})
            nearest(writing, EAST)
            raise LookupError

        with pytest.raises(LookupError):
            tenant_store.write(fails)
        tenant_store.write(partial(put_vectors, vectors={1: EAST}))
        assert pairs(nearest_now(tenant_store, EAST)) == [(1, 1.0)]


def test_the_last_change_decides_and_an_older_moment_keeps_none(tmp_path: Path) -> None:
    """An old moment neither takes what is newer nor puts its own in that place."""
    with one_tenant(SqliteFiles(tmp_path)) as tenant_store:
        _filled(tenant_store)
        with tenant_store.read() as before:
            tenant_store.write(partial(put_vectors, vectors={1: WEST}))
            assert pairs(nearest_now(tenant_store, EAST)) == [(2, -1.0), (1, -1.0)]
            assert pairs(nearest(before, EAST)) == [(1, 1.0), (2, -1.0)]
            assert pairs(nearest_now(tenant_store, EAST)) == [(2, -1.0), (1, -1.0)]


def test_no_more_is_kept_than_the_limit_and_the_least_used_goes_first() -> None:
    """Bytes are counted with each entry's own; one over the limit is not kept at all."""
    kept = Matrices(10_000)
    shelf, other = Shelf(kept), Shelf(kept)
    shelf.put((1,), 1, "a", 3_000)
    other.put((1,), 1, "b", 3_000)
    assert shelf.get((1,), 1) == "a"
    shelf.put((2,), 1, "c", 3_000)
    assert (shelf.get((1,), 1), other.get((1,), 1), shelf.get((2,), 1)) == ("a", None, "c")
    assert kept.bytes_kept == 8_048
    shelf.put((3,), 1, "d", 10_000)
    assert shelf.get((3,), 1) is None
    shelf.put((1,), 1, "again", 1)
    assert shelf.get((1,), 1) == "a"
    shelf.put((1,), 2, "newer", 1)
    assert (shelf.get((1,), 1), shelf.get((1,), 2)) == (None, "newer")
    shelf.clear()
    assert kept.bytes_kept == 0


def test_thousands_of_small_entries_are_bounded_too() -> None:
    """Each costs something, even where it holds nothing."""
    kept = Matrices(100_000)
    shelf = Shelf(kept)
    for number in range(5_000):
        shelf.put((number,), 1, (), 0)
    assert kept.bytes_kept <= 100_000
    assert sum(shelf.get((number,), 1) is not None for number in range(5_000)) < 100


def test_what_is_too_large_to_keep_is_searched_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Block by block, and nothing of it stays."""
    monkeypatch.setattr(module, "ENTRY_BYTES_MAX", 100)
    monkeypatch.setattr(module, "BLOCK_BYTES", 12)
    with one_tenant(SqliteFiles(tmp_path)) as tenant_store:
        vectors = {position: (EAST, WEST)[position % 2] for position in range(1, 101)}
        tenant_store.write(partial(put_rows, rows=[build_search_row(position) for position in vectors]))
        tenant_store.write(partial(put_vectors, vectors=vectors))
        assert pairs(nearest_now(tenant_store, EAST)) == walk(vectors, EAST)
        assert KEPT.bytes_kept == 0


def test_bytes_that_no_embedder_of_ours_makes_are_added_up_exactly(tmp_path: Path) -> None:
    """Beyond 2^24, where 32-bit floats round: they are added in 64 bits."""
    almost = bytes([127]) * 4_095 + bytes([126])
    vectors = {1: almost, 2: bytes([127]) * 4_096, 3: bytes([128]) * 4_096}
    with one_tenant(SqliteFiles(tmp_path)) as tenant_store:
        tenant_store.write(partial(put_rows, rows=[build_search_row(position) for position in vectors]))
        tenant_store.write(partial(put_vectors, vectors=vectors))
        assert pairs(nearest_now(tenant_store, almost)) == walk(vectors, almost)


def test_closed_databases_keep_nothing(tmp_path: Path) -> None:
    """While it is open something is kept (the control)."""
    store = SqliteStore.open(tmp_path)
    nearest_now(_filled(add_tenant(store, build_tenant())), EAST)
    assert KEPT.bytes_kept > 0
    store.close()
    assert KEPT.bytes_kept == 0


def test_many_threads_search_while_one_writes(tmp_path: Path) -> None:
    """Each answer is that of one moment: both vectors are always the same way round."""
    with one_tenant(SqliteFiles(tmp_path)) as tenant_store:
        _filled(tenant_store)
        tenant_store.write(partial(put_vectors, vectors={1: EAST, 2: EAST}))
        torn: list[object] = []

        def search() -> None:
            for _ in range(100):
                found = {hit.similarity for hit in nearest_now(tenant_store, EAST)}
                if len(found) != 1:
                    torn.append(found)

        threads = [threading.Thread(target=search) for _ in range(4)]
        for thread in threads:
            thread.start()
        for number in range(60):
            tenant_store.write(partial(put_vectors, vectors=dict.fromkeys((1, 2), (WEST, EAST)[number % 2])))
        for thread in threads:
            thread.join()
        assert torn == []


def test_a_forked_child_is_not_held_up_by_its_parents_lock(tmp_path: Path) -> None:
    """A thread of the parent may hold it at that very moment."""
    with one_tenant(SqliteFiles(tmp_path)) as tenant_store:
        _filled(tenant_store)
        nearest_now(tenant_store, EAST)
        with KEPT._lock:
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    code = 0 if pairs(nearest_now(tenant_store, EAST)) == [(1, 1.0), (2, -1.0)] else 2
                finally:
                    os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert pairs(nearest_now(tenant_store, EAST)) == [(1, 1.0), (2, -1.0)]


def test_numpy_is_loaded_by_the_first_search_by_vectors_and_not_before(tmp_path: Path) -> None:
    """It takes longer than most commands; the last line shows that the test can fail."""
    script = f"""
import sys
import heedful.interfaces.cli.main
from heedful.testing.store_contract import vector_steps
from heedful.testing.builders import build_search_row, build_tenant
from heedful.testing.factory import add_tenant
from heedful.adapters.storage.sqlite.store import SqliteStore
store = add_tenant(SqliteStore.open({str(tmp_path)!r}), build_tenant())
store.write(lambda writing: vector_steps.put_rows(writing, [build_search_row(1)]))
store.write(lambda writing: vector_steps.put_vectors(writing, {{1: b"abcd"}}))
print("numpy" in sys.modules)
vector_steps.nearest_now(store, b"abcd")
print("numpy" in sys.modules)
"""
    printed = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert printed.stdout.split() == ["False", "True"]


def test_the_limits_are_what_the_page_says() -> None:
    """64 MiB a process, and one entry at most half of it."""
    assert matrices.MATRIX_BYTES_MAX == 64 * 1024 * 1024
    assert matrices.ENTRY_BYTES_MAX == 32 * 1024 * 1024


def _count_loads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    loads: list[int] = []
    load = module._load

    def counted(*arguments: object) -> object:
        loads.append(1)
        return load(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "_load", counted)
    return loads
